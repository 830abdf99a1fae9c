import { discoveryLimit } from '../../../../src/statistics/discoveries.ts';
import { logTail } from '../../../../src/statistics/tails.ts';
import { referToIntervals } from './reference.ts';
import { HISTORY_DAYS } from './trial.ts';
import { DEVICES, METRIC_NAMES, type Metric, type Planted, plantedEffect, pointsOf, SEGMENTS, type Selection } from './world.ts';

const WINDOW_DAYS = 28;
/** A finding is true where planted changes move the series by at least so much in its direction. */
const LEAST_EFFECT = 0.005;
/** Days by which the first day of a finding may differ from that of the planted change. */
const NEAR = 2;

const SELECTIONS: readonly Selection[] = [
  {},
  ...DEVICES.map((device) => ({ device })),
  ...SEGMENTS.map((segment) => ({ segment })),
  ...DEVICES.flatMap((device) => SEGMENTS.map((segment) => ({ device, segment }))),
];
export const SERIES = METRIC_NAMES.flatMap((metric) => SELECTIONS.map((selection) => ({ metric, selection })));

/** What planted changes make of a series on some days against the week before them. */
function effectOn(planted: readonly Planted[], metric: Metric, selection: Selection, from: number, to: number): number {
  const meanOf = (first: number, last: number) => {
    let sum = 0;
    for (let day = first; day < last; day += 1) sum += plantedEffect(planted, metric, selection, day);
    return sum / (last - first);
  };
  return meanOf(from, to) - meanOf(from - 7, from);
}

/** What is said of a series. */
export interface Claim {
  readonly metric: Metric;
  readonly selection: Selection;
  readonly from: number;
  readonly to: number;
  readonly sign: number;
}

/** Whether planted changes move a series as a claim says. */
export const isTrue = (planted: readonly Planted[], { metric, selection, from, to, sign }: Claim) =>
  effectOn(planted, metric, selection, from, to) * sign >= LEAST_EFFECT;
/** Whether a claim is about a planted change. */
export const meets = (change: Planted, claim: Claim) => Math.abs(claim.from - change.from) <= NEAR && isTrue([change], claim);

/** The claims of the reference at a false discovery rate of 5 % over the same series, at most so many for each. */
export function referenceClaims(
  seriesPoints: readonly ReturnType<typeof pointsOf>[],
  holidays: ReadonlySet<number>,
  most: number,
): Claim[] {
  const intervals = (WINDOW_DAYS * (WINDOW_DAYS + 1)) / 2;
  const each = SERIES.flatMap(({ metric, selection }, index) =>
    referToIntervals(seriesPoints[index] ?? [], holidays, HISTORY_DAYS, most).map(({ from, to, score }) => ({
      claim: { metric, selection, from, to, sign: Math.sign(score) },
      pValue: Math.min(1, intervals * Math.exp(logTail(score))),
    })),
  );
  const limit = discoveryLimit(
    each.map(({ pValue }) => pValue),
    0.05,
  );
  return each.filter(({ pValue }) => pValue <= limit).map(({ claim }) => claim);
}
