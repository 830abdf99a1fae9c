import { describe, expect, it } from 'vitest';
import { dateText } from '../../../src/findings/wording.ts';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { judgeReading } from '../../../src/metrics/compare/readings.ts';
import { readingWith, rowOn } from '../../metrics/points.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { someOf } from '../../support/sample-size.ts';
import { findingsOf, listIn, records, useTools, WEEK, WIRE_WEEK } from '../support.ts';

const SEEDS = someOf([1, 2, 3, 7, 42], 1);

const rateRow = (answer: ToolAnswer) => records(answer).find(({ metric }) => metric === 'conversionRate');

describe.each(SEEDS)('on the platform of seed %d', (seed) => {
  const platform = sharedPlatform({ seed });
  const assistants = {
    shop: sharedAssistant(platform, { credential: 'shop' }),
    content: sharedAssistant(platform, { credential: 'content' }),
  };
  const compare = (args: Record<string, unknown>, credential: 'shop' | 'content' = 'shop') =>
    assistants[credential]().call('compare_metrics', args);
  /** Compares the days since one of the fall, the days behind its first, with those before back to another. */
  const since = (from: number, before: number, more = {}) => {
    const [startDate, baselineStartDate, baselineEndDate] = [from, before, from - 1].map((days) =>
      dayAfter(platform().stories.conversionFall.startDay, days),
    );
    return compare({ startDate, endDate: 'yesterday', baselineStartDate, baselineEndDate, ...more });
  };

  it('leaves each range that holds it the verdict of its row', async () => {
    const answer = await since(6, -1);
    const verdicts: Record<string, unknown> = { up: 'higher', down: 'lower', 'within noise': 'unchanged', 'cannot be judged': 'uncertain' };
    const ranges = findingsOf(answer).filter(({ when }) => when.shape === 'range');
    const rows = records(answer).filter(({ metric }) => ranges.some(({ subject }) => subject === metric));
    expect(rows.length).toBeGreaterThan(0);
    for (const { metric, verdict } of rows)
      expect(ranges.find(({ subject }) => subject === metric)?.verdict).toBe(verdicts[String(verdict)]);
  });

  it('the campaign is called mix, with rate effects near zero', { tags: 'nightly' }, async () => {
    const { goal, startDay, endDay, device, segment } = platform().stories.mixCampaign;
    const answer = await compare({ metrics: ['conversionRate'], startDate: startDay, endDate: endDay, goalId: goal.id }, 'content');
    expect(rateRow(answer)).toMatchObject({ verdict: 'down', since: startDay });
    const [sums] = listIn(answer, 'sums');
    const [change, rate] = [Number(sums?.['change']), Number(sums?.['rate'])];
    // Within a device the rate stays; what is left is the chance of a week.
    expect(Math.abs(rate)).toBeLessThan(0.3 * Math.abs(change));
    expect(Number(sums?.['mix']) / change).toBeGreaterThan(0.7);
    expect(listIn(answer, 'devices').map(({ verdict }) => verdict)).not.toContain('down');
    const causes = findingsOf(answer).flatMap((finding) => finding.causes);
    expect(causes.find(({ kind }) => kind === 'mix')).toMatchObject({ name: `a larger share of ${device}`, share: expect.closeTo(1, 0) });
    expect(causes.map(({ name }) => name)).toContain(`a larger share of "${segment.name}"`);
  });

  it('the segment of the campaign is said to make the rise of visits', { tags: 'nightly' }, async () => {
    const { startDay, endDay, segment: planted } = platform().stories.mixCampaign;
    const answer = await compare({ metrics: ['visits'], startDate: startDay, endDate: endDay }, 'content');
    const { name } = planted;
    const [first] = findingsOf(answer);
    expect(first?.causes).toContainEqual({ kind: 'place', name: `"${name}"`, share: expect.closeTo(1, 0), basis: 'measured' });
    const [segment, whole] = [listIn(answer, 'segments')[0], records(answer)[0]];
    expect(segment).toMatchObject({ segment: name, before: 0 });
    expect(Math.abs(Number(segment?.['contribution']) / Number(whole?.['change']) - 1)).toBeLessThan(0.1);
  });

  it('a week before all of it is within noise', async () => {
    const { startDay } = platform().stories.conversionFall;
    const answer = await compare({ metrics: ['conversionRate'], startDate: dayAfter(startDay, -8), endDate: dayAfter(startDay, -2) });
    expect(rateRow(answer)).toMatchObject({ verdict: 'within noise', since: null });
    expect(findingsOf(answer).map(({ verdict }) => verdict)).not.toContain('lower');
  });
});

const { ask, call, platform } = useTools();
const app = sharedAssistant(platform, { credential: 'app' });
const ADD_TO_CART = 8_120_571;

it('zones are compared by what the platform gives for exactly the two ranges, with a verdict', { tags: 'nightly' }, async () => {
  const answer = await app().call('compare_metrics', {
    ...WEEK,
    metrics: ['tapRate', 'totalRevenueWithTap'],
    zoneIds: ['Product screen / Add to cart'],
  });
  const platformGives = async (range: typeof WIRE_WEEK) => {
    const { values } = await ask('getZoneMetrics', { zoneId: ADD_TO_CART, ...range }, 'app');
    return Object.fromEntries(values.map(({ name, value }) => [name, value]));
  };
  const before = await platformGives({ startDate: '2026-11-02T00:00:00.000Z', endDate: '2026-11-08T23:59:59.999Z' });
  const after = await platformGives(WIRE_WEEK);
  expect(records(answer)).toEqual(
    ['tapRate', 'totalRevenueWithTap'].map((metric) =>
      expect.objectContaining({
        metric,
        before: before[metric],
        after: after[metric],
        low: expect.any(Number),
        high: expect.any(Number),
        verdict: expect.stringMatching(/^(up|down|within noise|drift)$/),
      }),
    ),
  );
  for (const { place } of findingsOf(answer)) expect(place.zone).toContain('Product screen / Product details / Add to cart');
  expect(answer.text).toContain('days are weighed by the visits of the site');
  expect(answer.text).toContain('The last 7 days may still change');
});

it('zones stand below each other', async () => {
  const two = await app().call('compare_metrics', { ...WEEK, zoneIds: [ADD_TO_CART, 'Home / Search bar'] });
  expect(records(two)).toHaveLength(2);
});

it('zones one figure of a zone says first that it changed among its days, by day too, and nothing where it did not', {
  tags: 'nightly',
}, async () => {
  const { zone, startDay } = platform().stories.zoneTapChange;
  const figure = async (more: object) =>
    (await app().call('query_metrics', { metrics: ['tapRate'], startDate: '-28d', zoneIds: [String(zone.id)], ...more })).structured[
      'answer'
    ];
  expect(await figure({})).toMatch(
    new RegExp(`^Tap rate of the zone ".*" has been \\d+% (lower|higher) since ${dateText(startDay, '2026')}`),
  );
  expect(await figure({ breakdown: ['day'], expected: true })).toContain(` since ${dateText(startDay, '2026')}`);
  expect(await figure({ breakdown: ['day'] })).toMatch(
    /^Tap rate of the zone ".+" has been \d+% .+\. Highest tap rate of the zone ".+" from .+: .+%\); lowest: .+%\)\.$/,
  );
  expect(await figure({ startDate: '-7d' })).toMatch(/^Tap rate of the zone "[^"]+" [\d.]+% from /);
  const other = zone.id === ADD_TO_CART ? 'Home / Search bar' : String(ADD_TO_CART);
  expect(await figure({ zoneIds: [other] })).toMatch(/^Tap rate of the zone "[^"]+" [\d.]+% from /);
});

it('zones a fall of a rate is found with its first day, weighed by the visits of the site', () => {
  const days = Array.from({ length: 98 }, (_, index) => {
    // A ripple of 2 %, and a fifth less from the 95th day on.
    const tapRate = 10 * (1 + 0.02 * Math.sin(index * 2.4)) * (index >= 94 ? 0.8 : 1);
    return rowOn(dayAfter('2026-08-01', index), { tapRate, visits: 5_000 + 300 * (index % 7) }, { zoneId: ADD_TO_CART });
  });
  const ranges = { zoneId: ADD_TO_CART, baselineDays: days.slice(84, 91), periodDays: days.slice(91) };
  const judged = judgeReading(readingWith(days, ranges), 'tapRate');
  expect([judged.verdict, judged.main?.from]).toEqual(['down', '2026-11-03']);
  expect(judged.main?.relative).toBeCloseTo(-0.2, 1);
});

const RANGE = { startDate: '2026-11-02', endDate: '2026-11-15' };

it('by segment without names puts all segments beside all visitors, the largest effect first', async () => {
  const answer = await call('compare_metrics', { ...RANGE, metrics: ['conversionRate'], by: 'segment', chart: false });
  const rows = answer.structured['rows'] as [string, string, string, number | null, number | null][];
  const segments = await ask('listSegments', {});
  expect(rows.map(([, , name]) => name).toSorted()).toEqual(['all visitors', ...segments.map(({ name }) => String(name))].toSorted());
  expect(rows[0]?.[2]).toBe('all visitors');
  const sizes = rows.slice(1).map(([, , , , difference]) => (difference === null ? -1 : Math.abs(difference)));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  // The platform's own value of each, asked for by itself.
  for (const { id, name } of segments.slice(0, 3)) {
    const values = await ask('getSiteConversionRate', {
      startDate: '2026-11-02T00:00:00.000Z',
      endDate: '2026-11-15T23:59:59.999Z',
      segmentIds: [Number(id)],
    });
    expect([name, rows.find(([, , own]) => own === name)?.[3]]).toEqual([name, values.values[0]?.value ?? null]);
  }
  const named = String(answer.structured['answer']);
  const [change, ...sides] = named.split(/(?<=lower since 10 Nov\. It cost about [\d,]+ EUR up to 15 Nov\.) /);
  expect(change).toMatch(/^Mobile conversion rate has been \d+%/);
  expect(sides.join(' ')).toMatch(/^Conversion rate of "Mobile Safari" was [\d.]+%, \d+% lower than all visitors \([\d.]+%\)\.$/);
  const beside = findingsOf(answer).filter(({ when }) => when.shape === 'range');
  // Of one without visits there is nothing to say.
  const visited = rows.slice(1).filter(([, , , value]) => value !== null);
  expect(beside.map(({ place: { segment }, now }) => [segment, now])).toEqual(visited.map(([, , own, value]) => [own, value]));
  expect(named.split(' ').length).toBeLessThanOrEqual(60);
  expect(platform().requests.length).toBeLessThan(120);
});

/** The rate of purchases falls on one device in it. */
const range = { startDate: '2026-11-01', endDate: '2026-11-19' };
const goal = 'Newsletter sign-up';

describe('beside a goal other than that of e-commerce revenue follows from no conversions', () => {
  it('of that goal, whatever is named: neither a basket nor an order is made of them', { tags: 'nightly' }, async () => {
    const { text, structured } = await call('compare_metrics', { ...range, metrics: ['revenue', 'conversionRate'], goalId: goal });
    expect(text).not.toMatch(/basket|average (?:cart|order)/i);
    expect(structured['revenue']).toBeUndefined();
    const { structured: ofShop } = await call('compare_metrics', { ...range, metrics: ['revenue', 'conversionRate'] });
    expect(ofShop['revenue']).toMatchObject({ unit: 'EUR' });
    const amounts = (answer: Record<string, unknown>) =>
      (answer['rows'] as unknown[][]).find(([metric]) => metric === 'revenueSum')?.slice(0, 4);
    expect(amounts(structured)).toEqual(amounts(ofShop));
    expect(JSON.stringify(structured['findings'])).not.toContain('cartAverage');
  });

  it('and is expected as it is without that goal, beside the rate of purchases that it follows from', async () => {
    const asked = { ...range, metrics: ['revenue', 'conversionRate'], breakdown: ['week'], expected: true };
    const [ofGoal, ofShop] = [await call('query_metrics', { ...asked, goalIds: [goal] }), await call('query_metrics', asked)];
    const revenueOf = (answer: typeof ofGoal) =>
      records(answer).map((row) => Object.entries(row).filter(([column]) => column.startsWith('revenueSum')));
    expect(revenueOf(ofGoal).flat().length).toBeGreaterThan(8);
    expect(revenueOf(ofGoal)).toEqual(revenueOf(ofShop));
    const [change, ...others] = findingsOf(ofGoal);
    expect(change).toMatchObject({
      subject: 'conversionRate',
      place: { device: 'mobile', goal: 'e-commerce goal' },
      verdict: 'lower',
      cost: { of: 'revenueSum', unit: 'EUR' },
    });
    // Revenue is that of no goal.
    expect(others.filter(({ subject, place }) => subject === 'revenueSum' && 'goal' in place)).toEqual([]);
    const rates = (answer: typeof ofGoal) => records(answer).map(({ conversionRate }) => conversionRate);
    expect(rates(ofGoal)).not.toEqual(rates(ofShop));
  });
});
