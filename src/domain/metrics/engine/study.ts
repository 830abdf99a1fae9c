import { type Found, findChangesIn, type Quest } from './changes.ts';
import { informationOf } from './information.ts';
import { estimateNoise, type Noise } from './noise.ts';
import type { Interval } from './nuisance.ts';
import type { Series } from './series.ts';

/** A series with its noise and what was found in it. */
export interface Study extends Found {
  readonly series: Series;
  readonly noise: Noise;
}

/** Estimates of the noise are made anew at most so often, when changes are found among the days that teach. */
const MOST_ROUNDS = 3;

const keyOf = (intervals: readonly Interval[]) => intervals.map(({ from, to }) => `${from}-${to}`).join();

/**
 * Finds changes in a series. Those among the days that teach are taken out of them and the noise is learned again, so that an old change makes
 * no new one look usual. Undefined with too few days.
 */
export function studySeries(series: Series, quests: readonly Quest[]): Study | undefined {
  let known: readonly Interval[] = [];
  for (let round = 1; ; round += 1) {
    const noise = estimateNoise(series, known);
    if (!noise) return undefined;
    const found = findChangesIn(informationOf(series, noise), quests, noise.freedom);
    const past = found.changes.filter(({ from }) => from < series.learned);
    if (round === MOST_ROUNDS || keyOf(past) === keyOf(known)) return { series, noise, ...found };
    known = past;
  }
}
