import { describe, expect, it } from 'vitest';
import { coreTools, enabledTools } from '../../src/commands/catalogue.ts';
import { listTools } from '../../src/tooling/schema.ts';
import { toolsets } from '../../tools/index.ts';
import { type AssistantOptions, ownAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

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
