import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { prompts } from '../../src/prompts/index.ts';
import { startServer } from '../support/stdio.ts';

const CHECKOUT = 'analytics://1201/scenarios/4101';
const INFO = { name: 'test', version: '0.0.0' };

/** The built server with a host of one era on its pipe; ends by itself when the host has gone. */
async function served(mode: 'legacy' | { pin: string }, use: (client: Client) => Promise<void>): Promise<void> {
  const server = await startServer();
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(server.transport());
  await use(client);
  await client.close();
  expect((await server.stop()).code).toBe(0);
  expect(server.stderr()).toBe('');
}

describe('the built server', () => {
  it('offers prompts, proposals and news to a host of the 2026 era', { tags: 'nightly' }, async () => {
    await served({ pin: '2026-07-28' }, async (client) => {
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(prompts.map(({ name }) => name));
      const ref = { type: 'ref/prompt' as const, name: 'explain_slow_page' };
      const { completion } = await client.complete({ ref, argument: { name: 'scenario', value: 'home' } });
      expect(completion.values).toEqual(['Home – desktop']);
      const { honoredFilter } = await client.listen({ resourceSubscriptions: [CHECKOUT] });
      expect(honoredFilter).toEqual({ resourceSubscriptions: [CHECKOUT] });
    });
  });

  it('offers them to a host of the 2025 era', { tags: 'nightly' }, async () => {
    await served('legacy', async (client) => {
      expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true }, prompts: {}, completions: {} });
      await client.subscribeResource({ uri: CHECKOUT });
      await expect(client.subscribeResource({ uri: 'analytics://1201/scenarios/4711' })).rejects.toThrow('4711');
    });
  });

  it('gives the reference without a credential', async () => {
    const server = await startServer([]);
    const client = new Client(INFO);
    await client.connect(server.transport());
    const { contents } = await client.readResource({ uri: 'analytics://reference/limits' });
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('92 days') });
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('analytics:')).every(({ uri }) => uri.startsWith('analytics://reference/'))).toBe(
      true,
    );
    await expect(client.readResource({ uri: CHECKOUT })).rejects.toThrow('No credential is set');
    await client.close();
    await server.stop();
  });
});
