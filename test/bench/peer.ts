import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a call gave, both channels. */
export interface Called {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>> | undefined;
  readonly isError: boolean;
}

/** A server under measurement: a child process that speaks MCP over its pipes. */
export interface Peer {
  readonly child: ChildProcessWithoutNullStreams;
  /** Sends a request and gives its answer. */
  readonly ask: (method: string, params?: object) => Promise<Record<string, unknown>>;
  /** Calls a tool, whatever it answers. */
  readonly call: (name: string, args: object) => Promise<Called>;
  /** The structured content and the text of a tool's answer; throws where that is an error. */
  readonly answer: <T extends object>(name: string, args: object) => Promise<T & { readonly text: string }>;
  /** Ends it and waits until it is gone. */
  readonly stop: () => Promise<void>;
}

/** The environment of every process that is measured: nothing that makes one start slower than another. */
const environment = (more: Record<string, string>) => ({ PATH: process.env['PATH'], ...more });

/** A module that makes a process live by another clock, for `--import`: it starts at `clock` and runs on. */
export function clockModule(clock: string): string {
  const code =
    `const off = ${Date.parse(clock)} - Date.now(); const Real = Date; ` +
    'globalThis.Date = class Date extends Real { constructor(...at) { if (at.length === 0) super(Real.now() + off); else super(...at); } ' +
    'static now() { return Real.now() + off; } };';
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  const gone = once(child, 'close');
  end();
  await gone;
}

/** Starts a script with this Node; nobody has greeted it. */
export function startPeer(args: readonly string[], more: Record<string, string> = {}): Peer {
  const child = spawn(process.execPath, args, { env: environment(more) });
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  let rest = '';
  let lastId = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as { id?: number };
      waiting.get(message.id ?? 0)?.(message);
      waiting.delete(message.id ?? 0);
    }
  });
  child.stderr.pipe(process.stderr);
  const ask: Peer['ask'] = (method, params = {}) => {
    lastId += 1;
    const id = lastId;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => void waiting.set(id, resolve));
  };
  const call: Peer['call'] = async (name, input) => {
    const { result, error } = (await ask('tools/call', { name, arguments: input })) as {
      result?: { isError?: boolean; content?: { text?: string }[]; structuredContent?: Called['structured'] };
      error?: { message: string };
    };
    if (!result) throw new Error(`${name}: ${error?.message}`);
    const { content = [], structuredContent: structured, isError = false } = result;
    return { text: content.flatMap((part) => part.text ?? []).join('\n'), structured, isError };
  };
  return {
    child,
    ask,
    call,
    async answer<T extends object>(name: string, input: object) {
      const { text, structured, isError } = await call(name, input);
      if (!structured || isError) throw new Error(`${name}: ${text}`);
      return { ...(structured as T), text }; // in its documented form
    },
    stop: () => ended(child, () => child.stdin.end()),
  };
}

/** The handshake of the 2025 era, as most hosts do it. */
export async function greet({ ask, child }: Peer): Promise<void> {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const greeting = ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await greeting;
}

/** Starts a script and greets it. */
export async function openPeer(args: readonly string[], more: Record<string, string> = {}): Promise<Peer> {
  const peer = startPeer(args, more);
  await greet(peer);
  return peer;
}

/** A server over HTTP in a process of its own. */
export interface HttpPeer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Starts a script that serves over HTTP and says where. */
export async function startHttpPeer(args: readonly string[], more: Record<string, string> = {}): Promise<HttpPeer> {
  const child = spawn(process.execPath, args, { env: environment(more), stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  let found: RegExpExecArray | null;
  // A server that says its port alone serves at the usual place.
  while (!(found = /(http:\S+\/mcp)|listening (\d+)/.exec(said))) await once(child.stderr, 'data');
  const [, url, port] = found;
  return {
    url: url ?? `http://127.0.0.1:${port}/mcp`,
    pid: child.pid ?? 0,
    stop: () => ended(child, () => child.kill('SIGKILL')),
  };
}
