import { adjusted } from '../../statistics/discoveries.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { logTail, normalOf, Z_99 } from '../../statistics/tails.ts';
import type { Interval } from './drift-grid.ts';
import { estimateNoise, informationOf, knownOf, without } from './noise.ts';
import { contrastOf, type DailyPoint, isSum, type MetricKind, relativeOf, type Series, seriesOf } from './series.ts';
import { driftShare, slopeOf } from './slope.ts';

/** A part of all visits, whose days are sums that are contained in those of the whole. */
export interface Group {
  readonly name: string;
  readonly days: readonly DailyPoint[];
}

/** A change to explain: its days, and the first of those that were judged. */
export interface Occasion {
  readonly kind: MetricKind;
  readonly whole: readonly DailyPoint[];
  /** First and last day of the change; `2026-09-28`. */
  readonly from: string;
  readonly to: string;
  /** First day of the period: days before it and before `from` teach what is usual. */
  readonly periodFrom: string;
  /** Days of other changes, which are taken out. */
  readonly others?: readonly Pick<Occasion, 'from' | 'to'>[];
  /** A slope over all days instead of another level on some; changes are then those of the judged days. */
  readonly isDrift?: boolean;
}

/** How a group moved on the days of a change. */
export interface GroupChange {
  readonly name: string;
  /** Against its own days before; null where too little is known. */
  readonly relative: number | null;
  /** The same of all visits that are not in it. */
  readonly relativeOfOthers: number | null;
  /** How clearly these moved, as a standard normal. */
  readonly scoreOfOthers: number;
  /** How clearly it moved otherwise than the others, as a standard normal. */
  readonly score: number;
  /** Whether it moved more than the others, less (or in the other direction), or like them as far as noise allows. */
  readonly verdict: 'more' | 'less' | 'alike' | 'not enough data';
}

/** Which group a change comes from. */
export interface Reasons {
  readonly groups: readonly GroupChange[];
  /**
   * The one group that moved more than the others, which without it are within noise; left out where no group or several explain the
   * change.
   */
  readonly named?: string;
  /**
   * A group that had too few days before for a change of its own, as one that rose from nothing, without which the others are within noise
   * and less than half of the change is left; left out where there is none.
   */
  readonly maker?: string;
}

/** Probability of naming a group although all moved alike. */
const ERROR = 0.06;

interface GroupEffect {
  readonly effect: number;
  /** As a standard normal. */
  readonly score: number;
}

/** The effect on an interval of days, against the days before it, or that of drift. */
function effectOn(series: Series, { from, to, others = [], isDrift = false }: Occasion): GroupEffect | undefined {
  const noise = estimateNoise(series, []);
  const interval = intervalOf(series, from, to);
  if (!noise || interval.from >= interval.to) return undefined;
  const taken = others.map((other) => intervalOf(series, other.from, other.to)).filter((other) => other.from < other.to);
  if (isDrift) {
    const { effect, score } = slopeOf({ series, noise }, series.times.length, taken);
    const share = driftShare(series);
    return Number.isFinite(score) ? { effect: effect * share, score } : undefined;
  }
  const information = taken.reduce(without, informationOf(series, noise));
  const { weight, score } = knownOf(information, interval);
  if (!(weight > 0)) return undefined;
  const own = normalOf(score / Math.sqrt(weight), noise.freedom);
  return { effect: score / weight, score: own };
}

/** The days of a series from one label to another, both included. */
export function intervalOf({ labels }: Pick<Series, 'labels'>, from: string, to: string): Interval {
  return { from: firstOf(labels, (label) => label >= from), to: firstOf(labels, (label) => label > to) };
}

/** Index of the first label, in order, from which on all are so; their number where none is. */
function firstOf(labels: readonly string[], isSo: (label: string) => boolean): number {
  let [low, high] = [0, labels.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(labels[middle] ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The part of the whole that is not in a group, day by day. */
function othersThan(whole: readonly DailyPoint[], { days }: Group, kind: MetricKind): DailyPoint[] {
  const own = new Map(days.map((day) => [day.label, day]));
  return whole.flatMap(({ label, numerator, denominator, isWhole, special, season }) => {
    const part = own.get(label);
    if (!part) return [];
    // What a special day or the season does to all visits is expected of these too.
    const known = { special, season };
    return [
      { label, numerator: numerator - part.numerator, denominator: isSum(kind) ? 1 : denominator - part.denominator, isWhole, ...known },
    ];
  });
}

/** Whether a group moved more than all others together, less (or in the other direction), or alike as far as chance allows. */
function verdictOf(pValue: number, own: GroupEffect | undefined, others: GroupEffect | undefined): 'more' | 'less' | 'alike' {
  if (pValue > ERROR) return 'alike';
  return Math.abs(own?.effect ?? 0) > Math.abs(others?.effect ?? 0) ? 'more' : 'less';
}

/** The effects in one group and of all visits that are not in it. */
interface LookedAt {
  readonly name: string;
  readonly others: { readonly effect: GroupEffect | undefined } | undefined;
  readonly difference: GroupEffect | undefined;
}

/** A group makes a change without which less than this share of it is left. */
const LEFT_BY_MAKER = 0.5;

/**
 * The group that made a change although its own days before are too few to judge it: the whole is the sum of the group and the others, so
 * what these did not make it did. Rates have no such sum.
 */
function makerOf(occasion: Occasion, judgedFrom: string, looked: readonly LookedAt[]): string | undefined {
  const unknown = looked.filter(({ difference }) => !difference);
  if (unknown.length === 0 || !isSum(occasion.kind)) return undefined;
  const series = seriesOf(occasion.whole, occasion.kind, judgedFrom);
  const whole = series && effectOn(series, occasion);
  if (!whole || Math.abs(whole.score) <= Z_99) return undefined;
  const rest = unknown.flatMap(({ name, others }) => (others?.effect ? [{ name, ...others.effect }] : []));
  return rest
    .filter(({ score, effect }) => Math.abs(score) <= Z_99 && Math.abs(effect) < LEFT_BY_MAKER * Math.abs(whole.effect))
    .toSorted((a, b) => Math.abs(a.effect) - Math.abs(b.effect))[0]?.name;
}

/**
 * Tests for each group whether it changed otherwise than all others together, by the days of the two relative to each other, so that what
 * moves both is no noise; Holm's allowance for the number of groups. The group that is named
 * is the one without which the rest stands nearest to no change. `count` groups were looked at, where those that looked most alike are
 * left out of the list.
 */
export function findReasons(occasion: Occasion, groups: readonly Group[], count = groups.length): Reasons {
  const { whole, ...asked } = occasion;
  return keptFit('reasons', [whole, asked, count, ...groups.flatMap(({ name, days }) => [name, days])], () =>
    search(occasion, groups, count),
  );
}

function search(occasion: Occasion, groups: readonly Group[], count: number): Reasons {
  const { kind, whole, periodFrom, from } = occasion;
  const judgedFrom = from < periodFrom ? from : periodFrom;
  const looked = groups.map((group) => {
    const own = seriesOf(group.days, kind, judgedFrom);
    const others = keptFit('others', [whole, group.days, kind, judgedFrom], () =>
      seriesOf(othersThan(whole, group, kind), kind, judgedFrom),
    );
    const contrast = own && others && contrastOf(own, others);
    return {
      name: group.name,
      own: own && { series: own, effect: effectOn(own, occasion) },
      others: others && { series: others, effect: effectOn(others, occasion) },
      difference: contrast && effectOn(contrast, occasion),
    };
  });
  const known = looked.filter(({ difference }) => difference);
  const pValues = adjusted(
    known.map(({ difference }) => Math.exp(logTail(difference?.score ?? 0))),
    Math.max(count, known.length),
  );
  const result = looked.map((each): GroupChange => {
    const pValue = each.difference ? (pValues[known.indexOf(each)] ?? 1) : 1;
    const [own, others] = [each.own?.effect, each.others?.effect];
    return {
      name: each.name,
      relative: each.own && own ? relativeOf(each.own.series, own.effect) : null,
      relativeOfOthers: each.others && others ? relativeOf(each.others.series, others.effect) : null,
      score: each.difference?.score ?? 0,
      verdict: each.difference ? verdictOf(pValue, own, others) : 'not enough data',
      scoreOfOthers: Math.abs(others?.score ?? 0),
    };
  });
  const [nearest] = result.filter(({ verdict }) => verdict === 'more').toSorted((a, b) => a.scoreOfOthers - b.scoreOfOthers);
  const isAlone = nearest !== undefined && nearest.scoreOfOthers <= Z_99;
  const maker = makerOf(occasion, judgedFrom, looked);
  return {
    groups: result,
    ...(isAlone && { named: nearest.name }),
    ...(maker !== undefined && { maker }),
  };
}
