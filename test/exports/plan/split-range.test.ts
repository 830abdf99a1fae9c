import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitRange } from '../../../src/exports/plan/job-bodies.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { sampleSize } from '../../support/sample-size.ts';

const ZONES = ['UTC', 'Europe/Paris', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia'];

it('covers a range exactly, without a gap or an overlap, in parts that a once job takes', () => {
  const range = fc.tuple(
    fc.integer({ min: Date.parse('2010-01-01'), max: Date.parse('2027-01-01') }),
    fc.oneof(
      fc.integer({ min: 1, max: 400 * 24 * HOUR_MS }),
      fc.integer({ min: 1, max: 400 }).map((hours) => hours * HOUR_MS),
    ),
    fc.constantFrom(...ZONES),
  );
  fc.assert(
    fc.property(range, ([startMs, lengthMs, timeZone]) => {
      const endMs = startMs + lengthMs;
      const parts = splitRange({ startMs, endMs }, timeZone);
      expect(parts[0]?.startMs).toBe(startMs);
      expect(parts.at(-1)?.endMs).toBe(endMs);
      expect(parts.slice(1).map((part) => part.startMs)).toEqual(parts.slice(0, -1).map((part) => part.endMs));
      for (const part of parts) {
        expect(part.endMs).toBeGreaterThan(part.startMs);
        expect(part.endMs - part.startMs).toBeLessThanOrEqual(168 * HOUR_MS);
      }
      // Days of 25 hours cost a day of a part at most, and the first part may begin within a day.
      expect(parts.length).toBeLessThanOrEqual(Math.ceil(lengthMs / (24 * 6 * HOUR_MS)) + 1);
    }),
    { numRuns: sampleSize({ full: 500, short: 100 }) },
  );
});
