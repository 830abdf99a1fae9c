import type { McpServer } from '@modelcontextprotocol/server';
import { protocolError } from './resource-errors.ts';
import type { Subscriptions, Watch } from './subscriptions.ts';

/** Serves `resources/subscribe` and `resources/unsubscribe` of the 2025 era; all of it ends with the connection. */
export function registerSubscriptions(server: McpServer, subscriptions: Subscriptions): void {
  const own = new Map<string, Watch>();
  const { server: protocol } = server;
  protocol.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    try {
      const watch = own.get(uri) ?? subscriptions.watch(uri, () => void sendUpdated(server, uri));
      own.set(uri, watch);
      await watch.ready;
      return {};
    } catch (error) {
      forget(uri);
      throw protocolError(error, uri, (text) => text); // errors of the platform come without secrets
    }
  });
  protocol.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    forget(uri);
    return {};
  });
  Object.assign(protocol, {
    onclose() {
      for (const uri of own.keys()) forget(uri);
    },
  });

  function forget(uri: string): void {
    own.get(uri)?.stop();
    own.delete(uri);
  }
}

/** Tells the client that a resource has changed; a connection that has gone needs no news. */
export async function sendUpdated(server: McpServer, uri: string): Promise<void> {
  await server.server.sendResourceUpdated({ uri }).catch(() => undefined);
}
