import { expect, it } from 'vitest';
import { judgeReading } from '../../../src/domain/metrics/compare/readings.ts';
import { dateText } from '../../../src/findings/wording.ts';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { readingWith, rowOn } from '../../domain/metrics/points.ts';
import { findingsOf, records, refusal, useTools, WEEK, WIRE_WEEK } from '../support.ts';

const { call, ask, platform } = useTools({ credential: 'app' });
const ADD_TO_CART = 8_120_571;

it('zones are compared by what the platform gives for exactly the two ranges, with a verdict', { tags: 'nightly' }, async () => {
  const answer = await call('compare_metrics', {
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

it('zones stand below each other, and need metrics of zones and periods', async () => {
  const two = await call('compare_metrics', { ...WEEK, zoneIds: [ADD_TO_CART, 'Home / Search bar'] });
  expect(records(two)).toHaveLength(2);
  for (const [args, words] of [
    [{ metrics: ['visits'] }, 'no metric of a zone: visits'],
    [{ by: 'device' }, 'zones are compared by period'],
  ] as const) {
    const refused = await call('compare_metrics', { ...WEEK, zoneIds: [ADD_TO_CART], ...args });
    expect(refused).toMatchObject(refusal(words));
  }
});

it('zones one figure of a zone says first that it changed among its days, and nothing where it did not or its days are rows', {
  tags: 'nightly',
}, async () => {
  const { zone, startDay } = platform().stories.zoneTapChange;
  const figure = async (more: object) =>
    (await call('query_metrics', { metrics: ['tapRate'], startDate: '-28d', zoneIds: [String(zone.id)], ...more })).structured['answer'];
  expect(await figure({})).toMatch(
    new RegExp(`^Tap rate of the zone ".*" has been \\d+% (lower|higher) since ${dateText(startDay, '2026')}`),
  );
  expect(await figure({ breakdown: ['day'], expected: true })).toContain(` since ${dateText(startDay, '2026')}`);
  expect(await figure({ breakdown: ['day'] })).toMatch(/^Highest tap rate of the zone ".+" from .+: .+%\); lowest: .+%\)\.$/);
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
