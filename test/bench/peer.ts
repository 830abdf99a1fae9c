import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** A server under measurement: a child process that speaks MCP over its pipes. */
export interface Peer {
  readonly child: ChildProcessWithoutNullStreams;
  /** Sends a request and gives its answer. */
  readonly ask: (method: string, params?: object) => Promise<Record<string, unknown>>;
  /** Sends a notification. */
  readonly tell: (method: string) => void;
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

/** Starts a script with this Node. */
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
      if (message.id !== undefined) waiting.get(message.id)?.(message);
    }
  });
  child.stderr.pipe(process.stderr);
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    child,
    ask(method, params = {}) {
      lastId += 1;
      const id = lastId;
      write({ id, method, params });
      return new Promise((resolve) => {
        waiting.set(id, (answer) => {
          waiting.delete(id);
          resolve(answer);
        });
      });
    },
    tell: (method) => write({ method }),
    async stop() {
      const gone = once(child, 'close');
      child.stdin.end();
      await gone;
    },
  };
}

/** The handshake of the 2025 era, as most hosts do it. */
export async function greet(peer: Peer): Promise<void> {
  const greeting = peer.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  peer.tell('notifications/initialized');
  await greeting;
}

/** Largest resident size so far in MB; undefined where the system does not tell. */
export function peakMegabytes({ child }: Peer): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
