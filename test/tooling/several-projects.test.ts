import { expect, it } from 'vitest';
import { withProjectSums } from '../../src/tooling/over-projects.ts';
import { refusal, useTools } from '../tools/support.ts';

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

const week = { startDate: '-8d', endDate: 'yesterday' };

it.each([
  ['a name that several zones of pages have', 'Product / Add to cart', /project 1202 \(Nordlicht App\) has \d+ ".+ \/ Add to cart"/],
  ['a screen that is a page here', 'Home', /project 1202 \(Nordlicht App\) has page group "Screens \/ Home" with \d+ zones/],
  ['a name that no zone of pages has', 'Hero banner', /project 1202 \(Nordlicht App\) has \d+ ".+ \/ Hero banner"/],
])(
  'zones of an app, asked for in the project of a site are found by %s in their own project, where they are answered',
  { tags: 'nightly' },
  async (_, zone, words) => {
    const asked = { metrics: ['tapRate'], zoneIds: [zone], ...week };
    const refused = await call('query_metrics', asked);
    expect(refused).toMatchObject(refusal(words));
    expect(refused.text).toMatch(
      /^(?:zoneIds\[0\]: )?As zones of an app project 1202 .*: call again with projectId "1202"\. In this project: /,
    );
    expect(refused.text).not.toContain('Pass the id');
    const { isError, structured } = await call('query_metrics', { ...asked, projectId: '1202' });
    expect(isError).toBe(false);
    expect(structured['rows']).not.toEqual([]);
  },
);

it('zones of an app, asked for in the project of a site are not looked for where the project was chosen, or none has them', {
  tags: 'nightly',
}, async () => {
  for (const more of [{ projectId: '1201', zoneId: 'Home' }, { zoneId: 'Nothing called so' }]) {
    const { isError, text } = await call('get_zone_tap_rate', { ...week, ...more });
    expect(isError).toBe(true);
    expect(text).not.toContain('As zones of an app');
  }
});

it('find_objects says whether zones are of an app, and have metrics', { tags: 'nightly' }, async () => {
  const notesOf = async (projectId: string) => (await call('find_objects', { text: 'add to cart', kinds: ['zone'], projectId })).text;
  expect(await notesOf('1201')).toContain('Zones here are of web pages and have no metrics in this interface');
  expect(await notesOf('1202')).toContain('Zones here are of an app: query_metrics takes them as zoneIds.');
});

it('a name that several scenarios begin with stands for all where they are read, and is refused where something is written', async () => {
  const { structured, isError } = await call('analyze_scenario', { scenarioIds: ['checkout'], view: 'levels' });
  expect(isError).toBe(false);
  expect((structured['notes'] as string[])[0]).toBe(
    'scenario "checkout" = all 2 that it fits: 4101 "Checkout – desktop", 4102 "Checkout – mobile"',
  );
  const { columns, rows } = structured as { columns: string[]; rows: unknown[][] };
  expect(new Set(rows.map((row) => row[columns.indexOf('scenarioId')]))).toEqual(new Set([4101, 4102]));
  const event = { key: 'k', text: 'A release', date: 'now', scenarios: ['checkout'] };
  expect((await call('create_speed_event', event)).text).toContain('"checkout" fits 2 scenarios');
});
