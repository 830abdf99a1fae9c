import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { createClient } from '../../src/api/client.ts';
import { createServer } from '../../src/protocol/server.ts';
import { serveConnection } from '../../src/protocol/stdio.ts';
import { createSubscriptions, type Subscriptions } from '../../src/protocol/subscriptions.ts';
import { resources } from '../../src/resources/index.ts';
import { createSession, type Session } from '../../src/tooling/session.ts';
import { clientOptions } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { NO_WORKSPACE, PLAIN_SESSION } from '../support/no-workspace.ts';

/** Hosts that can be told of changes: both SDKs in the 2025 era, the new one in the 2026 era. */
export const listenerNames = ['SDK 1.x', 'SDK 2.x in the 2025 era', 'SDK 2.x in the 2026-07-28 era'] as const;
export type ListenerName = (typeof listenerNames)[number];

/** A host that listens to resources, in the same words for both eras. */
export interface Listener {
  /** Begins to listen; gives the way to end it. */
  readonly listen: (...uris: string[]) => Promise<() => Promise<void>>;
  /** Addresses of its resource notifications, in order. */
  readonly updates: readonly string[];
  /** Resolves with the next one. */
  readonly nextUpdate: () => Promise<string>;
  /** Ends the connection from the host's side. */
  readonly close: () => Promise<void>;
}

/** One session with its watches, and the hosts on it. */
export interface ListenerPlace {
  readonly session: Session;
  readonly subscriptions: Subscriptions;
  readonly open: (name: ListenerName) => Promise<Listener>;
  readonly close: () => Promise<void>;
}

function createNews() {
  const updates: string[] = [];
  const waiting: ((uri: string) => void)[] = [];
  return {
    updates,
    nextUpdate: () => new Promise<string>((resolve) => void waiting.push(resolve)),
    tell: (uri: string) => {
      updates.push(uri);
      for (const resolve of waiting.splice(0)) resolve(uri);
    },
  };
}

async function openListener(name: ListenerName, transport: InMemoryTransport): Promise<Listener> {
  const { tell, ...news } = createNews();
  if (name === 'SDK 1.x') {
    const client = new OldClient({ name: 'test', version: '0.0.0' });
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => tell(params.uri));
    await client.connect(transport);
    return { ...news, ...subscribing(client), close: () => client.close() };
  }
  const mode = name === 'SDK 2.x in the 2025 era' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode } });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => tell(params.uri));
  await client.connect(transport);
  if (mode === 'legacy') return { ...news, ...subscribing(client), close: () => client.close() };
  return {
    ...news,
    async listen(...uris) {
      const subscription = await client.listen({ resourceSubscriptions: uris });
      return () => subscription.close();
    },
    close: () => client.close(),
  };
}

/** Listening by `resources/subscribe`, one address at a time. */
function subscribing(client: {
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
}): Pick<Listener, 'listen'> {
  return {
    async listen(...uris) {
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
  };
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
    session,
    subscriptions,
    async open(name) {
      const [near, far] = InMemoryTransport.createLinkedPair();
      serveConnection(far, { factory, subscriptions, log: () => undefined });
      return openListener(name, near);
    },
    async close() {
      subscriptions.close();
      await session.close();
    },
  };
}
