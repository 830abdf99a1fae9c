import { nth } from '../lib/nth.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import { judgeSeries, type SpeedSeries } from './engine/judge-series.ts';
import type { Series } from './engine/run-series.ts';
import { besideOthers, isTime, type Row, type Study, standsOut } from './scenario-study.ts';

/** The sizes between which the smallest one is sought, and how often the distance of their logarithms is halved. */
const [LEAST, MOST, HALVINGS] = [0.01, 4, 8];
/**
 * Logarithm of a change that shows in four of five cases, in those of one that the runs as they are would just show: 67 to 92 % in made-up
 * histories (`test/speed/detectable.test.ts`).
 */
const SHOWN = 1.2;

/**
 * The smallest lasting rise of one step since the first run of the period that would have been told in four of five cases, 0.12 for 12 %:
 * planted in its runs, which are then judged as they were, and where whole days differ by as much, beside those of the other steps.
 * Undefined where even the largest would not show.
 */
export function detectableRise({ series: own, effect }: Row, { rows, period, timeZone, judged }: Study): number | undefined {
  const { startMs } = period.window;
  const limit = FALSE_DISCOVERY_RATES.speedChanges / judged;
  const quotients = besideOthers(rows);
  const quotient = quotients.find((each) => each.own === own);
  const judgedWith = ({ dates, values }: Series, log: number, all: readonly SpeedSeries[]) => {
    const risen = values.map((value, run) => (nth(dates, run) < startMs ? value : value * Math.exp(log)));
    const planted = { series: { dates, values: risen }, effect };
    const { state, move } = judgeSeries(planted, { period: period.window, timeZone }, { any: limit, onlyLasting: limit });
    const isFound = state === 'slower' && move !== undefined;
    return { isFound, isClear: isFound && standsOut(planted, move, all, timeZone) };
  };
  const times = rows.filter(isTime);
  const isShown = (log: number) => {
    const { isFound, isClear } = judgedWith(own, log, times);
    return isClear || (isFound && quotient !== undefined && judgedWith(quotient.series, log, quotients).isClear);
  };
  let [low, high] = [Math.log1p(LEAST), Math.log1p(MOST)];
  if (!isShown(high)) return undefined;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    [low, high] = isShown(middle) ? [low, middle] : [middle, high];
  }
  return Math.expm1(SHOWN * high);
}
