import type { DayPoint } from '../../../../src/domain/metrics/compare/days.ts';

/** Evenly distributed numbers from 0 to 1, the same for each seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A standard normal number (Box and Muller). */
function normalOf(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const WEEKDAYS = [1.12, 1.04, 0.99, 0.97, 0.96, 0.92, 1];
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.parse('2026-01-05');

/** Days of visits with a weekday pattern and of a rate that scatters more than chance alone lets it; `factor` of the day's index changes the rate. */
export function simulateDays(count: number, seed: number, factor: (index: number) => number = () => 1) {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, index) => {
    const atMs = FIRST_DAY_MS + index * DAY_MS;
    const weekday = new Date(atMs).getUTCDay();
    const visits = Math.round(4_000 * (WEEKDAYS[weekday] ?? 1) * Math.exp(0.03 * normalOf(random)));
    const rate = 0.036 * factor(index) * Math.exp(0.06 * normalOf(random));
    const conversions = Math.max(0, Math.round(visits * rate + Math.sqrt(visits * rate * (1 - rate)) * normalOf(random)));
    const revenue = conversions * 75 + Math.sqrt(conversions) * 65 * normalOf(random);
    const day = { label: new Date(atMs).toISOString().slice(0, 10), weekday };
    return {
      conversionRate: { ...day, numerator: 100 * conversions, denominator: visits } satisfies DayPoint,
      visits: { ...day, numerator: visits, denominator: 1 } satisfies DayPoint,
      revenueSum: { ...day, numerator: revenue, denominator: 1 } satisfies DayPoint,
    };
  });
}
