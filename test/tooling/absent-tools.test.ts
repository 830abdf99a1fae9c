import { describe, expect, it } from 'vitest';
import { toolsets } from '../../tools/index.ts';
import { type AssistantOptions, ownAssistant } from '../support/assistant.ts';
import { useTools } from '../tools/support.ts';

const use = useTools();
const known = toolsets.flatMap(({ tools }) => tools.map(({ name }) => name));
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

async function open(options: AssistantOptions) {
  const assistant = await ownAssistant(use.platform(), options);
  const { tools } = await assistant.client.listTools();
  return { ...assistant, tools, absent: known.filter((name) => !tools.some((tool) => tool.name === name)) };
}

/** Those of the texts that name an absent tool. */
const naming = (texts: readonly string[], absent: readonly string[]) =>
  texts.filter((text) => absent.some((name) => new RegExp(`\\b${name}\\b`).test(text)));

// That every reference is a hint is held by test/tool-references.test.ts.
it.each(choices)(
  '%s is listed, greeted and described without any other tool, and says of each what it does and takes',
  async (_, options) => {
    const { client, tools, absent } = await open(options);
    const { resourceTemplates } = await client.listResourceTemplates();
    const prompts = client.getServerCapabilities()?.prompts ? (await client.listPrompts()).prompts : [];
    const texts = [client.getInstructions() ?? '', ...textsUnder([tools, resourceTemplates, prompts], 'description')];
    expect(absent.length).toBeGreaterThan(0);
    expect(naming(texts, absent)).toEqual([]);
    for (const { name, description = '', inputSchema } of tools) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z][^]{10,}[.?]$/)]);
      expect(textsUnder(inputSchema, 'description').filter((text) => text.length < 4)).toEqual([]);
    }
  },
);

describe('with a part of the tools', () => {
  it('names in an error the tool that lists what there is, or the one that finds it', { tags: 'nightly' }, async () => {
    const text = async (options: AssistantOptions) =>
      (await (await open(options)).call('analyze_har', { scenarioStepResultId: '987654' })).text;
    expect(await text({})).toContain('get_scenario_report lists what exists.');
    expect(await text({ toolsets: ['core'] })).toContain('find_objects lists what exists.');
  });

  it('names the way to files by tools that it has', { tags: 'nightly' }, async () => {
    const { call } = await open({ readOnly: true });
    const { isError, text } = await call('query_export', { sql: 'SELECT screen_width FROM sessions' });
    expect(isError).toBe(true);
    expect(text).toContain('Nothing is downloaded yet. The platform has no files of it.');
    expect(text).not.toMatch(/sync_exports|apply_export_plan/);
  });
});
