import { describe, expect, it } from 'vitest';
import { type DayPoint, termsOf } from '../../../../src/domain/metrics/compare/days.ts';
import { changePoint, estimateNoise, judge, type Verdict } from '../../../../src/domain/metrics/compare/noise.ts';
import { createWorld } from '../../../../src/emulator/world/index.ts';
import { DAY_MS, dayNumberOf, siteTotals } from '../../../../src/emulator/world/sessions/index.ts';
import { simulateDays } from './simulate.ts';

const HISTORY = 84;

/** The verdict on the last `length` days of a series against those before. */
function verdictOn(days: readonly DayPoint[], length: number, kind: 'share' | 'count'): Verdict {
  const [before, after] = [days.slice(-2 * length, -length), days.slice(-length)];
  const scatter = estimateNoise(days.slice(0, -length), kind);
  return judge({ days: before }, { days: after }, scatter, length / 7).verdict;
}

const isAlarm = (verdict: Verdict) => verdict === 'up' || verdict === 'down';

describe('two equal periods', () => {
  const metrics = [
    ['conversionRate', 'share'],
    ['visits', 'count'],
    ['revenueSum', 'count'],
  ] as const;

  it.each(metrics)('of %s are told apart in at most 5 % of 200 cases, whatever their length', (metric, kind) => {
    for (const length of [1, 3, 7, 28]) {
      const alarms = Array.from({ length: 200 }, (_, seed) => {
        const days = simulateDays(HISTORY + 2 * length, 1_000 * length + seed).map((day) => day[metric]);
        return verdictOn(days, length, kind);
      }).filter(isAlarm);
      expect([length, alarms.length <= 10, alarms.length]).toEqual([length, true, alarms.length]);
    }
  });

  it('of the emulator are told apart in at most 5 % of 200 weeks of five seeds', () => {
    const startMs = Date.parse('2026-11-20T10:00:00.000Z');
    const lastDay = dayNumberOf(startMs) - 1;
    const WEEKS = 40;
    const verdicts = [1, 2, 3, 7, 42].flatMap((seed) => {
      const { sessions } = createWorld({ seed, startMs });
      const range = { startMs: (lastDay - 7 * (WEEKS + 13)) * DAY_MS, endMs: lastDay * DAY_MS - 1 };
      // The app, where nothing was planted that visits or purchases show.
      const totals = siteTotals(sessions, { projectId: 1202, ...range, device: 'all', segmentBits: 0, isDaily: true, nowMs: startMs }, 1);
      const days = totals.flatMap(({ startMs: atMs, visits, conversions }): DayPoint[] => {
        const terms = termsOf('conversionRate', { visits, conversionCount: conversions });
        return terms ? [{ label: new Date(atMs).toISOString().slice(0, 10), weekday: new Date(atMs).getUTCDay(), ...terms }] : [];
      });
      return Array.from({ length: WEEKS }, (_, week) => verdictOn(days.slice(7 * week, 7 * week + HISTORY + 14), 7, 'share'));
    });
    expect(verdicts).toHaveLength(200);
    expect(verdicts.filter(isAlarm).length).toBeLessThanOrEqual(10);
    expect(verdicts).not.toContain('not enough data');
  });
});

describe('a change', () => {
  it.each([0.75, 1.33])('of a rate by the factor %d is seen in more than 95 of 100 weeks, in the right direction', (factor) => {
    const verdicts = Array.from({ length: 100 }, (_, seed) => {
      const days = simulateDays(HISTORY + 14, seed, (index) => (index >= HISTORY + 7 ? factor : 1)).map((day) => day.conversionRate);
      return verdictOn(days, 7, 'share');
    });
    expect(verdicts.filter((verdict) => verdict === (factor > 1 ? 'up' : 'down')).length).toBeGreaterThan(95);
  });

  it('is no news where it went on like that for weeks', () => {
    const grown = simulateDays(HISTORY + 14, 5).map(({ visits }, index) => ({ ...visits, numerator: visits.numerator * 1.006 ** index }));
    expect(verdictOn(grown, 7, 'count')).toBe('within noise');
  });

  it('of weekdays alone is none: a Friday is compared with what Fridays are', () => {
    const days = simulateDays(HISTORY + 7, 9).map(({ visits }) => visits);
    const friday = days.findLastIndex(({ weekday }) => weekday === 5);
    const week = days.slice(0, friday + 1);
    expect(verdictOn(week, 1, 'count')).toBe('within noise');
    const scatter = estimateNoise(week, 'count');
    expect(scatter?.isByWeekday).toBe(true);
    expect(scatter?.weekdayFactors[0]).toBeCloseTo(1.12, 1);
    expect(scatter?.weekdayFactors[5]).toBeCloseTo(0.92, 1);
  });

  it('has its first day found within its uncertainty in 9 of 10 cases', () => {
    const found = Array.from({ length: 100 }, (_, seed) => {
      const first = HISTORY + 5 + (seed % 5);
      const days = simulateDays(HISTORY + 14, 700 + seed, (index) => (index >= first ? 0.65 : 1)).map((day) => day.conversionRate);
      const scatter = estimateNoise(days.slice(0, HISTORY + 5), 'share');
      const start = scatter && changePoint(days.slice(HISTORY), scatter, 'down');
      const label = days[first]?.label ?? '';
      return { exact: start?.day === label, near: start !== undefined && start.earliest <= label && label <= start.latest };
    });
    expect(found.filter(({ exact }) => exact).length).toBeGreaterThan(85);
    expect(found.filter(({ near }) => near).length).toBeGreaterThan(90);
  });
});

describe('too little data', () => {
  it('is said instead of a verdict', () => {
    const few = simulateDays(5, 1).map((day) => day.conversionRate);
    expect(verdictOn(few, 1, 'share')).toBe('not enough data');
    const none = simulateDays(30, 1, () => 0).map((day) => ({ ...day.conversionRate, numerator: 0 }));
    expect(verdictOn(none, 7, 'share')).toBe('not enough data');
  });

  it('leaves weekdays alone before two weeks are known', () => {
    expect(
      estimateNoise(
        simulateDays(13, 3).map(({ visits }) => visits),
        'count',
      )?.isByWeekday,
    ).toBe(false);
    expect(
      estimateNoise(
        simulateDays(42, 3).map(({ visits }) => visits),
        'count',
      )?.isByWeekday,
    ).toBe(true);
  });
});
