import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { coveredLead } from '../../src/exports/coverage.ts';
import { type Asked, refuseAtOnce, withData } from '../../src/exports/export-data.ts';
import type { ExportContext } from '../../src/exports/export-lists.ts';
import { isoTime } from '../../src/lib/clock.ts';

const DAY_MS = 86_400_000;
const dayOf = (day: number) => isoTime(day * DAY_MS);
const timeOf = (day: number) => ({ startMs: day * DAY_MS, endMs: (day + 1) * DAY_MS });

const column = { name: 'session_id', type: 'VARCHAR', field: 'session_id' };
/** The run of a day, read or not. */
const run = (day: number, isRead: boolean) => ({
  jobId: 31,
  runId: day,
  scope: 'sessions',
  format: 'JSONL',
  from: dayOf(day),
  to: dayOf(day + 1),
  exportedAt: dayOf(day + 1),
  fields: [{ fieldName: 'session_id' }],
  files: [{ name: 'part.jsonl', bytes: 9 }],
  ...(isRead && { table: { name: 'table.parquet', bytes: 9, rows: 1, columns: [column] } }),
});

/** The days that two days read and four unread ones answer, now and soon, and how often it was waited. */
async function daysFor(asked: Asked, more: readonly ReturnType<typeof run>[] = []) {
  const runs = [...[1, 2, 3, 4, 5, 6].map((day) => run(day, day < 3)), ...more];
  let waits = 0;
  const workspace = {
    runs: async () => runs,
    converted: async () => void (waits += 1),
    conversionFailure: () => undefined,
    reading: async (ready: unknown[], task: (runs: unknown[]) => Promise<unknown>) => task(ready),
    dir: '/',
  };
  const context = { workspace: async () => workspace, note: () => undefined, nowMs: 0, clock: { now: () => 0 } };
  const uses = { ...context, signal: AbortSignal.timeout(5_000) } as unknown as ExportContext; // all that is used
  return withData(asked, uses, async ({ parts: [part] }) => ({ now: part?.view.held(), soon: part?.soon(), waits }));
}

it('runs of other days, or of views that an answer does not read, are not waited for', async () => {
  const now = [{ startMs: DAY_MS, endMs: 3 * DAY_MS }];
  expect(await daysFor({ days: [timeOf(1)] })).toEqual({ now, soon: now, waits: 0 });
  expect(await daysFor({ reads: (view) => view === 'views' })).toEqual({ now, soon: now, waits: 0 });
});

it('a run is not waited for whose whole time a later one that is read holds with all its columns', async () => {
  const now = [{ startMs: DAY_MS, endMs: 3 * DAY_MS }];
  const hours = { ...run(2, false), jobId: 32, from: isoTime(2.5 * DAY_MS), exportedAt: dayOf(2) };
  expect(await daysFor({ days: [timeOf(2)] }, [hours])).toEqual({ now, soon: now, waits: 0 });
});

it('runs that are still being read are told as the days that they will answer for', async () => {
  const now = [{ startMs: DAY_MS, endMs: 3 * DAY_MS }];
  expect(await daysFor({ days: [timeOf(3)] })).toEqual({ now, soon: [{ startMs: DAY_MS, endMs: 4 * DAY_MS }], waits: 1 });
  expect(await daysFor({})).toEqual({ now, soon: [{ startMs: DAY_MS, endMs: 7 * DAY_MS }], waits: 1 });
});

it('the first sentence says which days are still being read; where they are most, the call is to come again', () => {
  const areAsked = true;
  const lead = coveredLead({ covered: [1, 2, 3], missing: [4, 5], reading: [5], areAsked });
  expect(lead).toBe('The downloads cover only 3 of the 5 days, from 2 to 4 Jan; 1 more is still being read, ask again for it. ');
  expect(coveredLead({ covered: [], missing: [4], reading: [], areAsked })).toBe('The downloads do not cover the day. ');
  expect(() => coveredLead({ covered: [1], missing: [2, 3, 4], reading: [2, 3], areAsked })).toThrow(
    '2 of the 4 days are still being read.',
  );
});

it('of a question that names no days, no number of days is told of which those that are here are a part', () => {
  const days = { covered: [1, 2, 3], missing: [4], reading: [4], areAsked: false };
  expect(coveredLead(days)).toBe('1 more day is still being read, and not counted yet: ask again for it. ');
  expect(coveredLead({ ...days, reading: [] })).toBe('');
  expect(() => coveredLead({ ...days, covered: [] })).toThrow('1 day is still being read.');
});

it('a statement that no run can make right is refused before runs are waited for', async () => {
  const workspace = { runs: async () => [run(3, false)], dir: tmpdir(), holder: 'one' };
  const context = { workspace: async () => workspace, ask: async () => [], signal: AbortSignal.timeout(20_000) };
  const uses = context as unknown as ExportContext; // all that is used
  const refusal = (sql: string) => refuseAtOnce(sql, {}, [], uses).catch((error: unknown) => String(error));
  expect(await refusal('SELEC 1')).toContain('this is not valid SQL');
  expect(await refusal('SELECT 1 FROM session')).toContain('there is no table "session"');
  expect(await refusal('SELECT sesion_id FROM sessions')).toContain('there is no column "sesion_id". Nearest: session_id');
  // Of what type a column is, the files say.
  expect(await refusal('SELECT session_id + 1 FROM sessions')).toBeUndefined();
});
