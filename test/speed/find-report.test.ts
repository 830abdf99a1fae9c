import { expect, it } from 'vitest';
import type { Ask } from '../../src/api/client.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { shownHints } from '../../src/lib/hint.ts';
import { readRun, verdictOfRun } from '../../src/speed/har-run.ts';
import { findReport, readInTime, stopsAfter } from '../../src/speed/scenario-reports.ts';
import { manualClock } from '../support/clock.ts';
import { NOW_MS, reportOf } from './histories.ts';

/** A platform whose scenario has reports of these dates, by days to look back, in the order in which it tells them. */
function platformOf(datesByDays: (lastDays: number | undefined) => readonly number[]) {
  const windows: unknown[] = [];
  const ask = (async ({ path }: { path: string }, input: { lastDays?: number; date?: number }) => {
    if (path.endsWith('/report')) return { scenarioReport: { date: input.date } };
    windows.push(input);
    return { scenario: { reports: datesByDays(input.lastDays).map((date) => ({ date })) } };
  }) as Ask; // these two operations alone are asked
  return { ask, windows };
}

const wanted = { scenarioId: 1, date: undefined, nowMs: Date.parse('2026-11-20T10:00:00Z') };

it('the latest report is that of the largest date, wherever it stands in the list', async () => {
  expect(await findReport(wanted, platformOf(() => [5, 9, 7]).ask)).toEqual({ date: 9 });
});

it('a scenario that rests is looked for further back, all the way at last', async () => {
  const { ask, windows } = platformOf((lastDays) => (lastDays === undefined ? [3] : []));
  expect(await findReport(wanted, ask)).toEqual({ date: 3 });
  expect(windows).toEqual([2, 14, undefined].map((lastDays) => ({ scenarioId: 1, limit: 0, ...(lastDays && { lastDays }) })));
});

it('a scenario without reports says so', async () => {
  await expect(findReport(wanted, platformOf(() => []).ask)).rejects.toMatchObject({
    kind: 'missing',
    message: 'Scenario 1 has no report yet.',
  });
});

it('a typical run is one by its blocking time too, not the one of the median load time alone', async () => {
  const reports = [858, 417, 400, 430, 410, 440, 390].map((totalBlockingTime, index) =>
    reportOf(NOW_MS - (index + 1) * HOUR_MS, [
      { loadTime: 4_000 + 300 * index * (-1) ** index, largestContentfulPaint: 2_400, totalBlockingTime },
    ]),
  );
  const ask = (async (_: unknown, { dateFrom }: { dateFrom?: string }) =>
    dateFrom === undefined ? { har: {} } : { scenario: { name: 'Shop', reports } }) as unknown as Ask; // reports, then the file
  const context = { ask, nowMs: NOW_MS, timeZone: 'UTC', note: () => undefined, lists: () => Promise.reject(new Error('none')) };
  const clock = { now: () => NOW_MS, sleep: () => Promise.resolve() };
  const remember = <Value>(_key: unknown, work: (signal: AbortSignal) => Promise<Value>) => work(new AbortController().signal);
  const asked = { scenarioId: 1, step: undefined, isPlaced: true };
  const { run } = await readRun(asked, { ...context, clock, remember, signal: new AbortController().signal });
  expect(verdictOfRun('TBT 417 ms.', run)).toMatch(/^TBT 417 ms\. Step 1 "Step 1", a typical run \(2026-11-20T0[78]:00Z\)\.$/);
});

const steps = [{ date: 1, result: {} }] as unknown as Parameters<typeof readInTime>[0];

it('reports of failed steps are read while there is time, and later it is said that they were not', async () => {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const isLate = stopsAfter(clock);
  const notes: string[] = [];
  const read = (some = steps) => readInTime(some, isLate, (sentence) => void notes.push(shownHints(sentence)));
  expect(read()).toEqual(steps);
  await clock.advance(10_000);
  expect(read([])).toEqual([]);
  expect(notes).toEqual([]);
  expect(read()).toEqual([]);
  expect(notes).toEqual(['There was no time to read why runs failed: analyze_scenario with one scenarioId says it.']);
});
