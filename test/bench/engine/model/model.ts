import { nthDouble } from '../../../../src/lib/nth.ts';
import { logOfAtMost, logOfLarge } from '../../../../src/statistics/tails.ts';
import { calendarColumns, datesOfMonth, weekdaySdOf } from './calendar.ts';
import { findChanges, type LevelChange } from './changes.ts';
import { type Fit, fitOf, type IndexRange, knownOf, type Regressor } from './fit.ts';
import { type Timing, walking } from './kalman.ts';
import { type DayNoise, learnDayNoise, slopeColumn, varianceOfDays } from './noise.ts';
import { ANSCOMBE, type DayScale, isCounted, relativeOf, type SpecialEffect } from './scale.ts';
import type { Quest } from './search.ts';

/**
 * All that is known of a daily series: learned once from the days before the first one that is judged, read by every question. Plain
 * numbers and typed arrays, so that it can be sent to another thread.
 */
export interface Model {
  readonly scale: DayScale;
  readonly timing: Timing;
  /** Level, weekdays, month, season, slope, and the levels of changes among the days that teach. */
  readonly columns: readonly Regressor[];
  readonly noise: DayNoise;
  /** The information of all days on changes beside the columns. */
  readonly fit: Fit;
  /** Changes among the days that teach. */
  readonly past: readonly IndexRange[];
}

const DAY_MS = 86_400_000;
/** Days below which nothing is said. */
const LEAST_DAYS = 8;

/** Special days that follow each other, of which no earlier year is known. */
function unknownGroups({ special }: DayScale): (IndexRange & { readonly side: 1 | -1 })[] {
  const groups: { from: number; to: number; side: 1 | -1 }[] = [];
  for (const [at, effect] of special.entries()) {
    if (effect?.side === undefined) continue;
    const last = groups.at(-1);
    if (last && last.side === effect.side && at - last.to < 2) last.to = at + 1;
    else groups.push({ from: at, to: at + 1, side: effect.side });
  }
  return groups;
}

const doubtOf = (special: readonly (SpecialEffect | undefined)[]) => Float64Array.from(special, (effect) => (effect?.sd ?? 0) ** 2);

/**
 * The variance that special days have because their effect is known in part only. Where no earlier year is known, it is that of the
 * direction in which such days move sites: days that lie on the other side of what is usual have none, whatever that makes of them.
 */
function doubtAsSeen(model: Omit<Model, 'fit' | 'past'>, doubt: Float64Array): Float64Array {
  const groups = unknownGroups(model.scale);
  if (groups.length === 0) return doubt;
  const seen = doubt.slice();
  for (const group of groups) seen.fill(0, group.from, group.to);
  const sampling = model.noise.sampling.map((variance, at) => variance - nthDouble(doubt, at) + nthDouble(seen, at));
  const fit = fitOf(model.scale.x, model.timing, model.columns, { ...model.noise, sampling });
  for (const { side, from, to } of groups) if (knownOf(fit, { from, to }).score * side > 0) seen.set(doubt.subarray(from, to), from);
  return seen;
}

/** Days that teach end at a multiple of as many before the last one, so that a model is kept while days come in. */
const TURN_DAYS = 28;

/** The first day that does not teach: the latest multiple of 28 days that is later than neither the last day nor `first`. */
export function judgedFrom(last: string, first = last): string {
  const day = Math.floor(Math.min(Date.parse(last), Date.parse(first)) / DAY_MS);
  return new Date(Math.floor(day / TURN_DAYS) * TURN_DAYS * DAY_MS).toISOString().slice(0, 10);
}

/** Learns a daily series with `past` changes among the days that teach; undefined with too few of these. */
export function learn(scale: DayScale, past: readonly IndexRange[] = []): Model | undefined {
  return scale.learned < LEAST_DAYS ? undefined : modelOf(scale, past);
}

/** The model of a series of which further days are known: its noise stays, unless other days teach. */
export function extended(model: Model, scale: DayScale): Model {
  const isSame = scale.learned === model.scale.learned && scale.labels[scale.learned - 1] === model.scale.labels[scale.learned - 1];
  return modelOf(scale, model.past, isSame ? model.noise : undefined);
}

function modelOf(scale: DayScale, past: readonly IndexRange[], kept?: DayNoise): Model {
  const timing = walking(scale.times);
  const dates = datesOfMonth(scale);
  const rough = Math.min(scale.roughVariance, dates.variance ?? Number.POSITIVE_INFINITY);
  const counted = isCounted(scale.kind);
  const chance = counted ? scale.sampling.subarray(0, scale.learned).reduce((sum, value) => sum + value, 0) / scale.learned : 0;
  const calendar = calendarColumns(scale, weekdaySdOf(scale, Math.max(rough, chance)), dates.effects);
  const doubt = doubtOf(scale.special);
  const noise = kept
    ? { ...kept, sampling: varianceOfDays(scale, kept, doubt) }
    : learnDayNoise(scale, calendar, timing, past, { doubt, rough });
  const columns = [...calendar, slopeColumn(scale, noise.slopeSd)];
  const seen = doubtAsSeen({ scale, timing, columns, noise }, doubt);
  const sampling = noise.sampling.map((variance, at) => variance - nthDouble(doubt, at) + nthDouble(seen, at));
  const own = { ...noise, sampling };
  return { scale, timing, columns, noise: own, fit: fitOf(scale.x, timing, columns, own), past };
}

/** Above this number of events the normal distribution is used; up to the other one a sum is as uncertain as the number of its events. */
const [FEW, FEW_OF_SUM] = [100, 10];

const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

/** Events that are expected on some days of a sum. */
function eventsExpected({ expected, learned }: DayScale, events: Float64Array, from: number, to: number): number {
  return (sumOf(expected.subarray(from, to)) * sumOf(events.subarray(0, learned))) / sumOf(expected.subarray(0, learned));
}

/**
 * Logarithm of the probability that so few events come on some days by chance alone, which no normal approximation knows: on days with ten
 * of them, none at all is no wonder among many series. −∞ where there are enough of them, or more than usual.
 */
function logOfFewEvents(scale: DayScale, { from, to, effect }: LevelChange): number {
  const { kind, events, expected, sampling, x } = scale;
  if (effect >= 0) return Number.NEGATIVE_INFINITY;
  if (!isCounted(kind)) {
    if (kind !== 'amount' || !events) return Number.NEGATIVE_INFINITY;
    const [usual, own] = [eventsExpected(scale, events, from, to), sumOf(events.subarray(from, to))];
    return own > FEW_OF_SUM || own >= usual ? Number.NEGATIVE_INFINITY : logOfAtMost(own, usual);
  }
  let [mean, seen, trials] = [0, 0, 0];
  for (let at = from; at < to; at += 1) {
    const usual = nthDouble(expected, at);
    mean += usual;
    seen += (1 + relativeOf(scale, nthDouble(x, at))) * (usual + ANSCOMBE) - ANSCOMBE;
    // Sampling is (1 − p) / μ.
    trials += usual / Math.max(0.01, 1 - nthDouble(sampling, at) * (usual + ANSCOMBE));
  }
  return mean > FEW || seen >= mean ? Number.NEGATIVE_INFINITY : logOfAtMost(seen, mean, kind === 'share' ? trials : undefined);
}

/** The probability of a change where few events or one very large event may have made it, on any of the days that are judged. */
function withExactTails(scale: DayScale, change: LevelChange): LevelChange {
  const { from, to, effect, logP } = change;
  const { events, labels, learned } = scale;
  const places = Math.log(labels.length - learned || 1);
  const large = events && effect > 0 ? logOfLarge(sumOf(events.subarray(from, to)), relativeOf(scale, effect)) : Number.NEGATIVE_INFINITY;
  return { ...change, logP: Math.min(0, Math.max(logP, large + places, logOfFewEvents(scale, change) + places)) };
}

/** A model and what was found in it. */
export interface ModelStudy {
  readonly model: Model;
  readonly changes: readonly LevelChange[];
  /** The information that is left when the changes are taken out. */
  readonly left: Fit;
}

/** Share of the days that teach on which changes lie from which on the noise is learned again without them. */
const RELEARNED = 0.015;

/** Whether changes among the days that teach are others than those the noise was learned without. */
function teachesOtherwise({ scale: { learned }, past }: Model, found: readonly IndexRange[]): boolean {
  const isKnown = ({ from, to }: IndexRange) =>
    past.some((known) => known.from === from && Math.min(known.to, learned) === Math.min(to, learned));
  const moved = found.filter((interval) => !isKnown(interval)).reduce((sum, { from, to }) => sum + Math.min(to, learned) - from, 0);
  return moved > RELEARNED * learned;
}

/**
 * Learns a series and looks for changes. Those among the days that teach are taken out of them and the noise is learned once more, so that
 * an old change makes no new one look usual. Undefined with too few days.
 */
export function study(scale: DayScale, quests: readonly Quest[]): ModelStudy | undefined {
  const first = learn(scale);
  if (!first) return undefined;
  const found = findChanges(first.fit, quests, first.noise.freedom);
  const past = found.changes.filter(({ from, shape }) => from < scale.learned && shape !== 'point');
  const again = teachesOtherwise(first, past) ? learn(scale, past) : undefined;
  const { changes, left } = again ? findChanges(again.fit, quests, again.noise.freedom) : found;
  return { model: again ?? first, changes: changes.map((change) => withExactTails(scale, change)), left };
}
