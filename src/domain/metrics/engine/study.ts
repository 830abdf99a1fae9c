import { nthDouble } from '../../../lib/nth.ts';
import { keptFit } from '../../../statistics/kept-fits.ts';
import { logOfAtMost, logOfLarge } from '../../../statistics/tails.ts';
import { total } from '../../../statistics/vectors.ts';
import { type Change, type Found, findChangesIn } from './changes.ts';
import { type Interval } from './drift-grid.ts';
import { estimateNoise, informationOf, type Noise } from './noise.ts';
import type { Quest } from './seek.ts';
import { ANSCOMBE, isCounted, relativeOf, type Series } from './series.ts';

/** A series with its noise and what was found in it. */
export interface Study extends Found {
  readonly series: Series;
  readonly noise: Noise;
}

/** Logarithm of the probability that a single very large event made the days of a change, on any of the days looked at. */
function logOfLargeEvent(series: Series, { from, to, effect }: Change): number {
  if (!series.events || effect <= 0) return -Infinity;
  const events = total(series.events, from, to);
  return logOfLarge(events, relativeOf(series, effect)) + Math.log(series.labels.length - series.learned || 1);
}

/** Events that were counted on a day. */
function seenOn(series: Series, at: number): number {
  return (1 + relativeOf(series, nthDouble(series.deviations, at))) * (nthDouble(series.expected, at) + ANSCOMBE) - ANSCOMBE;
}

/** Days before a change on which there was something that could change. */
const ALIVE_DAYS = 28;

/** Where nothing was counted before a change there is no level that it could differ from: no percentage tells what came from nothing. */
function logOfNothing(series: Series, { from }: Change): number {
  if (series.kind !== 'count') return -Infinity;
  for (let at = Math.max(0, from - ALIVE_DAYS); at < from; at += 1) if (seenOn(series, at) > 1 / 2) return -Infinity;
  return 0;
}

/** Above this number of events the normal distribution is used. */
const FEW = 100;

/**
 * Logarithm of the probability that so few events come by chance alone (Poisson; of a share binomial), which no normal approximation knows:
 * on days with ten of them, none at all is no wonder among many series.
 */
function logOfFewEvents(series: Series, { from, to, effect }: Change): number {
  if (!isCounted(series.kind) || effect >= 0) return -Infinity;
  let [mean, seen, trials] = [0, 0, 0];
  for (let at = from; at < to; at += 1) {
    const expected = nthDouble(series.expected, at);
    mean += expected;
    seen += seenOn(series, at);
    // Sampling is (1 − p) / μ.
    trials += expected / Math.max(0.01, 1 - (series.sampling[at] ?? 1) * (expected + ANSCOMBE));
  }
  if (mean > FEW || seen >= mean) return -Infinity;
  return logOnAnyDay(series, seen, mean, series.kind === 'share' ? trials : undefined);
}

/** Logarithm of the probability of so few events on any of the days looked at; Poisson, of `trials` binomial. */
function logOnAnyDay({ labels, learned }: Series, seen: number, mean: number, trials?: number): number {
  return Math.min(0, logOfAtMost(seen, mean, trials) + Math.log(labels.length - learned || 1));
}

/** Up to this number of events a sum is as uncertain as their number. */
const FEW_OF_SUM = 10;

/** Events that are expected on some days of a sum. */
function ordersOf({ expected, learned }: Series, events: Float64Array, from: number, to: number): number {
  return (total(expected, from, to) * total(events, 0, learned)) / total(expected, 0, learned);
}

/** The same of a sum over so few events that there may as well be none of them. */
function logOfFewOrders(series: Series, { from, to, effect }: Change): number {
  const { events, kind } = series;
  if (kind !== 'amount' || !events || effect >= 0) return -Infinity;
  const [mean, seen] = [ordersOf(series, events, from, to), total(events, from, to)];
  return seen > FEW_OF_SUM || seen >= mean ? -Infinity : logOnAnyDay(series, seen, mean);
}

/** Logarithm of the probability that the days behind the learned ones are without any event. */
export function logOfNone(series: Series): number {
  const { events, kind, expected, learned, labels } = series;
  if (isCounted(kind)) return logOnAnyDay(series, 0, total(expected, learned));
  return kind === 'amount' && events ? logOnAnyDay(series, 0, ordersOf(series, events, learned, labels.length)) : -Infinity;
}

/** Estimates of the noise are made anew at most so often, when changes are found among the days that teach. */
const MOST_ROUNDS = 3;

const keyOf = (intervals: readonly Interval[]) => intervals.map(({ from, to }) => `${from}-${to}`).join();

/**
 * Finds changes in a series. Those among the days that teach are taken out of them and the noise is learned again, so that an old change
 * makes no new one look usual. Undefined with too few days.
 */
export function studySeries(series: Series, quests: readonly Quest[]): Study | undefined {
  return keptFit('study', [series, quests], () => search(series, quests));
}

function search(series: Series, quests: readonly Quest[]): Study | undefined {
  let known: readonly Interval[] = [];
  for (let round = 1; ; round += 1) {
    const noise = estimateNoise(series, known);
    if (!noise) return undefined;
    const found = findChangesIn(informationOf(series, noise), quests, noise.freedom);
    // Single days are forgiven as it is.
    const past = found.changes.filter(({ from, shape }) => from < series.learned && shape !== 'outlier');
    if (round === MOST_ROUNDS || keyOf(past) === keyOf(known)) {
      const changes = found.changes.map((change) => ({
        ...change,
        logP: Math.min(
          0,
          Math.max(change.logP, ...[logOfLargeEvent, logOfFewEvents, logOfFewOrders, logOfNothing].map((logOf) => logOf(series, change))),
        ),
      }));
      return { series, noise, changes, left: found.left };
    }
    known = past;
  }
}
