import { expect, it } from 'vitest';
import { withProjectSums } from '../../src/tooling/over-projects.ts';
import { useTools } from '../tools/support.ts';

const { call } = useTools();
const WEEK = { startDate: 'last_week', endDate: 'last_week' };

type Rows = readonly (readonly (string | number | null)[])[];

it('projects side by side have a row of the whole and shares in it, the rows that a limit keeps included', async () => {
  const asked = {
    ...WEEK,
    metrics: ['visits', 'conversionCount', 'conversionRate'],
    projectIds: [1201, 1202],
    totals: true,
    shares: true,
  };
  const { structured } = await call('query_metrics', asked);
  const rows = structured['rows'] as Rows;
  const [shop = [], app = [], whole = []] = rows;
  expect(structured['columns']).toEqual(['project', 'visits', 'conversionCount', 'conversionRate', 'visitsShare', 'conversionCountShare']);
  expect(structured['units']).toMatchObject({ visitsShare: '%' });
  const [visits, orders] = [Number(shop[1]) + Number(app[1]), Number(shop[2]) + Number(app[2])];
  expect(whole.slice(0, 3)).toEqual(['total', visits, orders]);
  expect(whole[3]).toBeCloseTo((100 * orders) / visits, 3);
  expect(shop[4]).toBeCloseTo((100 * Number(shop[1])) / visits, 3);
  expect(whole.slice(4)).toEqual([100, 100]);
  const first = await call('query_metrics', { ...asked, limit: 1 });
  expect(first.structured['rows']).toEqual([shop, whole]);
});

it('projects side by side say what a total is missing, and leave totals of devices to each project', async () => {
  const { text } = await call('query_metrics', { ...WEEK, metrics: ['conversionRate', 'revenueSum'], projectIds: ['all'], totals: true });
  expect(text).toContain('No total of conversionRate: ask for conversionCount as well.');
  expect(text).toContain('No total of revenueSum: a project has no value.');
  const byDevice = await call('query_metrics', {
    ...WEEK,
    metrics: ['visits'],
    projectIds: [1201, 1202],
    breakdown: ['device'],
    totals: true,
  });
  expect(byDevice).toMatchObject({ isError: false });
  expect((byDevice.structured['rows'] as Rows).map(([project]) => project)).not.toContain('total');
});

it('projects side by side are refused where a tool reads one, with the way to go on', async () => {
  expect((await call('find_changes', { days: 28, projectIds: ['all'] })).text).toBe(
    'projectIds: find_changes reads one project a call; call it once for each with projectId (1201 "Nordlicht Shop", ' +
      '1202 "Nordlicht App", 1203 "Nordlicht Magazin"). compare_metrics takes projectIds and says of each what changed.\n' +
      'Correct the arguments and call again.',
  );
  expect((await call('list_scenarios', { projectIds: [1201, 1202] })).text).not.toContain('compare_metrics');
  expect(await call('list_goals', { projectIds: ['Nordlicht App'] })).toMatchObject({ isError: false });
});

it('a comparison of several projects finds in each what that of the one finds, with place and cost, and names its events', {
  tags: 'nightly',
}, async () => {
  const asked = { metrics: ['conversionRate'], startDate: '-28d', endDate: 'yesterday' };
  const [{ structured: one }, { structured: several }] = [
    await call('compare_metrics', asked),
    await call('compare_metrics', { ...asked, projectIds: [1201, 1202] }),
  ];
  const [own = '', answer = ''] = [one['answer'], several['answer']].map(String);
  const [finding] = own.match(/^Mobile .* since 10 Nov.* It has cost about [\d,]+ EUR so far\./) ?? [];
  expect(answer.startsWith(`Nordlicht Shop: ${finding} Nordlicht App: `)).toBe(true);
  expect(several['events']).toEqual((one['events'] as object[]).map((event) => ({ project: 'Nordlicht Shop', ...event })));
});

it('sums of projects add no amounts of several currencies', () => {
  const table = {
    columns: ['project', 'visits', 'revenueSum', 'currency'],
    rows: [
      ['A', 30, 5, 'EUR'],
      ['B', 10, 7, 'USD'],
    ],
  };
  const { table: summed, whole, notes } = withProjectSums(table, { totals: true, shares: true });
  expect(whole).toEqual([['total', 40, null, null, 100]]);
  expect(summed.rows).toEqual([
    ['A', 30, 5, 'EUR', 75],
    ['B', 10, 7, 'USD', 25],
  ]);
  expect(notes.join(' ')).toContain('No total of revenueSum: the currencies differ.');
});
