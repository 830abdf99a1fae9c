import { describe, expect, it } from 'vitest';
import { times } from '../../support/times.ts';
import { wholeDays } from '../../support/truth.ts';
import { only, records, refusal, useQueries, whole } from '../support.ts';

const { platform, query, rowsOf, truth } = useQueries();
const app = useQueries({ credential: 'app' });
const paris = useQueries({ timeZone: 'Europe/Paris' });

/** Requests to the metrics endpoints since the last look. */
const asked = () =>
  platform()
    .requests.splice(0)
    .flatMap(({ url }) => (url.startsWith('/v1/metrics') ? [url] : []));

it('one table puts segments and goals side by side, by name, inside other segments', { tags: 'nightly' }, async () => {
  const answer = await query({
    metrics: ['visits', 'conversionCount'],
    devices: ['mobile'],
    segmentIds: ['Germany'],
    compareSegments: ['New visitors', 'Returning visitors'],
    goalIds: ['Purchase', 'Add to cart'],
  });
  const rows = records(answer);
  expect(rows.map(({ segment, goal }) => `${String(segment)}: ${String(goal)}`)).toEqual(
    ['Purchase', 'Add to cart'].flatMap((goal) => [`New visitors: ${goal}`, `Returning visitors: ${goal}`]),
  );
  const germans = truth({ device: 'mobile', segment: 'Germany', goal: 'Add to cart' });
  expect(Number(rows[0]?.['visits']) + Number(rows[1]?.['visits'])).toBe(germans.visits);
  expect(Number(rows[2]?.['conversionCount']) + Number(rows[3]?.['conversionCount'])).toBe(germans.conversions);
  expect(answer.structured['filters']).toEqual({ device: 'mobile', within: 'Germany' });
});

describe('rows over time', () => {
  it('are weeks from Monday and months, those that the range cuts marked', { tags: 'nightly' }, async () => {
    const range = { startDate: '2026-11-04', endDate: '2026-11-20' };
    const weeks = await query({ ...range, metrics: ['visits', 'conversionRate'], breakdown: ['week'] });
    const { visits, conversionRate } = truth();
    expect(records(weeks)).toMatchObject([
      { week: '2026-11-02 (part)' },
      { week: '2026-11-09', visits, conversionRate: expect.closeTo(conversionRate, 3) },
      { week: '2026-11-16 (part)' },
    ]);
    for (const note of ['Weeks begin on Monday; a row is named by its first day.', '(part): the range holds only a part of it.'])
      expect(weeks.structured['notes']).toContain(note);
  });

  it('are a single one where the range is a day, although the platform knows no daily values then', async () => {
    const [day, ...others] = await rowsOf({ endDate: '2026-11-09', breakdown: ['day'] });
    expect([day, others]).toEqual([{ day: '2026-11-09', visits: truth(wholeDays('2026-11-09')).visits }, []]);
    expect(asked()[0]).not.toContain('period');
  });

  it('are days of the zone, none lost or doubled where the clocks change', async () => {
    const rows = await paris.rowsOf({ startDate: '2026-10-20', endDate: '2026-10-31', breakdown: ['day'] });
    expect(rows.map(({ day }) => day)).toEqual(times(12, (index) => `2026-10-${20 + index}`));
    const all = paris.truth({ from: '2026-10-19T22:00:00.000Z', to: '2026-10-31T22:59:59.999Z' });
    expect(rows.reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(all.visits);
    expect(rows[5]?.['visits']).toBe(paris.truth({ from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T22:59:59.999Z' }).visits);
  });
});

describe('more than 92 days', () => {
  const MONTHS = { startDate: '2026-03', endDate: '2026-10' };

  it('are read in chunks: counts added, rates and averages made from what they are of', async () => {
    const answer = await query({ ...MONTHS, metrics: ['all'] });
    const year = truth(wholeDays('2026-03-01', '2026-10-31'));
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
    const alone = await query({ ...MONTHS, metrics: ['bounceRate'] });
    expect(only(alone)).toMatchObject({ bounceRate: expect.closeTo(year.bounceRate, 3) });
    expect(alone.text).toContain('bounceRate weighted by visits');
  });

  it('that begin before what the platform keeps are answered from its first day on, which is said', { tags: 'nightly' }, async () => {
    const kept = (last: string) => truth(wholeDays('2025-10-21', last)).visits;
    const total = await query({ startDate: '2025-08', endDate: '2026-01' });
    expect(only(total)).toEqual({ visits: kept('2026-01-31') });
    expect(total.text).toContain('The platform keeps data since 2025-10-21');
    expect(total.structured['range']).toMatchObject({ start: '2025-10-21T00:00:00.000Z', days: 103 });
    // At most nine days are asked for to find the first one.
    expect(asked().length).toBeLessThanOrEqual(2 + 9 + 2);
    const months = await rowsOf({ startDate: '2025-09', endDate: '2025-12', breakdown: ['month'] });
    expect(months).toMatchObject([{ month: '2025-10 (part)', visits: kept('2025-10-31') }, { month: '2025-11' }, { month: '2025-12' }]);
    const short = await rowsOf({ startDate: '2025-10-15', endDate: '2025-10-25', breakdown: ['day'] });
    expect(short.map(({ day }) => day)).toEqual(times(5, (index) => `2025-10-${21 + index}`));
  });

  it('before all that is kept are an error that says so', async () => {
    expect(await query({ startDate: '2024-01', endDate: '2024-10' })).toMatchObject(refusal('out of bounds'));
  });
});

it.each([
  [{ metrics: ['clicks'] }, 'clicks are not counted; the nearest are tapRate and tapRecurrence of app zones'],
  [
    { metrics: ['tapRate'] },
    'zoneIds: a zone is needed for tapRate, of a screen of an app: zones of web pages have no metrics here; find_objects finds its id',
  ],
  [{ zoneIds: [8_120_571] }, 'metrics: no metric of a zone: visits'],
  [{ goalIds: [73_310] }, 'goalIds: none of visits depends on a goal'],
  [{ breakdown: ['minute'] }, 'breakdown'],
  [{ breakdown: ['week', 'month'] }, 'breakdown: only one of hour, day, week, month, quarter, weekday and weekend'],
  [{ orderBy: 'colour' }, 'orderBy: "colour" is not one of'],
  [
    { startDate: '2026-08-01', endDate: '2026-10-31', breakdown: ['hour'] },
    'ask for at most 10 days or fewer of devices, segments, goals and zones',
  ],
  [{ startDate: 'today', endDate: 'now', breakdown: ['weekday'] }, 'weekday needs whole days'],
  [{ shares: true }, 'shares: there is nothing to be a share of'],
  [{ metrics: ['conversionCount'], breakdown: ['goal'], shares: true }, 'shares: there is nothing to be a share of'],
  [{ metrics: ['bounceRate'], breakdown: ['device'], shares: true }, 'shares: none of bounceRate is a count or an amount'],
  [{ metrics: ['conversionCount'], goalIds: ['all'], totals: true }, 'totals: there are no rows to add up'],
  [{ segmentIds: ['all visitors'] }, 'there is no segment "all visitors"'],
  [{ startDate: '2026-11-23', endDate: '2026-11-29' }, 'startDate: "2026-11-23" lies in the future'],
  [{ expected: true, startDate: '2026-12-18', endDate: '2026-12-31' }, 'startDate: a forecast reaches 28 days ahead, to 2026-12-17.'],
  [{ expected: true, breakdown: ['hour'] }, 'expected: rows are of days, weeks, months, quarters or the whole range, not by hour.'],
])('what does not go together is refused before any metric is asked for: %j', async (args, words) => {
  expect(await query(args)).toMatchObject(refusal(words));
  expect(asked()).toEqual([]);
});

describe('a project without e-commerce', () => {
  const magazine = useQueries({ credential: 'content' });
  const goals = '95207 "Subscription", 95211 "Newsletter sign-up", 97064 "Article shared"';
  const truthOfGoal = (goal?: string) => magazine.truth({ projectId: 1203, ...(goal && { goal }) });

  it('needs a goal for conversions, and gets its goals listed', { tags: 'nightly' }, async () => {
    for (const args of [{}, { metrics: ['conversionCount', 'conversionRate'] }, { startDate: '2026-05' }, { breakdown: ['day'] }])
      expect(await magazine.query({ metrics: ['conversionRate'], ...args })).toMatchObject(refusal(goals));
    const rest = await magazine.query({ metrics: ['all'] });
    const none = { conversionCount: null, conversionRate: null, revenueSum: null, cartAverage: null };
    expect(only(rest)).toMatchObject({ visits: truthOfGoal().visits, ...none });
    expect(rest.text).toContain(`pass goalIds. Goals: ${goals}`);
    expect(rest.text).toContain('No value for revenueSum, cartAverage: only e-commerce projects have one.');
    expect(rest.structured['filters']).toEqual({ device: 'all' });
  });

  it('has them with a goal, and no revenue', async () => {
    const answer = await magazine.query({ metrics: ['conversionRate'], goalIds: ['Article shared'] });
    expect(only(answer)).toMatchObject({ conversionRate: expect.closeTo(truthOfGoal('Article shared').conversionRate, 3) });
    const revenue = await magazine.query({ metrics: ['revenueSum'] });
    expect(revenue).toMatchObject({ isError: true, text: 'No value for revenueSum: only e-commerce projects have one.' });
    const getter = await magazine.call('get_site_revenue', { startDate: '2026-11-09', endDate: '2026-11-15' });
    expect(getter).toMatchObject({ isError: true, text: 'No value: only e-commerce projects have one.' });
  });

  it('has no verdict on what it does not have, and forecasts the rest', { tags: 'nightly' }, async () => {
    const answer = await magazine.query({ startDate: 'yesterday', endDate: '+3d', metrics: ['revenueSum', 'visits'], expected: true });
    expect(only(answer)).toMatchObject({ revenueSumExpected: null, revenueSumVerdict: null, visitsVerdict: 'forecast' });
    expect(answer.structured['answer']).toMatch(/^Visits from 19 to 23 Nov: [\d,]+ expected \([\d,]+ to [\d,]+\); [\d,]+ up to 19 Nov\./);
  });
});

describe('where there is nothing to count', () => {
  it('a rate has no value, and the notes say that there were no visits', async () => {
    const rows = await app.query({ metrics: ['conversionRate', 'visits'], breakdown: ['device'] });
    expect(records(rows)[1]).toEqual({ device: 'desktop', conversionRate: null, visits: 0 });
    expect(rows.text).toContain('No visits in 1 of 4 rows.');
    const [single, all] = [
      await app.query({ metrics: ['conversionRate'], devices: ['desktop'] }),
      await app.query({ metrics: ['all'], devices: ['desktop'] }),
    ];
    expect(only(single)).toEqual({ conversionRate: null, visits: 0 });
    for (const { text } of [single, all]) expect(text).toContain('No visits in this range with these filters.');
    expect(all.text).not.toContain('e-commerce projects');
  });

  it('because a call was refused, the others are answered and the gap is named', async () => {
    platform().faults.add({ kind: 'refused', operation: 'getSiteVisits', times: 1 });
    const answer = await query({ breakdown: ['device'] });
    const rows = records(answer);
    const missing = rows.filter(({ visits }) => visits === null).map(({ device }) => String(device));
    expect(missing).toHaveLength(1);
    expect(answer.text).toContain(`Missing (null): 2026-11-09 … 2026-11-15 (${missing.join()}): `);
    for (const { device, visits } of rows.filter((row) => row['visits'] !== null))
      expect(visits).toBe(truth({ device: device as 'all' }).visits);
  });
});

describe('rows as they are asked for', () => {
  const MONTHS = { startDate: '2026-08-01', endDate: '2026-10-31', metrics: ['revenueSum'], breakdown: ['day'] };

  it('are the days with the most revenue, or the least, and how many there were', async () => {
    const byRevenue = (await rowsOf(MONTHS)).toSorted((a, b) => Number(b['revenueSum']) - Number(a['revenueSum']));
    const top = await query({ ...MONTHS, orderBy: 'revenue', limit: 5 });
    expect(records(top)).toEqual(byRevenue.slice(0, 5));
    expect(top.structured['notes']).toContain('The first 5 of 92 rows, by revenueSum, largest first.');
    const low = await rowsOf({ ...MONTHS, orderBy: 'revenueSum asc', limit: 3, totals: true });
    const { revenue } = truth(wholeDays('2026-08-01', '2026-10-31'));
    expect(low).toEqual([...byRevenue.slice(-3).toReversed(), { day: 'total', revenueSum: expect.closeTo(revenue, 1) }]);
    const [other = {}] = await rowsOf({ ...MONTHS, orderBy: 'visits', limit: 2 });
    expect(Object.keys(other)).toEqual(['day', 'revenueSum', 'visits']);
  });

  it('say the visits behind a rate that was asked for alone', async () => {
    const rows = await rowsOf({ metrics: ['conversionRate'], breakdown: ['weekend'], totals: true });
    expect(rows).toMatchObject(
      [
        { weekend: 'Monday to Friday', days: 5, ...wholeDays('2026-11-09', '2026-11-13') },
        { weekend: 'weekend', days: 2, ...wholeDays('2026-11-14', '2026-11-15') },
        { ...wholeDays('2026-11-09', '2026-11-15') },
      ].map(({ from, to, ...row }) => {
        const { visits, conversionRate } = truth({ from, to });
        return { ...row, visits, conversionRate: expect.closeTo(conversionRate, 3) };
      }),
    );
  });

  it('are quarters and hours', { tags: 'nightly' }, async () => {
    const visitsIn = (first: string, last: string) => truth(wholeDays(first, last)).visits;
    expect(await rowsOf({ startDate: '2026-05-01', endDate: '2026-10-31', breakdown: ['quarter'] })).toEqual([
      { quarter: '2026-Q2 (part)', visits: visitsIn('2026-05-01', '2026-06-30') },
      { quarter: '2026-Q3', visits: visitsIn('2026-07-01', '2026-09-30') },
      { quarter: '2026-Q4 (part)', visits: visitsIn('2026-10-01', '2026-10-31') },
    ]);
    const hours = await rowsOf({ endDate: '2026-11-09', breakdown: ['hour'] });
    expect(hours).toHaveLength(24);
    expect(hours.reduce((sum, hour) => sum + Number(hour['visits']), 0)).toBe(visitsIn('2026-11-09', '2026-11-09'));
    const { visits } = truth({ from: '2026-11-09T14:00:00.000Z', to: '2026-11-09T14:59:59.999Z' });
    expect(hours[14]).toEqual({ hour: '2026-11-09T14:00Z', visits });
  });

  it('name zones that were asked for by id', { tags: 'nightly' }, async () => {
    const { structured } = await app.query({ metrics: ['tapRate'], zoneIds: [8_120_571] });
    expect(structured['filters']).toMatchObject({ zone: expect.stringMatching(/^.+ \/ .+ \/ Add to cart$/), zoneId: '8120571' });
  });
});

it('all that there is is the one row of a total, each goal and each zone', { tags: 'nightly' }, async () => {
  expect(await rowsOf({ totals: true })).toEqual(await rowsOf());
  const goals = await rowsOf({ metrics: ['conversionCount'], goalIds: ['all'] });
  expect(goals.length).toBeGreaterThan(1);
  expect(goals).toEqual(await rowsOf({ metrics: ['conversionCount'], breakdown: ['goal'] }));
  const tapsOf = (zone: string) => rowsOf({ metrics: ['tapRate'], projectId: 'Nordlicht App', zoneIds: [zone] });
  const screen = await tapsOf('Cart');
  // Not the zone "Cart icon", whose name only begins so.
  expect(screen).toHaveLength(2);
  expect(await tapsOf('all')).toEqual(expect.arrayContaining(screen));
});

it('revenue of a zone is that of users who tap it', async () => {
  const zone = { zoneIds: [8_120_571], projectId: '1202' };
  const word = await query({ ...zone, metrics: ['revenue'], orderBy: 'revenue' });
  expect(records(word)).toEqual(await rowsOf({ ...zone, metrics: ['totalRevenueWithTap'] }));
  expect(word.text).toContain('Revenue of a zone = totalRevenueWithTap: that of users who tap it.');
});

describe('a chart', () => {
  it('draws each metric over time, a line for each device; of a part of a unit its figure under its day, hollow', async () => {
    const answer = await query({
      startDate: '2026-09',
      endDate: 'now',
      metrics: ['conversionRate', 'visits'],
      breakdown: ['month'],
      devices: ['desktop', 'mobile'],
      chart: true,
    });
    const valuesOf = (metric: string, device: string) => records(answer).flatMap((row) => (row['device'] === device ? [row[metric]] : []));
    const panel = (metric: string, title: string, measure: string, unit: string, change?: object) => ({
      kind: 'trend',
      title,
      subtitle: `Nordlicht Shop, 1 Sept – 20 Nov 2026, UTC, ${measure}, hollow: a part of its month only (Nov 2026)`,
      unit,
      timeZone: 'UTC',
      times: ['2026-09-01', '2026-10-01', '2026-11-01'],
      until: '2026-11-20',
      series: ['desktop', 'mobile'].map((name) => ({
        name,
        values: valuesOf(metric, name),
        inPart: ['2026-11-01'],
        ...(change && name === 'mobile' && { isAccent: true }),
      })),
      events: [],
      ...(change && { change }),
    });
    const most = 'Most visits from 1 Sept to 20 Nov: Oct 2026, mobile (61,967); fewest in a whole month: Sept 2026, desktop (48,715)';
    const since = { name: 'since 10 Nov', time: '2026-11-10' };
    expect(answer.structured['chart']).toEqual({
      kind: 'panels',
      panels: [
        panel('conversionRate', 'Mobile conversion rate has been 68% lower since 10 Nov', '%, e-commerce goal', 'percent', since),
        panel('visits', most, 'sessions', 'none'),
      ],
    });
  });

  it('is none where there is a single row', async () => {
    const answer = await query({ chart: true });
    expect(answer.text).toContain('No chart');
    expect(answer.structured).not.toHaveProperty('chart');
  });
});

it('today is said to be no whole day, up to when its figures may reach; a range that begins before says nothing of it', async () => {
  const saidOf = async (startDate: string) => (await query({ startDate, endDate: 'now' })).structured['answer'];
  expect(await saidOf('today')).toMatch(
    /^[\d,]+ visits on 20 Nov so far\. Today is not over: its figures are of the hours until \S+T10:\d\dZ, as far as they have arrived\.$/,
  );
  expect(await saidOf('yesterday')).toMatch(/^[\d,]+ visits from 19 to 20 Nov\.$/);
});
