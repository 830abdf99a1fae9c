import { type JSONRPCMessage, SUBSCRIPTION_ID_META_KEY, type Transport } from '@modelcontextprotocol/server';

/** Told which resources the other side begins or ceases to listen to. */
export interface ListenObserver {
  /** Once for each address, however many subscriptions of the connection name it. */
  begin(uri: string): void;
  end(uri: string): void;
}

type Id = string | number;

/** The subscription that an acknowledgement opens, and its addresses. */
function opened(message: JSONRPCMessage): { id: Id; uris: readonly string[] } | undefined {
  if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged') return undefined;
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
  return (message.params as { requestId?: Id } | undefined)?.requestId;
}

/**
 * The same transport, watched for `subscriptions/listen` of the 2026 era: the SDK answers it at the door and tells the server
 * nothing, but what it grants passes here as the acknowledgement, and what ends it as a cancellation, a result, or the close.
 */
export function listeningTransport(inner: Transport, observer: ListenObserver): Transport {
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
