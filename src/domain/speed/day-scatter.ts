import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { median, varianceInflation } from '../../statistics/order.ts';
import { type FreedRuns, freedOfCycle, type JudgeOptions } from './engine/judge-series.ts';
import { cutMean } from './engine/noise.ts';
import type { Effect, Move } from './engine/run-series.ts';
import type { Series } from './runs.ts';

/**
 * Standard errors of days by which a move must stand out, by how many times the scatter of days exceeds what their runs explain. All series
 * of a scenario count, because a cause that moves whole days moves all of them. Moves are looked for at every instant of every series, and
 * there are more stretches than instants. Chosen by `npm run bench -- nature speed`.
 */
const NEEDED = [
  { excess: 1.55, lasting: 6, undone: 6.5, drift: 4.5 },
  { excess: 1.2, lasting: 5, undone: 6, drift: 4.5 },
  { excess: 1.05, lasting: 4, undone: 5, drift: 4.5 },
] as const;
/** With fewer days nothing is known of how days differ. */
const LEAST_DAYS = 6;
/** Factors that were fitted to the days. */
const FITTED = 8;
/** Least standard deviation of a day, log scale: below it, scatter is rounding. */
const FLOOR = 1e-3;

/** When a move was; what lasts has no end. */
export type Stretch = Pick<Move, 'shape' | 'fromMs' | 'untilMs'>;

/** Twenty-four hours of runs on one side of the edges of a stretch. */
interface Block {
  readonly number: number;
  readonly isMoved: boolean;
  readonly logs: readonly number[];
  readonly middle: number;
}

/** Variance of values around 0, those that are far off cut. */
const varianceOf = (residuals: readonly number[]) => cutMean(residuals.map((residual) => residual * residual));
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whole days, counted from the edges of the stretch so that none holds runs of both levels; of a shorter stretch what there is. */
function blocksOf({ dates, logs, isUsual }: FreedRuns, { fromMs, untilMs: toMs = Number.POSITIVE_INFINITY }: Stretch): Block[] {
  const lengthDays = Math.ceil((toMs - fromMs) / DAY_MS);
  const runs = dates.flatMap((date, index) => {
    if (!isUsual[index]) return [];
    const number = date < toMs ? Math.floor((date - fromMs) / DAY_MS) : lengthDays + Math.floor((date - toMs) / DAY_MS);
    return [{ number, isMoved: date >= fromMs && date < toMs, log: nth(logs, index) }];
  });
  const all = [...grouped(runs, ({ number }) => number)].map(([number, members]): Block => {
    const own = members.map(({ log }) => log);
    return { number, isMoved: members.some(({ isMoved }) => isMoved), logs: own, middle: meanOf(own) };
  });
  const usual = median(all.map((block) => block.logs.length));
  const fullest = (isMoved: boolean) =>
    all.filter((block) => block.isMoved === isMoved).toSorted((a, b) => b.logs.length - a.logs.length)[0];
  const needed = new Set([fullest(true), fullest(false)]);
  return all.filter((block) => block.logs.length >= usual / 2 || needed.has(block)).toSorted((a, b) => a.number - b.number);
}

/** How a move compares with what the days of a series differ by. */
interface AmongDays {
  /** Variance of whole days, and what their runs let expect of it. */
  readonly variance: number;
  readonly expected: number;
  /** Standard errors of the move. */
  readonly score: number;
}

const dotOf = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, at) => sum + value * nth(b, at), 0);

function centred(values: readonly number[]): number[] {
  const mean = meanOf(values);
  return values.map((value) => value - mean);
}

/** Days whose neighbours are compared lie so many days apart at most. */
const LAGS = [1, 2];

/**
 * Variance of days by the differences of near ones (Rice 1984), which neither a slope nor levels that changed for good widen: a release of
 * the whole site is no scatter of days. Differences across an edge of the stretch are those of the move itself.
 */
function scatterOf(blocks: readonly Block[], isDrift: boolean): number {
  const squares = LAGS.flatMap((lag) =>
    blocks.slice(lag).flatMap(({ middle, isMoved }, at) => {
      const former = blocks[at];
      return former && (isDrift || former.isMoved === isMoved) ? [(middle - former.middle) ** 2 / 2] : [];
    }),
  );
  return cutMean(squares);
}

/** Undefined with too few days to say. */
function amongDays(runs: FreedRuns, course: Stretch): AmongDays | undefined {
  const isDrift = course.shape === 'drift';
  const blocks = blocksOf(runs, course);
  const isOneSided = !isDrift && new Set(blocks.map(({ isMoved }) => isMoved)).size < 2;
  if (blocks.length < LEAST_DAYS || isOneSided) return undefined;
  // Factors of the weekdays were fitted to the same days.
  const variance = (scatterOf(blocks, isDrift) * blocks.length) / Math.max(LEAST_DAYS, blocks.length - FITTED);
  const within = blocks.flatMap(({ logs, middle }) => logs.map((log) => log - middle));
  const expected = (varianceOf(within) * varianceInflation(within)) / median(blocks.map(({ logs }) => logs.length));
  const line = centred(blocks.map(({ number }) => number));
  const sides = centred(blocks.map(({ isMoved }) => Number(isMoved)));
  const tilt = dotOf(sides, line) / dotOf(line, line);
  // A step is what a slope leaves of it.
  const part = isDrift ? line : sides.map((side, at) => side - tilt * nth(line, at));
  const size = dotOf(
    part,
    blocks.map(({ middle }) => middle),
  );
  return { variance, expected, score: Math.abs(size) / Math.sqrt(dotOf(part, part) * Math.max(FLOOR ** 2, variance)) };
}

/** By how many times the scatter of days exceeds what runs explain, where days move all series of a scenario by as much. */
function excessOf({ expected }: AmongDays, all: readonly AmongDays[]): number {
  // A time that is always 0 would say that days do not differ.
  const telling = all.filter((each) => Math.max(each.variance, each.expected) > FLOOR ** 2);
  // Series whose runs scatter little say most of days.
  const weights = telling.map((each) => 1 / Math.max(FLOOR ** 2, each.expected) ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const ofDays = telling.reduce((sum, each, index) => sum + nth(weights, index) * (each.variance - each.expected), 0) / total;
  return Math.sqrt(1 + Math.max(0, ofDays) / Math.max(FLOOR ** 2, expected));
}

const KINDS = { drift: 'drift', step: 'lasting', episode: 'undone' } as const;

/**
 * Whether moves of the series of one scenario stand out from the usual differences of whole days. Runs of one day may share a level of
 * their own (a busy server, a slow line), and the scatter of runs alone makes too much of a few such days. Weekends and hours, which come
 * back each week, are no such level. True where days of the scenario differ by no more than their runs explain, and where there are too few
 * days to say.
 */
export function dayTestOf<Each extends { readonly series: Series; readonly effect: Effect }>(
  tracked: readonly Each[],
  { timeZone, tells = () => true }: Pick<JudgeOptions, 'timeZone'> & { readonly tells?: (each: Each) => boolean },
): (series: Series, move: Stretch) => boolean {
  const effects = new Map(tracked.map(({ series, effect }) => [series, effect]));
  const daysOf = (series: Series, effect: Effect, course: Stretch) =>
    keptFit('days', [series, effect, timeZone, course], () => amongDays(freedOfCycle(series, { effect, timeZone }), course));
  return (series, { shape, fromMs, untilMs }) => {
    const course = { shape, fromMs, untilMs };
    const effect = effects.get(series);
    const own = effect && daysOf(series, effect, course);
    if (!own || own.score >= NEEDED[0].undone) return true;
    const others = tracked.filter((each) => each.series === series || tells(each));
    const all = others.flatMap((each) => daysOf(each.series, each.effect, course) ?? []);
    const excess = excessOf(own, all);
    const needed = NEEDED.find((each) => excess >= each.excess)?.[KINDS[shape]] ?? 0;
    return own.score >= needed;
  };
}
