import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/domain/speed/runs.ts';
import { type StudyOptions, studyScenario } from '../../../src/domain/speed/scenario-study.ts';
import type { Context } from '../../../src/usecases/context.ts';
import { studyInTurns } from '../../../src/usecases/speed/analyze-scenarios.ts';
import { history, lcpReports, WINDOWS } from '../../domain/speed/histories.ts';

const OPTIONS: StudyOptions = { ...WINDOWS, metrics: ['largestContentfulPaint'], timeZone: 'UTC' };
const { baseline, period } = WINDOWS;
const REPORTS = history(3, { emulated: true, run: 0.1 }, { fromMs: period.startMs, factor: 1.3 });

/** What a call may use, with a memory of its own; `made` has the keys in the order in which something was made for them. */
function openMemory(signal = new AbortController().signal) {
  const kept = new Map<string, Promise<unknown>>();
  const made: string[] = [];
  const remember: Context['remember'] = <T>(parts: readonly unknown[], make: (signal: AbortSignal) => Promise<T>) => {
    const key = JSON.stringify(parts);
    const known = kept.get(key);
    if (known) return known as Promise<T>; // a key stands for one kind of thing
    made.push(key);
    const making = make(signal);
    kept.set(key, making);
    return making;
  };
  return { made, context: { remember, signal } };
}

const minutesLater = ({ startMs, endMs }: { startMs: number; endMs: number }, minutes: number) => ({
  startMs: startMs + minutes * 60_000,
  endMs: endMs + minutes * 60_000,
});

describe('a scenario that is studied in turns', () => {
  test('has the study that it has at once', async () => {
    const { context } = openMemory();
    expect(await studyInTurns(REPORTS, OPTIONS, context)).toEqual(studyScenario(REPORTS, OPTIONS));
  });

  test('without runs, or with too few, is said to have too few', async () => {
    const { context } = openMemory();
    const few = lcpReports([2_000, 2_100, 1_900], period.startMs);
    for (const reports of [[], few]) expect((await studyInTurns(reports, OPTIONS, context)).state).toBe('not enough data');
  });

  test('is judged once as long as the runs are the same, whatever the instants of the windows', async () => {
    const { made, context } = openMemory();
    const first = await studyInTurns(REPORTS, OPTIONS, context);
    const later = { ...OPTIONS, baseline: minutesLater(baseline, 3), period: minutesLater(period, 3) };
    const second = await studyInTurns(structuredClone(REPORTS), later, context);
    expect(made).toHaveLength(1);
    expect(second.rows.map(({ verdict, move }) => [verdict, move])).toEqual(first.rows.map(({ verdict, move }) => [verdict, move]));
    // As if it had been judged anew.
    expect(second).toEqual(studyScenario(REPORTS, later));
  });

  test.each<[string, readonly Report[], StudyOptions]>([
    ['a run less', REPORTS.slice(1), OPTIONS],
    ['a run that moved from the period to the baseline', REPORTS, { ...OPTIONS, period: minutesLater(period, 61) }],
    ['another zone', REPORTS, { ...OPTIONS, timeZone: 'Asia/Tokyo' }],
    ['another accepted share of false ones', REPORTS, { ...OPTIONS, falseDiscoveryRate: 0.001 }],
    [
      'other values',
      REPORTS.map((report) => ({
        ...report,
        steps: report.steps?.map((step) => ({ ...step, timings: { largestContentfulPaint: 7 } as never })),
      })),
      OPTIONS,
    ],
  ])('is judged anew with %s', async (_, reports, options) => {
    const { made, context } = openMemory();
    await studyInTurns(REPORTS, OPTIONS, context);
    expect(await studyInTurns(reports, options, context)).toEqual(studyScenario(reports, options));
    expect(made).toHaveLength(2);
  });

  test('lets others run between its series', async () => {
    const { context } = openMemory();
    const metrics = ['largestContentfulPaint', 'loadTime', 'weight', 'request'];
    const reports = REPORTS.map((report) => ({
      ...report,
      steps: report.steps?.map((step, index) => ({ ...step, loadTime: 100 + (report.date % 7), weight: 5_000 + index, requestsCount: 20 })),
    }));
    let turns = 0;
    let ended = false;
    const count = () => {
      turns += 1;
      if (!ended) setImmediate(count);
    };
    setImmediate(count);
    const { rows } = await studyInTurns(reports, { ...OPTIONS, metrics }, context);
    ended = true;
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(turns).toBeGreaterThanOrEqual(rows.length);
  });

  test('ends with the signal of what waits for it', async () => {
    const ending = new AbortController();
    const { context } = openMemory(ending.signal);
    const studying = studyInTurns(REPORTS, OPTIONS, context).catch(String);
    ending.abort(new Error('left'));
    expect(await studying).toContain('left');
  });
});
