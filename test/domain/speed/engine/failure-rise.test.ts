import { describe, expect, it } from 'vitest';
import { judgeFailures } from '../../../../src/domain/speed/engine/failure-trend.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { sampleSize } from '../../../support/sample-size.ts';
import { DAY_MS, HOUR_MS } from './runs.ts';

const DAYS = 37;
const period = { startMs: 30 * DAY_MS, endMs: DAYS * DAY_MS };
const changedMs = 34 * DAY_MS;

/** Runs every half hour that fail with this chance at an instant. */
function runs(chanceAt: (ms: number) => number, seed: number) {
  const { uniform } = seeded(seed);
  const dates = Array.from({ length: DAYS * 48 }, (_, index) => (index * HOUR_MS) / 2);
  return { dates, failed: dates.map((date) => uniform() < chanceAt(date)) };
}

function trends(chanceAt: (ms: number) => number, count: number) {
  return Array.from({ length: count }, (_, seed) => judgeFailures(runs(chanceAt, 500 + seed), period));
}

const rising = (ms: number) => (ms >= changedMs ? 0.12 : 0.03);
const toldIn = (each: ReturnType<typeof trends>) => each.filter(({ state }) => state === 'fails more often');

describe('a rise of failures in the last three days', () => {
  const count = sampleSize({ full: 200, short: 60 });
  const told = toldIn(trends(rising, count));

  it('from 3 to 12 % is told in 85 of 100, and dated within a day', () => {
    expect(told.length).toBeGreaterThanOrEqual(0.85 * count);
    const dated = told.filter(({ change }) => Math.abs((change?.atMs ?? 0) - changedMs) <= DAY_MS);
    expect(dated.length).toBeGreaterThanOrEqual(0.85 * told.length);
  });

  it('has the shares of its own two sides, never those of an older change', () => {
    for (const { change } of told) {
      expect(change?.atMs).toBeGreaterThanOrEqual(period.startMs);
      expect(change?.since.share).toBeGreaterThan(change?.before.share ?? 1);
    }
    const earlierFall = (ms: number) => (ms < 10 * DAY_MS ? 0.4 : rising(ms));
    for (const { change } of toldIn(trends(earlierFall, 20))) expect(change?.atMs).toBeGreaterThanOrEqual(period.startMs);
  });
});

describe('no rise is told', () => {
  it('of a share that stays, but in 3 of 100', () => {
    const count = sampleSize({ full: 400, short: 100 });
    expect(toldIn(trends(() => 0.03, count)).length).toBeLessThanOrEqual(0.03 * count);
  });

  it('of an outage that is over, but in 1 of 10 of six hours on the last day and 1 of 20 of a whole day', () => {
    const sixHours = (ms: number) => (ms >= DAYS * DAY_MS - 18 * HOUR_MS && ms < DAYS * DAY_MS - 12 * HOUR_MS ? 0.5 : 0.01);
    const wholeDay = (ms: number) => (ms >= 33 * DAY_MS && ms < 34 * DAY_MS ? 0.5 : 0.02);
    expect(toldIn(trends(sixHours, 100)).length).toBeLessThanOrEqual(10);
    expect(toldIn(trends(wholeDay, 60)).length).toBeLessThanOrEqual(3);
  });
});

it('an outage that goes on is told', () => {
  const goingOn = (ms: number) => (ms >= DAYS * DAY_MS - 6 * HOUR_MS ? 0.5 : 0.01);
  expect(toldIn(trends(goingOn, 40)).length).toBeGreaterThanOrEqual(32);
});
