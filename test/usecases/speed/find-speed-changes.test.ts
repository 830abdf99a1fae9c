import { expect, it } from 'vitest';
import type { Ask } from '../../../src/api/client.ts';
import type { Report } from '../../../src/domain/speed/runs.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { findSpeedChanges } from '../../../src/usecases/speed/find-speed-changes.ts';
import { history, NOW_MS, WINDOWS } from '../../domain/speed/histories.ts';

/** A history whose days differ by 6 %, along a line that reaches `factor` on its last day. */
function sloped(factor: number): Report[] {
  const { startMs } = WINDOWS.baseline;
  return history(11, { emulated: true, run: 0.1, day: 0.06 }).map((report) => ({
    ...report,
    steps: report.steps?.map((step) => {
      const lcp = (step.timings?.largestContentfulPaint ?? 0) * factor ** ((report.date - startMs) / (37 * DAY_MS));
      return { ...step, timings: { largestContentfulPaint: lcp } as never };
    }),
  }));
}

/** Looks through scenarios that have these reports. */
async function look(scenarioIds: readonly number[], reports: readonly Report[]) {
  const notes: string[] = [];
  const ask = (async (_: unknown, { dateFrom, dateTo }: { dateFrom: string; dateTo: string }) => ({
    scenario: { name: 'Shop', reports: reports.filter(({ date }) => date > Date.parse(dateFrom) && date < Date.parse(dateTo)) },
  })) as unknown as Ask; // the list of reports alone is asked for
  const context = {
    ask,
    nowMs: NOW_MS,
    timeZone: 'UTC',
    note: (sentence: string) => notes.push(sentence),
    lists: async () => ({ nameOf: () => 'Shop', of: async () => [], ask }),
    remember: <T>(_: readonly unknown[], make: (signal: AbortSignal) => Promise<T>) => make(new AbortController().signal),
    signal: new AbortController().signal,
  };
  const { startMs, endMs } = WINDOWS.period;
  const facts = await findSpeedChanges({ scenarioIds, startMs, endMs, isAlone: true }, context);
  return { notes, changes: facts?.changes ?? [] };
}

it('a drift within what days differ by is no change, and is told as uncertain for the first scenarios', async () => {
  const { notes, changes } = await look([1, 2, 3, 4, 5], sloped(1.12));
  expect(changes).toEqual([]);
  expect(notes).toHaveLength(4);
  expect(notes[0]).toMatch(/^LCP at "Step \d" in "Shop" may have moved by \+\d+% in 30 days, but whole days differ as much\.$/);
  expect(notes.at(-1)).toBe('Not certain in 2 more scenarios, because whole days differ as much.');
});

it('a much steeper one is a change', async () => {
  const { notes, changes } = await look([1], sloped(2));
  expect(changes[0]?.moves[0]).toMatchObject({ shape: 'drift', metric: 'largestContentfulPaint' });
  expect(notes).toEqual([]);
});
