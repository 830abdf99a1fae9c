import { hash } from '../../src/emulator/world/random.ts';
import { dailyFactor, draw, factorAt, outlierFactor, runDeviation } from '../../src/emulator/world/speed/noise.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { Report } from '../../src/speed/runs.ts';
import { scenarioAnswer, summaryOf } from '../../src/speed/scenario-answer.ts';
import { draftStudy, type Study, type StudyOptions } from '../../src/speed/scenario-study.ts';

export const NOW_MS = Date.parse('2026-11-20T10:00:00Z');
const MIDNIGHT_MS = Date.parse('2026-11-20T00:00:00Z');

/** The default windows of the tool: seven days and what has passed of today, against the 30 days before. */
export const WINDOWS: Pick<StudyOptions, 'baseline' | 'period'> = {
  baseline: { startMs: MIDNIGHT_MS - 37 * DAY_MS, endMs: MIDNIGHT_MS - 7 * DAY_MS - 1 },
  period: { startMs: MIDNIGHT_MS - 7 * DAY_MS, endMs: NOW_MS },
};

type Values = Record<string, number | null>;

/** A report of steps with these values, `request` included; `failedAt` ends it at that step. */
export function reportOf(
  date: number,
  steps: readonly Values[],
  { names, failedAt }: { names?: readonly string[]; failedAt?: number } = {},
): Report {
  const ran = failedAt === undefined ? steps : steps.slice(0, failedAt + 1);
  return {
    date,
    summary: {
      fail: failedAt === undefined ? 0 : 1,
      sum: { loadTime: ran.reduce((sum, { loadTime }) => sum + (loadTime ?? 0), 0) },
    },
    steps: ran.map(({ loadTime = null, weight = null, ...timings }, index) => ({
      stepId: index + 1,
      stepResultId: `${date}-${index}`,
      name: names?.[index] ?? `Step ${index + 1}`,
      fail: index === failedAt ? 1 : 0,
      loadTime,
      weight,
      timings: timings as never,
    })),
  };
}

/** One step with nothing but LCP, a run an hour from `fromMs` on. */
export function lcpReports(values: readonly (number | null)[], fromMs: number): Report[] {
  return values.map((value, index) => reportOf(fromMs + index * HOUR_MS, [{ largestContentfulPaint: value }]));
}

/** How a made-up history scatters; all are standard deviations of logarithms. */
export interface Noise {
  /** Runs resemble the one before and one in fifty is an outlier, as the emulated platform has it. */
  readonly emulated?: boolean;
  readonly run: number;
  /** Of the level of a day, and how much of it the next day keeps. */
  readonly day?: number;
  readonly keeps?: number;
  /** How much of a run's deviation the next run keeps. */
  readonly runKeeps?: number;
}

/** By how much the values of a step (from 0) are multiplied at an instant. */
export type Factor = (date: number, step: number) => number;

/** The first step is slower from an instant on. */
export const slowerSince =
  (fromMs: number, factor: number): Factor =>
  (date, step) =>
    step === 0 && date >= fromMs ? factor : 1;

const BASES: readonly [metric: string, base: number, own: number][] = [
  ['largestContentfulPaint', 2100, 0.035],
  ['totalBlockingTime', 240, 0.38],
  ['cumulativeLayoutShift', 0.08, 0.18],
  ['firstByte', 310, 0.06],
];

/** Two steps of four metrics, hourly over 37 days and ten hours; the same seed gives the same history. */
export function history(
  seed: number,
  { emulated = false, run, day = 0, keeps = 0, runKeeps = 0 }: Noise,
  factorOf: Factor = () => 1,
): Report[] {
  const reports: Report[] = [];
  let [ofDay, ofRun] = [0, 0];
  const normal = (h: number, number: number) => Math.log(factorAt(draw(h, number), 1));
  for (let date = WINDOWS.baseline.startMs + 7 * 60_000; date <= NOW_MS; date += HOUR_MS) {
    const hour = Math.floor(date / HOUR_MS);
    const h = hash(seed, hour, 5);
    if (hour % 24 === 0) ofDay = keeps * ofDay + Math.sqrt(1 - keeps ** 2) * normal(hash(seed, hour, 6), 1);
    ofRun = emulated ? runDeviation(seed, 1, hour) : runKeeps * ofRun + Math.sqrt(1 - runKeeps ** 2) * normal(h, 2);
    const outlier = emulated ? outlierFactor(seed, 1, hour) : 1;
    const pace = Math.exp(day * ofDay + run * ofRun) * dailyFactor(hour, 0.05) * outlier;
    const steps = [0, 1].map((step) => {
      const factor = factorOf(date, step);
      const values = BASES.map(([metric, base, own], index) => {
        const scatter = factorAt(draw(h, 10 + 10 * step + index), own);
        return [metric, metric === 'cumulativeLayoutShift' ? base * scatter : Math.round(base * pace * scatter * factor)];
      });
      return Object.fromEntries(values) as Values;
    });
    reports.push(reportOf(date, steps));
  }
  return reports;
}

/** The study of reports in the usual windows. */
export const studyOf = (reports: readonly Report[], metrics?: readonly string[], windows = WINDOWS): Study =>
  draftStudy(reports, { ...windows, metrics, timeZone: 'UTC' })();

/** The answer about one scenario, nothing beside its reports read. */
export function answerOf(study: Study, name: string) {
  const summary = summaryOf(1, name, study);
  return scenarioAnswer(
    [summary],
    { summary, study, events: [], actions: { actions: [], runs: 0, of: 0 } },
    { whole: false, only: 'usual' },
  );
}
