import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { listedTools, loadTool } from '../../src/commands/catalogue.ts';
import { openSession } from '../../src/commands/platform.ts';
import { createServer } from '../../src/protocol/server.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import { readSettings } from '../../src/settings/settings.ts';

it('lists all tools without a credential; each call then says what to set', async () => {
  const tools = await listedTools();
  const session = openSession(readSettings({ WEB_ANALYTICS_CLIENT_ID: 'half' }), tools, { seed: 1, faults: [] });
  const subscriptions = createSubscriptions(session, []);
  const server = createServer({ name: 'a', version: '0', tools, load: loadTool, resources: [], prompts: [], session, subscriptions });
  const client = new Client({ name: 'test', version: '0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(async () => {
    await client.close();
    subscriptions.close();
    await session.close();
  });

  const listed = (await client.listTools()).tools;
  expect(listed).toHaveLength(tools.length);
  for (const { name } of listed) {
    const { isError, content } = await client.callTool({ name, arguments: {} });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(
      'The credential is incomplete. Set WEB_ANALYTICS_AUTH_URL and WEB_ANALYTICS_CLIENT_SECRET (or …_SECRET_FILE)',
    );
  }
});
