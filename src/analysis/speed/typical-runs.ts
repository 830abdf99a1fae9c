import { metricOf, type Step, type StepRun } from './runs.ts';
import type { Since } from './since.ts';

/** Runs that are close enough in time to differ by the change alone. */
const NEIGHBOURS = 24;

/** The run whose value lies closest to a level. */
function closest(runs: readonly StepRun[], metric: string, level: number): StepRun | undefined {
  const distance = ({ result }: StepRun) => Math.abs((metricOf(result, metric) ?? Number.POSITIVE_INFINITY) - level);
  return runs.reduce<StepRun | undefined>((best, run) => (best && distance(best) <= distance(run) ? best : run), undefined);
}

interface Levels {
  /** Medians to be typical of. */
  readonly before: number;
  readonly after: number;
  /** First instant of the time after. */
  readonly splitMs: number;
  /** Last instant of the time before. */
  readonly beforeEndMs: number;
}

/** A typical run on each side, to be looked at side by side: next to the change where there is one, else the latest. */
export function typicalRuns({ runs }: Step, metric: string, levels: Levels, since: Since | undefined) {
  const { splitMs, beforeEndMs } = since ? { splitMs: since.date, beforeEndMs: since.previousDate } : levels;
  const measured = runs.filter(({ result }) => metricOf(result, metric) !== null);
  const earlier = measured.filter(({ date }) => date <= beforeEndMs).slice(-NEIGHBOURS);
  const later = measured.filter(({ date }) => date >= splitMs && date < (since?.untilDate ?? Number.POSITIVE_INFINITY));
  return {
    before: closest(earlier, metric, since?.before ?? levels.before),
    after: closest(since ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, since?.after ?? levels.after),
  };
}
