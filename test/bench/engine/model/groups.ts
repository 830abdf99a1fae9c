import { adjusted } from '../../../../src/statistics/discoveries.ts';
import { combinedScore, logTail, normalOf, Z_95, Z_99 } from '../../../../src/statistics/tails.ts';
import { emptyKnowns, type IndexRange, knownOf, knownUntil, withoutInterval } from './fit.ts';
import { learn, type Model } from './model.ts';
import { contrastOf, type DayScale, type DayValue, type MetricKind, relativeOf, scaleDays } from './scale.ts';

/** The part of a whole that is not in a group, day by day. */
function othersThan(whole: readonly DayValue[], group: readonly DayValue[], kind: MetricKind): DayValue[] {
  const own = new Map(group.map((day) => [day.label, day]));
  const isRatio = kind === 'share' || kind === 'average';
  return whole.flatMap((day) => {
    const part = own.get(day.label);
    if (!part) return [];
    const denominator = isRatio ? day.denominator - part.denominator : 1;
    const { events: _events, ...known } = day;
    return [{ ...known, numerator: day.numerator - part.numerator, denominator }];
  });
}

/** A place at which a change may have begun, and how likely it is. */
interface Start {
  readonly label: string;
  readonly weight: number;
}

/** How likely a change of the whole that ends with `to` began on each of some days, by the likelihood of each. */
function likelyStarts({ scale, fit }: Model, soonest: string, from: string, to: string): Start[] {
  const interval = intervalOf(scale, soonest, to);
  const { weights, scores } = knownUntil(fit, interval.to, emptyKnowns(fit.size));
  const direction = knownOf(fit, intervalOf(scale, from, to)).score;
  const found = scale.labels.slice(interval.from, interval.to).flatMap((label, index) => {
    const [weight, score] = [weights[interval.from + index] ?? 0, scores[interval.from + index] ?? 0];
    return weight > 0 && score * direction > 0 ? [{ label, log: score ** 2 / weight / 2 }] : [];
  });
  const best = Math.max(...found.map(({ log }) => log));
  const all = found.reduce((sum, { log }) => sum + Math.exp(log - best), 0);
  return found.length === 0 ? [{ label: from, weight: 1 }] : found.map(({ label, log }) => ({ label, weight: Math.exp(log - best) / all }));
}

/** The days of a series from one label to another, both included. */
function intervalOf({ labels }: Pick<DayScale, 'labels'>, from: string, to: string): IndexRange {
  const after = labels.findIndex((label) => label > to);
  const start = labels.findIndex((label) => label >= from);
  return { from: start < 0 ? labels.length : start, to: after < 0 ? labels.length : after };
}

/** Days by their labels, both included. */
export interface DaySpan {
  readonly from: string;
  readonly to: string;
}

/** An effect as a deviation, and how clear it is as a standard normal, over all days on which it may have begun. */
export interface GroupEffect {
  readonly effect: number;
  readonly error: number;
  readonly score: number;
}

/** The effect on some days of a model, other days taken out; undefined where it has none of them. */
function effectOn(
  { scale, fit, noise }: Model,
  { from, to }: DaySpan,
  starts: readonly Start[],
  others: readonly DaySpan[] = [],
): GroupEffect | undefined {
  const interval = intervalOf(scale, from, to);
  if (interval.from >= interval.to) return undefined;
  const taken = others.map((other) => intervalOf(scale, other.from, other.to)).filter((other) => other.from < other.to);
  const left = taken.reduce(withoutInterval, fit);
  const { weight, score } = knownOf(left, interval);
  if (!(weight > 0)) return undefined;
  const { weights, scores } = knownUntil(left, interval.to, emptyKnowns(fit.size));
  const parts = starts.flatMap((start) => {
    const at = intervalOf(scale, start.label, to).from;
    const [known, sum] = [weights[at] ?? 0, scores[at] ?? 0];
    return known > 0 && at < interval.to ? [{ weight: start.weight, score: normalOf(sum / Math.sqrt(known), noise.freedom) }] : [];
  });
  return { effect: score / weight, error: 1 / Math.sqrt(weight), score: combinedScore(parts) };
}

/** A part of a whole, by day. */
export interface Group {
  readonly name: string;
  readonly days: readonly DayValue[];
}

/** How a group moved on the days of a change, against its own days before and against all that is not in it. */
export interface GroupChange {
  readonly name: string;
  /** Bounds hold it at 95 %; null where too little is known. */
  readonly relative: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly relativeOfOthers: number | null;
  /** How clearly these moved, as a standard normal. */
  readonly scoreOfOthers: number;
  /** That it moved like the others, allowed for the number of groups (Holm 1979), and how clearly it did not, as a standard normal. */
  readonly pValue: number;
  readonly score: number;
  readonly verdict: 'more' | 'less' | 'alike' | 'not enough data';
}

/** Probability of naming a group although all moved alike. */
const ERROR = 0.06;

/** Whether a group moved more than all others together, less (or in the other direction), or alike as far as chance allows. */
function verdictOf(pValue: number, own: GroupEffect | undefined, others: GroupEffect | undefined): 'more' | 'less' | 'alike' {
  if (pValue > ERROR) return 'alike';
  return Math.abs(own?.effect ?? 0) > Math.abs(others?.effect ?? 0) ? 'more' : 'less';
}

/** A change of a whole that may come from one of its groups. */
export interface GroupOccasion extends DaySpan {
  readonly kind: MetricKind;
  readonly whole: readonly DayValue[];
  /** First of the days on which it may have begun instead of `from`. */
  readonly soonest?: string | undefined;
  /** Days from this one on do not teach. */
  readonly judgedFrom: string;
  readonly others?: readonly DaySpan[];
}

const modelOf = (days: readonly DayValue[], { kind, judgedFrom }: Pick<GroupOccasion, 'kind' | 'judgedFrom'>) => {
  const scale = scaleDays(days, kind, judgedFrom);
  return scale && learn(scale);
};

/**
 * Tests for each group whether it changed otherwise than all others together, by the days of the two relative to each other (a model of the
 * logarithm of their quotient), so that what moves both is no noise. `count` groups were looked at, where some are left out of the list.
 * The group that is named is the one without which the rest stands nearest to no change.
 */
export function compareGroups(occasion: GroupOccasion, groups: readonly Group[], count = groups.length) {
  const { kind, whole, from, to, soonest = from, others: taken = [], judgedFrom } = occasion;
  const certain = [{ label: from, weight: 1 }];
  const model = soonest < to ? modelOf(whole, occasion) : undefined;
  const starts = model ? likelyStarts(model, soonest, from, to) : certain;
  const effect = (scale: DayScale | undefined) => {
    const own = scale && learn(scale);
    return own && effectOn(own, occasion, starts, taken);
  };
  const looked = groups.map(({ name, days }) => {
    const own = scaleDays(days, kind, judgedFrom);
    const rest = scaleDays(othersThan(whole, days, kind), kind, judgedFrom);
    const difference = own && rest && effect(contrastOf(own, rest));
    return { name, own, rest, ofOwn: effect(own), ofRest: effect(rest), difference };
  });
  const known = looked.filter(({ difference }) => difference);
  const pValues = adjusted(
    known.map(({ difference }) => Math.exp(logTail(difference?.score ?? 0))),
    Math.max(count, known.length),
  );
  const result = looked.map((each): GroupChange => {
    const { name, own, rest, ofOwn, ofRest, difference } = each;
    const pValue = difference ? (pValues[known.indexOf(each)] ?? 1) : 1;
    const relative = (factor: number) => (own && ofOwn ? relativeOf(own, ofOwn.effect + factor * ofOwn.error) : null);
    return {
      name,
      relative: relative(0),
      low: relative(-Z_95),
      high: relative(Z_95),
      relativeOfOthers: rest && ofRest ? relativeOf(rest, ofRest.effect) : null,
      scoreOfOthers: Math.abs(ofRest?.score ?? 0),
      pValue,
      score: difference?.score ?? 0,
      verdict: difference ? verdictOf(pValue, ofOwn, ofRest) : 'not enough data',
    };
  });
  const [nearest] = result.filter(({ verdict }) => verdict === 'more').toSorted((a, b) => a.scoreOfOthers - b.scoreOfOthers);
  return { groups: result, ...(nearest && nearest.scoreOfOthers <= Z_99 && { named: nearest.name }) };
}
