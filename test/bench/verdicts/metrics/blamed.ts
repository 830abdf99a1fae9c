import { decompose, type GroupSums, type Sums } from '../../../../src/metrics/engine/decompose.ts';
import { findReasons } from '../../../../src/metrics/engine/reasons.ts';
import type { DailyPoint } from '../../../../src/metrics/engine/series.ts';
import { percent, type Table, type Trial } from '../../tables.ts';
import { ceilingOf } from './ceiling.ts';
import { drawSite, judge, type Site, siteTable, WEEK_LAYOUT } from './trial.ts';
import { DEVICES, METRICS, type Metric, type Planted, pointsOf, SEGMENTS, type Selection, type World } from './world.ts';

interface Story {
  readonly name: string;
  readonly metric: Metric;
  readonly planted: Omit<Planted, 'from' | 'to'>;
  /** What must be named among the devices and among the segments; undefined: nothing. */
  readonly device?: string;
  readonly segment?: string;
  /** The parts among which an oracle has to find it. */
  readonly among?: typeof devices | typeof segments;
}

const devices = DEVICES.map((device) => ({ name: device, selection: { device } }));
const segments = SEGMENTS.map((segment) => ({ name: segment, selection: { segment } }));

const STORIES: readonly Story[] = [
  { name: 'conversion rate −20 % on all devices alike', metric: 'conversionRate', planted: { on: 'rate', factor: 0.8 } },
  { name: 'conversion rate −12 % on all devices alike', metric: 'conversionRate', planted: { on: 'rate', factor: 0.88 } },
  { name: 'visits −20 % on all devices alike', metric: 'visits', planted: { on: 'visits', factor: 0.8 } },
  ...(['mobile', 'desktop'] as const).map(
    (device): Story => ({
      name: `conversion rate −25 % on ${device}`,
      metric: 'conversionRate',
      planted: { on: 'rate', factor: 0.75, device },
      device,
      among: devices,
    }),
  ),
  { name: 'visits −25 % on mobile', metric: 'visits', planted: { on: 'visits', factor: 0.75, device: 'mobile' }, device: 'mobile' },
  ...SEGMENTS.map(
    (segment): Story => ({
      name: `conversion rate −25 % of ${segment} visitors`,
      metric: 'conversionRate',
      planted: { on: 'rate', factor: 0.75, segment },
      segment,
      among: segments,
    }),
  ),
  { name: 'new visitors × 1.6, so that the rate falls', metric: 'conversionRate', planted: { on: 'visits', factor: 1.6, segment: 'new' } },
];

const totalOf = (days: readonly DailyPoint[]): Sums => ({
  numerator: days.reduce((sum, { numerator }) => sum + numerator, 0),
  denominator: days.reduce((sum, { denominator }) => sum + denominator, 0),
});

/** The largest difference between the change and the sum of its parts, over the value. */
function gapOf(world: World, metric: Metric, selections: readonly { name: string; selection: Selection }[]): number {
  const { baseline, period } = WEEK_LAYOUT;
  const sidesOf = (selection: Selection) => {
    const days = pointsOf(world, metric, selection);
    return { before: totalOf(days.slice(baseline, period)), after: totalOf(days.slice(period)) };
  };
  const parts = decompose(selections.map(({ name, selection }): GroupSums => ({ name, ...sidesOf(selection) }))) ?? [];
  const { before, after } = sidesOf({});
  const value = before.numerator / before.denominator;
  const change = after.numerator / after.denominator - value;
  return Math.abs(change - parts.reduce((sum, { mix, rate }) => sum + mix + rate, 0)) / value;
}

function measure(story: Story, site: Site, trial: Trial): string[] {
  const { name, metric, planted } = story;
  const { days, period } = WEEK_LAYOUT;
  const counts = { explained: 0, device: 0, deviceRight: 0, segment: 0, segmentRight: 0, ceiling: 0, gap: 0 };
  for (let world = 0; world < trial.worlds; world += 1) {
    const from = period + (world % 5);
    const drawn = drawSite(trial, name, site, world, { days, history: HISTORY, planted: [{ ...planted, from, to: days }] });
    const { verdict, main } = judge(drawn, metric, {}, WEEK_LAYOUT);
    if (METRICS[metric].below) counts.gap = Math.max(counts.gap, gapOf(drawn, metric, devices), gapOf(drawn, metric, segments));
    if (verdict !== 'up' && verdict !== 'down') continue;
    counts.explained += 1;
    const first = drawn.labels[period] ?? '';
    const labels = {
      from: main?.from ?? first,
      to: main?.to ?? drawn.labels[days - 1] ?? '',
    };
    const occasion = { kind: METRICS[metric].kind, whole: pointsOf(drawn, metric), ...labels, periodFrom: first };
    const daysOf = ({ name: own, selection }: { name: string; selection: Selection }) => ({
      name: own,
      days: pointsOf(drawn, metric, selection),
    });
    const namedAmong = (groups: typeof devices | typeof segments) => findReasons(occasion, groups.map(daysOf)).named;
    const [device, segment] = [namedAmong(devices), namedAmong(segments)];
    if (device !== undefined) counts.device += 1;
    if (device === story.device) counts.deviceRight += 1;
    if (segment !== undefined) counts.segment += 1;
    if (segment === story.segment) counts.segmentRight += 1;
    if (story.among && ceilingOf(drawn, story.among, { from, factor: planted.factor, seed: world + 1 }) === (story.device ?? story.segment))
      counts.ceiling += 1;
  }
  const share = (hits: number) => percent(hits, counts.explained, 1);
  return [
    name,
    site,
    String(counts.explained),
    share(counts.device),
    share(counts.deviceRight),
    share(counts.segment),
    share(counts.segmentRight),
    story.among ? share(counts.ceiling) : '–',
    METRICS[metric].below ? counts.gap.toExponential(0) : '–',
  ];
}

const HISTORY = WEEK_LAYOUT.baseline;

/** What the reasons of planted changes name, where the change itself was found. */
export function blamed(trial: Trial): Table {
  return siteTable(trial, {
    section: 'reasons',
    cases: STORIES,
    measure,
    title: 'Reasons',
    columns: [
      'planted',
      'site',
      'worlds with a verdict',
      'a device named',
      'right about devices (aim: ≥ 90 %, alike ≥ 95 %)',
      'a segment named',
      'right about segments',
      'the same, an oracle that knows the days and sizes',
      'parts against the change',
    ],
  });
}
