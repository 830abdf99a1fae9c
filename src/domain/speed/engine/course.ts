import { median } from 'simple-statistics';
import { calendarCycle, weeklyLevel } from './calendar-factors.ts';
import { usualRuns } from './cleaning.ts';
import { type Limits, limitsFor } from './limits.ts';
import { localTimes } from './local-time.ts';
import { type Noise, noiseFromDifferences, noiseOfDeviations } from './noise.ts';
import { type Frame, frameOf, heightsOf, type Part } from './parts.ts';
import { type Effect, logOffset, type RunSeries } from './run-series.ts';
import { type Found, searchCourse } from './search.ts';

const DAY_MS = 86_400_000;
/** A single run that does not repeat may be an outlier; that as many in a row are is less likely than this over the whole series. */
const RUN_OF_OUTLIERS = 0.003;
const SHORTEST = 3;
const STRICTER = 10;
const LONGEST_SHORTEST = 12;

/** The course of a series: its levels over time, its cycle and its noise, all on the log scale. */
export interface Course {
  readonly found: readonly Found[];
  readonly frame: Frame;
  readonly noise: Noise;
  /** What hour and weekday add to each run. */
  readonly cycle: Float64Array;
  /** Level of each run by the parts, without the cycle. */
  readonly level: Float64Array;
  /** Logarithms of the values (plus `offset`), as measured. */
  readonly logs: Float64Array;
  readonly offset: number;
  /** Places of the runs that are no outliers; the parts count these. */
  readonly kept: Int32Array;
  readonly outlierShare: number;
  /** Runs that a level lasts for at least. */
  readonly shortest: number;
}

function daysOf(dates: readonly number[]): Float64Array {
  const middle = ((dates[0] ?? 0) + (dates.at(-1) ?? 0)) / 2;
  return Float64Array.from(dates, (date) => (date - middle) / DAY_MS);
}

/** The level of each run that heights of parts make. */
function levelFrom(parts: readonly Part[], heights: readonly number[], days: Float64Array): Float64Array {
  const level = new Float64Array(days.length).fill(heights[0] ?? 0);
  for (const [index, part] of parts.entries()) {
    const height = heights[index + 1] ?? 0;
    if (part.kind === 'line') for (let run = 0; run < level.length; run += 1) level[run] = (level[run] ?? 0) + height * (days[run] ?? 0);
    else {
      const to = part.kind === 'bump' ? part.to : level.length;
      for (let run = part.from; run < to; run += 1) level[run] = (level[run] ?? 0) + height;
    }
  }
  return level;
}

/** What the noise is estimated around must be certain: a level that chance made would take its share of the scatter with it. */
function stricter({ step, bump, line }: Limits): Limits {
  return { step: step + STRICTER, bump: bump + STRICTER, line: line + STRICTER };
}

/** So many slow runs in a row are hardly ever outliers. */
function shortestLevel(n: number, outlierShare: number): number {
  const least = Math.ceil(Math.log(n / RUN_OF_OUTLIERS) / -Math.log(Math.max(outlierShare, 1e-4)));
  return Math.min(LONGEST_SHORTEST, Math.max(SHORTEST, least));
}

const minus = (a: Float64Array, b: Float64Array) => a.map((value, index) => value - (b[index] ?? 0));

/** Distances of runs in units of the usual one; failed runs and dropped outliers leave gaps. */
function gapsOf(dates: readonly number[], kept: Int32Array): Float64Array {
  const usual = median(dates.slice(1).map((date, index) => date - (dates[index] ?? 0)));
  return Float64Array.from(kept, (place, index) =>
    Math.max(1, Math.round(((dates[place] ?? 0) - (dates[kept[index - 1] ?? 0] ?? 0)) / usual)),
  );
}

const at = (x: Float64Array, places: Int32Array) => Float64Array.from(places, (place) => x[place] ?? 0);

/** Translates a part from the runs that are kept to all runs. */
function toAllRuns(part: Part, kept: Int32Array, n: number): Part {
  if (part.kind === 'line') return part;
  const from = kept[part.from] ?? n;
  return part.kind === 'step' ? { ...part, from } : { ...part, from, to: kept[part.to] ?? n };
}

/**
 * Fits the course of a series twice: at first the cycle and the noise are taken from what shifts of level hardly touch (deviations
 * from the level of the week, differences of neighbouring runs), then from what the first course leaves.
 */
export function fitCourse({ dates, values }: RunSeries, { effect, timeZone }: { effect: Effect; timeZone: string }): Course {
  const n = values.length;
  const offset = logOffset(values, effect);
  const logs = Float64Array.from(values, (value) => Math.log(value + offset));
  // Below this, scatter is rounding, and no difference that counts depends on it.
  const floor = Math.log1p(effect.relative) / 8;
  const time = localTimes(dates, timeZone);
  const days = daysOf(dates);
  function fit(cycle: Float64Array, noiseIn: (x: Float64Array, kept: Int32Array, gaps: Float64Array) => Noise, change: (limits: Limits) => Limits) {
    const adjusted = minus(logs, cycle);
    const kept = usualRuns(adjusted, floor);
    const x = at(adjusted, kept);
    const gaps = gapsOf(dates, kept);
    const noise = noiseIn(x, kept, gaps);
    const frame = frameOf(x, at(days, kept), gaps, noise);
    const outlierShare = 1 - kept.length / n;
    const shortest = shortestLevel(n, outlierShare);
    const found = searchCourse(frame, { limits: change(limitsFor(n, noise.phi)), shortest });
    const heights = heightsOf(
      frame,
      found.map(({ part }) => part),
    );
    const level = levelFrom(
      found.map(({ part }) => toAllRuns(part, kept, n)),
      heights,
      days,
    );
    return { found, frame, noise, cycle, level, logs, offset, kept, outlierShare, shortest };
  }
  const first = fit(calendarCycle(minus(logs, weeklyLevel(logs, time)), time), (x) => noiseFromDifferences(x, floor), stricter);
  const spent = first.found.length + 1;
  return fit(
    calendarCycle(minus(logs, first.level), time),
    (x, kept, gaps) => noiseOfDeviations(minus(x, at(first.level, kept)), gaps, { floor, spent }),
    (limits) => limits,
  );
}
