import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { unwrap } from '../../src/api/operation.ts';
import { HOST_NAMES } from '../../src/tooling/lenient-input.ts';
import { paramFacts } from '../../src/tooling/params.ts';
import { inputOf } from '../../src/tooling/schema.ts';
import type { AnyTool } from '../../src/tooling/tool.ts';
import { toolsets } from '../../tools/index.ts';
import { sampleArguments } from './sample-arguments.ts';
import { useTools } from './support.ts';

type Args = Record<string, unknown>;

const { ask, call, platform } = useTools();
const tools: readonly AnyTool[] = toolsets.flatMap((toolset) => toolset.tools);
const shapeOf = (tool: AnyTool) => Object.entries(inputOf(tool).shape) as [string, z.ZodType][];
const factOf = (schema: z.ZodType) => paramFacts.get(unwrap(schema, (each) => paramFacts.has(each)) as z.ZodType);
const isDate = (schema: z.ZodType) => 'date' in (factOf(schema) ?? {});

/** The other end of a range. */
const STARTS: Readonly<Record<string, string>> = {
  endDate: 'startDate',
  baselineEndDate: 'baselineStartDate',
  dateTo: 'dateFrom',
  to: 'from',
};

/** Bad values of one argument, with those beside it. */
function badValues(name: string, schema: z.ZodType, tool: AnyTool): [what: string, args: Args][] {
  const inner = unwrap(schema, (each) => paramFacts.has(each));
  const found: [string, Args][] = [];
  const start = STARTS[name];
  if (isDate(schema)) {
    found.push(['30 February', { [name]: '2026-02-30' }], ['30 February with a time', { [name]: '2026-02-30T10:00:00Z' }]);
    found.push(['hour 25', { [name]: '2026-11-20T25:00:00Z' }], ['month 13', { [name]: '2026-13' }]);
    if (start !== undefined && Object.hasOwn(tool.input.shape, start))
      found.push(['an end before its start', { [start]: '2026-11-10', [name]: '2026-11-01' }]);
  }
  if (inner instanceof z.ZodNumber && !schema.safeParse(-1).success) found.push(['a negative number', { [name]: -1 }]);
  if (inner instanceof z.ZodNumber && !schema.safeParse(1.5).success) found.push(['a fraction', { [name]: 1.5 }]);
  if (inner instanceof z.ZodNumber || inner instanceof z.ZodBoolean) found.push(['words', { [name]: 'some' }]);
  if (inner instanceof z.ZodEnum) found.push(['no choice of the list', { [name]: 'qqqqqqqq' }]);
  if (inner instanceof z.ZodString) found.push(['an object for a text', { [name]: { a: 1 } }]);
  if (inner instanceof z.ZodArray && !schema.safeParse([]).success && !schema.safeParse(undefined).success)
    found.push(['an empty list', { [name]: [] }]);
  if ('ref' in (factOf(schema) ?? {})) found.push(['an id below 1', { [name]: -5 }], ['a fraction for an id', { [name]: 1.5 }]);
  return found.map(([what, args]) => [`${name}: ${what}`, args]);
}

const DAYS = (days: number) => ({
  startDate: '2026-06-01T00:00:00Z',
  endDate: new Date(Date.parse('2026-06-01T00:00:00Z') + days * 86_400_000).toISOString(),
});
const job = (more: Args): Args => ({
  name: 'Bad',
  format: 'CSV',
  scope: 'sessions',
  frequency: { value: 'daily' },
  fields: [{ fieldName: 'user_id' }],
  deviceLabel: 'all',
  segmentId: 'Germany',
  ...more,
});
const once = (from?: string, to?: string) => ({ frequency: { value: 'once', ...(from && { dateRange: { from, to } }) } });

/** Rules of the reference that join several values. */
const joined: readonly (readonly [tool: string, what: string, args: Args])[] = [
  ['create_export_job', 'once without a range', job(once())],
  ['create_export_job', 'an end before its start', job(once('2026-11-10', '2026-11-01'))],
  ['create_export_job', '30 February with a time', job(once('2026-02-30T10:00:00Z', '2026-11-01'))],
  ['plan_export', 'no field', { fields: [] }],
  ['get_site_visits', 'more than 92 days', { ...DAYS(93), segmentIds: ['Germany'] }],
  ['get_site_visits', 'daily within a day', { ...DAYS(1), period: 'daily', segmentIds: ['Germany'] }],
  ['get_zone_metrics', 'more than 92 days', { ...DAYS(93), zoneId: 'Home / Header / Search bar' }],
  ['list_scenario_reports', 'an end before its start', { scenarioId: 'Checkout', dateFrom: '2026-11-10', dateTo: '2026-11-01' }],
  ['analyze_paths', 'six steps deep', { from: 'entry', depth: 6 }],
  ['list_successful_export_runs', 'an end before its start', { startDate: '2026-11-10', endDate: '2026-11-01' }],
  ['create_speed_event', '30 February with a time', { key: 'k', text: 'T', date: '2026-02-30T10:00:00Z' }],
  ['delete_speed_event', 'an empty key', { key: ' ' }],
  ['measure_impact', 'an unknown condition', { conditions: [{ what: 'qqqqqqqq' }] }],
];

describe('bad input is refused in words before any request leaves', () => {
  let sample: (tool: AnyTool) => Args;
  beforeEach(async () => {
    sample ??= await sampleArguments({ ask });
    platform().requests.length = 0;
  });

  const refused = async (tool: string, args: Args) => {
    const answer = await call(tool, args);
    const requests = platform().requests.map(({ operation }) => operation);
    platform().requests.length = 0;
    return { isError: answer.isError, requests, ...(answer.isError ? {} : { text: answer.text.slice(0, 200) }) };
  };

  it.each(tools.map((tool) => [tool.name, tool] as const))('%s', { tags: 'nightly' }, async (name, tool) => {
    const bad = shapeOf(tool).flatMap(([argument, schema]) => badValues(argument, schema, tool));
    // The end of a week that the start names is known.
    const missing = Object.keys(sample(tool)).filter(
      (argument) => argument !== 'endDate' && !inputOf(tool).shape[argument]?.safeParse(undefined).success,
    );
    const cases: [string, Args][] = [
      ...bad.map(([what, args]): [string, Args] => [what, { ...sample(tool), ...args }]),
      ...missing.map((argument): [string, Args] => [
        `${argument}: left out`,
        Object.fromEntries(Object.entries(sample(tool)).filter(([each]) => each !== argument)),
      ]),
      ['an unknown argument', { ...sample(tool), nmae: 1 }],
    ];
    const outcomes: [string, object][] = [];
    for (const [what, args] of cases) outcomes.push([what, await refused(name, args)]);
    expect(outcomes).toEqual(cases.map(([what]) => [what, { isError: true, requests: [] }]));
  });

  it.each(joined)('%s: %s', async (tool, _, args) => {
    expect(await refused(tool, args)).toEqual({ isError: true, requests: [] });
  });
});

it('what hosts add to arguments is no argument of any tool', () => {
  const names = tools.flatMap((tool) => Object.keys(inputOf(tool).shape));
  expect(names.filter((name) => HOST_NAMES.has(name) || name.startsWith('_'))).toEqual([]);
});
