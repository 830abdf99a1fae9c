/** The median page of the web in 2024: what a page weighs and asks for, by device. */
export const PAGE_MEDIANS = {
  desktop: { transferBytes: 2_652_000, requests: 71 },
  mobile: { transferBytes: 2_311_000, requests: 66 },
} as const;

/** The device of a lab run, as far as it is known. */
export type Device = 'desktop' | 'mobile' | 'unknown';

/** Up to `good` a value is good, above `poor` it is poor. */
export interface Threshold {
  readonly good: number;
  readonly poor: number;
  /** The purpose of the limits: the 75th percentile of real visits, or the median of lab runs on a device. */
  readonly basis: 'field p75' | 'lab desktop' | 'lab mobile';
}

/** The rating of a value by public thresholds. */
export type Rating = 'good' | 'needs improvement' | 'poor';

type Thresholds = { readonly [Of in 'field' | 'desktop' | 'mobile']?: readonly [good: number, poor: number] };

/** Limits by metric: times in ms, layout shift without unit. Field limits are those of Core Web Vitals, lab limits those of Lighthouse. */
export const thresholds: Readonly<Record<string, Thresholds>> = {
  largestContentfulPaint: { field: [2500, 4000], mobile: [2500, 4000], desktop: [1200, 2400] },
  cumulativeLayoutShift: { field: [0.1, 0.25], mobile: [0.1, 0.25], desktop: [0.1, 0.25] },
  firstContentfulPaint: { field: [1800, 3000], mobile: [1800, 3000], desktop: [900, 1600] },
  firstByte: { field: [800, 1800] },
  totalBlockingTime: { mobile: [200, 600], desktop: [150, 350] },
  speedIndex: { mobile: [3400, 5800], desktop: [1300, 2300] },
};

/**
 * The limits that fit best: those for lab runs on the device where there are such, else those of the field; undefined where there are none.
 */
export function thresholdOf(metric: string, device: Device): Threshold | undefined {
  const { field, ...lab } = thresholds[metric] ?? {};
  const ofDevice = device === 'unknown' ? undefined : lab[device];
  const limits = ofDevice ?? field;
  if (!limits) return undefined;
  return { good: limits[0], poor: limits[1], basis: ofDevice && device !== 'unknown' ? `lab ${device}` : 'field p75' };
}

/** Where a value lies between the limits. */
export function rate(value: number, { good, poor }: Threshold): Rating {
  if (value <= good) return 'good';
  return value > poor ? 'poor' : 'needs improvement';
}
