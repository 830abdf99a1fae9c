import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stepTimingNames } from '../../src/api/metric-names.ts';
import { DEFAULT_REPORTS, MAX_PAGE_SIZE } from '../../src/api/params.ts';
import { thresholds } from '../../src/har/page-limits.ts';
import { siteMetricNames, zoneMetricNames } from '../../src/metrics/metric-definitions.ts';
import { unanswerable } from '../../src/metrics/unanswerable.ts';
import { toolsets } from '../../tools/index.ts';
import { type Assistant, openAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

const TOPICS = [
  'metrics',
  'thresholds',
  'limits',
  'exportable-fields',
  'enrichment',
  'dates-and-names',
  'steps',
  'where-exports-go',
  'impact',
];

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);
let refused: Assistant;
beforeAll(async () => {
  refused = await openAssistant(platform(), { credential: 'expired' });
});
afterAll(() => refused.close());

const read = (topic: string, from = assistant()) => from.read(`analytics://reference/${topic}`);

it('the reference is read without a word to the platform, fields of exports aside', async () => {
  const newcomer = await openAssistant(platform());
  platform().requests.length = 0;
  for (const topic of TOPICS.filter((each) => each !== 'exportable-fields')) await read(topic, newcomer);
  expect(platform().requests).toEqual([]);
  await newcomer.close();
});

it.each(TOPICS)('the reference on %s needs no credential, and fits a conversation', async (topic) => {
  const text = await read(topic, refused);
  expect(text).toMatch(/^# [A-Z].+\n\n/);
  expect(encode(text).length).toBeLessThan(2_200);
  expect(text).not.toMatch(/undefined|\[object|NaN/);
  expect(encode(await read(topic)).length).toBeLessThan(4_000);
});

it.each(TOPICS)('the reference on %s names only tools that exist', async (topic) => {
  const tools = new Set(toolsets.flatMap((toolset) => toolset.tools.map(({ name }) => name)));
  const named = (await read(topic)).match(/\b(?:get|list|create|delete|send|analyze|check|compare|find|query|plan)_[a-z_]+\b/g) ?? [];
  expect(named.filter((name) => !tools.has(name))).toEqual([]);
});

it('the reference refuses a topic that there is not, and says which there are', async () => {
  await expect(read('weather')).rejects.toThrow(`there is no topic "weather"; there are ${TOPICS.join(', ')}.`);
  await expect(read('constructor')).rejects.toThrow('there is no topic');
});

it('metrics are all there, each with unit and meaning', async () => {
  const rows = (await read('metrics')).split('\n').filter((line) => line.startsWith('| '));
  const cells = new Map(
    rows.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))).map(([name = '', ...rest]) => [name, rest]),
  );
  for (const name of [...siteMetricNames, ...zoneMetricNames, ...stepTimingNames, 'avgConversionAfterTap', 'weight', 'request']) {
    expect([name, ...(cells.get(name) ?? []).slice(0, 2)]).toEqual([name, expect.stringMatching(/./), expect.stringMatching(/.{11}/)]);
  }
});

it('metrics say what the tools say', async () => {
  const text = await read('metrics');
  const tools = toolsets.find(({ name }) => name === 'metrics')?.tools ?? [];
  const single = tools.filter(({ name }) => !/_(site|zone)_metrics$/.test(name));
  expect(single.length).toBeGreaterThan(0);
  for (const { description } of single) expect(text).toContain(description);
});

it('metrics say how several ranges become one', async () => {
  const text = await read('metrics');
  expect(text).toMatch(/\| visits \| .+ \| add \|/);
  expect(text).toMatch(/\| conversionRate \| .+ \| recompute from conversionCount and visits \|/);
  expect(text).toMatch(/\| bounceRate \| .+ \| mean weighted by visits \|/);
  expect(text).toContain('| sum of revenueSum / sum of (revenueSum / value) |');
  expect(text).toMatch(/\| tapRate \| .+ \| ask for the whole \|/);
});

it('metrics say which are only in summaries, and which only in steps', async () => {
  const text = await read('metrics');
  expect(text).toContain('Only in summaries: request. Only in steps: navigationStart, oldVisuallyComplete, requestsCount.');
  expect(text).toContain('all but avgConversionAfterTap');
});

it('thresholds are those that the tools judge by', async () => {
  const text = await read('thresholds');
  for (const metric of Object.keys(thresholds)) expect(text).toContain(`| ${metric} |`);
  expect(text).toContain('| largestContentfulPaint | ms | 2500 / 4000 | 1200 / 2400 | 2500 / 4000 |');
  expect(text).toContain('| totalBlockingTime | ms | – | 150 / 350 | 200 / 600 |');
  expect(text).toContain('desktop 2.65 MB and 71 requests, mobile 2.31 MB and 66');
});

it('limits say where each is stated, and cite no section of a document that a reader lacks', async () => {
  const [limits = ''] = (await read('limits')).split('## No metric answers these');
  const sources = limits
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | ').at(-1)?.replace(/ \|$/, ''));
  expect(sources.length).toBeGreaterThan(15);
  for (const source of sources) expect(source).toMatch(/^(documented|stated publicly, not documented|this server)$/);
  expect(limits).toMatch(/\| scope of an export \| at most 255 characters \| documented \|/);
  expect(limits).toMatch(/\| files of an export run \| until their expirationDate \| documented \|/);
});

it('limits are the numbers that the product holds', async () => {
  const text = await read('limits');
  for (const words of [
    '92 days (2,208 hours)',
    '7 days (168 hours)',
    `at most ${MAX_PAGE_SIZE}`,
    `${DEFAULT_REPORTS} by default`,
    '96 MB',
    '8 MB',
  ])
    expect(text).toContain(words);
});

it.each([
  ['page-level metrics', 'views'],
  ['real-user vitals', 'views'],
  ['heatmaps', undefined],
  ['replay', undefined],
])('limits say that %s cannot be answered, and name the nearest export by fields that there are', async (asked, scope) => {
  expect(assistant().client.getInstructions()).toContain(asked);
  expect(assistant().client.getInstructions()).toMatch(/Not in this interface: .+ Say so; .*sessions or views export/);
  const row = (await read('limits')).split('\n').find((line) => line.startsWith(`| ${asked} | `)) ?? '';
  const nearest = unanswerable.find((each) => each.asked === asked)?.nearest ?? '';
  expect(row).toBe(`| ${asked} | ${nearest} |`);
  expect(nearest).toMatch(scope === undefined ? /none|nothing/ : `export of scope ${scope}`);
  if (scope === undefined) return;
  const token = await platform().token('shop');
  const fields = (
    await Promise.all(['sessions', 'views'].map((each) => platform().ask('listExportableFields', { scope: each }, token)))
  ).flat();
  const names = new Set(fields.map(({ name }) => name));
  const named = nearest.match(/\b[a-z]+(?:\.[a-z]+|_[a-z_]+)+/g) ?? [];
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});

it.each([
  ['funnels', 'analyze_funnel'],
  ['journeys', 'analyze_paths'],
  ['cost of errors', 'measure_impact'],
])('limits name the tool that answers questions on %s, which are not said to be missing', async (asked, tool) => {
  expect((await read('limits')).split('\n').find((line) => line.startsWith(`| ${asked} | `))).toContain(`by ${tool} |`);
  expect(assistant().client.getInstructions()).not.toContain(asked);
});

it('limits name all that the greeting names, and nothing else', async () => {
  const [, list = ''] = /Not in this interface: ([^.]+)\./.exec(assistant().client.getInstructions() ?? '') ?? [];
  const rows = (await read('limits')).split('## No metric answers these')[1]?.match(/^\| [^|]+ \|/gm) ?? [];
  const missing = rows.slice(2).map((row) => row.slice(2, -2));
  const answered = new Set(unanswerable.flatMap(({ asked, ofExports }) => (ofExports ? [asked] : [])));
  expect(missing.filter((asked) => !answered.has(asked))).toEqual(list.split(', '));
});

it('exportable fields are those of the project, by scope', async () => {
  const text = await read('exportable-fields');
  for (const scope of ['sessions', 'views']) {
    const fields = await platform().ask('listExportableFields', { scope }, await platform().token('shop'));
    expect(text).toContain(`## Scope ${scope}: ${fields.length} fields`);
    for (const { name } of fields) expect(text).toContain(`| ${name} |`);
  }
});

it('exportable fields are words where they cannot be read, with the reason', async () => {
  const text = await read('exportable-fields', refused);
  expect(text).toContain('could not be read:');
  expect(text).toContain('list_exportable_fields with scope sessions');
  expect(text).toContain('money in cents');
});

it('dates and names are resolved for today in the configured zone', async () => {
  const berlin = await openAssistant(platform(), { timeZone: 'Europe/Berlin' });
  const text = await read('dates-and-names', berlin);
  expect(text).toContain('Time zone Europe/Berlin, today 2026-11-20.');
  expect(text).toContain('| last_week | 2026-11-09T00:00:00.000+01:00 | 2026-11-15T23:59:59.999+01:00 |');
  expect(text).toContain('| this_month | 2026-11-01T00:00:00.000+01:00 | 2026-11-20T11:00:00.000+01:00 |');
  expect(text).toContain('| export job | list_export_jobs |');
  await berlin.close();
});
