import { describe, expect, it } from 'vitest';
import { truthOf } from '../../support/truth.ts';
import { records, refusal, useTools, WEEK, WIRE_WEEK } from '../support.ts';

const { call, platform } = useTools();
const WIRE = { from: WIRE_WEEK.startDate, to: WIRE_WEEK.endDate };

describe('rows as they are asked for', () => {
  const app = useTools({ credential: 'app' });
  const MONTHS = { startDate: '2026-08-01', endDate: '2026-10-31', metrics: ['revenueSum'], breakdown: ['day'] };

  it('are the days with the most revenue, or the least, and how many there were', async () => {
    const days = records(await call('query_metrics', MONTHS));
    const byRevenue = days.toSorted((a, b) => Number(b['revenueSum']) - Number(a['revenueSum']));
    const top = await call('query_metrics', { ...MONTHS, orderBy: 'revenue', limit: 5 });
    expect(records(top)).toEqual(byRevenue.slice(0, 5));
    expect(top.structured['notes']).toContain('The first 5 of 92 rows, by revenueSum, largest first.');
    const low = await call('query_metrics', { ...MONTHS, orderBy: 'revenueSum asc', limit: 3, totals: true });
    expect(records(low).slice(0, 3)).toEqual(byRevenue.slice(-3).toReversed());
    const { revenue } = truthOf(platform(), { from: '2026-08-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
    expect(records(low).at(-1)).toEqual({ day: 'total', revenueSum: expect.closeTo(revenue, 1) });
    const other = await call('query_metrics', { ...MONTHS, orderBy: 'visits', limit: 2 });
    expect(Object.keys(records(other)[0] ?? {})).toEqual(['day', 'revenueSum', 'visits']);
    const wrong = await call('query_metrics', { ...MONTHS, orderBy: 'colour' });
    expect(wrong).toMatchObject(refusal('orderBy: "colour" is not one of'));
  });

  it('say the visits behind a rate that was asked for alone', async () => {
    const answer = await call('query_metrics', { ...WEEK, metrics: ['conversionRate'], breakdown: ['weekend'], totals: true });
    const { visits, conversionRate } = truthOf(platform(), WIRE);
    const [week, weekend, total] = records(answer);
    expect([week?.['weekend'], week?.['days'], weekend?.['weekend'], weekend?.['days']]).toEqual(['Monday to Friday', 5, 'weekend', 2]);
    expect(Number(week?.['visits']) + Number(weekend?.['visits'])).toBe(visits);
    const saturdayOn = truthOf(platform(), { from: '2026-11-14T00:00:00.000Z', to: WIRE.to });
    expect(weekend).toMatchObject({ visits: saturdayOn.visits, conversionRate: expect.closeTo(saturdayOn.conversionRate, 3) });
    expect(total).toMatchObject({ visits, conversionRate: expect.closeTo(conversionRate, 3) });
  });

  it('are quarters and hours', { tags: 'nightly' }, async () => {
    const quarters = await call('query_metrics', {
      startDate: '2026-05-01',
      endDate: '2026-10-31',
      metrics: ['visits'],
      breakdown: ['quarter'],
    });
    expect(records(quarters)).toEqual([
      {
        quarter: '2026-Q2 (part)',
        visits: truthOf(platform(), { from: '2026-05-01T00:00:00.000Z', to: '2026-06-30T23:59:59.999Z' }).visits,
      },
      { quarter: '2026-Q3', visits: truthOf(platform(), { from: '2026-07-01T00:00:00.000Z', to: '2026-09-30T23:59:59.999Z' }).visits },
      {
        quarter: '2026-Q4 (part)',
        visits: truthOf(platform(), { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' }).visits,
      },
    ]);
    const hours = records(
      await call('query_metrics', { startDate: '2026-11-09', endDate: '2026-11-09', metrics: ['visits'], breakdown: ['hour'] }),
    );
    expect(hours).toHaveLength(24);
    expect(hours[14]).toEqual({
      hour: '2026-11-09T14:00Z',
      visits: truthOf(platform(), { from: '2026-11-09T14:00:00.000Z', to: '2026-11-09T14:59:59.999Z' }).visits,
    });
    const month = await call('query_metrics', { ...MONTHS, breakdown: ['hour'] });
    expect(month).toMatchObject(refusal('ask for at most 10 days or fewer of devices, segments, goals and zones'));
  });

  it('name zones that were asked for by id', { tags: 'nightly' }, async () => {
    const answer = await app.call('query_metrics', { ...WEEK, metrics: ['tapRate'], zoneIds: [8_120_571] });
    expect(answer.structured['filters']).toMatchObject({ zone: expect.stringMatching(/^.+ \/ .+ \/ Add to cart$/), zoneId: '8120571' });
  });
});

it('all that there is is the one row of a total, each goal and each zone', { tags: 'nightly' }, async () => {
  const one = await call('query_metrics', { ...WEEK, metrics: ['visits'] });
  expect(records(await call('query_metrics', { ...WEEK, metrics: ['visits'], totals: true }))).toEqual(records(one));
  const goals = { ...WEEK, metrics: ['conversionCount'] };
  const all = await call('query_metrics', { ...goals, goalIds: ['all'] });
  expect(records(all).length).toBeGreaterThan(1);
  expect(records(all)).toEqual(records(await call('query_metrics', { ...goals, breakdown: ['goal'] })));
  const taps = { ...WEEK, metrics: ['tapRate'], projectId: 'Nordlicht App' };
  const [zones, screen] = [
    await call('query_metrics', { ...taps, zoneIds: ['all'] }),
    await call('query_metrics', { ...taps, zoneIds: ['Cart'] }),
  ];
  // Not the zone "Cart icon", whose name only begins so.
  expect(records(screen)).toHaveLength(2);
  expect(records(zones)).toEqual(expect.arrayContaining(records(screen)));
});

it('revenue of a zone is that of users who tap it', async () => {
  const zone = { ...WEEK, zoneIds: [8_120_571], projectId: '1202' };
  const [word, exact] = [
    await call('query_metrics', { ...zone, metrics: ['revenue'], orderBy: 'revenue' }),
    await call('query_metrics', { ...zone, metrics: ['totalRevenueWithTap'] }),
  ];
  expect(word.structured['rows']).toEqual(exact.structured['rows']);
  expect(word.text).toContain('Revenue of a zone = totalRevenueWithTap: that of users who tap it.');
});
