import { InMemoryTransport } from '@modelcontextprotocol/client';
import { createClient } from '../../src/api/client.ts';
import { createServer } from '../../src/protocol/server.ts';
import { serveConnection } from '../../src/protocol/stdio.ts';
import { createSubscriptions, type Subscriptions } from '../../src/protocol/subscriptions.ts';
import { resources } from '../../src/resources/index.ts';
import { createSession } from '../../src/tooling/session.ts';
import { clientOptions } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { connectHost, type Host, type HostName } from '../support/hosts.ts';
import { NO_WORKSPACE, PLAIN_SESSION } from '../support/no-workspace.ts';

/** One session with its watches, and the hosts on it. */
export interface ListenerPlace {
  readonly subscriptions: Subscriptions;
  readonly open: (name: HostName) => Promise<Host>;
  readonly close: () => Promise<void>;
}

/** A session on the shop of an emulator, to which hosts connect as they do over stdio; `workspaceDir` is where downloads would go. */
export function openListenerPlace(platform: Platform, workspaceDir?: string): ListenerPlace {
  const { clock } = platform;
  const session = createSession({
    clock,
    ...PLAIN_SESSION,
    ...(workspaceDir !== undefined && { workspace: { ...NO_WORKSPACE, dir: workspaceDir, authUrl: () => platform.authUrl } }),
    connect: async () => createClient({ ...clientOptions(platform), neededScopes: ['speed-analysis', 'data-export'] }),
  });
  const subscriptions = createSubscriptions(session, resources);
  const load = () => Promise.reject(new Error('no tool is called here'));
  const factory = () => createServer({ name: 'test', version: '0.0.0', tools: [], load, resources, prompts: [], session, subscriptions });
  return {
    subscriptions,
    async open(name) {
      const [near, far] = InMemoryTransport.createLinkedPair();
      serveConnection(far, { factory, subscriptions, log: () => undefined });
      return connectHost(name, near);
    },
    async close() {
      subscriptions.close();
      await session.close();
    },
  };
}
