import { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { startServer } from '../support/stdio.ts';

const CHECKOUT = 'analytics://1201/scenarios/4101';
const INFO = { name: 'test', version: '0.0.0' };

it('the built server gives the reference without a credential', async () => {
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
