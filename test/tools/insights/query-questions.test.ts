import { describe, expect, it } from 'vitest';
import { zoneOf, zoneTotals } from '../../../src/emulator/world/sessions/index.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { useInterview } from '../../support/interview.ts';
import { truthOf } from '../../support/truth.ts';
import { records } from '../support.ts';

const platform = sharedPlatform();
const answer = useInterview(sharedAssistant(platform));
const answerOfApp = useInterview(sharedAssistant(platform, { credential: 'app' }));

const notes = ({ structured }: ToolAnswer) => structured['notes'];

describe('a question about the site', () => {
  it('6: compares conversion on desktop, mobile and tablet', async () => {
    const asked = await answer('6. Compare conversion on desktop, mobile and tablet for last month.', (call) =>
      call('query_metrics', { metrics: ['conversionRate'], startDate: 'last_month', endDate: 'last_month', breakdown: ['device'] }),
    );
    const month = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' };
    const expected = (['all', 'desktop', 'mobile', 'tablet'] as const).map((device) => ({
      device,
      conversionRate: expect.closeTo(truthOf(platform(), { ...month, device }).conversionRate, 3),
    }));
    expect(records(asked)).toEqual(expected);
    expect(asked.structured).toMatchObject({ units: { conversionRate: '%' }, range: { days: 31, timeZone: 'UTC' } });
  });

  it('9: shows twelve months of visits, which add up', async () => {
    const asked = await answer('9. Show monthly visits for the past 12 months.', (call) =>
      call('query_metrics', { metrics: ['visits'], startDate: '2025-11', endDate: '2026-10', breakdown: ['month'] }),
    );
    const months = records(asked);
    expect(months.map(({ month }) => month)).toEqual([
      '2025-11', '2025-12', '2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06', '2026-07', '2026-08', '2026-09', '2026-10',
    ]); // biome-ignore format: one thought
    const december = truthOf(platform(), { from: '2025-12-01T00:00:00.000Z', to: '2025-12-31T23:59:59.999Z' });
    expect(months[1]).toEqual({ month: '2025-12', visits: december.visits });
    const year = truthOf(platform(), { from: '2025-11-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
    expect(months.reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(year.visits);
  });

  it('10: gives the rate of six months from counts, never an average of rates', async () => {
    const asked = await answer('10. What is the average conversion rate over six months?', (call) =>
      call('query_metrics', { metrics: ['conversionRate'], startDate: '2026-05', endDate: '2026-10' }),
    );
    const { conversionRate } = truthOf(platform(), { from: '2026-05-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
    expect(records(asked)).toEqual([{ conversionRate: expect.closeTo(conversionRate, 3) }]);
    expect(notes(asked)).toContainEqual(expect.stringContaining('conversionRate = conversionCount / visits of the whole range'));
  });

  it('12: says that today is not over', async () => {
    const asked = await answer("12. Is today's data complete?", (call) =>
      call('query_metrics', { metrics: ['visits'], startDate: 'yesterday', endDate: 'today', breakdown: ['day'] }),
    );
    const today = truthOf(platform(), { from: '2026-11-20T00:00:00.000Z', to: '2026-11-20T10:00:00.000Z' });
    expect(records(asked)[1]).toEqual({ day: '2026-11-20 (part)', visits: today.visits });
    expect(notes(asked)).toContain('Today is incomplete (2026-11-20).');
  });
});

describe('a question about the app', () => {
  const fourWeeks = { startMs: Date.parse('2026-10-23T00:00:00.000Z'), endMs: Date.parse('2026-11-19T23:59:59.999Z') };

  /** What the sessions of the app did with a zone. */
  function zoneTruth(zoneId: number) {
    const placed = zoneOf(1202, zoneId);
    if (!placed) throw new Error(`there is no zone ${zoneId}`);
    const { world, clock } = platform();
    const selection = { projectId: 1202, ...fourWeeks, device: 'all' as const, segmentBits: 0, isDaily: false, nowMs: clock.now() };
    const [sum] = zoneTotals(world.sessions, selection, placed, 1) ?? [];
    if (!sum) throw new Error(`zone ${zoneId} cannot be touched`);
    return { tapRate: (100 * sum.tapSessions) / sum.sessions, revenuePerTap: sum.revenueCents / 100 / sum.taps };
  }

  it('13: reads the tap rate of a zone by its path', async () => {
    const asked = await answerOfApp('13. What is the tap rate of "Add to cart" on the product screen?', (call) =>
      call('query_metrics', { metrics: ['tapRate'], startDate: '-28d', endDate: 'yesterday', zoneIds: ['Product screen / Add to cart'] }),
    );
    expect(records(asked)).toEqual([{ tapRate: expect.closeTo(zoneTruth(8_120_571).tapRate, 3) }]);
    expect(asked.structured['filters']).toMatchObject({ zone: expect.stringContaining('Product screen / Product details / Add to cart') });
    expect(notes(asked)).toContain('The last 7 days may still change (since 2026-11-13).');
  });

  it('14: finds the zones of a screen and ranks them', async () => {
    const zones = new Map<number, string>();
    const asked = await answerOfApp('14. Which zones of the home screen bring most revenue per tap?', async (call) => {
      const found = await call('find_objects', { text: 'Home', kinds: ['zone'] });
      const { objects } = found.structured as { objects: { id: number; path: string }[] };
      for (const { id, path } of objects) if (path.includes('/ Home /')) zones.set(id, path);
      return call('query_metrics', { metrics: ['revenuePerTap'], startDate: '-28d', endDate: 'yesterday', zoneIds: [...zones.keys()] });
    });
    expect(new Set(zones.keys())).toEqual(new Set([8_120_447, 8_120_450, 8_120_463, 8_120_466, 8_120_469]));
    const expected = [...zones].map(([id, zone]) => ({ zone, revenuePerTap: expect.closeTo(zoneTruth(id).revenuePerTap, 3) }));
    expect(records(asked)).toEqual(expected);
    expect(asked.structured['units']).toEqual({ revenuePerTap: 'EUR' });
  });
});
