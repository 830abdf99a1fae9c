import { describe, expect, it } from 'vitest';
import { coreTools, enabledTools } from '../../src/commands/catalogue.ts';
import { listTools } from '../../src/tooling/schema.ts';
import { toolsets } from '../../tools/index.ts';
import { type AssistantOptions, ownAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { refusal, useTools } from '../tools/support.ts';

const platform = sharedPlatform();
const known = toolsets.flatMap(({ tools }) => tools.map(({ name }) => name));
const writes = new Set([
  'create_speed_event',
  'delete_speed_event',
  'create_export_job',
  'send_enrichments',
  'apply_export_plan',
  'purge_workspace',
]);

/** Names as a client lists them. */
async function listed(options: AssistantOptions): Promise<string[]> {
  const assistant = await ownAssistant(platform(), options);
  const { tools } = await assistant.client.listTools();
  return tools.map(({ name }) => name);
}

describe('the list of tools', () => {
  it('depends on settings alone: whatever the credential may do, nothing is asked', async () => {
    const all = await listed({});
    expect(all).toEqual(known);
    expect(await listed({ credential: 'noSpeed' })).toEqual(all);
    expect(await listed({ credential: 'expired' })).toEqual(all);
    expect(platform().requests).toEqual([]);
  });

  it('leaves out every tool that writes when it may only read', async () => {
    const readOnly = await listed({ readOnly: true });
    expect(readOnly.filter((name) => writes.has(name))).toEqual([]);
    expect(readOnly).toEqual(known.filter((name) => !writes.has(name)));
    const assistant = await ownAssistant(platform(), { readOnly: true });
    await expect(assistant.call('create_export_job')).rejects.toThrow(/create_export_job/);
  });

  it.each(toolsets.map(({ name }) => [name]))('is that of the toolset %s when it is named', async (name) => {
    const own = toolsets.find((toolset) => toolset.name === name)?.tools.map((tool) => tool.name);
    expect(await listed({ toolsets: [name] })).toEqual(own);
  });

  it('is short where core is named, with toolsets beside it', async () => {
    const core = await listed({ toolsets: ['core'] });
    expect(core.toSorted()).toEqual([...coreTools].toSorted());
    expect(core).toEqual(known.filter((name) => coreTools.has(name)));
    const metrics = toolsets.find(({ name }) => name === 'metrics')?.tools.map(({ name }) => name) ?? [];
    expect(await listed({ toolsets: ['core', 'metrics'] })).toEqual(known.filter((name) => coreTools.has(name) || metrics.includes(name)));
    expect(await listed({ toolsets: ['core'], readOnly: true })).toEqual(core.filter((name) => name !== 'apply_export_plan'));
  });

  it('is refused for a toolset that there is not', () => {
    expect(() => enabledTools(listTools(toolsets), { toolsets: ['metrics', 'weather'], readOnly: false })).toThrow(
      `--toolsets (WEB_ANALYTICS_TOOLSETS): no toolset "weather"; there are all, core, ${toolsets.map(({ name }) => name).join(', ')}`,
    );
  });
});

it('a credential without a scope is told which it has; its other tools work', async () => {
  const assistant = await ownAssistant(platform(), { credential: 'noSpeed' });
  const refused = await assistant.call('list_scenarios');
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringContaining('lacks the scope speed-analysis; it has data-export, metrics.'),
  });
  expect(await assistant.call('list_segments')).toMatchObject({ isError: false });
});

it('a credential of an account without a project is told which there are, in each family', async () => {
  const assistant = await ownAssistant(platform(), { defaultProjectId: undefined });
  const reads = {
    list_scenarios: {},
    list_export_jobs: {},
    list_goals: {},
    get_site_visits: { startDate: 'yesterday', endDate: 'yesterday' },
  };
  for (const [tool, args] of Object.entries(reads)) {
    const { isError, text } = await assistant.call(tool, args);
    expect(isError).toBe(true);
    expect(text).toContain(
      'projectId: the credential reaches several projects; choose one of 1201 (Nordlicht Shop), 1202 (Nordlicht App), 1203 ' +
        '(Nordlicht Magazin).',
    );
    expect(await assistant.call(tool, { ...args, projectId: 1203 })).toMatchObject({ isError: false });
  }
  expect((await assistant.call('get_credential')).structured['projects']).toHaveLength(3);
});

const use = useTools();
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
    expect({ isError, text }).toEqual(refusal('Nothing is downloaded yet. The platform has no files of it.'));
    expect(text).not.toMatch(/sync_exports|apply_export_plan/);
  });
});
