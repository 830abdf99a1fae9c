import { expect, it } from 'vitest';
import { fewestRuns } from '../../src/exports/supply.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';

const run = (jobId: number, startMs: number, lengthMs: number) => ({ jobId, range: { startMs, endMs: startMs + lengthMs } });
const days = (jobId: number, ...on: number[]) => on.map((day) => run(jobId, day * DAY_MS, DAY_MS));
const hours = (jobId: number, day: number) => Array.from({ length: 24 }, (_, hour) => run(jobId, day * DAY_MS + hour * HOUR_MS, HOUR_MS));

/** How many runs of each job hold these days. */
function chosenOf(runs: Parameters<typeof fewestRuns>[0], first: number, last: number) {
  const chosen = fewestRuns(runs, [{ startMs: first * DAY_MS, endMs: (last + 1) * DAY_MS }]);
  return Object.fromEntries(
    [...new Set(chosen.map(({ jobId }) => jobId))].map((id) => [id, chosen.filter((each) => each.jobId === id).length]),
  );
}

it('days come before hours, a week before days, and of equal runs those of one job', () => {
  const hourly = [1, 2, 3].flatMap((day) => hours(9, day));
  expect(chosenOf([...hourly, ...days(7, 1, 2, 3)], 1, 3)).toEqual({ 7: 3 });
  expect(chosenOf([...hourly, ...days(7, 1, 2)], 1, 3)).toEqual({ 7: 2, 9: 24 });
  expect(chosenOf([...days(7, 1, 2, 3), run(5, 0, 7 * DAY_MS)], 1, 3)).toEqual({ 5: 1 });
  expect(chosenOf([...days(7, 1, 3), ...days(8, 1, 2, 3)], 2, 3)).toEqual({ 8: 2 });
});

it('what no run holds is left out, and so are runs of other days', () => {
  expect(chosenOf(days(7, 1, 4, 9), 1, 5)).toEqual({ 7: 2 });
  expect(chosenOf([], 1, 5)).toEqual({});
});
