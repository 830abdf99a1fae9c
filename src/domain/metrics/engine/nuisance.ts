import { type Series, WEEK } from './series.ts';
import { orthonormalise, type Whitener } from './whiten.ts';

/** Days from index `from` to index `to` − 1 of a series that lie higher or lower than the others; up to its end: a step. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** What moves a series without being news: its level, weekdays, slow drift, and changes that are known already. */
export interface Nuisance {
  /** Number of days, which come first; the rows below them hold the priors of the weekdays and of drift. */
  readonly days: number;
  /** Level, known changes and weekdays. */
  readonly fixed: readonly Float64Array[];
  /** A slope and slow waves, by their prior standard deviations relative to each other. */
  readonly drift: readonly Float64Array[];
  /** The deviations, and what the rows of the priors should be: the weekday factors that deviations leave out. */
  readonly values: Float64Array;
}

/** Prior standard deviations of the waves, against that of the slope over the whole series; wave j has the period of 2 / j series. */
const WAVES = [0.4, 0.14, 0.077, 0.05, 0.036];
const PRIORS = WEEK + WAVES.length + 1;

/** The first `days` of a series; `weekdaySd` is the prior relative standard deviation of weekdays. */
export function nuisanceOf(series: Series, days: number, known: readonly Interval[], weekdaySd: number): Nuisance {
  const column = (of: (at: number) => number) => {
    const values = new Float64Array(days + PRIORS);
    for (let at = 0; at < days; at += 1) values[at] = of(at);
    return values;
  };
  const weekdays = Array.from({ length: WEEK }, (_, weekday) => {
    const values = column((at) => (series.weekdays[at] === weekday ? 1 : 0));
    values[days + weekday] = 1 / weekdaySd;
    return values;
  });
  const { times, block } = series;
  const first = times[block] ?? 0;
  const span = Math.max(1, (times[times.length - 1] ?? 0) - first + 1);
  const positions = times.map((time) => Math.max(0, (time - first + 0.5) / span));
  const levels = [...(block > 0 ? [{ from: 0, to: block }] : []), ...known];
  const values = new Float64Array(days + PRIORS);
  values.set(series.deviations.subarray(0, days));
  for (let weekday = 0; weekday < WEEK; weekday += 1) values[days + weekday] = -Math.log(series.weekdayFactors[weekday] ?? 1) / weekdaySd;
  return {
    days,
    fixed: [column(() => 1), ...levels.map(({ from, to }) => column((at) => (at >= from && at < to ? 1 : 0))), ...weekdays],
    drift: [
      column((at) => (positions[at] ?? 0) - 0.5),
      ...WAVES.map((sd, wave) => column((at) => sd * Math.cos(Math.PI * (wave + 1) * (positions[at] ?? 0)))),
    ],
    values,
  };
}

/** Everything whitened and made orthonormal, drift with this prior standard deviation of its slope. */
export function basisOf({ days, fixed, drift }: Nuisance, driftSd: number, { apply }: Whitener): Float64Array[] {
  const loose = drift.map((column, index) => {
    const own = column.slice();
    own[days + WEEK + index] = 1 / driftSd;
    return apply(own);
  });
  return orthonormalise([...fixed.map((column) => apply(column.slice())), ...loose]);
}
