import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { checkedLines, serveConnection } from '../../src/protocol/stdio.ts';
import type { Subscriptions } from '../../src/protocol/subscriptions.ts';

/** A connection of lines, as over stdio, to a server in this process; a clock that a test moves holds for both ends. */
export interface LineLink {
  /** The end of the client. */
  readonly near: Transport;
  readonly close: () => Promise<void>;
}

/** Serves over two streams of this process what `serve` serves over stdin and stdout. */
export function linkByLines(factory: () => McpServer, subscriptions: Subscriptions): LineLink {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const lines = checkedLines(
    (line) => void toClient.write(line),
    (message) => transport.onmessage?.(message),
  );
  const transport = new StdioServerTransport(toServer.pipe(lines), toClient);
  const handle = serveConnection(transport, { factory, subscriptions, log: () => undefined });
  const near: Transport = {
    async start() {
      let rest = '';
      toClient.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) near.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      });
    },
    async send(message) {
      toServer.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      toServer.end();
      near.onclose?.();
    },
  };
  return { near, close: () => handle.close() };
}
