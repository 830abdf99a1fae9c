import { describe, expect, it } from 'vitest';
import type { Interval } from '../../../src/lib/calendar.ts';
import { isOfClockChange, planReads, type Readable, rangesOf } from '../../../src/metrics/changes/locate-changes.ts';
import { times } from '../../support/times.ts';

const endMs = Date.parse('2026-11-19T23:59:59.999Z');
const DAY_MS = 86_400_000;
const daysOf = (ranges: readonly Interval[]) => ranges.map((range) => (range.endMs + 1 - range.startMs) / DAY_MS);
const readable = (segments: number, zones = 0): Readable => ({
  devices: ['all', 'desktop', 'mobile', 'tablet'],
  segmentIds: times(segments, (at) => at + 1),
  goalIds: [undefined, 7],
  areGoalsAsked: false,
  zoneIds: times(zones, (at) => at + 1),
});
const bounds = { days: 28, endMs, timeZone: 'UTC', requests: 36 };

it('ranges leave out a day of 25 hours, which would cost a request of its own', () => {
  const parisEnd = Date.parse('2026-11-19T23:59:59.999+01:00');
  const ranges = rangesOf(112, { endMs: parisEnd, timeZone: 'Europe/Paris' });
  expect(daysOf(ranges)).toEqual([86, 25]);
  const left = { startMs: Date.parse('2026-10-24T22:00Z'), endMs: Date.parse('2026-10-25T23:00Z') - 1 };
  expect([ranges[0]?.endMs, ranges[1]?.startMs]).toEqual([left.startMs - 1, left.endMs + 1]);
  expect([left, { ...left, endMs: left.endMs - 3_600_000 }].map(isOfClockChange)).toEqual([true, false]);
});

describe('a plan', () => {
  it('takes a long history where everything finds room with it', () => {
    const plan = planReads(readable(10), bounds);
    expect(plan).toMatchObject({ historyDays: 156, segments: 10, goals: 2 });
    expect(plan.places).toHaveLength(18);
    expect(plan.places[0]).toEqual({ device: 'all', segmentIds: [], goalId: undefined });
    // Room that is left goes to goals and segments by device.
    expect(plan.places.slice(15)).toEqual(
      (['desktop', 'mobile', 'tablet'] as const).map((device) => ({ device, segmentIds: [], goalId: 7 })),
    );
  });

  it('takes one request of 92 days where there is more to read, but for all visitors, and says how much finds room', () => {
    const plan = planReads(readable(45), bounds);
    expect(plan).toMatchObject({ historyDays: 156, shortHistoryDays: 64, longPlaces: 1, segments: 30, goals: 2 });
    expect(daysOf(plan.shortRanges)).toEqual([92]);
    expect(plan.places).toHaveLength(35);
    expect(plan.longPlaces * plan.ranges.length + (35 - plan.longPlaces) * plan.shortRanges.length).toBe(36);
    // One request leaves one history.
    expect(planReads(readable(45), { ...bounds, requests: 1 })).toMatchObject({ historyDays: 64, longPlaces: 1 });
    expect(planReads(readable(45), { ...bounds, days: 92 })).toMatchObject({ historyDays: 92, segments: 13 });
  });

  it('reads a long history of the first places where the others find room with a short one, within the requests', () => {
    const plan = planReads(readable(10), { ...bounds, requests: 25 });
    expect(plan).toMatchObject({ historyDays: 156, shortHistoryDays: 64, longPlaces: 10, segments: 10, goals: 2 });
    expect(plan.places).toHaveLength(15);
    expect(plan.longPlaces * plan.ranges.length + (15 - plan.longPlaces) * plan.shortRanges.length).toBe(25);
    // All visitors and every device are among them, so that their figures are those of an answer with more requests.
    expect(plan.places.slice(0, 4)).toEqual(planReads(readable(10), bounds).places.slice(0, 4));
    // Without a request to spare all are read over the shorter one.
    expect(planReads(readable(10), { ...bounds, requests: 15 })).toMatchObject({ historyDays: 64, longPlaces: 15 });
  });

  it('reads zones that were asked for before goals and segments', () => {
    const plan = planReads(readable(45, 20), { ...bounds, requests: 25 });
    expect(plan).toMatchObject({ zones: 20, goals: 1, segments: 0, longPlaces: 1 });
  });
});
