import {
  type BarsSpec,
  type ChartSpec,
  type FlowSpec,
  type GridSpec,
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

/** A fall of a rate by device, and what each adds to it. */
export function parts(more: Partial<BarsSpec> = {}): BarsSpec {
  return bars({
    title: 'Conversion rate 3.1% → 2.6% (-0.5 pp, -16.1%)',
    subtitle: 'by device',
    unit: 'points',
    labels: ['mobile', 'desktop'],
    series: [
      { name: 'own rate', values: [-0.62, 0.1] },
      { name: 'traffic mix', values: [0.04, -0.0199] },
    ],
    accent: ['mobile'],
    ...more,
  });
}

/** What two conditions cost, with intervals: one of them is noise. */
export function costs(more: Partial<BarsSpec> = {}): BarsSpec {
  return bars({
    title: 'Rage clicks on /cart cost most in 7 days: 900 EUR',
    subtitle: 'revenue lost',
    unit: 'EUR',
    labels: ['Rage clicks on /cart', 'Slow load on /'],
    series: [{ name: 'estimate', values: [900, 250], low: [300, -400], high: [1_500, 900] }],
    accent: ['Rage clicks on /cart'],
    notes: ['300 to 1,500', '-400 to 900 · not significant'],
    ...more,
  });
}

/** A funnel of three steps. */
export function funnel(more: Partial<BarsSpec> = {}): BarsSpec {
  return bars({
    title: '12.5% of sessions go from / to /checkout',
    subtitle: 'sessions',
    unit: 'none',
    labels: ['/', '/p/*', '/checkout'],
    series: [{ name: 'sessions that did the step', values: [8_000, 3_000, 1_000] }],
    lost: { name: 'did the step before only', values: [0, 5_000, 2_000] },
    notes: ['', '37.5% of the step before · 37.5% of all', '33.33% of the step before · 12.5% of all'],
    ...more,
  });
}

/** Two cohorts, of which the second is not over. */
export function grid(more: Partial<GridSpec> = {}): GridSpec {
  return {
    kind: 'grid',
    title: '4.2% of new visitors came back on day 1, more than on any other day',
    subtitle: 'cohorts of two days',
    unit: 'percent',
    columns: Array.from({ length: 8 }, (_, index) => `day ${index + 1}`),
    rows: [
      { name: 'all', values: [4.2, 3.1, 2.6, 2.2, 2, 1.9, 1.8, 1.5] },
      { name: '2026-11-02  1,240', values: [4.4, 3.2, 2.8, 2.2, null, null, null, null] },
    ],
    ...more,
  };
}

/** Sessions that go from the entry page to two others. */
export function flow(more: Partial<FlowSpec> = {}): FlowSpec {
  return {
    kind: 'flow',
    title: 'After / most often: /p/*, 60 of 100 sessions',
    subtitle: '100 sessions',
    columns: ['start', '1 after'],
    nodes: [
      { id: '0 /', label: '/', side: 0, count: 100 },
      { id: '1 /p/*', label: '/p/*', side: 1, count: 60 },
      { id: '1 exit', label: 'exit', side: 1, count: 40 },
    ],
    links: [
      { from: '0 /', to: '1 /p/*', count: 60 },
      { from: '0 /', to: '1 exit', count: 40 },
    ],
    accent: '1 /p/*',
    ...more,
  };
}

/** Two pictures that answer one question. */
export function panels(): ChartSpec {
  return { kind: 'panels', panels: [trend(), parts()] };
}
