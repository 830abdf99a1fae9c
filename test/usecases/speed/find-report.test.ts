import { expect, it } from 'vitest';
import type { Ask } from '../../../src/api/client.ts';
import { findReport } from '../../../src/usecases/speed/scenario-reports.ts';

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
