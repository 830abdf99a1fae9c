import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunksOf, daysBetween, slotsOf } from '../../src/lib/calendar.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { sampleSize } from '../support/sample-size.ts';

const at = (iso: string) => Date.parse(iso);
const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC');
const instant = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2030-12-31T00:00:00Z') });
const interval = fc
  .tuple(instant, fc.integer({ min: 1, max: 500 * 24 * HOUR_MS }))
  .map(([startMs, length]) => ({ startMs, endMs: startMs + length }));

describe('days, weeks and months of an interval', () => {
  it('follow each other without a gap and hold all of it, in every zone', () => {
    fc.assert(
      fc.property(fc.constantFrom('day' as const, 'week' as const, 'month' as const), interval, zone, (unit, whole, timeZone) => {
        const slots = slotsOf(unit, whole, timeZone);
        expect(slots[0]?.startMs).toBe(whole.startMs);
        // An interval that ends with the first instant of a unit ends before it.
        expect([whole.endMs, whole.endMs - 1]).toContain(slots.at(-1)?.endMs);
        expect(slots.filter(({ startMs, endMs }) => endMs < startMs)).toEqual([]);
        expect(slots.slice(1).map(({ startMs }) => startMs)).toEqual(slots.slice(0, -1).map(({ endMs }) => endMs + 1));
        expect(new Set(slots.map(({ label }) => label)).size).toBe(slots.length);
        expect(slots.slice(1, -1).filter(({ isPart }) => isPart)).toEqual([]);
      }),
      { numRuns: sampleSize({ full: 60, short: 12 }) },
    );
  });

  it('are named by the calendar of the zone, and marked where the interval cuts them', () => {
    const slots = slotsOf('week', { startMs: at('2026-11-05T00:00:00Z'), endMs: at('2026-11-20T10:00:00Z') }, 'UTC');
    expect(slots.map(({ label, isPart }) => `${label} ${isPart}`)).toEqual(['2026-11-02 true', '2026-11-09 false', '2026-11-16 true']);
    const months = slotsOf('month', { startMs: at('2026-01-01T00:00:00Z'), endMs: at('2026-02-28T23:59:59.999Z') }, 'UTC');
    expect(months.map(({ label, isPart }) => `${label} ${isPart}`)).toEqual(['2026-01 false', '2026-02 false']);
  });
});

it.each([
  ['without midnight, of 23 hours', '2026-09-04T04:00:00Z', '2026-09-06T16:00:00Z', 2 + 12 / 23],
  ['with 23 o’clock twice, of 25 hours', '2026-04-02T03:00:00Z', '2026-04-04T15:00:00Z', 2 + 12 / 25],
  ['of 24 hours', '2026-06-01T04:00:00Z', '2026-06-03T16:00:00Z', 2.5],
])('counts the part of a day %s', (_what, from, to, days) => {
  expect(daysBetween(Date.parse(from), Date.parse(to), 'America/Santiago')).toBeCloseTo(days, 9);
});

it('chunks of an interval are no longer than allowed, meet at midnights, and are as few as that allows', () => {
  const maxMs = 92 * 24 * HOUR_MS;
  fc.assert(
    fc.property(interval, zone, (whole, timeZone) => {
      const chunks = chunksOf(whole, timeZone, maxMs);
      const midnights = new Set(slotsOf('day', whole, timeZone).map(({ startMs }) => startMs));
      expect(chunks[0]?.startMs).toBe(whole.startMs);
      expect([whole.endMs, whole.endMs - 1]).toContain(chunks.at(-1)?.endMs);
      for (const [index, chunk] of chunks.entries()) {
        expect(chunk.endMs - chunk.startMs).toBeLessThanOrEqual(maxMs);
        const before = chunks[index - 1];
        if (!before) continue;
        expect(chunk.startMs).toBe(before.endMs + 1);
        expect(midnights).toContain(chunk.startMs);
        // One day more would not have fitted: at most 25 hours are left.
        expect(before.endMs - before.startMs).toBeGreaterThan(maxMs - 26 * HOUR_MS);
      }
    }),
    { numRuns: sampleSize({ full: 60, short: 12 }) },
  );
});
