import { nth } from '../../lib/nth.ts';
import { addTo, sumOfKnown } from '../../lib/tally.ts';
import { type Judgement, judgePeriods } from '../metrics/engine/judge.ts';
import type { DailyPoint } from '../metrics/engine/series.ts';
import { dayText } from './covered-days.ts';
import type { FunnelAnswer } from './funnel-answer.ts';
import { differenceOf, discovered, intervalOf, percentOf } from './proportions.ts';

/** How many came so far and no farther; the place in the list is the depth. */
export type Depths = readonly number[];

/** The engine's counts for a funnel. */
export interface FunnelCounts {
  /** By day (UTC, as a number). */
  readonly days: ReadonlyMap<number, Depths>;
  readonly groups: ReadonlyMap<string, Depths>;
  /** The groups by device, where the files say it of sessions that are split by something else. */
  readonly byDevice?: ReadonlyMap<string, ReadonlyMap<string, Depths>> | undefined;
  /** Times between a step and the one before, by the number of the step: ms and how often. */
  readonly gaps: ReadonlyMap<number, readonly (readonly [ms: number, count: number])[]>;
  /** Where those went who left after a step; undefined: nowhere. */
  readonly next: readonly { readonly depth: number; readonly page: string | undefined; readonly count: number }[];
  /** Visitors whose window is not over. */
  readonly immature: number;
}

/** A step of a funnel and who did it. */
export type FunnelStep = FunnelAnswer['steps'][number];

/** Pages named at a step for those who left. */
const MOST_NEXT = 4;

/** Sums of some depths, place by place. */
export function sumOf(all: Iterable<Depths>): number[] {
  const sums: number[] = [];
  for (const depths of all) for (const [depth, count] of depths.entries()) sums[depth] = (sums[depth] ?? 0) + count;
  return Array.from(sums, (count) => count ?? 0);
}

/** How many did each step. */
export function reached(depths: Depths, steps: number): number[] {
  return Array.from({ length: steps }, (_, index) => sumOfKnown(depths.slice(index + 1), (count) => count));
}

/** A quantile of values that occurred so often each; halfway between two where it falls between them. */
function quantileOf(values: readonly (readonly [value: number, count: number])[], share: number): number | undefined {
  const sorted = values.toSorted(([a], [b]) => a - b);
  const total = sumOfKnown(sorted, ([, count]) => count);
  if (total === 0) return undefined;
  const at = (rank: number) => {
    let passed = 0;
    return sorted.find(([, count]) => (passed += count) > rank)?.[0] ?? 0;
  };
  const rank = share * (total - 1);
  const [low, high] = [at(Math.floor(rank)), at(Math.ceil(rank))];
  return low + (rank - Math.floor(rank)) * (high - low);
}

function timesOf(gaps: FunnelCounts['gaps'], number: number): Pick<FunnelStep, 'medianSeconds' | 'middleSeconds'> {
  const values = (gaps.get(number) ?? []).filter(([ms]) => ms >= 0);
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => quantileOf(values, share));
  if (low === undefined || median === undefined || high === undefined) return {};
  const seconds = (ms: number) => Math.round(ms / 100) / 10;
  return { medianSeconds: seconds(median), middleSeconds: [seconds(low), seconds(high)] };
}

/** The pages on which those who left go on; several pages of one name are one. */
function nextOf(next: FunnelCounts['next'], depth: number, nameOf: (page: string, index: number) => string) {
  const counts = new Map<string, number>();
  let ended = 0;
  for (const each of next) {
    if (each.depth !== depth) continue;
    if (each.page === undefined) ended += each.count;
    else addTo(counts, nameOf(each.page, depth - 1), each.count);
  }
  const pages = [...counts]
    .map(([page, sessions]) => ({ page, sessions }))
    .toSorted((a, b) => b.sessions - a.sessions || (a.page < b.page ? -1 : 1));
  return { ended, next: pages.slice(0, MOST_NEXT) };
}

/** The steps with shares, times, and where those went who left; `hasNext`: pages were read; `nameOf` names one after a step, from 0. */
export function stepsOf(
  names: readonly string[],
  counts: FunnelCounts,
  { hasNext, nameOf }: { readonly hasNext: boolean; readonly nameOf: (page: string, index: number) => string },
): FunnelStep[] {
  const done = reached(sumOf(counts.days.values()), names.length);
  return names.map((step, index) => {
    const [sessions = 0, before = 0, after = 0] = [done[index], done[index - 1], done[index + 1]];
    return {
      step,
      sessions,
      ofFirstPercent: percentOf(sessions, nth(done, 0)),
      ...(index > 0 && { ofPreviousPercent: percentOf(sessions, before), ...intervalOf({ hits: sessions, of: before }) }),
      ...timesOf(counts.gaps, index + 1),
      ...(index < names.length - 1 && { left: sessions - after, ...(hasNext && nextOf(counts.next, index + 1, nameOf)) }),
    };
  });
}

/** The step after which most are lost, from 0. */
export function largestLoss(steps: readonly Pick<FunnelStep, 'left'>[]): number | undefined {
  const losses = steps.slice(0, -1).map(({ left = 0 }, index) => ({ index, left }));
  const [largest] = losses.toSorted((a, b) => b.left - a.left);
  return largest && largest.left > 0 ? largest.index : undefined;
}

/** How a step changed against a baseline. */
export type FunnelChange = NonNullable<FunnelAnswer['changes']>[number] & {
  readonly verdict: 'higher' | 'lower' | 'within noise' | 'too few';
};

/** The verdict of the metrics' engine over days; undefined where it has too few of them. */
function verdictOfDays({ verdict, relative }: Judgement): FunnelChange['verdict'] | undefined {
  if (verdict === 'not enough data') return undefined;
  if (verdict === 'drift') return (relative ?? 0) > 0 ? 'higher' : 'lower';
  if (verdict === 'within noise') return verdict;
  return verdict === 'up' ? 'higher' : 'lower';
}

/** Where days are too few to learn how much they scatter, only chance of counting is known, and more is asked of it. */
const CLEAR = 0.001;

/** The verdict, which never goes against the figures beside it. */
function verdictOf(judged: Judgement, { pValue, points }: { readonly pValue: number; readonly points: number }): FunnelChange['verdict'] {
  const direction = points > 0 ? 'higher' : 'lower';
  const verdict = verdictOfDays(judged) ?? (pValue < CLEAR ? direction : 'within noise');
  return verdict === direction ? verdict : 'within noise';
}

type Day = Pick<DailyPoint, 'label' | 'numerator' | 'denominator'>;

/** −2 log likelihood of days that share one rate, but for a constant. */
function devianceOf(days: readonly Day[]): number {
  const [hits, of] = [sumOfKnown(days, ({ numerator }) => numerator), sumOfKnown(days, ({ denominator }) => denominator)];
  const part = (count: number) => (count > 0 ? -2 * count * Math.log(count / of) : 0);
  return part(hits) + part(of - hits);
}

/**
 * The first day of a change: that of the clearest step which the metrics' engine finds; where it has too few days for that, the day from
 * which on another rate makes all days likeliest. Undefined where the rate slid, or changed before the period.
 */
function sinceOf({ main, verdict }: Judgement, days: readonly Day[], from: string): string | undefined {
  if (main || verdict === 'drift') return main?.from;
  const sorted = days.toSorted((a, b) => a.label.localeCompare(b.label));
  const splits = sorted.slice(1).map(({ label }, index) => ({
    label,
    deviance: devianceOf(sorted.slice(0, index + 1)) + devianceOf(sorted.slice(index + 1)),
  }));
  const label = splits.toSorted((a, b) => a.deviance - b.deviance)[0]?.label;
  return label !== undefined && label >= from ? label : undefined;
}

function windowOf({ days }: FunnelCounts): { from: string; to: string } {
  const labels = [...days.keys()].toSorted((a, b) => a - b).map(dayText);
  return { from: labels[0] ?? '', to: labels.at(-1) ?? '' };
}

/** Whether each step is reached by another share of those before it than in the baseline, judged on days, and since when. */
export function changesOf(names: readonly string[], baseline: FunnelCounts, period: FunnelCounts): FunnelChange[] {
  const of = ({ days }: FunnelCounts) => reached(sumOf(days.values()), names.length);
  const [before, after] = [of(baseline), of(period)];
  const daily = [...baseline.days, ...period.days].map(([day, depths]) => ({ label: dayText(day), done: reached(depths, names.length) }));
  const side = (done: readonly number[], index: number) => ({ hits: nth(done, index + 1), of: nth(done, index) });
  return names.slice(1).map((step, index): FunnelChange => {
    const [own, earlier] = [side(after, index), side(before, index)];
    const days = daily.map(({ label, done }) => {
      const { hits, of: denominator } = side(done, index);
      return { label, numerator: hits, denominator, isWhole: true };
    });
    const window = windowOf(period);
    const judged = judgePeriods({ kind: 'share', days, baseline: windowOf(baseline), period: window });
    const plain = differenceOf([[own, earlier]]);
    const verdict = plain ? verdictOf(judged, plain) : 'too few';
    const since = verdict === 'higher' || verdict === 'lower' ? sinceOf(judged, days, window.from) : undefined;
    return { step, beforePercent: percentOf(earlier.hits, earlier.of), afterPercent: percentOf(own.hits, own.of), verdict, since };
  });
}

/** The groups in which a step changed most clearly, at a false discovery rate of 5 %. */
export function changedGroups(index: number, names: readonly string[], baseline: FunnelCounts, period: FunnelCounts): string[] {
  const questions = [...period.groups].flatMap(([group, depths]) => {
    const [own, earlier] = [depths, baseline.groups.get(group) ?? []].map((each) => reached(each, names.length));
    const side = (done: readonly number[] = []) => ({ hits: nth(done, index), of: nth(done, index - 1) });
    const found = differenceOf([[side(own), side(earlier)]]);
    return found ? [{ group, ...found }] : [];
  });
  return discovered(questions)
    .toSorted((a, b) => a.pValue - b.pValue)
    .map(({ group }) => group);
}
