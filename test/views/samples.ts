import {
  type BarsSpec,
  type ChartSpec,
  type ContributionSpec,
  type TrendSpec,
  type WaterfallRow,
  type WaterfallSpec,
  waterfallColumns,
} from '../../src/views/spec.ts';

/** A page of a shop: phases all known, one failure, one request whose phases nobody recorded. */
export function waterfall(more: Partial<WaterfallSpec> = {}): WaterfallSpec {
  const rows: WaterfallRow[] = [
    ['/', 200, 31_200, 0, 420, 2, 18, 40, 55, 1, 250, 54],
    ['/assets/app.css', 200, 14_800, 430, 120, 4, null, null, null, 1, 90, 25],
    ['/assets/app.js', 200, 182_000, 432, 610, 6, null, null, null, 1, 130, 473],
    ['cdn.tracker.example/tag.js', 404, 512, 640, 300, 0, 40, 80, 60, 1, 110, 9],
    ['fonts.example/brand.woff2', 0, null, 660, 240, 240, null, null, null, null, null, null],
    ['/images/hero.avif', 200, 96_500, 700, 880, null, null, null, null, null, null, null],
  ];
  const marks = [
    { name: 'FCP', atMs: 880 },
    { name: 'LCP', atMs: 1580 },
    { name: 'onLoad', atMs: 1620 },
  ];
  return { kind: 'waterfall', title: 'Shop: product page', subtitle: '6 requests', columns: waterfallColumns, rows, marks, ...more };
}

/** Sixty requests, as many as a picture holds. */
export function longWaterfall(): WaterfallSpec {
  const rows = Array.from({ length: 60 }, (_, index): WaterfallRow => {
    const wait = 40 + ((index * 37) % 200);
    return [`/assets/part-${index + 1}.js`, 200, 2_000 + index * 310, index * 45, wait + 42, 2, 10, 8, 6, 1, wait, 15];
  });
  return waterfall({ rows, subtitle: '60 requests' });
}

/** Three weeks of two steps: a day without values, two events, a change. */
export function trend(more: Partial<TrendSpec> = {}): TrendSpec {
  const times = Array.from({ length: 21 }, (_, index) => new Date(Date.UTC(2026, 9, 31 + index)).toISOString().slice(0, 10));
  const values = (base: number, step: number) =>
    times.map((_, index) => (index === 6 ? null : base + ((index * 53) % 90) + (index >= 12 ? step : 0)));
  const spread = (all: (number | null)[], by: number) => all.map((value) => (value === null ? null : value + by));
  const [home, product] = [values(1_400, 0), values(2_100, 620)];
  return {
    kind: 'trend',
    title: 'Checkout: largestContentfulPaint',
    subtitle: 'median and range per day',
    unit: 'ms',
    timeZone: 'Europe/Paris',
    times,
    series: [
      { name: 'Home', values: home, low: spread(home, -90), high: spread(home, 140) },
      { name: 'Product', values: product, low: spread(product, -120), high: spread(product, 210) },
    ],
    events: [
      { name: 'Release 42', time: '2026-11-12T09:30' },
      { name: 'New banner', time: '2026-11-04T16:00' },
    ],
    change: { name: 'Product slower since 12 Nov', time: '2026-11-12' },
    judged: { from: '2026-11-13', to: '2026-11-20' },
    ...more,
  };
}

/** Conversion by country and device: one pair without a value. */
export function bars(more: Partial<BarsSpec> = {}): BarsSpec {
  return {
    kind: 'bars',
    title: 'conversionRate by segment and device',
    subtitle: '%, goal Purchase',
    unit: 'percent',
    labels: ['Germany', 'France', 'Returning visitors from the summer sale'],
    series: [
      { name: 'desktop', values: [3.91, 3.62, 5.2] },
      { name: 'mobile', values: [2.1, null, 0] },
    ],
    ...more,
  };
}

/** A fall of a rate by device: mobile makes more than all of it. */
export function contribution(more: Partial<ContributionSpec> = {}): ContributionSpec {
  return {
    kind: 'contribution',
    title: 'Conversion rate 3.1% → 2.6% (-0.5 pp, -16.1%)',
    subtitle: 'by device',
    unit: 'points',
    change: -0.5,
    steps: [
      { group: 'mobile', part: 'rate', value: -0.62 },
      { group: 'mobile', part: 'mix', value: 0.04 },
      { group: 'desktop', part: 'rate', value: 0.1 },
      { group: 'desktop', part: 'mix', value: -0.0199 },
      { group: '', part: 'remainder', value: -0.0001 },
    ],
    ...more,
  };
}

/** A rise by segments that overlap. */
export function segments(): ContributionSpec {
  const of = (group: string, rate: number, mix: number, others: number) => [
    { group, part: 'rate', value: rate } as const,
    { group, part: 'mix', value: mix } as const,
    { group, part: 'others', value: others } as const,
    { group, part: 'remainder', value: 0 } as const,
  ];
  return contribution({
    title: 'Visits by segment',
    change: 0.3,
    overlap: true,
    steps: [...of('Germany', 0.2, -0.1, 0.2), ...of('New visitors', -0.05, 0.25, 0.1)],
  });
}

/** Two pictures that answer one question. */
export function panels(): ChartSpec {
  return { kind: 'panels', panels: [trend(), contribution()] };
}
