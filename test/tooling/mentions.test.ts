import { afterAll, describe, expect, it } from 'vitest';
import { withoutAbsent } from '../../src/tooling/mentions.ts';
import { inputOf } from '../../src/tooling/schema.ts';
import { toolsets } from '../../tools/index.ts';
import { type Assistant, type AssistantOptions, openAssistant } from '../support/assistant.ts';
import { someOf } from '../support/sample-size.ts';
import { sampleArguments } from '../tools/sample-arguments.ts';
import { useTools } from '../tools/support.ts';

describe('a text without absent tools', () => {
  const absent = new Set(['list_goals', 'get_step_har', 'plan_export', 'authenticate']);
  it.each<[string, string, string]>([
    ['keeps the others', 'Look with list_zones first.', 'Look with list_zones first.'],
    ['loses a sentence', 'Goals of the project. Their ids: list_goals. More follows.', 'Goals of the project. More follows.'],
    ['loses a clause', 'Start with list_goals; names are taken too.', 'Names are taken too.'],
    ['loses a clause that a tool begins', 'list_zones shows zones, list_goals goals.', 'list_zones shows zones.'],
    ['loses a parenthesis', 'Fill it (plan_export with dates) now.', 'Fill it now.'],
    ['keeps what is left of a list', 'From plan_export or find_export_gaps', 'From find_export_gaps'],
    ['keeps two of three', 'See list_zones, list_goals or list_zonings.', 'See list_zones or list_zonings.'],
    ['loses a line', 'It failed.\nlist_goals lists what exists.', 'It failed.'],
    ['loses a sentence that begins with a tool', 'Done. plan_export plans the rest.', 'Done.'],
    ['keeps words that only look alike', 'The field list_goals_total of plan_exports.', 'The field list_goals_total of plan_exports.'],
    ['is empty where nothing is left', 'Call plan_export.', ''],
  ])('%s', (_, text, left) => {
    expect(withoutAbsent(text, absent)).toBe(left);
  });
});

const use = useTools();
const known = toolsets.flatMap(({ tools }) => tools);
const choices: [string, AssistantOptions][] = [
  ['core', { toolsets: ['core'] }],
  ...toolsets.map(({ name }): [string, AssistantOptions] => [`the toolset ${name} alone`, { toolsets: [name] }]),
  ['all, read-only', { readOnly: true }],
  ['core, read-only', { toolsets: ['core'], readOnly: true }],
];

/** Every text under a key of any depth that is named so. */
function textsUnder(node: unknown, key: string): string[] {
  if (Array.isArray(node)) return node.flatMap((item) => textsUnder(item, key));
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => (name === key && typeof value === 'string' ? [value] : textsUnder(value, key)));
}

/** Opens, for the first test that asks, an assistant with those tools alone. */
function useChoice(options: AssistantOptions) {
  let opened: Promise<{ assistant: Assistant; names: string[]; absent: string[] }> | undefined;
  afterAll(async () => (await opened)?.assistant.close());
  return () =>
    (opened ??= (async () => {
      const assistant = await openAssistant(use.platform(), options);
      const { tools } = await assistant.client.listTools();
      const names = tools.map(({ name }) => name);
      return { assistant, names, absent: known.map(({ name }) => name).filter((name) => !names.includes(name)) };
    })());
}

/** Those of the texts that name an absent tool. */
const naming = (texts: readonly string[], absent: readonly string[]) =>
  texts.filter((text) => absent.some((name) => new RegExp(`\\b${name}\\b`).test(text)));

describe.each(choices)('%s', (_, options) => {
  const open = useChoice(options);

  it('is listed, greeted and described without any other tool', async () => {
    const { assistant, absent } = await open();
    const { client } = assistant;
    const { tools } = await client.listTools();
    const { resourceTemplates } = await client.listResourceTemplates();
    const prompts = client.getServerCapabilities()?.prompts ? (await client.listPrompts()).prompts : [];
    const texts = [client.getInstructions() ?? '', ...textsUnder([tools, resourceTemplates, prompts], 'description')];
    expect(absent.length).toBeGreaterThan(0);
    expect(naming(texts, absent)).toEqual([]);
  });

  it('still says of each tool what it does and what it takes', async () => {
    const { assistant } = await open();
    for (const { name, description = '', inputSchema } of (await assistant.client.listTools()).tools) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z][^]{10,}[.?]$/)]);
      expect(textsUnder(inputSchema, 'description').filter((text) => text.length < 4)).toEqual([]);
    }
  });
});

// Each calls all its tools three times.
describe.each(someOf(choices, 1))('%s', (_, options) => {
  const open = useChoice(options);

  it('answers, and fails, without sending anybody to another tool', async () => {
    const { assistant, names, absent } = await open();
    const argumentsOf = await sampleArguments(use);
    const texts: string[] = [];
    for (const tool of known.filter(({ name }) => names.includes(name))) {
      const usual = argumentsOf(tool);
      const nowhere = Object.fromEntries(
        Object.keys(inputOf(tool).shape).flatMap((name) => (/Ids?$/.test(name) && name !== 'projectId' ? [[name, 'zzzzzzzz']] : [])),
      );
      const gone = Object.fromEntries(
        Object.keys(usual).flatMap((name) => (name.endsWith('Id') && name !== 'projectId' ? [[name, '987654']] : [])),
      );
      for (const args of [usual, { ...usual, ...gone }, { ...usual, ...nowhere }]) {
        const { text, structured } = await assistant.call(tool.name, args);
        texts.push(
          text,
          ...textsUnder(structured, 'notes'),
          JSON.stringify(structured['notes'] ?? []),
          JSON.stringify(structured['next'] ?? ''),
        );
      }
    }
    expect(naming(texts, absent)).toEqual([]);
  }, 120_000);
});
