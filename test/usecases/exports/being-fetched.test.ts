import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { beingFetched, beingFetchedWords } from '../../../src/usecases/exports/way-to-files.ts';
import type { SuccessfulRun } from '../../../src/workspace/download/sync-plan.ts';

const at = (day: number) => new Date(Date.UTC(2026, 10, day)).toISOString();
const run = (day: number, jobId = 3123): SuccessfulRun => ({
  jobId,
  runId: jobId * 1_000 + day,
  name: jobId === 3123 ? 'Daily sessions' : 'Hourly sessions',
  from: at(day),
  to: at(day + 1),
  completedAt: at(day + 1),
  format: 'JSONL',
  scope: 'sessions',
});
const days = [{ startMs: Date.parse(at(16)), endMs: Date.parse(at(16)) + 3 * DAY_MS }];

it('runs under way count where they hold some of the days', () => {
  const runs = [15, 16, 17, 18, 19].map((day) => run(day));
  expect(beingFetched(runs, days, ({ from }) => from !== at(17))).toEqual([run(16), run(18)]);
  expect(beingFetched(runs, days, () => false)).toEqual([]);
});

it('are said by job, with when to ask again', () => {
  expect(beingFetchedWords([])).toBeUndefined();
  expect(beingFetchedWords([run(16)])).toBe('1 run with days of it is being fetched: "Daily sessions" (3123). Ask again in a minute.');
  expect(beingFetchedWords([run(16), run(17), run(17, 3132)])).toBe(
    '3 runs with days of it are being fetched: "Daily sessions" (3123), "Hourly sessions" (3132). Ask again in a minute.',
  );
});
