import { type Series, WEEK } from './series.ts';

/** Days from index `from` to index `to` − 1 of a series that lie higher or lower than the others; up to its end: a step. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** What moves a series without being news: its level, weekdays, slow drift, and changes that are known already. */
export interface Nuisance {
  /** Level, then known changes, then weekdays: as long as the series, followed by one row for each weekday that holds its prior. */
  readonly fixed: Float64Array[];
  /** A slope and slow waves; divided by their prior standard deviations relative to each other. */
  readonly drift: Float64Array[];
  /** What the rows of the priors should be: the weekday factors that `deviations` leaves out. */
  readonly targets: Float64Array;
}

/** Prior standard deviations of the waves, against that of the slope over the whole series; wave j has the period of 2 / j series. */
const WAVES = [0.4, 0.14, 0.077, 0.05, 0.036];
export const DRIFT_SIZE = WAVES.length + 1;

/** Columns of a series and the priors of the weekdays, `weekdaySd` as a relative standard deviation. */
export function nuisanceOf(series: Series, known: readonly Interval[], weekdaySd: number): Nuisance {
  const size = series.times.length;
  const column = (of: (at: number) => number) => {
    const values = new Float64Array(size + WEEK);
    for (let at = 0; at < size; at += 1) values[at] = of(at);
    return values;
  };
  const weekdays = Array.from({ length: WEEK }, (_, weekday) => {
    const values = column((at) => (series.weekdays[at] === weekday ? 1 : 0));
    values[size + weekday] = 1 / weekdaySd;
    return values;
  });
  const first = series.times[series.block] ?? 0;
  const span = Math.max(1, (series.times[size - 1] ?? 0) - first + 1);
  const positionOf = (at: number) => Math.max(0, ((series.times[at] ?? 0) - first + 0.5) / span);
  const levels = [...(series.block > 0 ? [{ from: 0, to: series.block }] : []), ...known];
  const targets = new Float64Array(size + WEEK);
  for (let weekday = 0; weekday < WEEK; weekday += 1) targets[size + weekday] = -Math.log(series.weekdayFactors[weekday] ?? 1) / weekdaySd;
  return {
    fixed: [column(() => 1), ...levels.map(({ from, to }) => column((at) => (at >= from && at < to ? 1 : 0))), ...weekdays],
    drift: [
      column((at) => positionOf(at) - 0.5),
      ...WAVES.map((sd, wave) => column((at) => sd * Math.cos(Math.PI * (wave + 1) * positionOf(at)))),
    ],
    targets,
  };
}
