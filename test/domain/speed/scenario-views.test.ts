import { expect, it } from 'vitest';
import type { Report } from '../../../src/domain/speed/runs.ts';
import { runAnswer, scenarioRuns } from '../../../src/domain/speed/scenario-views.ts';

import { HOUR_MS } from '../../../src/lib/clock.ts';
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
