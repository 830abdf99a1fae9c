import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { MAD_TO_SD } from './engine/parts.ts';
import { median, varianceInflation } from './order.ts';
import type { Series } from './runs.ts';

/**
 * Days differ by more than their runs explain where their scatter exceeds what these let expect by this factor, as the geometric mean over
 * the series of a scenario: what moves whole days moves all of them. Of 90 scenarios without such days 3 are above it, of 60 whose days
 * scatter by 6 % and their runs by 8 % all but 3.
 */
const EXCESS = 1.35;
/** Standard errors by which a move must then exceed what days differ by; as large ones are rare wherever a move is looked for. */
const LEAST_SCORE = 5;
/** Days that are further off, in standard deviations, count as if they were as far. */
const FAR = 3;
/** With fewer days nothing is known of how days differ. */
const LEAST_DAYS = 6;
/** Standard deviation of a median by that of its values, where these are normal. */
const OF_MEDIAN = 1.2533;

/** A time at another level; `toMs` is infinite where it lasts. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Where days may begin, in ms after midnight in UTC: the zone of what makes them differ is not known. */
const BEGINNINGS_MS = [0, 6, 12, 18].map((hours) => hours * HOUR_MS);

/** Logarithm of a run's value over the median of the runs on its side of the move. */
interface Residual {
  readonly date: number;
  readonly log: number;
}

const scatterOf = (residuals: readonly number[]) => MAD_TO_SD * median(residuals.map(Math.abs));

/** Runs without a move, its size, and the share of runs in it; undefined where a side has none. */
function withoutMove({ dates, values }: Series, { fromMs, toMs }: Stretch) {
  const runs = dates.flatMap((date, index) => {
    const value = values[index] ?? 0;
    return value > 0 ? [{ date, log: Math.log(value), isMoved: date >= fromMs && date < toMs }] : [];
  });
  const middleOf = (isMoved: boolean) => median(runs.filter((run) => run.isMoved === isMoved).map(({ log }) => log));
  const [moved, others] = [middleOf(true), middleOf(false)];
  if (Number.isNaN(moved) || Number.isNaN(others)) return undefined;
  const residuals = runs.map(({ date, log, isMoved }): Residual => ({ date, log: log - (isMoved ? moved : others) }));
  return { residuals, size: Math.abs(moved - others), movedShare: runs.filter(({ isMoved }) => isMoved).length / runs.length };
}

/** How the medians of days scatter that begin at an hour, and how they would if runs differed by their own scatter alone. */
function scatterOfDays(residuals: readonly Residual[], beginsMs: number) {
  const days = [...grouped(residuals, ({ date }) => Math.floor((date - beginsMs) / DAY_MS)).values()].map((runs) => {
    const logs = runs.map(({ log }) => log);
    return { logs, middle: median(logs) };
  });
  const runs = median(days.map(({ logs }) => logs.length));
  const whole = days.filter(({ logs }) => logs.length >= runs / 2);
  const within = whole.flatMap(({ logs, middle }) => logs.map((log) => log - middle));
  const middles = whole.map(({ middle }) => middle);
  const expected = scatterOf(within) * OF_MEDIAN * Math.sqrt(varianceInflation(within) / runs);
  const scatter = scatterOf(middles);
  // Values that hardly differ say nothing of days.
  const excess = scatter > 0 && expected > 0 ? scatter / expected : 1;
  // Another move is no likeness of neighbouring days.
  const most = FAR * scatter;
  const inflation = varianceInflation(middles.map((middle) => Math.max(-most, Math.min(most, middle))));
  return { days: whole.length, scatter, excess, inflation };
}

/** How a move compares with what the days of a series differ by; undefined with too few days to say. */
function amongDays(series: Series, stretch: Stretch) {
  const still = withoutMove(series, stretch);
  if (!still) return undefined;
  const { residuals, size, movedShare } = still;
  const [clearest] = BEGINNINGS_MS.map((beginsMs) => scatterOfDays(residuals, beginsMs)).toSorted((a, b) => b.excess - a.excess);
  if (!clearest || clearest.days < LEAST_DAYS) return undefined;
  const { days, scatter, excess, inflation } = clearest;
  const moved = Math.max(1, days * movedShare);
  const others = Math.max(1, days - moved);
  return { excess, score: size / (scatter * Math.sqrt(inflation * (1 / moved + 1 / others))) };
}

/**
 * Whether a move stands out from what whole days differ by: runs of one day may share a level of their own (a busy server, a slow line),
 * and the scatter of runs alone then makes too much of a few such days. True where days of the scenario differ by no more than their runs
 * explain, and where there are too few days to say. `all` are the series of the scenario, this one among them.
 */
export function standsOutFromDays(series: Series, stretch: Stretch, all: readonly Series[] = [series]): boolean {
  const own = amongDays(series, stretch);
  if (!own || own.score >= LEAST_SCORE) return true;
  const excesses = all.flatMap((each) => amongDays(each, stretch)?.excess ?? []);
  const meanLog = excesses.reduce((sum, excess) => sum + Math.log(excess), 0) / excesses.length;
  return meanLog < Math.log(EXCESS);
}
