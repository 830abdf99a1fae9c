import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { changesSince, daysBeside, measureChange, sizeOfDays } from '../../../src/metrics/engine/measure.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { countsFrom, isWeekend, pointsFrom, scaled, shareOf } from '../points.ts';

const DAYS = 200;
const FIRST = '2026-01-05';
const labelAt = (day: number) => dayAfter(FIRST, day);

/** Visits with weekends of 0.7 and shocks of 4 %, of which those from day `from` up to day `to` are `factor` times as many. */
const siteOf = (seed: number, { from = DAYS, to = DAYS, factor = 1 }: { from?: number; to?: number; factor?: number }) =>
  countsFrom(FIRST, DAYS, seed, 0.04, (label, day) => 8_000 * (isWeekend(label) ? 0.7 : 1) * (day >= from && day < to ? factor : 1));

const FALL = { from: DAYS - 8, factor: 0.75 };
const about = (day: number, relative: number) => ({ from: labelAt(day), relative });

describe('a change', () => {
  it('has the same first day and size wherever a question found it, and whatever came before its last 184 days', () => {
    const days = siteOf(3, FALL);
    const found = measureChange('count', days, about(DAYS - 8, -0.25));
    expect(found).toMatchObject({ shape: 'step', from: labelAt(DAYS - 8), days: 8, relative: expect.closeTo(-0.25, 1) });
    expect(measureChange('count', days, about(DAYS - 6, -0.7))).toEqual(found);
    expect(measureChange('count', days.slice(16), about(DAYS - 10, -0.27))).toEqual(found);
  });

  it('is none where the days do not show it: the other direction, another time, or too few days', () => {
    const days = siteOf(4, FALL);
    expect(measureChange('count', days, about(DAYS - 8, 0.25))).toBeUndefined();
    expect(measureChange('count', days, about(DAYS - 30, -0.25))).toBeUndefined();
    expect(measureChange('count', days.slice(-30), about(DAYS - 8, -0.25))).toBeUndefined();
  });

  it('of counts has the size of all its days, one that stands out among them too', () => {
    const random = seeded(8);
    const fallen = [12, 13, 12, 27, 12];
    const days = pointsFrom(FIRST, DAYS, (day) => [fallen[day - DAYS + fallen.length] ?? random.binomial(2_100, 0.028), 2_100]);
    const all = mean(fallen) / mean(days.slice(0, -fallen.length).map(({ numerator }) => numerator)) - 1;
    const found = measureChange('share', days, { from: labelAt(DAYS - 5), relative: -0.75 });
    expect(Math.abs((found?.relative ?? 0) - all)).toBeLessThan(0.02);
  });

  it('has no part in a campaign that came later, which is a change of its own', () => {
    const campaign = (day: number) => (day >= DAYS - 20 && day < DAYS - 13 ? 5 : 1);
    const days = scaled(siteOf(3, { from: DAYS - 40, factor: 0.8 }), campaign);
    const found = measureChange('count', days, about(DAYS - 40, -0.2));
    expect(found).toMatchObject({ from: labelAt(DAYS - 40), relative: expect.closeTo(-0.2, 1) });
    expect(daysBeside('count', days, { from: labelAt(DAYS - 40) })).toHaveLength(DAYS - 7);
    const day = sizeOfDays('count', siteOf(3, { from: DAYS - 20, to: DAYS - 13, factor: 5 }), {
      from: labelAt(DAYS - 25),
      to: labelAt(DAYS - 25),
    });
    expect(Math.abs(day?.relative ?? 1)).toBeLessThan(0.15);
  });

  it('within another one that began shortly before and goes on is measured against the level of that one', () => {
    const dent = (day: number) => (day >= DAYS - 6 && day < DAYS - 4 ? 0.5 : 1);
    const days = scaled(siteOf(6, { from: DAYS - 10, factor: 0.4 }), dent);
    const size = sizeOfDays('count', days, { from: labelAt(DAYS - 6), to: labelAt(DAYS - 5) });
    expect(size?.relative).toBeCloseTo(-0.5, 1);
    const whole = sizeOfDays('count', days, { from: labelAt(DAYS - 10), to: undefined });
    expect(whole?.relative).toBeLessThan(-0.55);
  });

  it('of a site that began before it and ended after it is measured against the days between', () => {
    const lived = siteOf(5, { from: DAYS - 40, to: DAYS - 20, factor: 1.5 });
    const days = scaled(lived, (at) => Number(at >= DAYS - 120 && at < DAYS - 10));
    expect(sizeOfDays('count', days, { from: labelAt(DAYS - 40), to: labelAt(DAYS - 21) })?.relative).toBeCloseTo(0.5, 1);
  });

  it('that has ended has its last day', () => {
    const days = siteOf(5, { from: DAYS - 14, to: DAYS - 5, factor: 0.7 });
    const found = measureChange('count', days, { ...about(DAYS - 14, -0.3), to: labelAt(DAYS - 6) });
    expect(found).toMatchObject({ from: labelAt(DAYS - 14), to: labelAt(DAYS - 6) });
  });

  it('that a question of just its days found is over where the days behind it show its end', () => {
    const days = siteOf(5, { from: DAYS - 40, to: DAYS - 33, factor: 6 });
    expect(measureChange('count', days, about(DAYS - 40, 5))).toMatchObject({ from: labelAt(DAYS - 40), to: labelAt(DAYS - 34) });
  });

  it('goes on where its own days show no end so close to the last one as the question found', () => {
    const days = siteOf(3, FALL);
    const upTo = (day: number) => measureChange('count', days, { ...about(DAYS - 7, -0.25), to: labelAt(day) });
    expect(upTo(DAYS - 2)).toEqual(measureChange('count', days, about(DAYS - 8, -0.25)));
    expect(upTo(DAYS - 6)).toBeUndefined();
  });

  it('is found since a day, and seldom where nothing happened', () => {
    expect(changesSince('count', siteOf(6, FALL), labelAt(DAYS - 14), 0.01)).toMatchObject([{ from: labelAt(DAYS - 8) }]);
    const sites = sampleSize({ full: 200, short: 60 });
    const isTold = (seed: number) => changesSince('count', siteOf(seed, {}), labelAt(DAYS - 14), 0.01).length > 0;
    expect(shareOf(sites, isTold)).toBeLessThanOrEqual(0.05);
  });

  it('has its size against the level right before it, which had lasted for weeks', () => {
    const from = DAYS - 16;
    for (const [seed, level] of [
      [11, 1.3],
      [12, 1.3],
      [13, 0.75],
    ] as const) {
      const days = siteOf(seed, { from: DAYS - 51, factor: level });
      const sizeOf = (factor: number) =>
        sizeOfDays(
          'count',
          scaled(days, (at) => (at < from ? 1 : factor)),
          { from: labelAt(from) },
        )?.relative ?? 0;
      expect(Math.abs(sizeOf(0.65) + 0.35)).toBeLessThan(0.04);
      expect(Math.abs(sizeOf(2) - 1)).toBeLessThan(0.1);
    }
  });

  it('that was over after a week is an episode beside a slow rise, and no two steps without end', () => {
    const [from, to] = [DAYS - 35, DAYS - 28];
    for (const seed of [15, 16, 17]) {
      const days = scaled(siteOf(seed, { from: to, factor: 1.13 }), (at) => (at >= from && at < to ? 4 : 1));
      const told = changesSince('count', days, labelAt(DAYS - 60), 0.01);
      expect(told.filter(({ relative }) => relative > 0.5)).toMatchObject([{ shape: 'episode', from: labelAt(from), to: labelAt(to - 1) }]);
      expect(told.filter(({ relative }) => relative < 0)).toEqual([]);
      expect(Math.abs((sizeOfDays('count', days, { from: labelAt(to) })?.relative ?? 0) - 0.13)).toBeLessThan(0.06);
    }
  });

  it('is not held against a day or two right before it that were days of their own', () => {
    const days = scaled(siteOf(14, FALL), (at) => (at === DAYS - 9 ? 2 : 1));
    expect(Math.abs((sizeOfDays('count', days, { from: labelAt(DAYS - 8) })?.relative ?? 0) + 0.25)).toBeLessThan(0.04);
  });
});
