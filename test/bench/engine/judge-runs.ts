import { localTimes } from '../../../src/domain/speed/engine/local-time.ts';
import { courseOf } from './model/course.ts';
import { excursionsIn, lastingLevels, leadingChange, partsThatCount, plateausOf, scatterOf } from './model/levels.ts';
import { type LeastChange, scaleRuns } from './model/run-noise.ts';

/** Interquartile range over median from which runs scatter too much to be relied on singly. */
const UNSTABLE_FROM = 0.32;

/** The answer of the new engine about a series of runs that `judgeSeries` is asked about. */
export interface JudgedRuns {
  readonly state: string;
  /** First run of the change or episode, and the runs between which it lies. */
  readonly at?: number;
  readonly range?: { readonly from: number; readonly to: number };
}

/** Judges a series of runs by the new engine as `judgeSeries` does by the old one. */
export function judgeRuns(dates: readonly number[], values: readonly number[], startMs: number, least: LeastChange): JudgedRuns {
  const course = courseOf(scaleRuns(dates, values, localTimes(dates, 'UTC'), least));
  const counted = partsThatCount(course, least);
  const plateaus = plateausOf(dates.length, counted);
  const excursions = excursionsIn(plateaus, least);
  const groups = lastingLevels(plateaus, excursions, least);
  const period = dates.findIndex((date) => date >= startMs);
  const change = leadingChange(groups, period);
  if (change) {
    const [own, before] = [groups[change.place]?.[0], groups[change.place - 1]?.[0]];
    return {
      state: (own?.height ?? 0) > (before?.height ?? 0) ? 'slower' : 'faster',
      at: own?.from ?? 0,
      ...(own?.began && { range: own.began }),
    };
  }
  if (counted.some(({ part }) => part.kind === 'line')) return { state: 'drifting' };
  const sizeOf = (first: number) => (plateaus[first]?.height ?? 0) - (plateaus[first - 1]?.height ?? 0);
  const isLate = (back: number) => Number((plateaus[back]?.from ?? 0) >= period);
  const [episode] = excursions.toSorted((a, b) => isLate(b.back) - isLate(a.back) || Math.abs(sizeOf(b.first)) - Math.abs(sizeOf(a.first)));
  if (episode) {
    const began = plateaus[episode.first];
    return {
      state: sizeOf(episode.first) > 0 ? 'was slower' : 'was faster',
      at: began?.from ?? 0,
      ...(began?.began && { range: began.began }),
    };
  }
  return { state: scatterOf(course) >= UNSTABLE_FROM ? 'unstable' : 'steady' };
}
