import { percent, type Table, type Trial } from '../../tables.ts';
import { referTo } from './reference.ts';
import { drawSite, judge, type Layout, MONTH_LAYOUT, type Site, siteTable, WEEK_LAYOUT } from './trial.ts';
import { METRIC_NAMES, pointsOf, type Selection } from './world.ts';

export interface Situation {
  readonly name: string;
  readonly layout: Layout;
  readonly carry?: number;
  readonly drifts?: boolean;
  readonly holiday?: 'period' | 'last day' | 'baseline';
  readonly aim: string;
}

const SITUATIONS: readonly Situation[] = [
  { name: 'week against the week before', layout: WEEK_LAYOUT, aim: '≤ 1.5 %' },
  { name: 'week, slow drift', layout: WEEK_LAYOUT, drifts: true, aim: '≤ 1.5 %' },
  { name: 'week, shocks with AR(1) 0.5', layout: WEEK_LAYOUT, carry: 0.5, aim: '≤ 3 %' },
  { name: 'week, a holiday in the period', layout: WEEK_LAYOUT, holiday: 'period', aim: '≤ 3 %' },
  { name: 'week, a holiday in the baseline', layout: WEEK_LAYOUT, holiday: 'baseline', aim: '≤ 3 %' },
  { name: 'month against the 30 days before', layout: MONTH_LAYOUT, aim: '≤ 1.5 %' },
  { name: 'month, slow drift', layout: MONTH_LAYOUT, drifts: true, aim: '≤ 1.5 %' },
  { name: 'month, shocks with AR(1) 0.5', layout: MONTH_LAYOUT, carry: 0.5, aim: '≤ 2 %' },
];

const SELECTIONS: readonly Selection[] = [{}, { device: 'mobile' }];

function holidaysOf({ holiday, layout }: Situation, world: number): number[] {
  const length = layout.days - layout.period;
  // On the last day a holiday cannot be told from a change that begins; that is reported, and no false alarm.
  if (holiday === 'period') return [layout.period + (world % (length - 1))];
  return holiday === 'baseline' ? [layout.baseline + (world % length)] : [];
}

function measure(situation: Situation, site: Site, trial: Trial): string[] {
  const { name, layout, carry = 0, drifts = false, aim } = situation;
  const counts = { verdicts: 0, alarms: 0, drift: 0, earlier: 0, outliers: 0, reference: 0 };
  for (let world = 0; world < trial.worlds; world += 1) {
    const holidays = holidaysOf(situation, world);
    const drawn = drawSite(trial, name, site, world, { days: layout.days, history: layout.baseline, carry, drifts, holidays });
    for (const metric of METRIC_NAMES) {
      for (const selection of SELECTIONS) {
        const { verdict, changes } = judge(drawn, metric, selection, layout);
        counts.verdicts += 1;
        if (verdict === 'up' || verdict === 'down') counts.alarms += 1;
        if (verdict === 'drift') counts.drift += 1;
        if (changes.some(({ shape, from }) => shape !== 'outlier' && from < (drawn.labels[layout.period] ?? ''))) counts.earlier += 1;
        if (changes.some(({ shape }) => shape === 'outlier')) counts.outliers += 1;
        if (referTo(pointsOf(drawn, metric, selection), drawn.holidays, layout.period).isFound) counts.reference += 1;
      }
    }
  }
  const share = (hits: number) => percent(hits, counts.verdicts, 2);
  return [
    name,
    site,
    share(counts.alarms),
    aim,
    share(counts.drift),
    share(counts.earlier),
    share(counts.outliers),
    share(counts.reference),
  ];
}

/** Verdicts on sites on which nothing was planted, of all metrics on all devices and on mobile. */
export function falseAlarms(trial: Trial): Table {
  return siteTable(trial, {
    section: 'false alarms',
    cases: SITUATIONS,
    measure,
    title: 'False alarms',
    columns: [
      'nothing changed',
      'site',
      'up or down',
      'aim',
      'called drift',
      'an earlier change named',
      'an outlier day named',
      'reference',
    ],
  });
}
