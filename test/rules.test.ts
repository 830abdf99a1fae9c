import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../src/api/operations/index.ts';
import { instructions } from '../src/protocol/server.ts';
import { changesSomething } from '../src/tooling/tool.ts';
import { toolsets } from '../tools/index.ts';
import { withPlatform } from './support/emulator.ts';
import { listing, type Schema } from './support/listing.ts';
import { filesBelow, textOf } from './support/sources.ts';

/** What assistants, prompts and documents rely on, typed by hand where no operation says it. */
interface ToolContract {
  /** Parameters without `projectId`, which every tool has, and `confirm`, which every confirmed tool has; `!` marks the required ones. */
  readonly parameters: string;
  readonly write?: true;
  readonly confirmed?: true;
}

/** What all tools over visits take. */
const VISITS = 'jobIds startDate endDate devices visitorType countries browsers entryPages automated';

/** The tools that answer a question; each holds to this as soon as it exists. */
const insightContract: Readonly<Record<string, ToolContract>> = {
  find_objects: { parameters: 'text! kinds limit' },
  find_changes: { parameters: 'startDate endDate days metrics devices segmentIds goalIds zoneIds include limit' },
  query_metrics: {
    parameters:
      'metrics! startDate! endDate! breakdown totals shares expected devices segmentIds compareSegments goalIds zoneIds projectIds ' +
      'orderBy limit chart',
  },
  compare_metrics: {
    parameters:
      'metrics startDate! endDate! baselineStartDate baselineEndDate baseline by devices segmentIds compareSegments goalId ' +
      'zoneIds projectIds detect explain chart',
  },
  analyze_scenario: {
    parameters: 'scenarioIds view breakdown startDate endDate baselineStartDate baselineEndDate step metrics orderBy limit cursor chart',
  },
  check_speed_budgets: { parameters: 'scenarioIds budgets since runs limit cursor' },
  analyze_har: {
    parameters:
      'scenarioStepResultId scenarioId step view problem url type domain status minDurationMs minBytes orderBy limit cursor chart',
  },
  compare_hars: { parameters: 'before after scenarioId step since' },
  plan_export: { parameters: 'fields! name scope format frequency startDate endDate deviceLabel segmentId' },
  apply_export_plan: { parameters: 'planId! allowDuplicate', write: true, confirmed: true },
  download_export_run: { parameters: 'jobId! runId waitSeconds' },
  sync_exports: { parameters: 'jobIds since waitSeconds' },
  find_export_gaps: { parameters: 'jobId startDate endDate' },
  query_export: { parameters: 'jobId jobIds sql limit chart' },
  list_workspace: { parameters: 'jobIds' },
  analyze_funnel: {
    parameters: `steps! order within withinDays breakdown baselineStartDate baselineEndDate ${VISITS} chart`,
  },
  analyze_paths: { parameters: `from! direction depth limit ${VISITS} chart` },
  analyze_retention: { parameters: `by periods breakdown ${VISITS} chart` },
  measure_impact: { parameters: `conditions outcome ${VISITS} limit chart` },
  purge_workspace: { parameters: 'jobIds before', write: true, confirmed: true },
};

/** Members of the objects inside parameters; no other parameter holds an object. The fields of an `enrichment` are free. */
const nestedMembers: Readonly<Record<string, string>> = {
  'create_export_job.frequency': 'value! dateRange',
  'create_export_job.frequency.dateRange': 'from! to!',
  'create_export_job.fields[]': 'fieldName! aliasName customVarPosition dynamicVarKey',
  'send_enrichments.enrichments[]': 'sessionId userId sessionNumber enrichmentNumber enrichment!',
  'send_enrichments.enrichments[].enrichment': '',
  'check_speed_budgets.budgets[]': 'metric! limit!',
  'measure_impact.conditions[]': 'what! pages overSeconds over message name value',
};

/** First words of names; a new one is a decision. */
const VERBS = 'authenticate list get create delete send find query compare analyze check plan apply download sync purge measure'.split(' ');
/** Words with an underscore that name no tool: values of the interface and of the date grammar. */
const OTHER_WORDS = /^(custom_var|dynamic_var|(last|this)_(week|month|quarter|year))$/;

const { tools, instructions: greeting } = await listing();
const definitions = toolsets.flatMap((toolset) => toolset.tools.map((tool) => ({ toolset: toolset.name, tool })));
/** Tools that stand for one operation each, and those that answer a question. */
const direct = definitions.flatMap(({ toolset, tool }) => (tool.operation ? [{ toolset, tool, operation: tool.operation }] : []));
const insights = definitions.filter(({ tool }) => !tool.operation).map(({ tool }) => tool);
/** Parameters of direct tools that no operation has: what the boundary or the answer adds. */
const ADDED: Readonly<Record<string, string>> = {
  get_scenario_report: 'metrics',
  list_scenario_reports: 'metrics',
  get_step_report: 'metrics',
  authenticate: 'scope renew',
  send_enrichments: 'skipInvalid encoding',
  list_segments: 'source',
  list_goals: 'type',
  list_page_groups: 'category',
  list_successful_export_runs: 'jobIds startDate endDate expiresBefore',
};
const listed = tools.map((tool) => ({ ...tool, input: tool.inputSchema as Schema }));

/** All parameters of a schema with the path that leads to them: `frequency.dateRange.from`, `fields[].fieldName`. */
function parametersOf(schema: Schema, prefix = ''): { path: string; schema: Schema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const below = member.items ? parametersOf(member.items, `${path}[].`) : parametersOf(member, `${path}.`);
    return [{ path, schema: member }, ...below];
  });
}

/** `startDate! device`, in alphabetical order. */
function signature({ properties = {}, required = [] }: Schema): string[] {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `${name}!` : name))
    .toSorted();
}

const words = (text: string) =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .toSorted();

it('the contract is kept: every tool is listed, in its order', () => {
  expect(tools.map(({ name }) => name)).toEqual(definitions.map(({ tool }) => tool.name));
  const missing = insights.map(({ name }) => name).filter((name) => !Object.hasOwn(insightContract, name));
  expect(missing, 'add them to insightContract in this file').toEqual([]);
});

it('the contract holds for what answers a question as for the rest', () => {
  for (const { name, input, confirmed = false, annotations } of insights) {
    const { parameters = '', confirmed: promised = false, write = false } = insightContract[name] ?? {};
    const given = signature(listed.find((tool) => tool.name === name)?.input ?? {});
    expect([name, ...given]).toEqual([name, ...[...words(parameters), 'projectId', ...(promised ? ['confirm'] : [])].toSorted()]);
    expect([name, confirmed, Object.keys(input.shape).includes('confirm')]).toEqual([name, promised, false]);
    expect(Object.values(annotations)).toEqual([expect.any(Boolean), expect.any(Boolean), expect.any(Boolean), expect.any(Boolean)]);
    expect([name, write && annotations.readOnlyHint]).toEqual([name, false]);
  }
});

it.each(direct)('the contract $tool.name takes the parameters of its operation, spelt as there', ({ tool, operation }) => {
  const { input = {} } = listed.find(({ name }) => name === tool.name) ?? {};
  // Those of the two OAuth operations come from the credential.
  const own = operation.base === 'auth' ? [] : Object.keys(operation.input.shape);
  const boundary = ['projectId', ...(tool.confirmed ? ['confirm'] : []), ...(tool.charted ? ['chart'] : [])];
  const expected = [...new Set([...own, ...words(ADDED[tool.name] ?? ''), ...boundary])];
  const message =
    `tools/…/${tool.name.replaceAll('_', '-')}.ts: its input must have the names of its operation (${own.join(', ')}); ADDED in ` +
    'this file lists what else it may take';
  expect(Object.keys(input.properties ?? {}).toSorted(), message).toEqual(expected.toSorted());
});

it('the contract allows objects inside parameters only where it shows them', () => {
  const nested = listed.flatMap(({ name, input }) =>
    parametersOf(input)
      .flatMap(({ path, schema }) => [{ path, schema }, ...(schema.items ? [{ path: `${path}[]`, schema: schema.items }] : [])])
      .filter(({ schema }) => schema.type === 'object')
      .map(({ path, schema }) => [`${name}.${path}`, signature(schema)]),
  );
  const allowed = Object.entries(nestedMembers).filter(([path]) => tools.some(({ name }) => path.startsWith(`${name}.`)));
  expect(Object.fromEntries(nested)).toEqual(Object.fromEntries(allowed.map(([path, members]) => [path, words(members)])));
});

it.each(direct)('the contract $tool.name writes or reads as its operation does, and says so in all four hints', ({ tool, operation }) => {
  const { name, confirmed = false } = tool;
  // An event can be deleted again; every other write cannot be undone here, so the person is asked.
  expect(confirmed).toBe(!operation.safe && name !== 'create_speed_event');
  expect(listed.find((each) => each.name === name)?.annotations).toEqual({
    readOnlyHint: operation.safe,
    destructiveHint: name.startsWith('delete_'),
    idempotentHint: !name.startsWith('create_'),
    openWorldHint: true,
  });
});

it.each(tools)('names $name begins with a verb, in snake_case, with at most 40 characters', ({ name, title }) => {
  expect(name).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
  expect(name.length).toBeLessThanOrEqual(40);
  expect(VERBS).toContain(name.split('_')[0]);
  expect(title).toMatch(/^[A-Z].{3,40}$/);
});

it('names of files are those of their tools', () => {
  const files = filesBelow('tools').filter((path) => !/(index|loaders)\.ts$/.test(path));
  const declared = definitions.map(({ toolset, tool }) => `tools/${toolset}/${tool.name.replaceAll('_', '-')}.ts`);
  expect(files, 'list each tool in tools/<toolset>/index.ts, and call its file after it').toEqual(declared.toSorted());
});

it.each(definitions)('tests hold the whole answer of $tool.name', ({ toolset, tool }) => {
  const folder = `test/tools/${toolset}/`;
  const files = filesBelow('test/tools').filter((path) => path.startsWith(folder));
  const own = files.find((path) => path.startsWith(`${folder}${tool.name.replaceAll('_', '-')}.`) && path.endsWith('.test.ts'));
  const holders = own ? [own] : files.filter((path) => path.endsWith('.test.ts') && textOf(path).includes(`'${tool.name}'`));
  expect(holders.map(textOf).join('\n'), `add ${folder}…test.ts`).toMatch(/\bwhole\(answer\).*toMatchSnapshot\(\)/);
});

describe('schemas', () => {
  it.each(listed)('of $name are strict, flat at the root and small', ({ input, outputSchema }) => {
    expect(input.type).toBe('object');
    expect(Object.keys(input)).not.toContain('anyOf');
    expect(JSON.stringify(input)).not.toMatch(/oneOf|allOf|\$ref|\$schema|9007199254740991/);
    expect(JSON.stringify(input).length).toBeLessThan(16_384 / 4);
    expect(input.additionalProperties).toBe(false);
    const open = parametersOf(input).filter(({ schema }) => schema.properties && schema.additionalProperties !== false);
    expect(open).toEqual([]);
    expect(outputSchema).toMatchObject({ type: 'object' });
  });

  it.each(listed)(
    'of $name describe each parameter in at most 90 characters; a list of values and an object speak for themselves',
    ({ input }) => {
      const parameters = parametersOf(input);
      const speaks = ({ enum: values, properties, description = '' }: Schema) => description.length >= 4 || (values ?? properties);
      expect(parameters.filter(({ schema }) => !speaks(schema))).toEqual([]);
      expect(parameters.filter(({ schema }) => schema.description === '' || (schema.description?.length ?? 0) > 90)).toEqual([]);
    },
  );
});

describe('words for the model', () => {
  it.each(tools)('of $name are one to three sentences', ({ description = '' }) => {
    expect(description).toMatch(/^[A-Z].*[.]$/);
    // Hosts search the words of people in it; what it may cost is held in tokens by test/surface.
    expect(description.length).toBeLessThanOrEqual(345);
    expect(description.split(/[.] /).length).toBeLessThanOrEqual(4);
  });

  /** What is written like the name of a tool; with `…` what several names begin with. */
  const mentionedIn = (text: string) => text.match(new RegExp(`\\b(${VERBS.join('|')})_[a-z_]*(…|\\b)`, 'g')) ?? [];
  const isOneOf = (names: readonly string[]) => (word: string) =>
    names.some((name) => (word.endsWith('…') ? name.startsWith(word.slice(0, -1)) : name === word));
  const existing = tools.map(({ name }) => name);

  it('name only tools that exist', () => {
    const mentioned = [greeting, JSON.stringify(tools)].flatMap(mentionedIn);
    expect(mentioned.filter((word) => !isOneOf(existing)(word))).toEqual([]);
    const odd = [greeting, ...tools.map(({ description = '' }) => description)].flatMap(
      (text) => text.match(/\b[a-z]+_[a-z_]*[a-z]\b/g) ?? [],
    );
    expect(odd.filter((word) => !existing.includes(word) && !OTHER_WORDS.test(word) && word !== 'get_zone')).toEqual([]);
  });

  it('name no tool that was never promised, wherever they are written', () => {
    const files = filesBelow('src', 'tools').filter((path) => path.endsWith('.ts') && !path.startsWith('src/emulator/'));
    const mentioned = files.flatMap((path) => mentionedIn(textOf(path)).map((word) => ({ path, word })));
    const promised = isOneOf([...existing, ...Object.keys(insightContract)]);
    expect(mentioned.length).toBeGreaterThan(100);
    // Members of the interface of ClickHouse, each at its only place.
    expect(mentioned.filter(({ word }) => !promised(word))).toEqual([
      { path: 'src/exports/warehouse/connection.ts', word: 'query_params' },
      { path: 'src/exports/warehouse/run-statement.ts', word: 'query_plan_remove_redundant_sorting' },
    ]);
  });

  it('greet in at most 1 KB, with the day of the configured zone', () => {
    expect(Buffer.byteLength(greeting)).toBeLessThanOrEqual(1024);
    expect(greeting).toContain('Today is 2026-11-20, time zone UTC.');
    const inTokyo = instructions({ timeZone: 'Asia/Tokyo', nowMs: Date.parse('2026-11-20T20:00:00Z') });
    expect(inTokyo).toContain('Today is 2026-11-21, time zone Asia/Tokyo.');
    expect(Buffer.byteLength(instructions({ timeZone: 'America/Argentina/ComodRivadavia', nowMs: 0 }))).toBeLessThanOrEqual(1024);
  });
});

it('the greeting names each tool that writes without a question', () => {
  const unasked = definitions.map(({ tool }) => tool).filter((tool) => changesSomething(tool) && !tool.confirmed);
  expect(unasked.map(({ name }) => name)).toEqual(greeting.match(/only (create_\w+) writes at once/)?.slice(1));
});

it('operations have exactly one tool each', () => {
  const used = direct.map(({ operation }) => operation);
  expect(new Set(used).size).toBe(used.length);
  const without = Object.entries(operations).filter(([, operation]) => !used.some((each) => each === operation));
  const message = 'add tools/<toolset>/<tool-name>.ts and list it in tools/<toolset>/index.ts';
  expect(
    without.map(([name]) => name),
    message,
  ).toEqual([]);
});

it('operations are answered by the emulator, each at its own path', async () => {
  await withPlatform(async (platform) => {
    for (const name of Object.keys(operations) as OperationName[]) {
      await platform.call(name, { jobId: 1, runId: 1, mappingId: 1, pageGroupId: 1, zoningId: 1, zoneId: 1 });
      expect(platform.requests.at(-1)?.operation).toBe(name);
    }
  });
});
