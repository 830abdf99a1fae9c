import { describe, expect, it } from 'vitest';
import { shareOf } from '../../../../src/domain/speed/engine/failed-share.ts';
import { judgeFailures } from '../../../../src/domain/speed/engine/failure-trend.ts';
import { localTimes } from '../../../../src/domain/speed/engine/local-time.ts';
import { chanceOf, limitsFor } from '../../../../src/domain/speed/engine/score-limits.ts';
import { tailOf } from '../../../../src/statistics/tails.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { DAY_MS, HOUR_MS } from './runs.ts';

const dates = Array.from({ length: 37 * 24 }, (_, index) => index * HOUR_MS);
const period = { startMs: 30 * DAY_MS, endMs: 37 * DAY_MS };

function failing(rateAt: (ms: number) => number, seed = 1): boolean[] {
  const { uniform } = seeded(seed);
  return dates.map((date) => uniform() < rateAt(date));
}

describe('shares of failed runs', () => {
  it('have the interval of Wilson, also where none or all failed', () => {
    const { low, high } = shareOf(10, 100);
    expect([low, high].map((value) => Number(value.toFixed(4)))).toEqual([0.0552, 0.1744]);
    expect(shareOf(0, 20)).toMatchObject({ share: 0, low: 0 });
    expect(shareOf(3, 3)).toMatchObject({ share: 1, high: 1 });
    expect(shareOf(0, 0)).toMatchObject({ share: null, low: 0, high: 1 });
  });

  it('that rise are dated', () => {
    const trend = judgeFailures({ dates, failed: failing((ms) => (ms >= 32 * DAY_MS ? 0.2 : 0.02)) }, period);
    expect(trend.state).toBe('fails more often');
    expect(Math.abs((trend.change?.atMs ?? 0) - 32 * DAY_MS)).toBeLessThan(DAY_MS);
    expect(trend.change?.since.share).toBeGreaterThan(0.1);
  });

  it('that stay are no change; nor is an outage of one day in the period', () => {
    expect(judgeFailures({ dates, failed: failing(() => 0.1) }, period)).toMatchObject({ state: 'no change', change: undefined });
    const outage = judgeFailures({ dates, failed: failing((ms) => (ms >= 33 * DAY_MS && ms < 34 * DAY_MS ? 0.5 : 0.02)) }, period);
    expect(outage.state).toBe('no change');
  });

  it('of a few runs are not enough data', () => {
    expect(judgeFailures({ dates: dates.slice(0, 4), failed: [true, false, true, true] }, period)).toMatchObject({
      state: 'not enough data',
    });
  });
});

describe('limits', () => {
  it('rest on exact tails', () => {
    expect(tailOf(0)).toBeCloseTo(1, 6);
    expect(tailOf(1.959964)).toBeCloseTo(0.05, 6);
    expect(tailOf(5) / 5.733031e-7).toBeCloseTo(1, 5);
  });

  it('rise with the runs searched and with their autocorrelation, and have the chance that was promised', () => {
    expect(limitsFor(888, 0.9).step).toBeGreaterThan(limitsFor(888, 0.3).step);
    expect(limitsFor(888, 0).step).toBeGreaterThan(limitsFor(148, 0).step);
    expect(chanceOf('step', limitsFor(888, 0.3).step, 888, 0.3)).toBeCloseTo(0.004, 3);
  });
});

it('local time follows the zone through a change of its clock', () => {
  const days = Array.from({ length: 60 * 24 }, (_, index) => Date.parse('2026-03-01T00:30:00Z') + index * HOUR_MS);
  const { hour, weekday } = localTimes(days, 'Europe/Madrid');
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Madrid', hour: '2-digit', hourCycle: 'h23', weekday: 'short' });
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const wrong = days.filter((ms, index) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return Number(parts['hour']) !== hour[index] || parts['weekday'] !== names[weekday[index] ?? 0];
  });
  expect(wrong).toEqual([]);
});
