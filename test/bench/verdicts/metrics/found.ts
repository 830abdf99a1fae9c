import { percent, type Table, type Trial } from '../../tables.ts';
import { referBesideSlope, referTo } from './reference.ts';
import { drawSite, judge, type Layout, MONTH_LAYOUT, ratio, type Site, siteTable, WEEK_LAYOUT } from './trial.ts';
import { type Metric, type Planted, pointsOf, type Selection } from './world.ts';

export interface PlantedChange {
  readonly name: string;
  readonly metric: Metric;
  readonly on: Planted['on'];
  readonly selection: Selection;
  readonly factor: number;
  readonly layout: Layout;
  /** Days since its first one, the last day of the period being 1. */
  readonly since: readonly [number, number];
  readonly carry?: number;
  readonly aim: string;
}

const RECENT = [
  { words: '1–7 days ago', since: [1, 7], aim: '≥ 0.90' },
  { words: 'in the last two days', since: [1, 2], aim: '≥ 0.80' },
] as const;

const CHANGES: readonly PlantedChange[] = [
  ...[0.9, 0.85, 0.75].flatMap((factor) =>
    [
      { words: 'all devices', selection: {} },
      { words: 'mobile only', selection: { device: 'mobile' } as const },
    ].flatMap((part) =>
      RECENT.map(
        ({ words, since, aim }): PlantedChange => ({
          name: `conversion rate −${Math.round(100 - 100 * factor)} %, ${part.words}, ${words}`,
          metric: 'conversionRate',
          on: 'rate',
          selection: part.selection,
          factor,
          layout: WEEK_LAYOUT,
          since,
          aim,
        }),
      ),
    ),
  ),
  ...[0, 0.5].map(
    (carry): PlantedChange => ({
      name: `visits −10 % over a whole month${carry > 0 ? ', AR(1) 0.5' : ''}`,
      metric: 'visits',
      on: 'visits',
      selection: {},
      factor: 0.9,
      layout: MONTH_LAYOUT,
      since: [30, 30],
      carry,
      aim: carry > 0 ? '' : 'about always (large)',
    }),
  ),
];

function measure(change: PlantedChange, site: Site, trial: Trial): string[] {
  const { name, metric, on, selection, factor, layout, since, carry = 0, aim } = change;
  const counts = { found: 0, exact: 0, dated: 0, drift: 0, reference: 0, referenceExact: 0, besideSlope: 0 };
  for (let world = 0; world < trial.worlds; world += 1) {
    const from = layout.days - since[0] - (world % (since[1] - since[0] + 1));
    const planted: Planted[] = [{ on, from, to: layout.days, factor, ...selection }];
    const drawn = drawSite(trial, name, site, world, { days: layout.days, history: layout.baseline, carry, planted });
    const { verdict, main } = judge(drawn, metric, selection, layout);
    if (verdict === 'down') {
      counts.found += 1;
      if (main?.from === drawn.labels[from]) counts.exact += 1;
      if (main && main.earliest <= (drawn.labels[from] ?? '') && main.latest >= (drawn.labels[from] ?? '')) counts.dated += 1;
    }
    if (verdict === 'drift') counts.drift += 1;
    if (layout === WEEK_LAYOUT && referBesideSlope(pointsOf(drawn, metric, selection), drawn.holidays, layout.period) < -1)
      counts.besideSlope += 1;
    const referred = referTo(pointsOf(drawn, metric, selection), drawn.holidays, layout.period);
    if (referred.isFound && referred.score < 0) {
      counts.reference += 1;
      if (referred.start === from) counts.referenceExact += 1;
    }
  }
  return [
    name,
    site,
    percent(counts.found, trial.worlds),
    percent(counts.reference, trial.worlds),
    ratio(counts.found, counts.reference),
    layout === WEEK_LAYOUT ? percent(counts.besideSlope, trial.worlds) : '–',
    aim,
    percent(counts.exact, counts.found),
    percent(counts.dated, counts.found),
    percent(counts.referenceExact, counts.reference),
  ];
}

/** Planted changes that the verdict names, and on which day. */
export function found(trial: Trial): Table {
  return siteTable(trial, {
    section: 'found',
    cases: CHANGES,
    measure,
    title: 'Found',
    columns: [
      'planted',
      'site',
      'found',
      'reference',
      'ratio',
      'reference with room for a slope',
      'aim',
      'start exact',
      'start among the possible days',
      'start exact, reference',
    ],
  });
}
