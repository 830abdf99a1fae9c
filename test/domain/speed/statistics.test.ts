import { expect, it } from 'vitest';
import { chanceOfDifference } from '../../../src/domain/speed/engine/failed-share.ts';
import { judgeFailures } from '../../../src/domain/speed/engine/failure-trend.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { median } from '../../../src/statistics/order.ts';
import { fisherTest } from '../../../src/statistics/proportions.ts';

const START_MS = Date.parse('2026-10-01T00:00:00Z');

/** An hourly run each, and what is said of the second part of them. */
function failuresOf(before: readonly boolean[], after: readonly boolean[]) {
  const failed = [...before, ...after];
  const dates = failed.map((_, index) => START_MS + index * HOUR_MS);
  return judgeFailures({ dates, failed }, { startMs: START_MS + before.length * HOUR_MS, endMs: START_MS + failed.length * HOUR_MS });
}

const everyNth = (count: number, nth: number) => Array.from({ length: count }, (_, index) => index % nth === nth - 1);

// Expected values of SciPy 1.17: fisher_exact.
it('compares failures as Fisher does', () => {
  expect(fisherTest({ hits: 3, of: 4 }, { hits: 1, of: 4 })).toBeCloseTo(0.48571428571428565, 9);
  expect(fisherTest({ hits: 96, of: 720 }, { hits: 29, of: 178 })).toBeCloseTo(0.3331367789171934, 6);
  expect(fisherTest({ hits: 10, of: 720 }, { hits: 20, of: 178 })).toBeCloseTo(1.63263157990216e-8, 12);
  expect(fisherTest({ hits: 0, of: 0 }, { hits: 0, of: 5 })).toBe(1);
});

it('is no surer of a change of the share than Fisher is', () => {
  const equal = failuresOf(
    everyNth(720, 7).map((each, index) => each && index < 672),
    everyNth(178, 6),
  );
  expect(equal.before).toMatchObject({ failed: 96, runs: 720 });
  expect(equal.period).toMatchObject({ failed: 29, runs: 178 });
  expect(chanceOfDifference(equal.before, equal.period, 1)).toBeGreaterThanOrEqual(0.3331367789171934 - 1e-9);
  expect(equal.state).toBe('no change');
  const more = failuresOf(everyNth(720, 72), everyNth(178, 8));
  expect(more).toMatchObject({ state: 'fails more often', before: { failed: 10 }, period: { failed: 22 } });
  expect(chanceOfDifference(more.before, more.period, 1)).toBeLessThan(1e-7);
  expect(failuresOf(everyNth(720, 8), everyNth(178, 72)).state).toBe('fails less often');
});

it('calls a single outage no change of the share of failures', () => {
  const outage = Array.from({ length: 178 }, (_, index) => index >= 100 && index < 108);
  const earlier = Array.from({ length: 720 }, (_, index) => index % 240 < 6);
  expect(failuresOf(earlier, outage).state).toBe('no change');
});

it('says nothing of failures where hardly anything ran', () => {
  expect(failuresOf([], everyNth(5, 2))).toMatchObject({ state: 'not enough data' });
});

it('takes the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});
