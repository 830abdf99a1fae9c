import { describe, expect, test, vi } from 'vitest';
import { studyInTurns } from '../../src/speed/analyze-scenarios.ts';
import type { Report } from '../../src/speed/runs.ts';
import type { StudyOptions } from '../../src/speed/scenario-study.ts';
import { fitChannel } from '../../src/statistics/kept-fits.ts';
import { history, slowerSince, WINDOWS } from './histories.ts';

const OPTIONS: StudyOptions = { ...WINDOWS, metrics: ['largestContentfulPaint'], timeZone: 'UTC' };
const { baseline, period } = WINDOWS;
// Of a seed that no other file fits: fits are kept by their content.
const REPORTS = history(3_141, { emulated: true, run: 0.1 }, slowerSince(period.startMs, 1.3));

/** Studies in turns, and the names of the fits that were made for it. */
async function study(reports: readonly Report[], options: StudyOptions) {
  const made: unknown[] = [];
  const hear = (name: unknown) => void made.push(name);
  fitChannel.subscribe(hear);
  try {
    return { study: await studyInTurns(reports, options, { signal: AbortSignal.any([]) }), made };
  } finally {
    fitChannel.unsubscribe(hear);
  }
}

const minutesLater = ({ startMs, endMs }: { startMs: number; endMs: number }, minutes: number) => ({
  startMs: startMs + minutes * 60_000,
  endMs: endMs + minutes * 60_000,
});

describe('a scenario that is studied in turns', () => {
  test('is judged once as long as the runs are the same, whatever the instants of the windows', async () => {
    const first = await study(REPORTS, OPTIONS);
    expect(first.made).toContain('verdict');
    const later = { ...OPTIONS, baseline: minutesLater(baseline, 3), period: minutesLater(period, 3) };
    const second = await study(structuredClone(REPORTS), later);
    expect(second.made).toEqual([]);
    expect(second.study.rows.map(({ state, p, move }) => [state, p, move])).toEqual(
      first.study.rows.map(({ state, p, move }) => [state, p, move]),
    );
    expect(second.study.period.window).toEqual(later.period);
  });

  test.each<[string, readonly Report[], StudyOptions]>([
    ['a run less', REPORTS.slice(1), OPTIONS],
    ['a run that moved from the period to the baseline', REPORTS, { ...OPTIONS, period: minutesLater(period, 61) }],
    ['another zone', REPORTS, { ...OPTIONS, timeZone: 'Asia/Tokyo' }],
  ])('is judged anew with %s', async (_, reports, options) => {
    await study(REPORTS, OPTIONS);
    expect((await study(reports, options)).made).toContain('verdict');
  });

  test('fits one series in a turn of the event loop, where that takes its time', async () => {
    const metrics = ['largestContentfulPaint', 'loadTime', 'weight', 'request'];
    const reports = REPORTS.map((report) => ({
      ...report,
      steps: report.steps?.map((step, index) => ({ ...step, loadTime: 100 + (report.date % 7), weight: 5_000 + index, requestsCount: 20 })),
    }));
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10));
    const courses: number[] = [];
    let [fitted, hasEnded] = [0, false];
    const hear = (name: unknown) => void (fitted += Number(name === 'course'));
    const count = () => {
      courses.push(fitted);
      fitted = 0;
      if (!hasEnded) setImmediate(count);
    };
    fitChannel.subscribe(hear);
    setImmediate(count);
    const { rows } = await studyInTurns(reports, { ...OPTIONS, metrics }, { signal: AbortSignal.any([]) });
    hasEnded = true;
    fitChannel.unsubscribe(hear);
    clock.mockRestore();
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...courses)).toBe(1);
  });
});
