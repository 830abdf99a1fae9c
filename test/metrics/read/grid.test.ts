import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slotsOf } from '../../../src/lib/calendar.ts';
import { assemble, bySlot, type SlotAnswer } from '../../../src/metrics/read/metric-answers.ts';
import { inputOf, type MetricGrid, planGrid } from '../../../src/metrics/read/metric-grid.ts';
import { answer, type Visit } from './fake-service.ts';

const DAY_MS = 86_400_000;
const at = (iso: string) => Date.parse(iso);
const FROM = at('2025-09-01T00:00:00Z');

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC');
const range = fc
  .tuple(fc.integer({ min: 0, max: 200 * DAY_MS }), fc.integer({ min: 60_000, max: 230 * DAY_MS }))
  .map(([offset, length]) => ({ startMs: FROM + offset, endMs: FROM + offset + length }));
const visits = fc.array(
  fc.record({
    atMs: fc.integer({ min: FROM, max: FROM + 430 * DAY_MS }),
    converts: fc.boolean(),
    cents: fc.integer({ min: 0, max: 20_000 }),
  }),
  { maxLength: 300 },
);

/** Plans, asks the pure service and joins, with the calls that it took. */
function ask(grid: MetricGrid, all: readonly Visit[], timeZone: string) {
  const plan = planGrid(grid, timeZone);
  const answers = plan.calls.map((call): SlotAnswer[] => {
    const slots = bySlot(answer(call, all, timeZone), call);
    if (!slots) throw new Error(`the days of ${JSON.stringify(inputOf(call, timeZone))} do not fit`);
    return slots.map((values) => ({ values }));
  });
  return { ...assemble(grid, plan, answers), plan };
}

/** The world as a single query of any length would see it. */
function truth(all: readonly Visit[], { startMs, endMs }: { startMs: number; endMs: number }) {
  const inside = all.filter(({ atMs }) => atMs >= startMs && atMs <= endMs);
  const conversions = inside.filter(({ converts }) => converts).length;
  const cents = inside.reduce((sum, visit) => sum + visit.cents, 0);
  return { visits: inside.length, conversionCount: conversions, revenueSum: cents / 100, rate: (100 * conversions) / inside.length };
}

describe('a grid of metrics', () => {
  it('sends only what the interface accepts: at most 92 days, daily only beyond one', () => {
    fc.assert(
      fc.property(range, zone, fc.boolean(), (whole, timeZone, daily) => {
        const { calls } = planGrid({ metrics: ['visits', 'conversionRate'], ranges: [whole], daily }, timeZone);
        for (const call of calls) {
          const parsed = call.endpoint.operation.input.safeParse({ projectId: 1, ...inputOf(call, timeZone) });
          expect(parsed.error?.issues ?? []).toEqual([]);
        }
      }),
    );
  });

  it('counts the same in chunks as in one range, and makes the rate from the counts', () => {
    fc.assert(
      fc.property(range, visits, zone, (whole, all, timeZone) => {
        const { rows } = ask({ metrics: ['visits', 'conversionCount', 'revenueSum', 'conversionRate'], ranges: [whole] }, all, timeZone);
        const { rate, ...counts } = truth(all, whole);
        expect(rows).toHaveLength(1);
        const { conversionRate = null, ...others } = rows[0]?.values ?? {};
        expect(others).toEqual(counts);
        // The platform rounds to four decimals.
        expect(conversionRate === null ? counts.visits === 0 : Math.abs(conversionRate - rate) < 1e-4).toBe(true);
      }),
    );
  });

  it('loses and doubles no day in any zone: the days add up to the range', () => {
    fc.assert(
      fc.property(range, visits, zone, (whole, all, timeZone) => {
        const { rows } = ask({ metrics: ['visits', 'conversionRate'], ranges: [whole], daily: true }, all, timeZone);
        const days = slotsOf('day', whole, timeZone);
        expect(rows.map(({ interval }) => interval.label)).toEqual(days.map(({ label }) => label));
        expect(rows.map(({ values }) => values['visits'])).toEqual(days.map((day) => truth(all, day).visits));
        const lastMs = days.at(-1)?.endMs ?? 0;
        const sum = rows.reduce((total, { values }) => total + (values['visits'] ?? 0), 0);
        expect(sum).toBe(truth(all, { ...whole, endMs: lastMs }).visits);
      }),
      { numRuns: 60 },
    );
  });

  it('never holds a rate that is made of counts that the interface does not give: it is null over long ranges, with what it lacks', () => {
    const { rows, refused, plan } = ask(
      { metrics: ['tapRate'], ranges: [{ startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 6, 1) }] },
      [],
      'UTC',
    );
    expect([rows[0]?.values['tapRate'], refused, plan.calls]).toEqual([null, { tapRate: 'users' }, []]);
  });

  it.each([
    [['visits'], false, ['/v1/metrics/site/visits']],
    [['visits', 'bounceRate'], false, ['/v1/metrics/site']],
    [['cartAverage'], false, ['/v1/metrics/site/cart-average']],
    [['cartAverage'], true, ['/v1/metrics/site']],
    [['tapRate'], true, ['/v1/metrics/zone/{zoneId}/tap-rate']],
    [
      ['tapRate', 'avgConversionAfterTap'],
      false,
      ['/v1/metrics/zone/{zoneId}/tap-rate', '/v1/metrics/zone/{zoneId}/conversion-rate-per-tap'],
    ],
    [['tapRate', 'revenuePerTap'], false, ['/v1/metrics/zone/{zoneId}']],
  ] as const)('asks for %j (daily %s) at %j', (metrics, daily, paths) => {
    const week = { startMs: at('2026-11-09T00:00:00Z'), endMs: at('2026-11-15T23:59:59.999Z') };
    const { calls } = planGrid({ metrics, ranges: [week], daily }, 'UTC');
    expect(calls.map(({ endpoint }) => endpoint.operation.path)).toEqual(paths);
  });

  it('refuses what would need more calls than fit into one answer', () => {
    const devices = ['all', 'desktop', 'mobile', 'tablet'] as const;
    const ranges = Array.from({ length: 61 }, (_, index) => ({ startMs: FROM + index * DAY_MS, endMs: FROM + (index + 1) * DAY_MS - 1 }));
    expect(() => planGrid({ metrics: ['visits'], ranges, devices }, 'UTC')).toThrow(
      'This needs 244 calls to the platform, more than 240: ask for at most 60 days or fewer of devices',
    );
  });
});

describe('the answer to a part', () => {
  const week = { startMs: at('2026-11-09T00:00:00Z'), endMs: at('2026-11-15T23:59:59.999Z') };

  it('that failed makes a sum unknown, not smaller', () => {
    const grid: MetricGrid = { metrics: ['visits', 'conversionRate'], ranges: [{ startMs: FROM, endMs: FROM + 200 * DAY_MS }] };
    const plan = planGrid(grid, 'UTC');
    const answers: SlotAnswer[][] = plan.calls.map((_, index) => [
      index === 1 ? { failure: 'out of bounds' } : { values: { visits: 100, conversionCount: 5 } },
    ]);
    const { rows, missing } = assemble(grid, plan, answers);
    expect(rows[0]?.values).toEqual({ visits: null, conversionCount: null, conversionRate: null });
    expect(missing).toEqual([
      { reason: 'out of bounds', parts: [{ selection: plan.calls[1]?.selection, interval: plan.calls[1]?.interval }] },
    ]);
  });

  it('that failed for the same reason at other seconds is told with the others', () => {
    const grid: MetricGrid = { metrics: ['visits'], ranges: [{ startMs: FROM, endMs: FROM + 200 * DAY_MS }] };
    const plan = planGrid(grid, 'UTC');
    const answers = plan.calls.map((_, index): SlotAnswer[] => [{ failure: `not after 2026-11-20T10:00:0${index}.120Z` }]);
    const { missing } = assemble(grid, plan, answers);
    expect(missing.map(({ reason, parts }) => [reason, parts.length])).toEqual([['not after 2026-11-20T10:00:00.120Z', plan.calls.length]]);
    expect(plan.calls.length).toBeGreaterThan(1);
  });

  it('with other days than those of the zone is not taken for them', () => {
    const [call] = planGrid({ metrics: ['visits'], ranges: [week], daily: true }, 'UTC').calls;
    if (!call) throw new Error('no call was planned');
    const day = (startDate: string, endDate: string) => ({ name: 'visits', value: 1, startDate, endDate });
    expect(bySlot([day('2026-11-09T01:00:00.000Z', '2026-11-10T00:59:59.999Z')], call)).toBeUndefined();
    expect(bySlot([day('2026-11-09T00:00:00.000Z', '2026-11-15T23:59:59.999Z')], call)).toBeUndefined();
    expect(bySlot([day('2026-11-10T00:00:00.000Z', '2026-11-11T00:00:00.000Z')], call)?.[1]).toEqual({ visits: 1 });
  });
});
