import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import type { Report } from '../../src/speed/runs.ts';
import { inReadingOrder, partOf, placeWords, readScenarioCursor, scenarioCursor, yetWords } from '../../src/speed/scenario-cursor.ts';
import { walkScenarios } from '../../src/speed/scenario-reports.ts';
import { runAnswer, scenarioRuns } from '../../src/speed/scenario-views.ts';
import { studyOf } from './histories.ts';

const STEPS = ['Home', 'Cart', 'Payment'];

/** A run each hour; some are slow by a factor, in all steps or in one. */
function reportsOf(slow: Readonly<Record<number, { times: number; step?: string }>>): Report[] {
  return Array.from({ length: 40 }, (_, hour) => ({
    date: hour * HOUR_MS,
    steps: STEPS.map((name, index) => {
      const { times, step } = slow[hour] ?? { times: 1 };
      const factor = (step === undefined || step === name ? times : 1) * (1 + 0.02 * Math.sin(hour * 7 + index));
      const timings = { largestContentfulPaint: 1000 * factor, firstByte: 200 * factor };
      return { stepId: index + 1, stepResultId: `${hour}-${index}`, name, fail: 0, loadTime: 2000 * factor, timings };
    }),
  }));
}

function answerTo(slow: Parameters<typeof reportsOf>[0], step?: string, isJudged = false) {
  const reports = reportsOf(slow);
  const range = { startMs: 0, endMs: 100 * HOUR_MS };
  const runs = scenarioRuns(1, 'Checkout', reports, range);
  const windows = { baseline: { startMs: 0, endMs: 0 }, period: range };
  const course = isJudged ? [{ scenarioId: 1, name: 'Checkout', study: studyOf(reports, ['largestContentfulPaint'], windows) }] : [];
  return runAnswer([runs], { metric: 'largestContentfulPaint', step, timeZone: 'UTC', range, limit: 3, course });
}

it('the slowest runs are runs, each once, also where all their steps were slow', () => {
  const { rows, answer } = answerTo({ 3: { times: 4 }, 9: { times: 3, step: 'Cart' }, 20: { times: 2.5 } });
  const slowest = rows.filter(([kind]) => kind === 'slowest');
  expect(slowest.map((row) => String(row[4]))).toEqual(['1970-01-01T03:00Z', '1970-01-01T09:00Z', '1970-01-01T20:00Z']);
  expect(answer).toContain('Of the 3 slowest, 2 were slow in every step (machine or network), 1 in one step alone.');
});

it('the slowest runs are named with runs of the same step, with which they can be compared', () => {
  const { rows, notes } = answerTo({
    3: { times: 4, step: 'Cart' },
    30: { times: 0.5, step: 'Payment' },
    31: { times: 0.6, step: 'Home' },
    32: { times: 0.7, step: 'Home' },
  });
  const ofKind = (kind: string) => rows.filter((row) => row[0] === kind).map((row) => row[3]);
  expect(ofKind('slowest')[0]).toBe('Cart');
  expect(ofKind('fastest')[0]).toBe('Payment');
  expect([ofKind('fastest of the same step'), ofKind('typical')]).toEqual([['Cart'], ['Cart']]);
  const ids = rows.map((row) => row.at(-1));
  expect(new Set(ids).size).toBe(ids.length);
  expect(notes.at(-1)).toContain('compare_hars: two runs of one step, such as the first row and the typical one.');
});

it('the slowest runs of a step are slow in every step where they are, though one step is asked for', () => {
  const { rows } = answerTo({ 3: { times: 4 }, 9: { times: 3, step: 'Cart' } }, 'Cart');
  expect(rows.map((row) => row[3])).toEqual(rows.map(() => 'Cart'));
  expect(rows[0]?.[7]).toMatch(/^whole run, ×[34]\.\d or more in every step/);
  expect(rows[1]?.[7]).toBe('only this step, from the first byte on: the document');
});

it('runs are held against the level of their time, which is told, and compared with runs of it', () => {
  const slower = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [20 + index, { times: 1.5, step: 'Cart' }]));
  const runs = { ...slower, 5: { times: 0.9, step: 'Cart' }, 30: { times: 3, step: 'Cart' } };
  const { answer, rows, notes } = answerTo(runs, 'Cart', true);
  expect(rows[0]?.slice(4, 7)).toEqual(['1970-01-02T06:00Z', 2971, 1.97]);
  expect(rows.find(([kind]) => kind === 'fastest')?.slice(4, 7)).toEqual(['1970-01-01T05:00Z', expect.any(Number), expect.closeTo(0.9, 1)]);
  const typical = rows.find(([kind]) => kind === 'typical');
  expect(Number(typical?.[5])).toBeGreaterThan(1400);
  expect(answer).toMatch(/ LCP at "Cart" in "Checkout" has been \d+% slower since 1 Jan.*, 20:00 UTC\.$/);
  expect(notes[0]).toContain('over the median of the step, of the level of its time');
  expect(answer).toMatch(/^Slowest for its step: "Cart" in "Checkout" on 2 Jan, 06:00 UTC: LCP 2\.97 s, 2 times the usual\. Fastest: /);
});

const list = [[1, 2, 3], '-7d'];

it('a cursor of scenarios goes on behind those that were looked at, and ends with the last', () => {
  const first = partOf(0, 7, 400, list);
  expect(first).toMatchObject({ from: 1, to: 7, of: 400 });
  expect(readScenarioCursor(first?.cursor, list, 400)).toEqual({ start: 7, rows: undefined });
  expect(partOf(7, 393, 400, list)).toEqual({ from: 8, to: 400, of: 400, cursor: undefined });
  expect(partOf(0, 400, 400, list)).toBeUndefined();
});

it('few scenarios stay in their order, of many the newest come first', () => {
  expect(inReadingOrder([3, 1, 2])).toEqual([3, 1, 2]);
  expect(inReadingOrder(Array.from({ length: 13 }, (_, at) => at + 1))[0]).toBe(13);
});

it.each([
  [1, 7, 'x', 'the first 7 of 400 scenarios', 'Only 7 of 400 scenarios looked at yet'],
  [8, 14, 'x', 'scenarios 8 to 14 of 400', 'Only scenarios 8 to 14 of 400 looked at here'],
  [395, 400, undefined, 'scenarios 395 to 400 of 400', 'This is about scenarios 395 to 400 of 400'],
])('the part from %i to %i is told', (from, to, cursor, place, yet) => {
  const part = { from, to, of: 400, cursor };
  expect([placeWords(part), yetWords(part)]).toEqual([place, yet]);
});

const ids = Array.from({ length: 10 }, (_, index) => index + 1);

/** Walks until so many scenarios were read, as a call does whose time is out then. */
async function walk(cursor: string | undefined, most: number) {
  const read: number[] = [];
  const { part, rows } = await walkScenarios({ ids, cursor, list }, async (id) => read.push(id), {
    note: () => undefined,
    nameOf: String,
    isDue: () => read.length >= most,
  });
  return { read, part, rows };
}

it('later pages of rows are of the scenarios of the first one, however much time there is', async () => {
  const first = await walk(undefined, 3);
  const rows = Buffer.from('200.abcdef01').toString('base64url');
  const more = scenarioCursor({ start: 0, rows, end: first.part?.to }, list);
  for (const most of [1, 8]) expect(await walk(more, most)).toEqual({ read: [1, 2, 3], part: first.part, rows });
  expect((await walk(first.part?.cursor, 20)).read).toEqual([4, 5, 6, 7, 8, 9, 10]);
});
