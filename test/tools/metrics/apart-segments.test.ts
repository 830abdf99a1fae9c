import { expect, it } from 'vitest';
import { refusal, useTools, WEEK } from '../support.ts';

const { call } = useTools();
const BOTH = { ...WEEK, segmentIds: ['New visitors', 'Returning visitors'] };
const APART = 'No visit is in both "New visitors" and "Returning visitors": segmentIds keeps visits in each of them, ';
const SIDE_BY_SIDE = 'compareSegments puts them side by side.';

it.each([
  ['compare_metrics', { metrics: ['visits', 'conversionRate'] }],
  ['compare_metrics', { metrics: ['visits'], by: 'device' }],
  ['query_metrics', { metrics: ['conversionRate'] }],
  ['query_metrics', { metrics: ['visits'], breakdown: ['day'] }],
])('segments that share no visit %s %j says so first, and how they stand side by side', async (tool, more) => {
  const answer = await call(tool, { ...BOTH, ...more });
  expect([answer.isError, answer.structured['answer']]).toEqual([false, `${APART}${SIDE_BY_SIDE}`]);
  expect(answer.text).not.toMatch(/unchanged|not enough data to distinguish/);
});

it.each(['get_site_visits', 'get_site_metrics'])('segments that share no visit %s notes it', async (tool) => {
  expect((await call(tool, BOTH)).structured['notes']).toContain(`${APART}compareSegments of query_metrics puts them side by side.`);
});

it('segments that share no visit nothing of it is said of segments that do', async () => {
  const shared = { ...WEEK, segmentIds: ['New visitors', 'Germany'] };
  for (const [tool, more] of [
    ['compare_metrics', { metrics: ['visits'] }],
    ['get_site_visits', {}],
  ] as const)
    expect((await call(tool, { ...shared, ...more })).text).not.toContain('No visit is in');
});

it.each([
  ['get_zone_tap_rate', { zoneId: 'Home page / Hero banner' }],
  ['query_metrics', { metrics: ['tapRate'], zoneIds: ['Home page / Hero banner'] }],
])('a zone of a web page %s says that its metrics are of apps, and not that another id is wanted', async (tool, zone) => {
  const { isError, text } = await call(tool, { ...WEEK, ...zone });
  expect({ isError, text }).toEqual(refusal('all other zone metrics are of apps'));
  expect(text).not.toContain('lists what exists');
});
