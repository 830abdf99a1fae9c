import { describe, expect, it } from 'vitest';
import { truthOf } from '../../support/truth.ts';
import { only, records, refusal, useTools, WEEK, WIRE_WEEK, whole } from '../support.ts';

const tools = useTools();
const { call, platform } = tools;
const WIRE = { from: WIRE_WEEK.startDate, to: WIRE_WEEK.endDate };

/** Requests to the metrics endpoints since the last look. */
function asked(): string[] {
  return platform()
    .requests.splice(0)
    .map(({ url }) => url)
    .filter((url) => url.startsWith('/v1/metrics'));
}

it('one table puts segments and goals side by side, by name, inside other segments', { tags: 'nightly' }, async () => {
  const answer = await call('query_metrics', {
    ...WEEK,
    metrics: ['visits', 'conversionCount'],
    devices: ['mobile'],
    segmentIds: ['Germany'],
    compareSegments: ['New visitors', 'Returning visitors'],
    goalIds: ['Purchase', 'Add to cart'],
  });
  const rows = records(answer);
  expect(rows.map(({ segment, goal }) => `${String(segment)}: ${String(goal)}`)).toEqual([
    'New visitors: Purchase',
    'Returning visitors: Purchase',
    'New visitors: Add to cart',
    'Returning visitors: Add to cart',
  ]);
  const germans = truthOf(platform(), { ...WIRE, device: 'mobile', segment: 'Germany', goal: 'Add to cart' });
  expect(Number(rows[0]?.['visits']) + Number(rows[1]?.['visits'])).toBe(germans.visits);
  expect(Number(rows[2]?.['conversionCount']) + Number(rows[3]?.['conversionCount'])).toBe(germans.conversions);
  expect(answer.structured['filters']).toEqual({ device: 'mobile', within: 'Germany' });
});

it('rows over time are weeks from Monday and months, those that the range cuts marked', { tags: 'nightly' }, async () => {
  const weeks = await call('query_metrics', {
    startDate: '2026-11-04',
    endDate: '2026-11-20',
    metrics: ['visits', 'conversionRate'],
    breakdown: ['week'],
  });
  expect(records(weeks).map(({ week }) => week)).toEqual(['2026-11-02 (part)', '2026-11-09', '2026-11-16 (part)']);
  const { visits, conversionRate } = truthOf(platform(), WIRE);
  expect(records(weeks)[1]).toMatchObject({ visits, conversionRate: expect.closeTo(conversionRate, 3) });
  expect(weeks.structured['notes']).toEqual(
    expect.arrayContaining(['Weeks begin on Monday; a row is named by its first day.', '(part): the range holds only a part of it.']),
  );
  const both = await call('query_metrics', { ...WEEK, metrics: ['visits'], breakdown: ['week', 'month'] });
  expect(both).toMatchObject(refusal('breakdown: only one of hour, day, week, month, quarter, weekday and weekend'));
});

it('rows over time is a single one where the range is a day, although the platform knows no daily values then', async () => {
  const answer = await call('query_metrics', { startDate: '2026-11-09', endDate: '2026-11-09', metrics: ['visits'], breakdown: ['day'] });
  const { visits } = truthOf(platform(), { from: '2026-11-09T00:00:00.000Z', to: '2026-11-09T23:59:59.999Z' });
  expect(only(answer)).toEqual({ day: '2026-11-09', visits });
  expect(asked()[0]).not.toContain('period');
});

it('more than 92 days are read in chunks: counts added, rates and averages made from what they are of', async () => {
  const answer = await call('query_metrics', { startDate: '2026-03', endDate: '2026-10', metrics: ['all'] });
  const year = truthOf(platform(), { from: '2026-03-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
  expect(only(answer)).toMatchObject({
    visits: year.visits,
    conversionCount: year.conversions,
    revenueSum: expect.closeTo(year.revenue, 2),
    conversionRate: expect.closeTo(year.conversionRate, 3),
    // By hand from all sessions; the platform rounds the parts.
    bounceRate: expect.closeTo(year.bounceRate, 3),
    cartAverage: expect.closeTo(year.revenue / year.transactions, 2),
    pageviewAverage: expect.closeTo(year.views / year.visits, 3),
    sessionTimeAverage: expect.closeTo(year.seconds / year.visits, 3),
  });
  expect(asked()).toHaveLength(3);
  expect(whole(answer)).toMatchSnapshot();
});

it('more than 92 days are read of one average alone too, with the visits that it is of', async () => {
  const answer = await call('query_metrics', { startDate: '2026-03', endDate: '2026-10', metrics: ['bounceRate'] });
  const { bounceRate } = truthOf(platform(), { from: '2026-03-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' });
  expect(only(answer)).toMatchObject({ bounceRate: expect.closeTo(bounceRate, 3) });
  expect(answer.text).toContain('bounceRate weighted by visits');
});

it('more than 92 days that begin before what the platform keeps are answered from its first day on, which is said', {
  tags: 'nightly',
}, async () => {
  const kept = (to: string) => truthOf(platform(), { from: '2025-10-21T00:00:00.000Z', to }).visits;
  const total = await call('query_metrics', { startDate: '2025-08', endDate: '2026-01', metrics: ['visits'] });
  expect(only(total)).toEqual({ visits: kept('2026-01-31T23:59:59.999Z') });
  expect(total.text).toContain('The platform keeps data since 2025-10-21');
  expect(total.structured['range']).toMatchObject({ start: '2025-10-21T00:00:00.000Z', days: 103 });
  // At most nine days are asked for to find the first one.
  expect(asked().length).toBeLessThanOrEqual(2 + 9 + 2);
  const months = await call('query_metrics', { startDate: '2025-09', endDate: '2025-12', metrics: ['visits'], breakdown: ['month'] });
  expect(records(months).map(({ month }) => month)).toEqual(['2025-10 (part)', '2025-11', '2025-12']);
  expect(records(months)[0]?.['visits']).toBe(kept('2025-10-31T23:59:59.999Z'));
  const short = await call('query_metrics', { startDate: '2025-10-15', endDate: '2025-10-25', metrics: ['visits'], breakdown: ['day'] });
  expect(records(short).map(({ day }) => day)).toEqual(['2025-10-21', '2025-10-22', '2025-10-23', '2025-10-24', '2025-10-25']);
});

it('more than 92 days before all that is kept are an error that says so', async () => {
  const answer = await call('query_metrics', { startDate: '2024-01', endDate: '2024-10', metrics: ['visits'] });
  expect(answer).toMatchObject(refusal('out of bounds'));
});

it.each([
  [{ metrics: ['clicks'] }, 'clicks are not counted; the nearest are tapRate and tapRecurrence of app zones'],
  [
    { metrics: ['tapRate'] },
    'zoneIds: a zone is needed for tapRate, of a screen of an app: zones of web pages have no metrics here; find_objects finds its id',
  ],
  [{ metrics: ['visits'], zoneIds: [8_120_571] }, 'metrics: no metric of a zone: visits'],
  [{ metrics: ['visits'], goalIds: [73_310] }, 'goalIds: none of visits depends on a goal'],
  [{ metrics: ['visits'], breakdown: ['minute'] }, 'breakdown'],
])('what does not go together is refused before anything is asked %j', async (args, words) => {
  const answer = await call('query_metrics', { ...WEEK, ...args });
  expect(answer).toMatchObject(refusal(words));
  expect(asked()).toEqual([]);
});

describe('in another zone', () => {
  const paris = useTools({ timeZone: 'Europe/Paris' });

  it('days are those of the zone, none lost or doubled where the clocks change', async () => {
    const answer = await paris.call('query_metrics', {
      startDate: '2026-10-20',
      endDate: '2026-10-31',
      metrics: ['visits'],
      breakdown: ['day'],
    });
    const range = { from: '2026-10-19T22:00:00.000Z', to: '2026-10-31T22:59:59.999Z' };
    const rows = records(answer);
    expect(rows.map(({ day }) => day)).toEqual(Array.from({ length: 12 }, (_, index) => `2026-10-${20 + index}`));
    expect(rows.reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(truthOf(paris.platform(), range).visits);
    const longDay = truthOf(paris.platform(), { from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T22:59:59.999Z' });
    expect(rows[5]).toEqual({ day: '2026-10-25', visits: longDay.visits });
  });
});

describe('a project without e-commerce', () => {
  const magazine = useTools({ credential: 'content' });
  const goals = '95207 "Subscription", 95211 "Newsletter sign-up", 97064 "Article shared"';

  it('needs a goal for conversions, and gets its goals listed', { tags: 'nightly' }, async () => {
    for (const args of [
      { metrics: ['conversionRate'] },
      { metrics: ['conversionCount', 'conversionRate'] },
      { metrics: ['conversionRate'], startDate: '2026-05' },
      { metrics: ['conversionRate'], breakdown: ['day'] },
    ]) {
      const answer = await magazine.call('query_metrics', { ...WEEK, ...args });
      expect(answer).toMatchObject(refusal(goals));
    }
    const rest = await magazine.call('query_metrics', { ...WEEK, metrics: ['all'] });
    const { visits } = truthOf(magazine.platform(), { ...WIRE, projectId: 1203 });
    expect(only(rest)).toMatchObject({ visits, conversionCount: null, conversionRate: null, revenueSum: null, cartAverage: null });
    expect(rest.text).toContain(`pass goalIds. Goals: ${goals}`);
    expect(rest.text).toContain('No value for revenueSum, cartAverage: only e-commerce projects have one.');
    expect(rest.structured['filters']).toEqual({ device: 'all' });
  });

  it('has them with a goal, and no revenue', async () => {
    const answer = await magazine.call('query_metrics', { ...WEEK, metrics: ['conversionRate'], goalIds: ['Article shared'] });
    const { conversionRate } = truthOf(magazine.platform(), { ...WIRE, projectId: 1203, goal: 'Article shared' });
    expect(only(answer)).toMatchObject({ conversionRate: expect.closeTo(conversionRate, 3) });
    const revenue = await magazine.call('query_metrics', { ...WEEK, metrics: ['revenueSum'] });
    expect(revenue).toMatchObject({ isError: true, text: 'No value for revenueSum: only e-commerce projects have one.' });
    const getter = await magazine.call('get_site_revenue', WEEK);
    expect(getter).toMatchObject({ isError: true, text: 'No value: only e-commerce projects have one.' });
  });

  it('has no verdict on what it does not have, and forecasts the rest', { tags: 'nightly' }, async () => {
    const range = { startDate: 'yesterday', endDate: '+3d' };
    const answer = await magazine.call('query_metrics', { ...range, metrics: ['revenueSum', 'visits'], expected: true });
    expect(only(answer)).toMatchObject({ revenueSumExpected: null, revenueSumVerdict: null, visitsVerdict: 'forecast' });
    expect(answer.structured['answer']).toMatch(/^Visits from 19 to 23 Nov: [\d,]+ expected \([\d,]+ to [\d,]+\); [\d,]+ up to 19 Nov\./);
  });
});

describe('where there is nothing to count', () => {
  const app = useTools({ credential: 'app' });

  it('a rate has no value, and the notes say that there were no visits', async () => {
    const rows = await app.call('query_metrics', { ...WEEK, metrics: ['conversionRate', 'visits'], breakdown: ['device'] });
    expect(records(rows)[1]).toEqual({ device: 'desktop', conversionRate: null, visits: 0 });
    expect(rows.text).toContain('No visits in 1 of 4 rows.');
    const single = await app.call('query_metrics', { ...WEEK, metrics: ['conversionRate'], devices: ['desktop'] });
    expect(only(single)).toEqual({ conversionRate: null, visits: 0 });
    expect(single.text).toContain('No visits in this range with these filters.');
    const all = await app.call('query_metrics', { ...WEEK, metrics: ['all'], devices: ['desktop'] });
    expect(all.text).toContain('No visits in this range with these filters.');
    expect(all.text).not.toContain('e-commerce projects');
  });

  it('because a call was refused, the others are answered and the gap is named', async () => {
    platform().faults.add({ kind: 'refused', operation: 'getSiteVisits', times: 1 });
    const answer = await call('query_metrics', { ...WEEK, metrics: ['visits'], breakdown: ['device'] });
    const missing = records(answer).filter(({ visits }) => visits === null);
    expect(missing).toHaveLength(1);
    expect(answer.text).toContain(`Missing (null): 2026-11-09 … 2026-11-15 (${String(missing[0]?.['device'])}): `);
    for (const { device, visits } of records(answer).filter((row) => row['visits'] !== null)) {
      expect(visits).toBe(truthOf(platform(), { ...WIRE, device: device as 'all' }).visits);
    }
  });
});
