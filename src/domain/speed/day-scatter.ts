import { DAY_MS } from '../../lib/clock.ts';
import { median, varianceInflation } from './order.ts';
import type { Series } from './runs.ts';

/** Days differ by more than their runs explain where their scatter exceeds what these let expect by this factor. */
const EXCESS = 1.5;
/** Standard errors by which a move must then exceed what days differ by; as large ones are rare wherever a move is looked for. */
const LEAST_SCORE = 4.5;
/** What moves whole days moves all series of a scenario: days of all of them differ where those of this part do so visibly. */
const SHARE_OF_SERIES = 0.25;
/** With fewer days nothing is known of how days differ. */
const LEAST_DAYS = 6;
/** Standard deviation of normal values by their median absolute deviation, and of a median by that of its values. */
const BY_MAD = 1.4826;
const OF_MEDIAN = 1.2533;

/** A time at another level; `toMs` is infinite where it lasts. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Day {
  /** Counted from the beginning of the move. */
  readonly day: number;
  /** Logarithms of its runs, and their median. */
  readonly logs: readonly number[];
  readonly middle: number;
}

/** The runs of each stretch of 24 h that is counted from an instant, both ways. */
function daysOf({ dates, values }: Series, originMs: number): Day[] {
  const days = new Map<number, number[]>();
  for (const [index, date] of dates.entries()) {
    const value = values[index] ?? 0;
    if (value <= 0) continue;
    const day = Math.floor((date - originMs) / DAY_MS);
    const logs = days.get(day) ?? [];
    logs.push(Math.log(value));
    days.set(day, logs);
  }
  return [...days].map(([day, logs]) => ({ day, logs, middle: median(logs) }));
}

const scatterOf = (residuals: readonly number[]) => BY_MAD * median(residuals.map(Math.abs));

/** Standard deviation that the medians of days would have if runs differed by their own scatter alone. */
function expectedScatter(days: readonly Day[]): number {
  const residuals = days.flatMap(({ logs, middle }) => logs.map((log) => log - middle));
  const runs = median(days.map(({ logs }) => logs.length));
  return scatterOf(residuals) * OF_MEDIAN * Math.sqrt(varianceInflation(residuals) / runs);
}

/** How the days of a series differ when a move is taken out of them; undefined with too few days to say. */
function scatterOfDays(series: Series, { fromMs, toMs }: Stretch) {
  const lastDay = Math.ceil((toMs - fromMs) / DAY_MS);
  const days = daysOf(series, fromMs);
  const isMoved = ({ day }: Day) => day >= 0 && day < lastDay;
  const [moved, others] = [days.filter(isMoved), days.filter((each) => !isMoved(each))];
  if (days.length < LEAST_DAYS || moved.length === 0 || others.length === 0) return undefined;
  const middles = { moved: median(moved.map(({ middle }) => middle)), others: median(others.map(({ middle }) => middle)) };
  const residuals = days.map((each) => each.middle - (isMoved(each) ? middles.moved : middles.others));
  const scatter = scatterOf(residuals);
  return {
    isExcessive: scatter >= EXCESS * expectedScatter(days),
    size: Math.abs(middles.moved - middles.others),
    error: scatter * Math.sqrt(varianceInflation(residuals) * (1 / moved.length + 1 / others.length)),
  };
}

/**
 * Whether a move stands out from what whole days differ by: runs of one day may share a level of their own (a busy server, a slow line),
 * and the scatter of runs alone then makes too much of a few such days. True where days of the scenario differ by no more than their runs
 * explain, and where there are too few days to say. `all` are the series of the scenario, this one among them.
 */
export function standsOutFromDays(series: Series, stretch: Stretch, all: readonly Series[] = [series]): boolean {
  const own = scatterOfDays(series, stretch);
  if (!own || own.size >= LEAST_SCORE * own.error) return true;
  const excessive = all.filter((each) => scatterOfDays(each, stretch)?.isExcessive);
  return excessive.length < SHARE_OF_SERIES * all.length;
}
