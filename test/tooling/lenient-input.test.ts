import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { understand } from '../../src/tooling/lenient-input.ts';
import { listedAs, rangeMetrics, ref, refs, speedBudgets, speedMetrics, subjects, waitSeconds } from '../../src/tooling/params.ts';
import { useTools } from '../tools/support.ts';

const schema = z.strictObject({
  name: z.string().optional(),
  id: ref('goal').optional(),
  ids: refs('segment', 'Segments').optional(),
  count: z.int().optional(),
  share: z.number().default(1),
  flag: z.boolean().optional(),
  device: z.enum(['all', 'desktop', 'previous_year']).optional(),
  devices: z.array(z.enum(['desktop', 'mobile'])).optional(),
  numbers: z.array(z.int()).optional(),
  frequency: z.strictObject({ value: z.enum(['once', 'daily']), note: z.string().optional() }).optional(),
  rows: z.array(z.strictObject({ field: z.string(), position: z.int().optional() })).optional(),
  metrics: rangeMetrics.optional(),
  include: subjects(['site', 'zones', 'speed']).optional(),
  timings: speedMetrics,
  budgets: speedBudgets,
  records: listedAs(z.array(z.strictObject({ at: z.int() })), z.array(z.unknown())).optional(),
});
const read = (args: Record<string, unknown>) => understand(schema, args);

it.each<[unknown, string[], string[]]>([
  ['speed', ['speed'], []],
  [['site', 'Page speed'], ['site', 'speed'], ['"Page speed" = speed']],
  ['site, web-vitals', ['site', 'speed'], ['"web-vitals" = speed']],
  [['everything'], ['site', 'zones', 'speed'], ['"everything" = site, zones, speed']],
])('what to look at %j is understood', (said, meant, notes) => {
  expect(read({ include: said })).toEqual({ input: { include: meant }, notes });
});

describe('a range of which only the start was given', () => {
  const both = z.strictObject({ startDate: z.string(), endDate: z.string() });
  const open = z.strictObject({ startDate: z.string(), endDate: z.string().optional() });

  it.each(['last_week', 'this month', '2026-11', '2026-q3', '2025', 'yesterday'])('%s names its end too', (startDate) => {
    expect(understand(both, { startDate }).input).toEqual({ startDate, endDate: startDate });
    expect(understand(open, { startDate }).input).toEqual({ startDate });
    expect(understand(both, { startDate, endDate: 'today' }).input).toEqual({ startDate, endDate: 'today' });
  });

  it.each(['-7d', '-2w', '-3mo'])('%s ends with the last whole day', (startDate) => {
    expect(understand(both, { startDate }).input).toEqual({ startDate, endDate: 'yesterday' });
    expect(understand(open, { startDate }).input).toEqual({ startDate });
  });

  it.each(['+7d', '2026-11-20', 'monday', 'today', 'now'])('%s does not', (startDate) => {
    expect(understand(both, { startDate }).input).toEqual({ startDate });
  });
});

describe('what a model may send', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['null for what may be left out', { name: null, ids: null, share: null, frequency: null }, {}],
    [
      'its word, an empty text and lists of one of them',
      { name: 'null', ids: ['null'], device: '', devices: [''], count: ' ', flag: '' },
      {},
    ],
    ['an empty list where one is of no use', { ids: [] }, {}],
    ['null inside an object', { frequency: { value: 'once', note: null } }, { frequency: { value: 'once' } }],
    ['what hosts add', { toolCallId: 'a', thread_id: 'b', task_progress: 'b', _auth_type: 'c' }, {}],
    ['a number as text', { count: '1201', share: ' 0.5 ' }, { count: 1201, share: 0.5 }],
    ['a boolean as text', { flag: 'true' }, { flag: true }],
    ['a boolean as capitalised text', { flag: 'False' }, { flag: false }],
    ['a number for an id or name', { id: 75118, ids: [12, 'Germany'] }, { id: '75118', ids: ['12', 'Germany'] }],
    ['one value for a list', { ids: 'Germany, north', rows: { field: 'a' } }, { ids: ['Germany, north'], rows: [{ field: 'a' }] }],
    ['one number for a list of names', { ids: 440156 }, { ids: ['440156'] }],
    [
      'an object by name for a list of pairs',
      { budgets: { weight: 1, request: '2' } },
      {
        budgets: [
          { metric: 'weight', limit: 1 },
          { metric: 'request', limit: 2 },
        ],
      },
    ],
    [
      'values parted by commas where none of them can hold one',
      { devices: 'Desktop, mobile', numbers: '1,2' },
      { devices: ['desktop', 'mobile'], numbers: [1, 2] },
    ],
    ['JSON text for an object', { frequency: '{"value":"once"}' }, { frequency: { value: 'once' } }],
    ['JSON text for a list', { rows: '[{"field":"a","position":"3"}]' }, { rows: [{ field: 'a', position: 3 }] }],
    ['values in another case', { device: 'DESKTOP' }, { device: 'desktop' }],
    ['values with other separators', { device: 'previous year' }, { device: 'previous_year' }],
    ['text inside a list that is checked by its handler', { records: [{ at: '3' }] }, { records: [{ at: 3 }] }],
  ])('%s', (_, args, meant) => {
    expect(read(args)).toEqual({ input: meant, notes: [] });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a word for a number', { count: 'many' }],
    ['a word for a boolean', { flag: 'maybe' }],
    ['a number beyond 2^53, which has lost digits', { name: 2 ** 60 }],
    ['a value that there is not', { device: 'watch' }],
    ['text that is no JSON', { frequency: '{value: once}' }],
    ['an argument that there is not', { nmae: 'x', __proto__x: null }],
    ["a host's name inside an object", { frequency: { value: 'once', action: 'x' } }],
  ])('leaves %s to the strict check', (_, args) => {
    expect(read(args)).toEqual({ input: args, notes: [] });
  });
});

const { call } = useTools({ timeZone: 'Europe/Paris' });

describe('a metric that the interface does not have is answered with what is nearest', () => {
  const week = { startDate: '2026-11-09', endDate: '2026-11-15' };
  it.each<[string, string, RegExp]>([
    [
      'query_metrics',
      'LCP',
      /"LCP": it is a metric of synthetic scenarios, not of visitors \(largestContentfulPaint\); analyze_scenario answers it/,
    ],
    ['query_metrics', 'INP', /"INP": INP needs real visitors; the nearest of the lab is totalBlockingTime/],
    ['query_metrics', 'funnel', /"funnel": no metric has funnels: they are counted from exports of views and sessions by analyze_funnel/],
    ['query_metrics', 'unique visitors', /the nearest is visits/],
    ['query_metrics', 'Unique users', /"Unique users": visitors are not counted; the nearest is visits/],
    ['query_metrics', 'exit rate', /there is no exit rate; the nearest is bounceRate/],
    ['query_metrics', 'scroll_depth', /the nearest is an export of scope views \(scroll_rate\)/],
    ['query_metrics', 'real-user vitals', /the nearest are speed metrics of lab runs \(analyze_scenario\)/],
    ['query_metrics', 'new visitors', /visits of the segments of new and returning visitors/],
    ['query_metrics', 'unique page views', /pageviewAverage, times visits/],
    ['query_metrics', 'cart abandonment rate', /the nearest is conversionRate of a goal/],
    ['query_metrics', 'funnel conversion', /no metric has funnels/],
    ['query_metrics', 'user journeys', /no metric has journeys: they are followed in exports of views/],
    ['query_metrics', 'session replays', /this interface has no replay/],
    ['query_metrics', 'page load time', /it is a metric of synthetic scenarios, not of visitors \(loadTime\); analyze_scenario/],
    ['compare_metrics', 'rage clicks', /an export of scope views \(rage_click_all_targets_ind\)/],
    ['query_metrics', 'converson', /no such metric: "converson"; there are conversion/],
    ['get_step_report', 'revenue', /it is a metric of the site and its zones \(revenueSum\); query_metrics answers it/],
  ])('%s: %s', async (tool, metric, words) => {
    const args = tool.endsWith('_metrics') ? { ...week, metrics: [metric] } : { stepId: 'a', metrics: [metric] };
    expect(await call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(words) });
  });

  it.each(['INP', 'fid', 'Interaction to Next Paint'])('%s is answered with blocking time, and why', async (metric) => {
    const lists = { scenarioId: 4104, lastDays: 1, metrics: [metric] };
    const { structured } = await call('list_scenario_reports', lists);
    expect((structured['columns'] as string[]).at(-1)).toBe('totalBlockingTime');
    expect(structured['notes']).toContainEqual(
      expect.stringMatching(/needs real visitors; the nearest of the lab is totalBlockingTime, which/),
    );
    const budget = await call('check_speed_budgets', { scenarioIds: [4104], budgets: { [metric]: 200 } });
    // A limit of one is no limit of the other, so that a gate refuses it.
    expect(budget).toMatchObject({
      isError: true,
      text: expect.stringMatching(/needs real visitors; the nearest of the lab is totalBlockingTime/),
    });
  });
});

it.each([60, '60'])('a wait of %j is the longest there is, which is said', (said) => {
  const own = understand(z.strictObject({ waitSeconds }), { waitSeconds: said });
  expect(own).toEqual({ input: { waitSeconds: 40 }, notes: [expect.stringContaining('waitSeconds: 60 is more than 40, which is taken.')] });
  expect(understand(z.strictObject({ waitSeconds }), { waitSeconds: 40 })).toEqual({ input: { waitSeconds: 40 }, notes: [] });
});

it.each([['Nordlicht Shop'], ['nordlicht s'], ['1201'], [1201]])('the project is named as %j', async (projectId) => {
  expect(await call('list_goals', { projectId })).toMatchObject({ isError: false });
});

it('a single name is understood beside a list of that kind that was left out as null, and refused beside one that was given', () => {
  const scenarios = z.strictObject({ scenarioIds: refs('scenario', 'Scenarios').optional() });
  expect(understand(scenarios, { scenarioId: 4101, scenarioIds: null }).input).toEqual({ scenarioIds: ['4101'] });
  expect(understand(scenarios, { scenarioIds: null, scenarioId: 'Home' }).input).toEqual({ scenarioIds: ['Home'] });
  expect(understand(scenarios, { scenarioId: 4101, scenarioIds: [4102] }).input).toEqual({ scenarioId: 4101, scenarioIds: ['4102'] });
});

it.each([
  ['scenarioStepResultId', ['stepResultId', 'stepId', 'scenarioStepResultId']],
  ['runId', ['runId', 'jobRunId']],
  ['text', ['text', 'query']],
  ['sql', ['sql', 'query']],
])('%s is understood under each name that the reference or other servers have for it, two at once are refused', (name, said) => {
  const own = z.strictObject({ [name]: z.string() });
  for (const each of said) expect(understand(own, { [each]: 'ab12' }).input).toEqual({ [name]: 'ab12' });
  const both = Object.fromEntries(['stepResultId', 'stepId'].map((each) => [each, 'ab12']));
  expect(understand(own, both).input).toEqual(both);
});
