import { expect, it } from 'vitest';
import { dayTestOf, type Stretch } from '../../../src/domain/speed/scenario-study.ts';
import { hash, unit } from '../../../src/emulator/world/random.ts';
import { factorAt } from '../../../src/emulator/world/speed/noise.ts';
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts';

const START_MS = Date.parse('2026-10-01T00:00:00Z');
const DAYS = 30;

/** Hourly runs of thirty days, of which each has a level of its own; the last seven are multiplied. */
function series({ days, factor }: { days: number; factor: number }) {
  const runs = Array.from({ length: 24 * DAYS }, (_, hour) => {
    const day = Math.floor(hour / 24);
    const level = 2000 * factorAt(unit(hash(7, day)), days) * (day >= DAYS - 7 ? factor : 1);
    return { date: START_MS + hour * HOUR_MS, value: level * factorAt(unit(hash(8, hour)), 0.08) };
  });
  return { dates: runs.map(({ date }) => date), values: runs.map(({ value }) => value) };
}

const EFFECT = { relative: 0.05, absolute: 50 };

function standsOutFromDays(runs: ReturnType<typeof series>, stretch: Stretch): boolean {
  return dayTestOf([{ series: runs, effect: EFFECT }], { timeZone: 'UTC' })(runs, stretch);
}

const LAST_WEEK: Stretch = { shape: 'step', fromMs: START_MS + (DAYS - 7) * DAY_MS, untilMs: undefined };

it('a rise within what days differ by does not stand out, a much larger one does', () => {
  expect(standsOutFromDays(series({ days: 0.1, factor: 1.05 }), LAST_WEEK)).toBe(false);
  expect(standsOutFromDays(series({ days: 0.1, factor: 1.6 }), LAST_WEEK)).toBe(true);
});

it('where days differ by no more than their runs explain, nothing more is asked of a rise', () => {
  expect(standsOutFromDays(series({ days: 0, factor: 1.05 }), LAST_WEEK)).toBe(true);
});

it('of too few days nothing is said', () => {
  const { dates, values } = series({ days: 0.1, factor: 1.05 });
  const from = dates.length - 24 * 5;
  expect(standsOutFromDays({ dates: dates.slice(from), values: values.slice(from) }, { ...LAST_WEEK, fromMs: dates.at(-24) ?? 0 })).toBe(
    true,
  );
});

/** The same runs along a line that reaches `factor` on the last day. */
function sloped({ days, factor }: { days: number; factor: number }) {
  const { dates, values } = series({ days, factor: 1 });
  return { dates, values: values.map((value, run) => value * factor ** ((run + 1) / dates.length)) };
}

const driftStandsOut = (runs: ReturnType<typeof series>) =>
  dayTestOf([{ series: runs, effect: EFFECT }], { timeZone: 'UTC' })(runs, {
    shape: 'drift',
    fromMs: runs.dates[0] ?? 0,
    untilMs: undefined,
  });

it('a slope within what days differ by does not stand out, a much steeper one does', () => {
  expect(driftStandsOut(sloped({ days: 0.1, factor: 1.1 }))).toBe(false);
  expect(driftStandsOut(sloped({ days: 0.1, factor: 2 }))).toBe(true);
});

it('where days differ by no more than their runs explain, nothing more is asked of a slope', () => {
  expect(driftStandsOut(sloped({ days: 0, factor: 1.07 }))).toBe(true);
});

it('of a slope in too few days nothing is said', () => {
  const { dates, values } = sloped({ days: 0.1, factor: 1.1 });
  const from = dates.length - 24 * 5;
  expect(driftStandsOut({ dates: dates.slice(from), values: values.slice(from) })).toBe(true);
});

it('a time that is always 0 says nothing of how days differ', () => {
  const runs = series({ days: 0.1, factor: 1.05 });
  const still = { dates: runs.dates, values: runs.values.map(() => 0) };
  const test = dayTestOf(
    [runs, still].map((each) => ({ series: each, effect: EFFECT })),
    { timeZone: 'UTC' },
  );
  expect(test(runs, LAST_WEEK)).toBe(false);
});
