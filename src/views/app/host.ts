import { isRecord } from '../../lib/is-record.ts';

/** The protocol version that the view speaks: MCP Apps of January 2026. */
const PROTOCOL_VERSION = '2026-01-26';

/** Members of an answer or of arguments, unchecked. */
export type Members = Readonly<Record<string, unknown>>;

/** Facts that the host reports about itself; everything may be missing. */
export interface HostContext {
  readonly theme?: unknown;
  readonly styles?: { readonly variables?: Readonly<Record<string, unknown>> };
  readonly containerDimensions?: { readonly height?: unknown };
  readonly toolInfo?: { readonly tool?: { readonly name?: unknown } };
}

/** Takes messages that a host sends of its own accord, by what they are called behind `ui/notifications/`. */
export type HostEvents = Readonly<Record<string, (params: Members) => void>>;

/** The host that shows the view. */
export interface Host {
  readonly context: HostContext;
  /** Whether the host passes calls of tools on to the server. */
  readonly callsTools: boolean;
  callTool(name: string, args: Members): Promise<Members>;
  /** Reports to the assistant what the person looks at now, where the host passes that on. */
  tellAssistant(words: string): void;
  tellSize(widthPx: number, heightPx: number): void;
}

/** The members of a value; none of what has none. */
export const asMembers = (value: unknown): Members => (isRecord(value) ? value : {});

function refusal(message: unknown): string {
  return typeof message === 'string' ? message : 'The host refused.';
}

/**
 * Shakes hands with the host over messages between windows. Only the parent is listened to; it may be of any origin, since a view knows
 * none.
 */
export async function connectHost(events: HostEvents): Promise<Host> {
  const waiting = new Map<number, { resolve(result: Members): void; reject(error: Error): void }>();
  let lastId = 0;
  const send = (message: Members) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

  function request(method: string, params: Members): Promise<Members> {
    const id = ++lastId;
    const answer = new Promise<Members>((resolve, reject) => waiting.set(id, { resolve, reject }));
    send({ id, method, params });
    return answer;
  }

  function answerTo(id: unknown, method: unknown): void {
    if (method === 'ping' || method === 'ui/resource-teardown') send({ id, result: {} });
    else send({ id, error: { code: -32601, message: 'The view has no such method.' } });
  }

  function receive({ id, method, params, result, error }: Members): void {
    if (typeof method === 'string') {
      if (id === undefined) events[method.replace('ui/notifications/', '')]?.(asMembers(params));
      else answerTo(id, method);
      return;
    }
    const asked = waiting.get(Number(id));
    waiting.delete(Number(id));
    if (error === undefined) asked?.resolve(asMembers(result));
    else asked?.reject(new Error(refusal(asMembers(error)['message'])));
  }

  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source === window.parent && isRecord(data) && data['jsonrpc'] === '2.0') receive(data);
  });
  const hello = await request('ui/initialize', {
    appInfo: { name: 'web-analytics-chart', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: PROTOCOL_VERSION,
  });
  send({ method: 'ui/notifications/initialized', params: {} });
  const capabilities = asMembers(hello['hostCapabilities']);
  return {
    context: asMembers(hello['hostContext']),
    callsTools: isRecord(capabilities['serverTools']),
    callTool: (name, args) => request('tools/call', { name, arguments: args }),
    tellAssistant(words) {
      if (!isRecord(capabilities['updateModelContext'])) return;
      // The view is the same whether it arrives or not.
      request('ui/update-model-context', { content: [{ type: 'text', text: words }] }).catch(() => undefined);
    },
    tellSize: (width, height) => send({ method: 'ui/notifications/size-changed', params: { width, height } }),
  };
}
