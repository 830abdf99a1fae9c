import { describe, expect, test } from 'vitest';
import { app, content, type Project, shop } from '../../src/emulator/credentials.ts';
import type { Place } from '../../src/emulator/handler.ts';
import { metricsHandlers } from '../../src/emulator/handlers/metrics.ts';
import { createWorld } from '../../src/emulator/world/index.ts';
import { metricStories, segmentsOf } from '../../src/emulator/world/sessions/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';

type Device = 'all' | 'desktop' | 'mobile' | 'tablet';

interface Rate {
  visits: number;
  conversions: number;
  rate: number;
}

const origins = [
  { seed: 1, startMs: Date.parse('2026-11-20T10:00:00.000Z') },
  { seed: 2, startMs: Date.parse('2026-11-20T10:00:00.000Z') },
  { seed: 7, startMs: Date.parse('2026-03-03T23:59:00.000Z') },
  { seed: 42, startMs: Date.parse('2027-01-01T00:00:00.000Z') },
  { seed: 1_000_003, startMs: Date.parse('2026-07-15T06:30:00.000Z') },
];

function iso(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** Standard errors between two rates, taken as shares of independent sessions. */
function distance(before: Rate, after: Rate): number {
  const share = (before.conversions + after.conversions) / (before.visits + after.visits);
  return (after.rate - before.rate) / 100 / Math.sqrt(share * (1 - share) * (1 / before.visits + 1 / after.visits)) || 0;
}

function observe(origin: { seed: number; startMs: number }, project: Project) {
  const place: Place = { world: createWorld(origin), project, storeUrl: 'http://store.test', nowMs: origin.startMs };
  return async (goalId: number, fromMs: number, toMs: number, device: Device = 'all', segmentIds?: number[]): Promise<Rate> => {
    const query = { startDate: iso(fromMs), endDate: iso(toMs), device, goalId, ...(segmentIds && { segmentIds }) };
    const { values } = await metricsHandlers.getSiteMetrics(query, place);
    const by = Object.fromEntries(values.map(({ name, value }) => [name, value ?? 0]));
    return { visits: by['visits'] ?? 0, conversions: by['conversionCount'] ?? 0, rate: by['conversionRate'] ?? 0 };
  };
}

/** What chance alone does not reach: with 60 comparisons of five seeds, 3 standard errors would be passed now and then. */
const CHANCE = 4;

describe.each(origins)('the stories of seed $seed', (origin) => {
  const stories = metricStories(origin);

  test('conversion falls on one device from one day on, most in the named segment', async () => {
    const { goal, device, startDay, factor, segment, projectId } = stories.conversionFall;
    expect(projectId).toBe(shop.id);
    const startMs = Date.parse(startDay);
    const rateOf = observe(origin, shop);
    const fall = async (on: Device, ids?: number[]) => {
      const before = await rateOf(goal.id, startMs - 28 * DAY_MS, startMs - 1, on, ids);
      const after = await rateOf(goal.id, startMs, origin.startMs, on, ids);
      return { ratio: after.rate / before.rate, errors: distance(before, after) };
    };
    const there = await fall(device);
    expect(there.errors).toBeLessThan(-6);
    expect(there.ratio).toBeGreaterThan((segment?.factor ?? factor) - 0.08);
    expect(there.ratio).toBeLessThan(factor + 0.12);
    expect(Math.abs((await fall(device === 'mobile' ? 'desktop' : 'mobile')).errors)).toBeLessThan(CHANCE);
    expect((await fall('all')).errors).toBeLessThan(-2);
    const deepest = segment ? await fall(device, [segment.id]) : there;
    expect(deepest.ratio).toBeLessThan(segment ? factor : factor + 0.12);
  });

  test('a campaign lowers the rate of the whole, but of no device and no segment', async () => {
    const { goal, device, segment, startDay, endDay, addedShare, projectId } = stories.mixCampaign;
    expect(projectId).toBe(content.id);
    const startMs = Date.parse(startDay);
    const endMs = Date.parse(endDay) + DAY_MS - 1;
    expect(endMs - startMs).toBe(7 * DAY_MS - 1);
    const rateOf = observe(origin, content);
    const change = async (on: Device, ids?: number[]) => {
      const before = await rateOf(goal.id, startMs - 7 * DAY_MS, startMs - 1, on, ids);
      const during = await rateOf(goal.id, startMs, endMs, on, ids);
      return { before, during, errors: distance(before, during) };
    };
    const whole = await change('all');
    expect(whole.errors).toBeLessThan(-CHANCE);
    expect(whole.during.visits / whole.before.visits).toBeGreaterThan(addedShare + 0.85);
    for (const on of ['desktop', 'mobile', 'tablet'] as const) expect(Math.abs((await change(on)).errors)).toBeLessThan(CHANCE);
    const others = segmentsOf(content.id).filter(({ id }) => id !== segment.id);
    for (const { id } of others) expect(Math.abs((await change('all', [id])).errors)).toBeLessThan(CHANCE);
    const brought = await rateOf(goal.id, startMs - 7 * DAY_MS, endMs, device, [segment.id]);
    // Both counts are drawn: four of their standard errors.
    expect(Math.abs(brought.visits / (whole.during.visits - brought.visits) / addedShare - 1)).toBeLessThan(0.07);
    expect((await rateOf(goal.id, startMs - 7 * DAY_MS, origin.startMs, 'all', [segment.id])).visits).toBe(brought.visits);
  });

  test('a zone is tapped more or less from one day on', async () => {
    const { zone, startDay, factor, projectId } = stories.zoneTapChange;
    expect(projectId).toBe(app.id);
    const startMs = Date.parse(startDay);
    const place: Place = { world: createWorld(origin), project: app, storeUrl: 'http://store.test', nowMs: origin.startMs };
    const tapRate = async (fromMs: number, toMs: number) => {
      const { values } = await metricsHandlers.getZoneTapRate({ zoneId: zone.id, startDate: iso(fromMs), endDate: iso(toMs) }, place);
      return values[0]?.value ?? Number.NaN;
    };
    const ratio = (await tapRate(startMs, origin.startMs)) / (await tapRate(startMs - 28 * DAY_MS, startMs - 1));
    expect(ratio / factor).toBeGreaterThan(0.93);
    expect(ratio / factor).toBeLessThan(1.07);
  });
});

test('device, day, size and segment differ from seed to seed', () => {
  const all = Array.from({ length: 40 }, (_, seed) => metricStories({ seed, startMs: origins[0]?.startMs ?? 0 }));
  const kinds = (of: (stories: (typeof all)[number]) => unknown) => new Set(all.map(of)).size;
  expect(kinds(({ conversionFall }) => conversionFall.device)).toBe(2);
  expect(kinds(({ conversionFall }) => conversionFall.startDay)).toBe(8);
  expect(kinds(({ conversionFall }) => conversionFall.segment?.name)).toBe(4);
  expect(kinds(({ mixCampaign }) => mixCampaign.device)).toBe(2);
  expect(kinds(({ mixCampaign }) => mixCampaign.addedShare)).toBeGreaterThan(10);
  expect(kinds(({ zoneTapChange }) => zoneTapChange.zone.id)).toBe(4);
});
