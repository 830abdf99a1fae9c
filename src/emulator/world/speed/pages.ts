import { hash, unit } from '../random.ts';
import type { PageKind, Scenario, Step } from './types.ts';

/** Usual values of a page before any noise: times in ms since navigation, layout shift without unit. */
export interface PageBase {
  readonly firstByte: number;
  readonly firstContentfulPaint: number;
  readonly largestContentfulPaint: number;
  readonly loadTime: number;
  readonly totalBlockingTime: number;
  readonly cumulativeLayoutShift: number;
}

/** How many first-party files a page loads, by type. */
interface PageFiles {
  readonly styles: number;
  readonly scripts: number;
  readonly images: number;
  readonly calls: number;
}

type Timing = readonly [ttfb: number, fcp: number, lcp: number, load: number, tbt: number, cls: number];

/** On a desktop; `mobile` below is their multiple. */
const desktop: Record<PageKind, Timing> = {
  home: [190, 780, 1420, 3100, 120, 0.041],
  category: [260, 840, 1380, 2700, 140, 0.062],
  product: [230, 860, 1560, 2900, 170, 0.018],
  cart: [310, 720, 1050, 2100, 110, 0.009],
  payment: [380, 940, 1480, 3300, 260, 0.024],
  search: [340, 900, 1340, 2600, 150, 0.087],
  article: [160, 690, 1250, 4200, 290, 0.12],
  section: [150, 720, 1390, 4600, 330, 0.14],
  help: [140, 610, 940, 1700, 60, 0.004],
};
const mobile: Timing = [1.5, 1.8, 1.85, 1.9, 2.4, 1.2];

const files: Record<PageKind, PageFiles> = {
  home: { styles: 3, scripts: 9, images: 34, calls: 5 },
  category: { styles: 2, scripts: 8, images: 40, calls: 4 },
  product: { styles: 2, scripts: 9, images: 26, calls: 6 },
  cart: { styles: 2, scripts: 8, images: 19, calls: 7 },
  payment: { styles: 2, scripts: 8, images: 13, calls: 8 },
  search: { styles: 2, scripts: 8, images: 32, calls: 5 },
  article: { styles: 2, scripts: 8, images: 18, calls: 4 },
  section: { styles: 2, scripts: 8, images: 42, calls: 4 },
  help: { styles: 2, scripts: 12, images: 40, calls: 6 },
};

/** Values of a step before noise; the pages differ by up to 12 % from seed to seed. */
export function pageBase(seed: number, { device }: Scenario, { id, kind }: Step): PageBase {
  const value = (index: 0 | 1 | 2 | 3 | 4 | 5): number => {
    // The times share one factor, so that their order holds; blocking time and layout shift have their own.
    const own = 0.88 + 0.24 * unit(hash(seed, id, Math.max(index, 3)));
    return desktop[kind][index] * own * (device === 'mobile' ? mobile[index] : 1);
  };
  return {
    firstByte: value(0),
    firstContentfulPaint: value(1),
    largestContentfulPaint: value(2),
    loadTime: value(3),
    totalBlockingTime: value(4),
    cumulativeLayoutShift: value(5),
  };
}

/** Number of files of a page; a small screen loads fewer images. */
export function pageFiles({ device }: Scenario, { kind }: Step): PageFiles {
  const { images, ...rest } = files[kind];
  return { ...rest, images: device === 'mobile' ? Math.ceil(images * 0.8) : images };
}
