import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/api/check-input.ts';
import { markdownTable } from '../../../src/lib/text-table.ts';
import { prompts } from '../../../src/prompts/index.ts';
import { resources } from '../../../src/resources/index.ts';
import { deprecated, defineAnsweringTool, READ } from '../../../src/tooling/tool.ts';
import { understand } from '../../../src/tooling/lenient-input.ts';
import { inputOf, listTools } from '../../../src/tooling/schema.ts';
import { toolsets } from '../../../tools/index.ts';
import { textOf } from '../../support/sources.ts';
import { classify, contractOf, type SurfaceChange, type SurfaceTool } from './classify.ts';
import { classifyOffers, type Offers, offersOf } from './offers.ts';

const released = JSON.parse(readFileSync(new URL('released.json', import.meta.url), 'utf8')) as {
  version: string;
  tools: SurfaceTool[];
} & Offers;
const { version } = JSON.parse(textOf('package.json')) as { version: string };
const byName = new Map(toolsets.flatMap(({ tools }) => tools).map((tool) => [tool.name, tool]));

function accepts(name: string, args: Readonly<Record<string, unknown>>): boolean {
  const tool = byName.get(name);
  if (!tool) return false;
  try {
    check(inputOf(tool), understand(inputOf(tool), args).input);
    return true;
  } catch {
    return false;
  }
}

const changes = [
  ...classify(released.tools, listTools(toolsets).map(contractOf), accepts),
  ...classifyOffers(released, offersOf(prompts, resources)),
];
const breaking = changes.filter(({ kind }) => kind === 'breaking');

/** What breaks callers needs a higher major version, or while that is 0 a higher minor one. */
function isMajor(from: string, to: string): boolean {
  const [[oldMajor = 0, oldMinor = 0], [major = 0, minor = 0]] = [from, to].map((each) => each.split('.').map(Number)) as [
    number[],
    number[],
  ];
  return major > oldMajor || (oldMajor === 0 && major === 0 && minor > oldMinor);
}

/** Lines of the changelog under the present version that begin with `Breaking:`. */
function breakingLines(): string[] {
  const [, section = ''] = textOf('CHANGELOG.md').split(`\n## ${version}`);
  return (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('- Breaking: '));
}

const table = (some: readonly SurfaceChange[]) =>
  some.length === 0
    ? 'None.'
    : markdownTable(
        ['of', 'change'],
        some.map(({ tool, what }) => [`\`${tool}\``, what]),
      );

const page = `# Changes of the surface

Hosts and directories keep names, schemas and annotations of tools, prompts with their arguments, and addresses of resources; so they are \
a contract. This is what changed from \
${released.version} to ${version}, classified by a test. Breaking is what a caller or a reader of answers that was written for \
${released.version} would trip over: a tool or argument that is gone, a type, value or bound that is narrower and no longer understood, \
a new required argument, another annotation, a member of an answer that may now be absent or of another type, a prompt, an address \
or a form of a resource that is gone. A name that goes is \
deprecated for one version before: its description begins with "Deprecated since", names what takes its place, and it is still \
understood. Written by \`npx vitest run --config test/vitest.config.ts test/surface/contract -u\`.

## Breaking

${table(breaking)}

## Compatible

${table(changes.filter(({ kind }) => kind === 'compatible'))}

---

[README](../../README.md) · [All documents](../README.md) · [Tools](../tools.md)
`;

describe('the surface since the last release', () => {
  it('breaks nothing without a major version', () => {
    if (breaking.length > 0)
      expect([released.version, version, isMajor(released.version, version)]).toEqual([released.version, version, true]);
  });

  it('has a line in CHANGELOG.md for each tool that it breaks: "- Breaking: `tool` …"', () => {
    const lines = breakingLines();
    const unsaid = [...new Set(breaking.map(({ tool }) => tool))].filter((tool) => !lines.some((line) => line.includes(`\`${tool}\``)));
    expect(unsaid).toEqual([]);
  });

  it('names in each deprecation what there is', () => {
    const tools = listTools(toolsets);
    for (const { name, description, inputSchema } of tools) {
      const use = /^Deprecated since [\d.]+: use (\w+)\./.exec(description)?.[1];
      if (use !== undefined)
        expect(
          tools.map((tool) => tool.name),
          name,
        ).toContain(use);
      const members = Object.entries((inputSchema['properties'] ?? {}) as Record<string, { description?: string }>);
      for (const [, member] of members) {
        const instead = /^Deprecated since [\d.]+: use (\w+)\./.exec(member.description ?? '')?.[1];
        if (instead !== undefined)
          expect(
            members.map(([each]) => each),
            name,
          ).toContain(instead);
      }
    }
  });

  it('is written up in docs/evidence/surface-changes.md', async () => {
    await expect(page).toMatchFileSnapshot('../../../docs/evidence/surface-changes.md');
  });
});

const object = (properties: Record<string, unknown>, required: string[] = []) => ({ type: 'object', properties, required });
const one = (values: string[]) => ({ type: 'string', enum: values });
const upTo = (maximum: number) => ({ type: 'integer', maximum });

it('each change of a tool is classified; what is still understood breaks nobody', () => {
  const before: SurfaceTool = {
    name: 'a',
    annotations: { readOnlyHint: true },
    inputSchema: object({ view: {}, by: one(['x', 'y']), kind: one(['x']), limit: upTo(50), id: { type: 'integer' } }),
    outputSchema: object({ rows: { type: 'array' } }, ['rows']),
  };
  const after: SurfaceTool = {
    name: 'a',
    annotations: { readOnlyHint: false },
    inputSchema: object({ by: one(['x']), kind: one(['x', 'y']), limit: upTo(20), id: { type: 'string' }, z: {}, needed: {} }, ['needed']),
    outputSchema: object({ rows: { type: 'array' } }),
  };
  const kinds = (isUnderstood: boolean) =>
    classify([before, { ...before, name: 'b' }], [after, { ...after, name: 'c' }], () => isUnderstood).map(
      ({ kind, tool, what }) => `${kind}: ${tool} ${what}`,
    );
  const rest = [
    'breaking: a needed is required',
    'compatible: a takes z',
    'compatible: a kind takes more',
    'breaking: a answer.rows may be absent',
    'breaking: a readOnlyHint is false (true before)',
    'breaking: b is gone',
    'compatible: c is new',
  ];
  const narrowed = [
    'view is gone',
    'by no longer takes y',
    'limit has maximum 20 (50 before)',
    'id no longer takes integer',
  ];
  expect(classify([before], [before], () => false)).toEqual([]);
  expect(kinds(false)).toEqual([...narrowed.map((what) => `breaking: a ${what}`), ...rest]);
  expect(kinds(true)).toEqual([...narrowed.map((what) => `compatible: a ${what}, what was sent before is understood`), ...rest]);
});

it('each change of a prompt or a resource is classified', () => {
  const prompt = (name: string, known: Record<string, boolean>) => ({
    name,
    arguments: Object.entries(known).map(([argument, required]) => ({ name: argument, required })),
  });
  const resource = (path: string, mimeType = 'application/json') => ({ template: `analytics://{projectId}/${path}`, mimeType });
  const before: Offers = {
    prompts: [prompt('a', { week: false, job: true, day: false }), prompt('b', {})],
    resources: [resource('a/{id}'), resource('b/{id}'), resource('c')],
  };
  const after: Offers = {
    prompts: [prompt('a', { week: true, job: false, goal: false, needed: true }), prompt('c', {})],
    resources: [resource('a/{key}'), resource('b/{id}', 'text/markdown'), resource('d')],
  };
  expect(classifyOffers(before, before)).toEqual([]);
  expect(classifyOffers(before, after).map(({ kind, tool, what }) => `${kind}: ${tool} ${what}`)).toEqual([
    'breaking: prompt a day is gone',
    'breaking: prompt a week is required',
    'compatible: prompt a job may be left out',
    'compatible: prompt a takes goal',
    'breaking: prompt a needed is required',
    'breaking: prompt b is gone',
    'compatible: prompt c is new',
    'compatible: resource analytics://{projectId}/a/{id} is written analytics://{projectId}/a/{key}',
    'breaking: resource analytics://{projectId}/b/{id} is text/markdown (application/json before)',
    'breaking: resource analytics://{projectId}/c is gone',
    'compatible: resource analytics://{projectId}/d is new',
  ]);
});

describe('a name that goes', () => {
  const old = defineAnsweringTool({
    name: 'old_tool',
    title: 'Old',
    description: 'Does it.',
    searchHint: 'old',
    annotations: READ,
    scope: 'metrics',
    deprecated: { since: '0.3.0', use: 'query_metrics' },
    input: z.strictObject({
      jobIds: z.array(z.string()).describe('Jobs').optional(),
      jobs: deprecated(z.array(z.string()), { since: '0.3.0', use: 'jobIds' }),
    }),
    output: z.object({}),
    handler: () => Promise.resolve({}),
  });

  it('says since when, and what takes its place', () => {
    const [listed] = listTools([{ name: 't', description: 'T.', tools: [old] }]);
    expect(listed?.description).toBe('Deprecated since 0.3.0: use query_metrics. Does it.');
    expect(JSON.stringify(listed?.inputSchema)).toContain('Deprecated since 0.3.0: use jobIds.');
  });

  it('is understood as what takes its place, with a note', () => {
    expect(understand(inputOf(old), { jobs: ['a'] })).toEqual({
      input: { jobIds: ['a'] },
      notes: ['jobs is deprecated since 0.3.0 and goes with the next major version: use jobIds.'],
    });
  });
});
