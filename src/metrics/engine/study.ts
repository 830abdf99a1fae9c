import { nthDouble } from '../../lib/nth.ts';
import { kept } from '../../statistics/kept-fits.ts';
import { logOfAtMost, logOfLarge } from '../../statistics/tails.ts';
import { total } from '../../statistics/vectors.ts';
import { type Change, type Found, findChangesIn } from './changes.ts';
import type { Interval } from './drift-grid.ts';
import { estimateNoise, informationOf, type Noise } from './noise.ts';
import type { Quest } from './seek.ts';
import { ANSCOMBE, isCounted, isSum, relativeOf, type Series, shareSeen } from './series.ts';

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

/** Days before a change on which there was something that could change. */
const ALIVE_DAYS = 28;

/** Where nothing was counted before a change there is no level that it could differ from: no percentage tells what came from nothing. */
function logOfNothing(series: Series, { from }: Change): number {
  if (!isSum(series.kind)) return -Infinity;
  for (let at = Math.max(0, from - ALIVE_DAYS); at < from; at += 1)
    if (shareSeen(series, at) * nthDouble(series.expected, at) > 1 / 2) return -Infinity;
  return 0;
}

/** Events up to which they are counted out: above, the normal distribution is used, and a sum is as uncertain as its sizes. */
const FEW = { events: 100, ofSum: 10 };

/** Events that a day usually has; where no answer counts them as many as make days scatter as they do (Poisson). */
function usualEvents({ series, noise }: Pick<Study, 'series' | 'noise'>, at: number): number {
  const { kind, events, expected, learned } = series;
  if (isCounted(kind)) return nthDouble(expected, at);
  if (kind === 'average' || !events) return 1 / (nthDouble(noise.sampling, at) + noise.shock);
  return (nthDouble(expected, at) * total(events, 0, learned)) / total(expected, 0, learned);
}

/**
 * Logarithm of the probability that so few events come by chance alone at the level that other changes give (Poisson; of a share binomial),
 * which no normal approximation knows: on days with ten of them, none at all is no wonder among many series.
 */
function logOfFewEvents(study: Study, change: Change): number {
  const { series, changes } = study;
  const { kind, events } = series;
  if (change.effect >= 0) return -Infinity;
  const isOfSum = kind === 'amount' && events;
  let [mean, seen, trials] = [0, 0, 0];
  for (let at = change.from; at < change.to; at += 1) {
    const usual = usualEvents(study, at);
    const others = changes.filter((other) => other !== change && other.from <= at && other.to > at);
    const level =
      usual *
      (1 +
        relativeOf(
          series,
          others.reduce((sum, { effect }) => sum + effect, 0),
        ));
    mean += level;
    seen += isOfSum ? nthDouble(events, at) : usual * shareSeen(series, at);
    // Sampling is (1 − p) / μ.
    trials += usual / Math.max(0.01, 1 - nthDouble(series.sampling, at) * (usual + ANSCOMBE));
  }
  if ((isOfSum ? seen > FEW.ofSum : mean > FEW.events) || seen >= mean) return -Infinity;
  return logOnAnyDay(series, seen, mean, kind === 'share' ? trials : undefined);
}

/** Logarithm of the probability of so few events on any of the days looked at; Poisson, of `trials` binomial. */
function logOnAnyDay({ labels, learned }: Series, seen: number, mean: number, trials?: number): number {
  return Math.min(0, logOfAtMost(seen, mean, trials) + Math.log(labels.length - learned || 1));
}

/** Logarithm of the probability that the days behind the learned ones are without any event. */
export function logOfNone(study: Pick<Study, 'series' | 'noise'>): number {
  const { series } = study;
  let mean = 0;
  for (let at = series.learned; at < series.labels.length; at += 1) mean += usualEvents(study, at);
  return logOnAnyDay(series, 0, mean);
}

/** Estimates of the noise are made anew at most so often, when changes are found among the days that teach. */
const MOST_ROUNDS = 3;

const keyOf = (intervals: readonly Interval[]) => intervals.map(({ from, to }) => `${from}-${to}`).join();

/**
 * Finds changes in a series. Those among the days that teach are taken out of them and the noise is learned again, so that an old change
 * makes no new one look usual. Undefined with too few days.
 */
export const studySeries = kept('study', (series: Series, quests: readonly Quest[], steps: readonly string[] = []): Study | undefined => {
  const begun = new Set(steps.map((label) => series.labels.indexOf(label)).filter((at) => at > 0));
  let known: readonly Interval[] = [];
  for (let round = 1; ; round += 1) {
    const noise = estimateNoise(series, known);
    if (!noise) return undefined;
    const found = findChangesIn(informationOf(series, noise), quests, noise.freedom, [...begun]);
    // Single days are forgiven as it is.
    const past = found.changes.filter(({ from, shape }) => from < series.learned && shape !== 'outlier');
    if (round === MOST_ROUNDS || keyOf(past) === keyOf(known)) {
      const study = { series, noise, ...found };
      const chancesOf = (change: Change) => [
        change.logP,
        logOfFewEvents(study, change),
        logOfLargeEvent(series, change),
        logOfNothing(series, change),
      ];
      const changes = found.changes.map((change) => ({ ...change, logP: Math.min(0, Math.max(...chancesOf(change))) }));
      return { ...study, changes };
    }
    known = past;
  }
});
