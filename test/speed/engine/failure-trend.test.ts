import { describe, expect, it } from 'vitest';
import { chanceOfDifference, judgeFailures, shareOf } from '../../../src/speed/engine/failure-trend.ts';
import { fisherTest } from '../../../src/statistics/proportions.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { DAY_MS, HOUR_MS } from './runs.ts';

const DAYS = 37;
const period = { startMs: 30 * DAY_MS, endMs: DAYS * DAY_MS };
const changedMs = 34 * DAY_MS;

/** What is said of runs every half hour that fail with this chance at an instant. */
function trends(chanceAt: (ms: number) => number, count: number) {
  return times(count, (seed) => {
    const { uniform } = seeded(500 + seed);
    const dates = times(DAYS * 48, (index) => (index * HOUR_MS) / 2);
    return judgeFailures({ dates, failed: dates.map((date) => uniform() < chanceAt(date)) }, period);
  });
}
const toldIn = (each: ReturnType<typeof trends>) => each.filter(({ state }) => state === 'fails more often');
const isIn = (ms: number, fromHours: number, toHours: number) => ms >= fromHours * HOUR_MS && ms < toHours * HOUR_MS;

describe('a rise of failures in the last three days', () => {
  const rising = (ms: number) => (ms >= changedMs ? 0.12 : 0.03);
  const count = sampleSize({ full: 200, short: 60 });
  const told = toldIn(trends(rising, count));

  it('from 3 to 12 % is told in 85 of 100, and dated within a day', () => {
    expect(told.length).toBeGreaterThanOrEqual(0.85 * count);
    const dated = told.filter(({ change }) => Math.abs((change?.atMs ?? 0) - changedMs) <= DAY_MS);
    expect(dated.length).toBeGreaterThanOrEqual(0.85 * told.length);
  });

  it('has the shares of its own two sides, never those of an older change', () => {
    for (const { change } of told) expect(change?.since.share).toBeGreaterThan(change?.before.share ?? 1);
    const earlierFall = (ms: number) => (ms < 10 * DAY_MS ? 0.4 : rising(ms));
    for (const { change } of [...told, ...toldIn(trends(earlierFall, 20))]) expect(change?.atMs).toBeGreaterThanOrEqual(period.startMs);
  });
});

it.each<[string, (ms: number) => number, number, number, number]>([
  ['of a share that stays in at most 3 of 100', () => 0.03, sampleSize({ full: 400, short: 100 }), 0, 0.03],
  ['of six hours of outage on the last day in at most 1 of 10', (ms) => (isIn(ms, 870, 876) ? 0.5 : 0.01), 100, 0, 0.1],
  ['of an outage of a whole day in at most 1 of 20', (ms) => (isIn(ms, 792, 816) ? 0.5 : 0.02), 60, 0, 0.05],
  ['of an outage that goes on in at least 8 of 10', (ms) => (isIn(ms, 882, 888) ? 0.5 : 0.01), 40, 0.8, 1],
])('a rise is told %s', (_, chanceAt, count, least, most) => {
  const { length } = toldIn(trends(chanceAt, count));
  expect(length).toBeGreaterThanOrEqual(least * count);
  expect(length).toBeLessThanOrEqual(most * count);
});

describe('a share of failed runs', () => {
  it('has the interval of Wilson, also where none or all failed', () => {
    const { low, high } = shareOf(10, 100);
    expect([low, high].map((value) => Number(value.toFixed(4)))).toEqual([0.0552, 0.1744]);
    expect(shareOf(0, 20)).toMatchObject({ share: 0, low: 0 });
    expect(shareOf(3, 3)).toMatchObject({ share: 1, high: 1 });
    expect(shareOf(0, 0)).toMatchObject({ share: null, low: 0, high: 1 });
  });

  it('is compared as Fisher does, and with no more certainty', () => {
    // Expected values of SciPy 1.17: fisher_exact.
    expect(fisherTest({ hits: 3, of: 4 }, { hits: 1, of: 4 })).toBeCloseTo(0.48571428571428565, 9);
    expect(fisherTest({ hits: 10, of: 720 }, { hits: 20, of: 178 })).toBeCloseTo(1.63263157990216e-8, 12);
    expect(fisherTest({ hits: 0, of: 0 }, { hits: 0, of: 5 })).toBe(1);
    expect(chanceOfDifference(shareOf(96, 720), shareOf(29, 178), 1)).toBeGreaterThanOrEqual(0.3331367789171934 - 1e-9);
  });

  const everyNth = (count: number, nth: number) => times(count, (index) => index % nth === nth - 1);
  it.each([
    ['no change', everyNth(720, 7), everyNth(178, 6)],
    ['fails more often', everyNth(720, 72), everyNth(178, 8)],
    ['fails less often', everyNth(720, 8), everyNth(178, 72)],
    ['not enough data', [], everyNth(5, 2)],
    ['not enough data', [true], [false, true, true]],
  ])('is in the state "%s"', (state, before, after) => {
    const failed = [...before, ...after];
    const dates = failed.map((_, index) => index * HOUR_MS);
    const sides = { startMs: before.length * HOUR_MS, endMs: failed.length * HOUR_MS };
    expect(judgeFailures({ dates, failed }, sides).state).toBe(state);
  });
});
