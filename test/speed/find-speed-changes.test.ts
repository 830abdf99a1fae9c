import { expect, it } from 'vitest';
import type { Ask } from '../../src/api/client.ts';
import { ApiError } from '../../src/api/errors.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { findSpeedChanges } from '../../src/speed/find-speed-changes.ts';
import type { Report } from '../../src/speed/runs.ts';
import { history, NOW_MS, WINDOWS } from './histories.ts';

/** A history whose days differ by 6 %, along a line that reaches `factor` on its last day. */
const sloped = (factor: number): Report[] =>
  history(11, { emulated: true, run: 0.1, day: 0.06 }, (date) => factor ** ((date - WINDOWS.baseline.startMs) / (37 * DAY_MS)));

/** Looks through scenarios with what the platform answers for each. */
async function look(scenarioIds: readonly number[], answer: (input: { dateFrom: string; dateTo: string }) => unknown, isAlone = true) {
  const notes: string[] = [];
  // Reports alone are asked for.
  const ask = (async (_: unknown, input: { dateFrom: string; dateTo: string }) => answer(input)) as unknown as Ask;
  const context = {
    ask,
    nowMs: NOW_MS,
    timeZone: 'UTC',
    note: (sentence: string) => notes.push(sentence),
    lists: async () => ({ nameOf: () => 'Shop', of: async () => [], ask }),
    signal: new AbortController().signal,
  };
  const { startMs, endMs } = WINDOWS.period;
  return { notes, facts: await findSpeedChanges({ scenarioIds, startMs, endMs, isAlone }, context) };
}

const withReports =
  (reports: readonly Report[]) =>
  ({ dateFrom, dateTo }: { dateFrom: string; dateTo: string }) => ({
    scenario: { name: 'Shop', reports: reports.filter(({ date }) => date > Date.parse(dateFrom) && date < Date.parse(dateTo)) },
  });

it('a drift within what days differ by is no change, and is told as uncertain for the first scenarios', async () => {
  const { notes, facts } = await look([1, 2, 3, 4, 5], withReports(sloped(1.12)));
  expect(facts?.changes).toEqual([]);
  expect(notes).toHaveLength(4);
  expect(notes[0]).toMatch(/^LCP at "Step \d" in "Shop" may have moved by \+\d+% in 30 days, but whole days differ as much\.$/);
  expect(notes.at(-1)).toBe('Not certain in 2 more scenarios, because whole days differ as much.');
});

it('a much steeper one is a change', async () => {
  const { notes, facts } = await look([1], withReports(sloped(2)));
  expect(facts?.changes[0]?.moves[0]).toMatchObject({ shape: 'drift', metric: 'largestContentfulPaint' });
  expect(notes).toEqual([]);
});

it.each([
  [
    new ApiError('timeout', 'The call was given up after 30 s.'),
    'Speed was not read in time and is not looked at; include: ["speed"] alone has the whole time. The call was given up after 30 s.',
  ],
  [
    new ApiError('down', 'The platform refused the connection.'),
    'Speed scenarios could not be read and are not looked at: The platform refused the connection.',
  ],
])('beside other things, %s is said', async (error, words) => {
  const fails = () => {
    throw error;
  };
  expect(await look([1], fails, false)).toEqual({ notes: [words], facts: undefined });
});
