import { decompose, type GroupSums, type Sums } from '../../../../src/domain/metrics/engine/decompose.ts';
import { findReasons } from '../../../../src/domain/metrics/engine/reasons.ts';
import type { DailyPoint } from '../../../../src/domain/metrics/engine/series.ts';
import { percent, type Table, type Trial } from '../../tables.ts';
import { type Random, seeded } from '../random.ts';
import { drawSite, judge, type Site, siteTable, WEEK_LAYOUT } from './trial.ts';
import { chanceOf, DEVICES, METRICS, type Metric, type Planted, pointsOf, SEGMENTS, type Selection, type World } from './world.ts';

/** Draws of the unchanged split that the oracle measures its statistic against. */
const DRAWS = 400;
/** Probability of naming a part although all moved alike: the aim of the bench. */
const ERROR = 0.05;

/** The conversions of one day by part, and the share of each part where all moved alike. */
interface Split {
  readonly counts: readonly number[];
  readonly shares: readonly number[];
}

function splitOf({ cells }: World, parts: readonly Selection[], day: number): Split {
  const own = parts.map(({ device, segment }) =>
    cells.filter((cell) => (device ?? cell.device) === cell.device && (segment ?? cell.segment) === cell.segment),
  );
  const expected = own.map((of) => of.reduce((sum, cell) => sum + (cell.visits[day] ?? 0) * chanceOf(cell), 0));
  const all = expected.reduce((sum, value) => sum + value, 0);
  return {
    counts: own.map((of) => of.reduce((sum, cell) => sum + (cell.conversions[day] ?? 0), 0)),
    shares: expected.map((value) => value / all),
  };
}

/** For each part the logarithm of the likelihood ratio that it alone converts `factor` times as well, against all alike. */
function ratiosOf(splits: readonly Split[], factor: number): number[] {
  const [first] = splits;
  return (first?.shares ?? []).map((_, part) =>
    splits.reduce((sum, { counts, shares }) => {
      const total = counts.reduce((all, count) => all + count, 0);
      return sum + (counts[part] ?? 0) * Math.log(factor) - total * Math.log(1 + (factor - 1) * (shares[part] ?? 0));
    }, 0),
  );
}

/** A planted change of the rate of one part, and the seed of the draws that it is measured against. */
interface Known {
  readonly from: number;
  readonly factor: number;
  readonly seed: number;
}

/** The same conversions of a day, which fall to the parts as if all moved alike. */
function redrawn({ counts, shares }: Split, { binomial }: Random): Split {
  let left = counts.reduce((sum, count) => sum + count, 0);
  let rest = 1;
  const drawn = shares.map((share) => {
    const count = rest > share ? binomial(left, share / rest) : left;
    left -= count;
    rest -= share;
    return count;
  });
  return { counts: drawn, shares };
}

/**
 * The name that an oracle gives: it knows the true rates, the days and the size of the change, and that either one part has it or all moved
 * alike, but not which. It goes by how the conversions of each day fall to the parts, which is free of what moves all of them, and names a
 * part although all moved alike in at most 5 % of worlds (Neyman and Pearson 1933); what has to learn rates and days can hardly name more.
 */
function ceilingOf(
  world: World,
  parts: readonly { readonly name: string; readonly selection: Selection }[],
  { from, factor, seed }: Known,
): string | undefined {
  const selections = parts.map(({ selection }) => selection);
  const splits = world.labels.slice(from).map((_, at) => splitOf(world, selections, from + at));
  const ratios = ratiosOf(splits, factor);
  const largest = Math.max(...ratios);
  const random = seeded(seed);
  let higher = 0;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const unchanged = splits.map((split) => redrawn(split, random));
    if (Math.max(...ratiosOf(unchanged, factor)) >= largest) higher += 1;
  }
  return (higher + 1) / (DRAWS + 1) <= ERROR ? parts[ratios.indexOf(largest)]?.name : undefined;
}

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
