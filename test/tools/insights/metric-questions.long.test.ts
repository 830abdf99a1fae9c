import { describe, expect, it } from 'vitest';
import { zoneOf, zoneTotals } from '../../../src/emulator/world/sessions/index.ts';
import { dateText } from '../../../src/findings/wording.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { useInterview } from '../../support/interview.ts';
import { truthOf } from '../../support/truth.ts';
import { findingsOf, records } from '../support.ts';

const platform = sharedPlatform();
const { ask, asked: answered } = useInterview();
const shop = ask(sharedAssistant(platform));
const app = ask(sharedAssistant(platform, { credential: 'app' }));

type Row = Record<string, string | number | null>;
const list = ({ structured }: ToolAnswer, member: string) => (structured[member] ?? []) as Row[];
const said = ({ structured }: ToolAnswer) => String(structured['answer']);
const notes = ({ structured }: ToolAnswer) => (structured['notes'] as string[]).join('\n');

const lastWeek = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-15T23:59:59.999Z' };
const weekBefore = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-08T23:59:59.999Z' };
const truth = (week: typeof lastWeek, device: 'all' | 'desktop' | 'mobile' | 'tablet' = 'all') => truthOf(platform(), { ...week, device });
const percent = (value: number) => `${Number(value.toFixed(2))}%`;

describe('a question about the site', () => {
  it('1: says why the conversion rate dropped last week', { tags: 'nightly' }, async () => {
    const asked = await shop('1. Why did our conversion rate drop last week?', (call) =>
      call('compare_metrics', { startDate: 'last_week', endDate: 'last_week' }),
    );
    const { device } = platform().stories.conversionFall;
    const [before, after] = [truth(weekBefore), truth(lastWeek)];
    const [there, now] = [truth(weekBefore, device), truth(lastWeek, device)];
    expect(device).toBe('mobile');
    expect(said(asked)).toContain(
      `Over the whole period, conversion rate fell from ${percent(before.conversionRate)} to ${percent(after.conversionRate)}`,
    );
    expect(said(asked)).toMatch(/^Mobile conversion rate has been \d+% lower since 10 Nov; the other devices did not move\./);
    expect(findingsOf(asked)[0]).toMatchObject({ place: { device }, causes: [{ kind: 'place', name: device }] });
    expect(list(asked, 'devices').find((row) => row['device'] === device)).toMatchObject({
      before: expect.closeTo(there.conversionRate, 3),
      after: expect.closeTo(now.conversionRate, 3),
      verdict: 'down',
    });
  });

  it('2: names the day on which the drop started', { tags: 'nightly' }, async () => {
    const asked = await shop('2. On which day did the drop start?', (call) =>
      call('compare_metrics', { metrics: ['conversionRate'], startDate: '-10d', endDate: 'yesterday' }),
    );
    const { startDay } = platform().stories.conversionFall;
    expect(records(asked)).toEqual([expect.objectContaining({ verdict: 'down', since: startDay })]);
    expect(findingsOf(asked)[0]?.when).toMatchObject({ from: startDay, ongoing: true });
    expect(said(asked)).toContain(`since ${dateText(startDay, '2026')}`);
  });

  it('3: tells whether the drop is on mobile only', { tags: 'nightly' }, async () => {
    const asked = await shop('3. Is the drop on mobile only?', (call) =>
      call('compare_metrics', {
        metrics: ['conversionRate'],
        startDate: 'last_week',
        endDate: 'last_week',
        devices: ['desktop', 'mobile', 'tablet'],
      }),
    );
    expect(records(asked)).toEqual(
      (['desktop', 'mobile', 'tablet'] as const).map((of) =>
        expect.objectContaining({
          of,
          before: expect.closeTo(truth(weekBefore, of).conversionRate, 3),
          after: expect.closeTo(truth(lastWeek, of).conversionRate, 3),
          verdict: of === platform().stories.conversionFall.device ? 'down' : 'within noise',
        }),
      ),
    );
  });

  it('4: tells traffic mix from a change of the rate', { tags: 'nightly' }, async () => {
    const asked = await shop('4. Is it traffic mix or a real rate change?', (call) =>
      call('compare_metrics', { metrics: ['conversionRate'], startDate: 'last_week', endDate: 'last_week' }),
    );
    // By hand: each device with its mean rate against the mean rate of all.
    const [before, after] = [truth(weekBefore), truth(lastWeek)];
    const middle = (before.conversionRate + after.conversionRate) / 2;
    const parts = (['desktop', 'mobile', 'tablet'] as const).map((device) => [truth(weekBefore, device), truth(lastWeek, device)] as const);
    const mix = parts.reduce(
      (sum, [one, two]) =>
        sum + (two.visits / after.visits - one.visits / before.visits) * ((one.conversionRate + two.conversionRate) / 2 - middle),
      0,
    );
    const told = list(asked, 'devices').filter(({ device }) => device !== 'other or unknown device');
    expect(told.reduce((sum, row) => sum + Number(row['mix']), 0)).toBeCloseTo(mix, 3);
    const [sums] = list(asked, 'sums');
    expect(Number(sums?.['mix']) + Number(sums?.['rate']) + Number(sums?.['remainder'])).toBeCloseTo(Number(sums?.['change']), 6);
    expect(Math.abs(Number(sums?.['mix']))).toBeLessThan(0.05 * Math.abs(Number(sums?.['rate'])));
  });

  it('5: splits the change of revenue into visits, conversion and basket', { tags: 'nightly' }, async () => {
    const asked = await shop('5. Why is revenue down this week: fewer visits, lower conversion or a smaller basket?', (call) =>
      call('compare_metrics', { metrics: ['revenueSum'], startDate: 'this_week', endDate: 'yesterday', baselineStartDate: '2026-11-02' }),
    );
    const before = truthOf(platform(), { from: '2026-11-02T00:00:00.000Z', to: '2026-11-05T23:59:59.999Z' });
    const after = truthOf(platform(), { from: '2026-11-16T00:00:00.000Z', to: '2026-11-19T23:59:59.999Z' });
    const weight = (after.revenue - before.revenue) / Math.log(after.revenue / before.revenue);
    expect(asked.structured['revenue']).toMatchObject({
      change: expect.closeTo(after.revenue - before.revenue, 2),
      visits: expect.closeTo(weight * Math.log(after.visits / before.visits), 0),
      conversion: expect.closeTo(weight * Math.log(after.conversionRate / before.conversionRate), 0),
      basket: expect.closeTo(weight * Math.log(after.revenue / after.conversions / (before.revenue / before.conversions)), 0),
    });
    const { device } = platform().stories.conversionFall;
    expect(findingsOf(asked)[0]).toMatchObject({ place: { device }, verdict: 'lower' });
    expect(records(asked)[0]).toMatchObject({ verdict: 'within noise' });
  });

  it('6: compares conversion on desktop, mobile and tablet', { tags: 'nightly' }, async () => {
    const asked = await shop('6. Compare conversion on desktop, mobile and tablet for last month.', (call) =>
      call('query_metrics', { metrics: ['conversionRate'], startDate: 'last_month', endDate: 'last_month', breakdown: ['device'] }),
    );
    const month = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' };
    const expected = (['all', 'desktop', 'mobile', 'tablet'] as const).map((device) => ({
      device,
      conversionRate: expect.closeTo(truthOf(platform(), { ...month, device }).conversionRate, 3),
      visits: truthOf(platform(), { ...month, device }).visits,
    }));
    const [all, ...parts] = (['all', 'desktop', 'mobile', 'tablet'] as const).map((device) => truthOf(platform(), { ...month, device }));
    const left = (name: 'visits' | 'conversions') => parts.reduce((rest, part) => rest - part[name], all?.[name] ?? 0);
    const other = {
      device: 'other or unknown device',
      conversionRate: expect.closeTo((100 * left('conversions')) / left('visits'), 3),
      visits: left('visits'),
    };
    expect(records(asked)).toEqual([...expected, other]);
    expect(asked.structured).toMatchObject({ units: { conversionRate: '%' }, range: { days: 31, timeZone: 'UTC' } });
  });

  it('7: puts new and returning visitors side by side', async () => {
    const asked = await shop('7. New against returning visitors: conversion, revenue, time on site?', (call) =>
      call('compare_metrics', {
        metrics: ['conversionRate', 'revenueSum', 'sessionTimeAverage'],
        startDate: 'last_month',
        endDate: 'last_month',
        by: 'segment',
        compareSegments: ['New visitors', 'Returning visitors'],
      }),
    );
    const month = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' };
    const [fresh, back] = ['New visitors', 'Returning visitors'].map((segment) => truthOf(platform(), { ...month, segment }));
    if (!fresh || !back) throw new Error('there are no such visitors');
    expect(records(asked).map(({ segment, value }) => [segment, value])).toEqual([
      ['New visitors', expect.closeTo(fresh.conversionRate, 3)],
      ['Returning visitors', expect.closeTo(back.conversionRate, 3)],
      ['New visitors', expect.closeTo(fresh.revenue, 2)],
      ['Returning visitors', expect.closeTo(back.revenue, 2)],
      ['New visitors', expect.closeTo(fresh.seconds / fresh.visits, 3)],
      ['Returning visitors', expect.closeTo(back.seconds / back.visits, 3)],
    ]);
    expect(records(asked)[1]).toMatchObject({ verdict: 'higher' });
    expect(notes(asked)).toContain('segment "New visitors" = 418203');
  });

  it('8: gives the weekly report with the change from the week before', { tags: 'nightly' }, async () => {
    const asked = await shop('8. Give me the weekly KPI report with the change from the week before.', (call) =>
      call('compare_metrics', { metrics: ['all'], startDate: 'last_week', endDate: 'last_week', explain: false }),
    );
    const [before, after] = [truth(weekBefore), truth(lastWeek)];
    const facts = (of: typeof before) => ({
      bounceRate: of.bounceRate,
      cartAverage: of.revenue / of.transactions,
      conversionCount: of.conversions,
      conversionRate: of.conversionRate,
      pageviewAverage: of.views / of.visits,
      revenueSum: of.revenue,
      sessionTimeAverage: of.seconds / of.visits,
      visits: of.visits,
    });
    const [first, second] = [facts(before), facts(after)];
    for (const { metric, before: one, after: two } of records(asked)) {
      const name = metric as keyof typeof first;
      expect([name, one, two]).toEqual([name, expect.closeTo(first[name], 2), expect.closeTo(second[name], 2)]);
    }
    expect(records(asked)).toHaveLength(8);
    const { startDay } = platform().stories.conversionFall;
    expect(findingsOf(asked)[0]).toMatchObject({ subject: 'conversionRate', when: { from: startDay, ongoing: true }, verdict: 'lower' });
  });

  it('9: shows twelve months of visits, which add up', { tags: 'nightly' }, async () => {
    const asked = await shop('9. Show monthly visits for the past 12 months.', (call) =>
      call('query_metrics', { metrics: ['visits'], startDate: '2025-11', endDate: '2026-10', breakdown: ['month'] }),
    );
    const months = records(asked);
    expect(months.map(({ month }) => month)).toEqual([
      '2025-11',
      '2025-12',
      '2026-01',
      '2026-02',
      '2026-03',
      '2026-04',
      '2026-05',
      '2026-06',
      '2026-07',
      '2026-08',
      '2026-09',
      '2026-10',
    ]);
    const december = truthOf(platform(), { from: '2025-12-01T00:00:00.000Z', to: '2025-12-31T23:59:59.999Z' });
    expect(months[1]).toEqual({ month: '2025-12', visits: december.visits });
    const year = truthOf(platform(), { from: '2025-11-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
    expect(months.reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(year.visits);
  });

  it('10: gives the rate of six months from counts, never an average of rates', async () => {
    const asked = await shop('10. What is the average conversion rate over six months?', (call) =>
      call('query_metrics', { metrics: ['conversionRate'], startDate: '2026-05', endDate: '2026-10' }),
    );
    const { conversionRate, visits } = truthOf(platform(), { from: '2026-05-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
    expect(records(asked)).toEqual([{ conversionRate: expect.closeTo(conversionRate, 3), visits }]);
    expect(notes(asked)).toContain('conversionRate = conversionCount / visits of the whole range');
  });

  it('11: compares this week with the same week last year, weekday by weekday', { tags: 'nightly' }, async () => {
    const asked = await shop('11. Compare this week with the same week last year.', (call) =>
      call('compare_metrics', { startDate: 'this_week', endDate: 'today', baseline: 'previous_year' }),
    );
    const before = truthOf(platform(), { from: '2025-11-17T00:00:00.000Z', to: '2025-11-21T10:00:00.000Z' });
    const after = truthOf(platform(), { from: '2026-11-16T00:00:00.000Z', to: '2026-11-20T10:00:00.000Z' });
    expect(records(asked).map(({ before: one, after: two }) => [one, two])).toEqual([
      [expect.closeTo(before.conversionRate, 3), expect.closeTo(after.conversionRate, 3)],
      [before.visits, after.visits],
      [expect.closeTo(before.revenue, 2), expect.closeTo(after.revenue, 2)],
    ]);
    expect(asked.structured['baseline']).toMatchObject({ start: '2025-11-17T00:00:00.000Z', end: '2025-11-21T10:00:00.000Z' });
    expect(notes(asked)).toContain('cut at the same time of day (10:00)');
    expect(notes(asked)).toContain('so a change between them has no date');
  });

  it('12: says that today is not over', async () => {
    const asked = await shop("12. Is today's data complete?", (call) =>
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

  it('13: reads the tap rate of a zone by its path', { tags: 'nightly' }, async () => {
    const asked = await app('13. What is the tap rate of "Add to cart" on the product screen?', (call) =>
      call('query_metrics', { metrics: ['tapRate'], startDate: '-28d', endDate: 'yesterday', zoneIds: ['Product screen / Add to cart'] }),
    );
    expect(records(asked)).toEqual([{ tapRate: expect.closeTo(zoneTruth(8_120_571).tapRate, 3) }]);
    expect(asked.structured['filters']).toMatchObject({ zone: expect.stringContaining('Product screen / Product details / Add to cart') });
    expect(notes(asked)).toContain('The last 7 days may still change (since 2026-11-13).');
  });

  it('14: finds the zones of a screen and ranks them', { tags: 'nightly' }, async () => {
    const zones = new Map<number, string>();
    const asked = await app('14. Which zones of the home screen bring most revenue per tap?', async (call) => {
      const found = await call('find_objects', { text: 'Home', kinds: ['zone'] });
      const { objects } = found.structured as { objects: { id: number; path: string }[] };
      for (const { id, path } of objects) if (path.includes('/ Home /')) zones.set(id, path);
      return call('query_metrics', { metrics: ['revenuePerTap'], startDate: '-28d', endDate: 'yesterday', zoneIds: [...zones.keys()] });
    });
    expect(new Set(zones.keys())).toEqual(new Set([8_120_447, 8_120_450, 8_120_463, 8_120_466, 8_120_469]));
    const expected = [...zones].map(([id, zone]) => ({
      zone,
      zoneId: String(id),
      revenuePerTap: expect.closeTo(zoneTruth(id).revenuePerTap, 3),
    }));
    expect(records(asked)).toEqual(expected);
    expect(asked.structured['units']).toEqual({ revenuePerTap: 'EUR' });
  });
});

it('all fourteen were asked', { tags: 'nightly' }, () => {
  expect(answered().map((question) => Number.parseInt(question))).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
});
