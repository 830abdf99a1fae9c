import { expect, it } from 'vitest';
import type { ListedDelivery } from '../../src/exports/deliveries.ts';
import { beingFetched } from '../../src/exports/supply.ts';
import { DAY_MS } from '../../src/lib/clock.ts';

const midnight = (day: number) => Date.UTC(2026, 10, day);
const iso = (day: number) => new Date(midnight(day)).toISOString();
const run = (day: number, jobId = 3123): ListedDelivery => ({
  jobId,
  runId: jobId * 1_000 + day,
  name: jobId === 3123 ? 'Daily sessions' : 'Hourly sessions',
  from: iso(day),
  to: iso(day + 1),
  completedAt: iso(day + 1),
  format: 'JSONL',
  scope: 'sessions',
  range: { startMs: midnight(day), endMs: midnight(day + 1) },
  untilMs: midnight(day + 8),
  state: 'available',
});
const lacks = [{ days: [{ startMs: midnight(16), endMs: midnight(16) + 3 * DAY_MS }] }];
/** What is said where these runs are on their way. */
const saidOf = (runs: readonly ListedDelivery[], isOnItsWay: (runId: number) => boolean) =>
  beingFetched({ lacks, runs, workspace: { underWay: ({ runId }) => (isOnItsWay(runId) ? { receivedBytes: 1 } : undefined) } });

it('runs on their way that hold some of the days are said by job, with when to ask again', () => {
  const [early, first, second, third] = [run(15), run(16), run(17), run(17, 3132)];
  expect(saidOf([early, first, second], () => false)).toBeUndefined();
  expect(saidOf([early, first, second], (runId) => runId !== second.runId)).toBe(
    '1 run with days of it is being fetched: "Daily sessions" (3123). Ask again, which waits for them.',
  );
  expect(saidOf([early, first, second, third], () => true)).toBe(
    '3 runs with days of it are being fetched: "Daily sessions" (3123), "Hourly sessions" (3132). Ask again, which waits for them.',
  );
});
