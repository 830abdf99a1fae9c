import type { Client } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import type { Schema } from '../support/listing.ts';
import { hostileName, hostileValue } from './hostile-values.ts';
import { type Rules, resultViolations } from './violations.ts';

type Args = Record<string, unknown>;

/** Texts of the emulated world by what a parameter is called; each is right somewhere and wrong elsewhere. */
const TEXTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /date|since|before|after|^from$|^to$/i,
    ['yesterday', '-7d', 'last_week', '2026-10', '2026-11-01', '2026-11-19T08:00:00+01:00', 'now', '2026-Q3'],
  ],
  [/projectId/, ['1201', '1202', '1203', 'Nordlicht Shop', '9']],
  [/scenario/i, ['4101', 'Checkout', '4102', 'all']],
  [/segment/i, ['Returning visitors', '12', 'all visitors']],
  [/goal/i, ['Purchase', '1', '2']],
  [/zone|zoning|group|mapping/i, ['8120447', '21504', '210617', 'Home', 'Home / Header / Search bar']],
  [/job|run/i, ['1', '2', '3', 'Daily sessions']],
  [/metric/i, ['visits', 'conversionRate', 'all', 'largestContentfulPaint', 'conversions', 'LCP']],
  [/sql/i, ['SELECT 1', 'SELECT count(*) FROM data', 'SELECT * FROM sessions LIMIT 2', 'SELEC']],
  [/field/i, ['user_id', 'browser', 'session_id', 'custom_var']],
  [/scope/i, ['metrics', 'data-export speed-analysis', 'sessions', 'views']],
];

const OTHER_TEXTS = ['checkout', 'a', '1', 'daily', 'COMPLETED', 'desc', 'deploy-42', 'cdn.example'];

function validText(name: string): fc.Arbitrary<string> {
  const known = TEXTS.filter(([pattern]) => pattern.test(name)).flatMap(([, texts]) => texts);
  return fc.constantFrom(...(known.length > 0 ? known : OTHER_TEXTS));
}

/** A value that the schema of the parameter allows. */
function valid(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 40, (schema.minimum ?? 0) + 40) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 5_000, 5_000), noNaN: true });
    case 'array':
      return fc.array(valid(schema.items ?? {}, name), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object':
      return validObject(schema);
    default:
      return validText(name);
  }
}

function validObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<Args> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valid(schema, name)]));
  return fc.record(members, { requiredKeys: required.filter((name) => Object.hasOwn(members, name)) });
}

/** How a set of arguments was spoilt, one member at a time. */
function nearlyValid(base: fc.Arbitrary<Args>, names: readonly string[], secrets: readonly string[]): fc.Arbitrary<Args> {
  const value = hostileValue(secrets);
  const name = names.length > 0 ? fc.constantFrom(...names) : hostileName;
  return fc.oneof(
    fc.tuple(base, name, value).map(([args, key, spoilt]) => ({ ...args, [key]: spoilt })),
    fc.tuple(base, hostileName, value).map(([args, key, extra]) => Object.fromEntries([...Object.entries(args), [key, extra]])),
    fc.tuple(base, name).map(([args, key]) => Object.fromEntries(Object.entries(args).filter(([each]) => each !== key))),
  );
}

/**
 * Arguments for one tool from its own schema: some that it allows, beginning with a call that is known to be good, most with one member
 * spoilt, some hostile in every member.
 */
function toolArguments(schema: Schema, sample: Args, secrets: readonly string[]): fc.Arbitrary<Args> {
  const names = Object.keys(schema.properties ?? {});
  const allowed = validObject(schema).map((args) => ({ ...args, ...sample }));
  const free = validObject(schema);
  const hostile = fc.dictionary(fc.oneof(names.length > 0 ? fc.constantFrom(...names) : hostileName, hostileName), hostileValue(secrets), {
    maxKeys: 6,
  });
  return fc.oneof(
    { weight: 2, arbitrary: allowed },
    { weight: 1, arbitrary: free },
    { weight: 5, arbitrary: nearlyValid(fc.oneof(allowed, free), names, secrets) },
    { weight: 2, arbitrary: hostile },
  );
}

/** One message that the server did not take as it should. */
export interface Finding {
  /** What was sent, cut for a log. */
  readonly sent: string;
  readonly violations: readonly string[];
}

/** What a round of fuzzing did. */
export interface Tally {
  readonly messages: number;
  readonly findings: readonly Finding[];
}

/** What every round needs. */
export interface Round {
  readonly rules: Rules;
  readonly seed: number;
  /** Lets time pass where the server waits for it. */
  readonly settle: <T>(answer: Promise<T>) => Promise<T>;
}

const LONGEST_SENT = 400;

/** What was sent, cut so that a log stays readable. */
export function briefly(sent: unknown): string {
  const text = typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? 'nothing');
  return text.length > LONGEST_SENT ? `${text.slice(0, LONGEST_SENT)}… (${text.length} characters)` : text;
}

/** The rounds taken together. */
export function together(tallies: readonly Tally[]): Tally {
  return { messages: tallies.reduce((sum, { messages }) => sum + messages, 0), findings: tallies.flatMap(({ findings }) => findings) };
}

async function violationsOf(client: Client, call: { name: string; arguments: Record<string, unknown> }, { rules, settle }: Round) {
  try {
    return resultViolations(await settle(client.callTool(call)), rules);
  } catch (error) {
    return [`is no answer but a failure of the call: ${String(error).slice(0, 300)}`];
  }
}

/** Calls each tool with so many sets of arguments made from its own schema, then once more with good ones. */
export async function fuzzTools(
  client: Client,
  { runs, sampleOf, ...round }: Round & { runs: number; sampleOf: (name: string) => Record<string, unknown> },
): Promise<Tally> {
  const { tools } = await client.listTools();
  const tallies: Tally[] = [];
  for (const { name, inputSchema } of tools) {
    const sample = sampleOf(name);
    const all = fc.sample(toolArguments(inputSchema as Schema, sample, round.rules.known), { numRuns: runs, seed: round.seed });
    const findings: Finding[] = [];
    for (const args of all) {
      const violations = await violationsOf(client, { name, arguments: args }, round);
      if (violations.length > 0) findings.push({ sent: `${name} ${briefly(args)}`, violations });
    }
    tallies.push({ messages: all.length, findings });
  }
  const good = await violationsOf(client, { name: 'list_goals', arguments: {} }, round);
  return together([...tallies, { messages: 1, findings: good.length > 0 ? [{ sent: 'list_goals at the end', violations: good }] : [] }]);
}
