import { nthDouble } from '../../lib/nth.ts';
import { kept, keptFit } from '../../statistics/kept-fits.ts';
import { median } from '../../statistics/order.ts';
import { logTail, normalOf } from '../../statistics/tails.ts';
import { total } from '../../statistics/vectors.ts';
import { type Change, type DatedChange, dated } from './changes.ts';
import type { Interval } from './drift-grid.ts';
import { type Information, informationOf, knownOf, without } from './noise.ts';
import { intervalOf } from './reasons.ts';
import { pastAndPresent } from './seek.ts';
import {
  type DailyPoint,
  daysIn,
  LEAST_HISTORY_DAYS,
  type MetricKind,
  relativeOf,
  type Series,
  type Sized,
  seriesOf,
  sizeOf,
  WEEK,
} from './series.ts';
import { driftShare, errorByWeeks, slopeOf } from './slope.ts';
import { type Study, studySeries } from './study.ts';

/** One of many series to look through. */
export interface Scanned {
  readonly id: string;
  readonly kind: MetricKind;
  /** Those before the first day of the scan teach what is usual. */
  readonly days: readonly DailyPoint[];
}

/** A change or a drift in one of many series. */
export interface ScanFinding extends DatedChange {
  readonly id: string;
}

/** Changes less clear than this are no candidates, however many others there are. */
const LOOSEST = 0.01;
/** Days before the scan on which what goes on through all of it may have begun, and the p-value that this needs. */
const [EARLIER_DAYS, SURE] = [28, 1e-5];
/** Step, episode, outlier day, drift. */
const SHAPES = 4;

/** A drift that makes less over the days that are asked about is the slow growth that every site has, and no news. */
export const LEAST_DRIFT = 0.05;

/** Days at the end of a series, at least, on which a drift must go on, by this share of it: steps of long ago look like a slope too. */
const GOES_ON = { days: 8 * WEEK, share: 0.4 };

/**
 * How far the last third of the days from one on lies from the first, as a deviation, by medians: without special days and those of
 * changes that are over; undefined where too few are left.
 */
function thirdsOf({ deviations, doubt }: Series, first: number, known: readonly Interval[]): number | undefined {
  const third = (deviations.length - first) / 3;
  const over = known.filter(({ to }) => to < deviations.length);
  const isOrdinary = (at: number) => doubt[at] === 0 && over.every(({ from, to }) => at < from || at >= to);
  const [before, after] = [(at: number) => at >= first && at < first + third, (at: number) => at >= deviations.length - third].map((isIn) =>
    deviations.filter((_, at) => isIn(at) && isOrdinary(at)),
  ) as [Float64Array, Float64Array];
  return Math.min(before.length, after.length) < WEEK ? undefined : median(Array.from(after)) - median(Array.from(before));
}

/**
 * Drift is a slope that the days before the scan have and that goes on: both they and all days must show it, beside steps and episodes, and
 * the first and the last third of the latest days as well.
 */
function driftOf(study: Study): Change | undefined {
  const { times, learned } = study.series;
  const days = times.length;
  const known = study.changes.filter(({ shape }) => shape !== 'outlier');
  const past = known.filter(({ from }) => from < learned);
  const before = slopeOf(study, learned, past);
  // A series that has almost no events has no slope either.
  if (!(before.logP <= Math.log(LOOSEST))) return undefined;
  const whole = slopeOf(study, days, known);
  if (before.effect * whole.effect <= 0 || !(whole.logP <= Math.log(LOOSEST))) return undefined;
  const share = driftShare(study.series);
  if (Math.abs(relativeOf(study.series, whole.effect * share)) < LEAST_DRIFT) return undefined;
  const first = Math.max(0, Math.min(learned, days - GOES_ON.days));
  const expected = (whole.effect * share * 2 * (days - first)) / 3 / (days - learned);
  if ((thirdsOf(study.series, first, known) ?? expected) / expected < GOES_ON.share) return undefined;
  const byWeeks = errorByWeeks(study, whole, days, known);
  if (byWeeks === undefined) return undefined;
  const logP = Math.max(before.logP, whole.logP, byWeeks.logP);
  if (logP > Math.log(LOOSEST)) return undefined;
  return {
    shape: 'step',
    from: learned,
    to: days,
    effect: whole.effect * share,
    error: byWeeks.error * share,
    logP,
    earliest: learned,
    latest: learned,
  };
}

/** A series that was looked at, and everything in it that may be a change. */
export interface Looked {
  readonly id: string;
  readonly study: Study;
  readonly candidates: readonly ScanFinding[];
}

/** Sums and averages over fewer events a day say what single ones were, not what is usual. */
const LEAST_EVENTS = 5;

/** Whether the days of a sum or an average are of so few events that they say nothing of what is usual. */
export function isTooRare({ events, learned }: Series): boolean {
  return events !== undefined && total(events, 0, learned) < LEAST_EVENTS * learned;
}

/** Everything that may be a change in one series; undefined with too few days. */
const scan = kept('scan', (kind: MetricKind, days: readonly DailyPoint[], first: string, last: string) => {
  const series = seriesOf(
    daysIn(days, (label) => label <= last),
    kind,
    first,
  );
  if (!series || series.learned < LEAST_HISTORY_DAYS || isTooRare(series)) return undefined;
  const study = studySeries(series, pastAndPresent(series, LOOSEST));
  if (!study) return undefined;
  // What began before the scan is news where it ended in it, or goes on since shortly before and leaves no doubt.
  const changes = study.changes.filter(({ shape, from, to, logP }) => {
    const goesOn = shape === 'step' && from >= series.learned - EARLIER_DAYS && logP <= Math.log(SURE);
    return from >= series.learned || goesOn || (shape === 'episode' && to > series.learned + 1);
  });
  const found = changes.map((change) => dated(series, change));
  const drift = driftOf(study);
  return { study, candidates: drift ? [...found, { ...dated(series, drift), shape: 'drift' as const }] : found };
});

/** Looks through many series from day `from` to day `to`; those with too few days are left out. What is found may still be chance. */
export function lookThrough(all: readonly Scanned[], from: string, to: string): Looked[] {
  return all.flatMap(({ id, kind, days }) => {
    const looked = scan(kind, days, from, to);
    return looked ? [{ id, study: looked.study, candidates: looked.candidates.map((candidate) => ({ id, ...candidate })) }] : [];
  });
}

/** Hypotheses that series stand for: one for each shape. */
export const hypothesesOf = (series: number) => series * SHAPES;

/** First and last day; without a last one it goes on. */
export interface Days {
  readonly from: string;
  readonly to?: string | undefined;
}

/** The difference between some days of a series and those before, other changes of the series taken out. */
export interface Effect extends Sized {
  /** As a standard normal. */
  readonly score: number;
}

/** Sorts after every day. */
export const LAST = '9999';
/** An interval of which the data know less than this share of a single day cannot be distinguished from the others. */
const LEAST_WEIGHT = 0.02;

const shared = (a: Interval, b: Interval) => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

/** Days that two intervals share, over those that either has: 1 for the same days. */
export function likeness(a: Interval, b: Interval): number {
  const both = shared(a, b);
  return both / (a.to - a.from + b.to - b.from - both);
}

/** Information on a series with all changes taken out but those that lie on about the same days as `own`. */
function informationBut({ series, noise, changes }: Study, own: Interval) {
  return changes.filter((change) => likeness(change, own) < 0.5).reduce(without, informationOf(series, noise));
}

/** The effect on some days of a studied series; undefined where it has none of them or they cannot be distinguished from the rest. */
export function effectOnDays(study: Study, { from, to = LAST }: Days): Effect | undefined {
  return keptFit('effect', [study, from, to], () => {
    const interval = intervalOf(study.series, from, to);
    return interval.from < interval.to ? effectIn(study, informationBut(study, interval), interval) : undefined;
  });
}

/** The same with exactly these levels of other days taken out, whichever days they share with it. */
export function effectBeside(
  study: Pick<Study, 'series' | 'noise'>,
  { from, to = LAST }: Days,
  others: readonly Interval[],
): Effect | undefined {
  const interval = intervalOf(study.series, from, to);
  if (interval.from >= interval.to) return undefined;
  return effectIn(study, others.reduce(without, informationOf(study.series, study.noise)), interval);
}

function effectIn({ series, noise }: Pick<Study, 'series' | 'noise'>, information: Information, interval: Interval): Effect | undefined {
  const { weight, score } = knownOf(information, interval);
  if (!(weight > LEAST_WEIGHT / series.roughVariance)) return undefined;
  const [effect, error] = [score / weight, 1 / Math.sqrt(weight)];
  return {
    ...sizeOf(series, interval, effect, error),
    score: normalOf(effect / error, noise.freedom),
  };
}

/**
 * Puts a finding on other days. `loss` is twice the logarithm of the likelihood that is lost, up to about 4 of days that cannot be
 * distinguished, `left` the square of the score that is left on its own days when an effect on the other days is taken out. Undefined where
 * that cannot be, or where those days lie the other way.
 */
export function substitute(study: Study, found: Pick<ScanFinding, 'from' | 'to'>, days: Days) {
  return keptFit('substitution', [study, found.from, found.to, days.from, days.to], () => substituted(study, found, days));
}

function substituted(study: Study, found: Pick<ScanFinding, 'from' | 'to'>, { from, to = LAST }: Days) {
  const { series } = study;
  const [own, other] = [intervalOf(series, found.from, found.to ?? LAST), intervalOf(series, from, to)];
  if (other.from >= other.to || own.from >= own.to) return undefined;
  if (own.from === other.from && own.to === other.to) return { loss: 0, left: 0 };
  const information = informationBut(study, own);
  const [mine, theirs] = [knownOf(information, own), knownOf(information, other)];
  if (!(mine.weight > 0) || !(theirs.weight > 0) || mine.score * theirs.score <= 0) return undefined;
  const rest = knownOf(without(information, other), own);
  return {
    loss: mine.score ** 2 / mine.weight - theirs.score ** 2 / theirs.weight,
    left: rest.weight > 1e-6 * mine.weight ? rest.score ** 2 / rest.weight : 0,
  };
}

/** Of an interval less than this share of what was known of it is nothing that is left. */
const LEAST_LEFT = 1e-3;

/** The p-value of a finding after other days, on which something else happened, are taken out; near 1 where nothing is left. */
export function pValueBeside(study: Study, found: Pick<ScanFinding, 'from' | 'to' | 'pValue'>, others: readonly Days[]): number {
  const own = intervalOf(study.series, found.from, found.to ?? LAST);
  const taken = others.map(({ from, to = LAST }) => intervalOf(study.series, from, to));
  if (taken.every((other) => shared(own, other) === 0)) return found.pValue;
  return pValueOf(study, own, found.pValue, taken);
}

const pValueOf = kept('p-value', (study: Study, own: Interval, pValue: number, taken: readonly Interval[]): number => {
  const { series, noise } = study;
  const information = informationBut(study, own);
  const [before, after] = [knownOf(information, own), knownOf(taken.reduce(takenOut, information), own)];
  if (!(after.weight > LEAST_LEFT * before.weight) || after.score * before.score <= 0) return 1;
  const tailOf = ({ weight, score }: typeof before) => logTail(normalOf(score / Math.sqrt(weight), noise.freedom));
  // Neighbours among the searched days say much the same.
  const sought = Math.max(1, (series.labels.length - series.learned) / 2);
  return Math.min(1, Math.max(pValue * Math.exp(tailOf(after) - tailOf(before)), sought * Math.exp(tailOf(after))));
});

/** Takes an interval out, unless nothing of it is left. */
function takenOut(information: Information, interval: Interval): Information {
  const whole = nthDouble(information.whitener.precisionsFrom(interval.from), interval.to - interval.from);
  return knownOf(information, interval).weight > LEAST_LEFT * whole ? without(information, interval) : information;
}
