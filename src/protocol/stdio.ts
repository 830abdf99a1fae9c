import { once } from 'node:events';
import { Transform } from 'node:stream';
import { type JSONRPCMessage, type McpServer, SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../lib/log.ts';
import { type MessageFault, messageFault, parseMessage } from './read-message.ts';
import { type Subscriptions, sendUpdated, type Watch } from './subscriptions.ts';

/** Called when the client begins or stops to listen to resources. */
export interface ListenObserver {
  /** Once for each address, however many subscriptions of the connection name it. */
  begin(uri: string): void;
  end(uri: string): void;
}

type Id = string | number;

/** The subscription that an acknowledgement opens, and its addresses. */
function opened(message: JSONRPCMessage): { id: Id; uris: readonly string[] } | undefined {
  if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged') return undefined;
  // Sent by the server itself, or checked by the SDK.
  const { _meta: meta, notifications } = (message.params ?? {}) as {
    _meta?: Record<string, unknown>;
    notifications?: { resourceSubscriptions?: readonly string[] };
  };
  const id = meta?.[SUBSCRIPTION_ID_META_KEY];
  const isId = typeof id === 'string' || typeof id === 'number';
  return isId ? { id, uris: notifications?.resourceSubscriptions ?? [] } : undefined;
}

/** The request that a message from the client gives up. */
function cancelled(message: JSONRPCMessage): Id | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return (message.params as { requestId?: Id } | undefined)?.requestId; // by the protocol, checked by the SDK
}

/**
 * The same transport, watched for `subscriptions/listen` of the 2026 era: the SDK answers it without calling the
 * server, but its acknowledgement passes here, and its end passes as a cancellation, a result, or the close.
 */
function listeningTransport(inner: Transport, observer: ListenObserver): Transport {
  const open = new Map<Id, ReadonlySet<string>>();
  const isHeard = (uri: string) => [...open.values()].some((uris) => uris.has(uri));

  function begin(id: Id, uris: ReadonlySet<string>): void {
    end(id);
    const fresh = [...uris].filter((uri) => !isHeard(uri));
    open.set(id, uris);
    for (const uri of fresh) observer.begin(uri);
  }

  function end(id: Id): void {
    const uris = open.get(id) ?? [];
    open.delete(id);
    for (const uri of uris) if (!isHeard(uri)) observer.end(uri);
  }

  const outer: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    send(message, options) {
      const granted = opened(message);
      if (granted) begin(granted.id, new Set(granted.uris));
      else if (!('method' in message) && message.id !== undefined) end(message.id);
      return inner.send(message, options);
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  const handlers: Pick<Transport, 'onmessage' | 'onerror' | 'onclose'> = {
    onmessage(message, extra) {
      const id = cancelled(message);
      if (id !== undefined) end(id);
      outer.onmessage?.(message, extra);
    },
    onerror: (error) => outer.onerror?.(error),
    onclose() {
      for (const id of open.keys()) end(id);
      outer.onclose?.();
    },
  };
  Object.assign(inner, handlers);
  return outer;
}

/** Resolves when the connection is over, whichever end of it closed. */
function overOf(transport: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const { onclose } = transport;
    // Not only the end of stdin: when the host stops reading, the transport stops reading too, and no end would ever be seen.
    Object.assign(transport, {
      onclose() {
        onclose?.();
        resolve();
      },
    });
  });
}

/** Serves one connection of either era, with what it listens to in the 2026 era. */
export function serveConnection(
  transport: Transport,
  { factory, subscriptions, log }: { factory: () => McpServer; subscriptions: Subscriptions; log: Log },
) {
  const watches = new Map<string, Watch>();
  // The SDK may drop a first server after a probe; the latest one holds the connection.
  let serving: McpServer | undefined;
  const observed = listeningTransport(transport, {
    begin(uri) {
      try {
        const watch = subscriptions.watch(uri, () => serving && void sendUpdated(serving, uri));
        watches.set(uri, watch);
      } catch (error) {
        log('info', `nothing to listen to at ${uri}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    end(uri) {
      watches.get(uri)?.stop();
      watches.delete(uri);
    },
  });
  return serveStdio(() => (serving = factory()), { transport: observed, onerror: (error) => log('warn', error.message) });
}

/** Longest line that is taken. */
const MAX_LINE_BYTES = 8 * 2 ** 20;
const NEWLINE = 0x0a;

/**
 * Delivers the lines that are messages, parsed: the transport of the SDK, which sees only where the lines end, would parse and check each
 * again. All others are answered with an error of the protocol: the SDK drops them without a word, while the client waits for what it
 * believes to have asked.
 */
export function checkedLines(answer: (line: string) => void, deliver: (message: JSONRPCMessage) => void): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;

  function take(part: Buffer): void {
    bytes += part.length;
    if (bytes > MAX_LINE_BYTES) parts = [];
    else parts.push(part);
  }

  function refuse({ code, message, id = null }: Omit<MessageFault, 'id'> & { id?: string | number | null | undefined }): void {
    answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }

  function finish(): void {
    const isTooLong = bytes > MAX_LINE_BYTES;
    const [first] = parts;
    const line = parts.length === 1 && first ? first : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    if (isTooLong) return refuse({ code: -32_600, message: `Invalid Request: a line may have ${MAX_LINE_BYTES} bytes; send less.` });
    if (line.every((byte) => byte <= 0x20)) return;
    const parsed = parseMessage(line);
    if ('fault' in parsed) return refuse(parsed.fault);
    const fault = messageFault(parsed.value);
    if (fault) refuse(fault);
    else deliver(parsed.value as JSONRPCMessage); // what the check found it to be
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        take(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      take(chunk.subarray(start));
      done();
    },
  });
}

/** Serves until the host closes the connection or the process is asked to stop. */
export async function serveOverStdio(factory: () => McpServer, subscriptions: Subscriptions, log: Log): Promise<void> {
  const lines = checkedLines(
    (line) => void process.stdout.write(line),
    (message) => transport.onmessage?.(message),
  );
  const transport = new StdioServerTransport(process.stdin.pipe(lines));
  const handle = serveConnection(transport, { factory, subscriptions, log });
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([overOf(transport), once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  stopped.abort();
  // Else an input that the host leaves open would keep the process alive.
  process.stdin.unpipe(lines).pause();
  await handle.close();
}
