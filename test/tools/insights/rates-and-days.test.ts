import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { openAssistant, sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { truthOf } from '../../support/truth.ts';
import { records } from '../support.ts';

const LAST_DAY_MS = Date.parse('2026-11-19');

const platform = sharedPlatform();
const assistant = sharedAssistant(platform, { credential: 'shop' });

const dayOf = (instantMs: number) => new Date(instantMs).toISOString().slice(0, 10);
const devices = ['all', 'desktop', 'mobile', 'tablet'] as const;
const segments = ['Germany', 'France', 'New visitors', 'Returning visitors', 'Paid search'];
/** Days within retention, up to 150 of them. */
const days = fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 150 })).map(([ago, length]) => ({
  startDate: dayOf(LAST_DAY_MS - (ago + length - 1) * DAY_MS),
  endDate: dayOf(LAST_DAY_MS - ago * DAY_MS),
}));
/** From the first to the last instant of days in UTC. */
const wire = ({ startDate, endDate }: { startDate: string; endDate: string }) => ({
  from: `${startDate}T00:00:00.000Z`,
  to: `${endDate}T23:59:59.999Z`,
});

type Row = Record<string, string | number | null>;
const list = ({ structured }: ToolAnswer, member: string) => (structured[member] ?? []) as Row[];

describe('no answer holds a rate that is an average of rates', () => {
  it('in tables: each rate is that of the counts beside it, however the rows are cut', { tags: 'nightly' }, async () => {
    const rows = fc.uniqueArray(fc.constantFrom<string[]>('device', 'segment', 'goal', 'day', 'week', 'month'), { maxLength: 3 });
    const isTime = (name: string) => ['day', 'week', 'month'].includes(name);
    // Weeks of each device and goal would need too many calls.
    const cut = rows.filter(
      (names) => names.filter(isTime).length < 2 && !['week', 'device', 'goal'].every((name) => names.includes(name)),
    );
    await fc.assert(
      fc.asyncProperty(days, cut, fc.subarray(segments, { minLength: 1, maxLength: 2 }), async (range, breakdown, compareSegments) => {
        const query = { ...range, ...(breakdown.length > 0 && { breakdown }), ...(breakdown.includes('segment') && { compareSegments }) };
        const metrics = ['conversionRate', 'conversionCount', 'visits', 'bounceRate', 'sessionTimeAverage'];
        const answer = await assistant().call('query_metrics', { metrics, ...query });
        expect(answer.isError).toBe(false);
        const truth = truthOf(platform(), wire(range));
        for (const row of records(answer)) {
          const { conversionRate, conversionCount, visits, bounceRate, sessionTimeAverage } = row;
          const fromCounts = visits === 0 ? 0 : (100 * Number(conversionCount)) / Number(visits);
          // The platform rounds to four decimals.
          expect(Math.abs(Number(conversionRate) - fromCounts)).toBeLessThan(1e-4);
          expect(conversionRate === null).toBe(visits === 0);
          expect([bounceRate === null, sessionTimeAverage === null]).toEqual([visits === 0, visits === 0]);
        }
        // Over any number of ranges averages are those of all sessions; the platform rounds those of each range.
        const [total] =
          breakdown.length === 0 ? records(answer) : [{ bounceRate: truth.bounceRate, sessionTimeAverage: truth.seconds / truth.visits }];
        expect(total?.['bounceRate']).toBeCloseTo(truth.bounceRate, 3);
        expect(total?.['sessionTimeAverage']).toBeCloseTo(truth.seconds / truth.visits, 3);
      }),
      { numRuns: sampleSize({ full: 20, short: 4 }) },
    );
  });

  it('in comparisons: rates of both sides, of devices and of segments are those of the sessions', { tags: 'nightly' }, async () => {
    const weeks = fc.integer({ min: 1, max: 20 }).map((ago) => ({
      startDate: dayOf(Date.parse('2026-11-16') - ago * 7 * DAY_MS),
      endDate: dayOf(Date.parse('2026-11-15') - (ago - 1) * 7 * DAY_MS),
    }));
    const seen: number[] = [];
    await fc.assert(
      fc.asyncProperty(weeks, async (week) => {
        const answer = await assistant().call('compare_metrics', { ...week, metrics: ['conversionRate'] });
        const before = { startDate: dayOf(Date.parse(week.startDate) - 7 * DAY_MS), endDate: dayOf(Date.parse(week.startDate) - DAY_MS) };
        const sides = { before: wire(before), after: wire(week) };
        const named = [
          ...records(answer).map((row): [Row, object] => [row as Row, {}]),
          ...list(answer, 'devices')
            .filter(({ device }) => device !== 'other or unknown device')
            .map((row): [Row, object] => [row, { device: row['device'] }]),
          ...list(answer, 'segments').map((row): [Row, object] => [row, { segment: row['segment'] }]),
        ];
        seen.push(named.length);
        for (const [row, selection] of named) {
          for (const side of ['before', 'after'] as const) {
            const { visits, conversionRate } = truthOf(platform(), { ...sides[side], ...selection });
            expect(row[side] === null).toBe(visits === 0);
            expect([selection, side, Number(row[side])]).toEqual([selection, side, expect.closeTo(visits === 0 ? 0 : conversionRate, 3)]);
          }
        }
      }),
      // The week of the planted fall, of which segments are told.
      { numRuns: 4, examples: [[{ startDate: '2026-11-09', endDate: '2026-11-15' }]] },
    );
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(4);
    // All visits, three devices, four segments.
    expect(seen[0]).toBe(8);
  });
});

describe('another time zone', () => {
  it('loses and doubles no day, and no visit of it', async () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    // Clocks change in March and April, and in September, October and November.
    const starts = fc.constantFrom('2026-03-04', '2026-03-25', '2026-04-02', '2026-09-02', '2026-10-01', '2026-10-22', '2026-10-29');
    await fc.assert(
      fc.asyncProperty(
        zones,
        starts,
        fc.integer({ min: 2, max: 14 }),
        fc.constantFrom(...devices),
        async (timeZone, startDate, length, device) => {
          const local = await openAssistant(platform(), { credential: 'shop', timeZone });
          const wanted = Array.from({ length }, (_, index) => dayOf(Date.parse(startDate) + index * DAY_MS));
          const answer = await local.call('query_metrics', {
            metrics: ['visits'],
            startDate,
            endDate: wanted.at(-1),
            breakdown: ['day'],
            devices: [device],
          });
          await local.close();
          expect(records(answer).map(({ day }) => day)).toEqual(wanted);
          const { start, end } = answer.structured['range'] as { start: string; end: string };
          const { visits } = truthOf(platform(), { from: start, to: end, device });
          expect(records(answer).reduce((sum, row) => sum + Number(row['visits']), 0)).toBe(visits);
        },
      ),
      { numRuns: sampleSize({ full: 12, short: 4 }) },
    );
  });
});
