import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { weekdaySentence } from '../../../src/metrics/expected/row-verdicts.ts';
import type { MetricRow } from '../../../src/metrics/read/metric-answers.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { rowOn, shareOf } from '../points.ts';

const FLAT = [1, 1, 1, 1, 1, 1, 1];

interface World {
  readonly days?: number;
  /** Levels from Monday to Sunday. */
  readonly levels?: readonly number[];
  /** How much of the shock of a day is still there the day after. */
  readonly carry?: number;
  readonly weekendNoise?: number;
  /** A day with three times as many visits. */
  readonly special?: number;
}

/** Days from a Monday on, shocks of 5 %. */
function daysOf(seed: number, { days = 56, levels = FLAT, carry = 0, weekendNoise = 0.05, special }: World = {}): MetricRow[] {
  const { normal } = seeded(seed);
  let shock = 0;
  return times(days, (day) => {
    shock = carry * shock + Math.sqrt(1 - carry ** 2) * normal();
    const noise = day % 7 > 4 ? weekendNoise : 0.05;
    const visits = Math.round(5_000 * (levels[day % 7] ?? 1) * Math.exp(noise * shock) * (day === special ? 3 : 1));
    return rowOn(dayAfter('2026-01-05', day), { visits });
  });
}
const said = (seed: number, world?: World) => weekdaySentence('Visits', 'visits', daysOf(seed, world));
const shareWith = (part: string, world?: World) => shareOf(300, (seed) => said(seed, world).includes(part));

describe('the highest weekday', () => {
  it('is named, and the lowest, as far as each stands out from the others', () => {
    expect(said(3, { levels: [1, 1, 1, 1, 1, 1.3, 0.8] })).toMatch(
      /^Visits: highest on Saturday, 6\d\.\d% above Sunday, the lowest \(8 whole weeks\)\.$/,
    );
    expect(said(3, { levels: [1, 1, 1, 1, 1, 1.3, 1] })).toMatch(
      /^Visits: highest on Saturday, \d\d\.\d% above the other days \(8 whole weeks\)\.$/,
    );
    expect(said(3, { levels: [1, 1, 1, 1, 1, 1, 0.5] })).toMatch(
      /^Visits: lowest on Sunday, \d\d\.\d% below the other days \(8 whole weeks\)\.$/,
    );
  });

  it('is found in four of five ranges of 8 weeks where it has a tenth more than the others', () => {
    expect(shareWith('highest on Saturday', { levels: [1, 1, 1, 1, 1, 1.12, 1] })).toBeGreaterThan(0.8);
  });

  it.each<[string, World]>([
    ['alike', {}],
    ['alike over four weeks', { days: 28 }],
    ['with shocks that last', { carry: 0.6 }],
    ['with weekends that scatter more', { weekendNoise: 0.1 }],
    ['with one special day', { special: 25 }],
    ['that scatter by a fifth', { days: 91, weekendNoise: 0.2 }],
  ])('is seldom named among days %s', (_, world) => {
    expect(shareWith('est on', world)).toBeLessThanOrEqual(0.03);
    expect(shareWith('weekdays differ', world)).toBeLessThanOrEqual(0.02);
  });

  it('is none where weekdays differ by degrees, which is said with the two farthest apart', () => {
    const levels = [1.04, 1.01, 0.98, 0.95, 0.93, 0.99, 1.08];
    const world = { levels, days: 49 };
    expect(shareWith('weekdays differ', world) + shareWith('est on', world)).toBeGreaterThan(0.8);
    expect(shareWith('weekdays differ', world)).toBeGreaterThan(0.05);
  });

  it('is one of the table, with its figures, whatever the middle of the weeks is', () => {
    const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    for (let seed = 1; seed <= 40; seed += 1) {
      const days = daysOf(seed, { days: 59, special: seed });
      const meanOf = (weekday: number) => mean(days.filter((_, day) => day % 7 === weekday).map(({ values }) => values['visits'] ?? 0));
      const rows = names.map((name, weekday) => ({ name, value: meanOf(weekday) })).toSorted((a, b) => b.value - a.value);
      const [top, bottom] = [rows[0], rows[6]];
      const pair = `${top?.name} lies ${((100 * (top?.value ?? 0)) / (bottom?.value ?? 1) - 100).toFixed(1)}% above ${bottom?.name}`;
      expect(weekdaySentence('Visits', 'visits', days)).toMatch(new RegExp(`${pair}|(high|low)est on (${top?.name}|${bottom?.name}),`));
    }
  });

  it('needs four whole weeks, and two days with a value', () => {
    expect(said(1, { days: 30 })).toContain('(4 whole weeks)');
    expect(said(1, { days: 27 })).toBe('Weekdays cannot be compared over so few weeks (3 whole weeks).');
    expect(said(1, { days: 1 })).toBe('');
    expect(weekdaySentence('Revenue', 'revenueSum', daysOf(1))).toBe('');
  });
});
