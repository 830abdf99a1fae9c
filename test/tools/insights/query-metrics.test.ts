import { describe, expect, it } from 'vitest';
import { sharedAssistant } from '../../support/assistant.ts';
import { truthOf, wholeDays } from '../../support/truth.ts';
import { only, records, refusal, useTools, WEEK, whole } from '../support.ts';

const { call, platform } = useTools();
const app = sharedAssistant(platform, { credential: 'app' });
const WIRE = wholeDays(WEEK.startDate, WEEK.endDate);

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
  const { visits } = truthOf(platform(), wholeDays('2026-11-09'));
  expect(only(answer)).toEqual({ day: '2026-11-09', visits });
  expect(asked()[0]).not.toContain('period');
});

it('more than 92 days are read in chunks: counts added, rates and averages made from what they are of', async () => {
  const answer = await call('query_metrics', { startDate: '2026-03', endDate: '2026-10', metrics: ['all'] });
  const year = truthOf(platform(), wholeDays('2026-03-01', '2026-10-31'));
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
  const { bounceRate } = truthOf(platform(), wholeDays('2026-03-01', '2026-10-31'));
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
  it('a rate has no value, and the notes say that there were no visits', async () => {
    const rows = await app().call('query_metrics', { ...WEEK, metrics: ['conversionRate', 'visits'], breakdown: ['device'] });
    expect(records(rows)[1]).toEqual({ device: 'desktop', conversionRate: null, visits: 0 });
    expect(rows.text).toContain('No visits in 1 of 4 rows.');
    const single = await app().call('query_metrics', { ...WEEK, metrics: ['conversionRate'], devices: ['desktop'] });
    expect(only(single)).toEqual({ conversionRate: null, visits: 0 });
    expect(single.text).toContain('No visits in this range with these filters.');
    const all = await app().call('query_metrics', { ...WEEK, metrics: ['all'], devices: ['desktop'] });
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

describe('rows as they are asked for', () => {
  const MONTHS = { startDate: '2026-08-01', endDate: '2026-10-31', metrics: ['revenueSum'], breakdown: ['day'] };

  it('are the days with the most revenue, or the least, and how many there were', async () => {
    const days = records(await call('query_metrics', MONTHS));
    const byRevenue = days.toSorted((a, b) => Number(b['revenueSum']) - Number(a['revenueSum']));
    const top = await call('query_metrics', { ...MONTHS, orderBy: 'revenue', limit: 5 });
    expect(records(top)).toEqual(byRevenue.slice(0, 5));
    expect(top.structured['notes']).toContain('The first 5 of 92 rows, by revenueSum, largest first.');
    const low = await call('query_metrics', { ...MONTHS, orderBy: 'revenueSum asc', limit: 3, totals: true });
    expect(records(low).slice(0, 3)).toEqual(byRevenue.slice(-3).toReversed());
    const { revenue } = truthOf(platform(), wholeDays('2026-08-01', '2026-10-31'));
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
        visits: truthOf(platform(), wholeDays('2026-05-01', '2026-06-30')).visits,
      },
      { quarter: '2026-Q3', visits: truthOf(platform(), wholeDays('2026-07-01', '2026-09-30')).visits },
      {
        quarter: '2026-Q4 (part)',
        visits: truthOf(platform(), wholeDays('2026-10-01', '2026-10-31')).visits,
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
    const answer = await app().call('query_metrics', { ...WEEK, metrics: ['tapRate'], zoneIds: [8_120_571] });
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

describe('a chart', () => {
  it('draws each metric over time, a line for each device; of a part of a unit its figure under its day, hollow', async () => {
    const args = {
      startDate: '2026-09',
      endDate: 'now',
      metrics: ['conversionRate', 'visits'],
      breakdown: ['month'],
      devices: ['desktop', 'mobile'],
    };
    const answer = await call('query_metrics', { ...args, chart: true });
    const values = (metric: string, device: string) =>
      records(answer)
        .filter((row) => row['device'] === device)
        .map((row) => row[metric]);
    const most = 'Most visits from 1 Sept to 20 Nov: Oct 2026, mobile (61,967); fewest in a whole month: Sept 2026, desktop (48,715)';
    const since = { change: { name: 'since 10 Nov', time: '2026-11-10' } };
    expect(answer.structured['chart']).toEqual({
      kind: 'panels',
      panels: [
        {
          metric: 'conversionRate',
          title: 'Mobile conversion rate has been 68% lower since 10 Nov',
          measure: '%, e-commerce goal',
          unit: 'percent',
          told: since,
        },
        { metric: 'visits', title: most, measure: 'sessions', unit: 'none', told: {} },
      ].map(({ metric, title, measure, unit, told }) => ({
        kind: 'trend',
        title,
        subtitle: `Nordlicht Shop, 1 Sept – 20 Nov 2026, UTC, ${measure}, hollow: a part of its month only (Nov 2026)`,
        unit,
        timeZone: 'UTC',
        times: ['2026-09-01', '2026-10-01', '2026-11-01'],
        until: '2026-11-20',
        series: ['desktop', 'mobile'].map((device) => ({
          name: device,
          values: values(metric, device),
          inPart: ['2026-11-01'],
          ...('change' in told && device === 'mobile' && { isAccent: true }),
        })),
        events: [],
        ...told,
      })),
    });
  });

  it('is none where there is a single row', async () => {
    const answer = await call('query_metrics', { ...WEEK, metrics: ['visits'], chart: true });
    expect(answer.text).toContain('No chart');
    expect(answer.structured).not.toHaveProperty('chart');
  });
});

const ask = (startDate: string) => call('query_metrics', { startDate, endDate: 'now', metrics: ['visits'] });

it('today is said to be no whole day, up to when its figures may reach', async () => {
  expect((await ask('today')).structured['answer']).toMatch(
    /^[\d,]+ visits on 20 Nov so far\. Today is not over: its figures are of the hours until \S+T10:\d\dZ, as far as they have arrived\.$/,
  );
});

it('a range that begins before says nothing of it', async () => {
  expect((await ask('yesterday')).structured['answer']).toMatch(/^[\d,]+ visits from 19 to 20 Nov\.$/);
});
