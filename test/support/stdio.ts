import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { START } from './emulator.ts';

const BUNDLE = 'dist/main.js';
const LOCK = 'node_modules/.cache/bundle.lock';

function newest(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(`${path}/${name}`)));
}

function isStale(): boolean {
  return !existsSync(BUNDLE) || statSync(BUNDLE).mtimeMs < Math.max(...['src', 'tools', 'package.json', '.ci'].map(newest));
}

/** Builds the executable where it is older than its sources; one of several test files at a time. */
export async function freshBundle(): Promise<string> {
  mkdirSync('node_modules/.cache', { recursive: true });
  for (let waitedMs = 0; isStale() || existsSync(LOCK); waitedMs += 50) {
    try {
      mkdirSync(LOCK);
    } catch {
      if (waitedMs > 20_000) throw new Error(`${LOCK} has stayed; remove it.`);
      await delay(50);
      continue;
    }
    try {
      if (isStale()) execFileSync(process.execPath, ['-e', "import('./.ci/build.mjs').then(({ buildProduct }) => buildProduct())"]);
    } finally {
      rmdirSync(LOCK);
    }
  }
  return BUNDLE;
}

/** How a process ended and how long after it was asked to. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built server as a child process, with everything that it wrote. */
export interface ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Complete lines of stdout. */
  readonly lines: readonly string[];
  /** What stands on stdout after the last line end. */
  readonly rest: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ending>;
  /** Writes one line to its stdin. */
  readonly write: (line: string) => void;
  /** The message that answers the request of this id, as soon as it is there. */
  readonly answerTo: (id: number | string) => Promise<Record<string, unknown>>;
  /** The same pipe for an SDK client of either major version. */
  readonly transport: () => Transport;
  /** Ends it by the end of its stdin; kills it where that does not help. */
  readonly stop: () => Promise<Ending>;
}

/** Flags of a server on the emulated world of the tests. */
export const DEMO = ['--demo', '--clock', START];

/** Starts the built server with these arguments; nothing of the environment but the path reaches it. */
export async function startServer(args: readonly string[] = DEMO, environment: Record<string, string> = {}): Promise<ServerProcess> {
  const bundle = await freshBundle();
  const child = spawn(process.execPath, [bundle, ...args], { env: { PATH: process.env['PATH'], ...environment } });
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  let rest = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      for (const listener of listeners) listener(line);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  // A server that has ended takes no more input; the test waits for its end.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal }));

  const write = (line: string) => void child.stdin.write(`${line}\n`);

  async function answerTo(id: number | string): Promise<Record<string, unknown>> {
    const isAnswer = (message: Record<string, unknown>) => message['id'] === id && ('result' in message || 'error' in message);
    const known = lines.map(parsed).find(isAnswer);
    if (known) return known;
    let listener: ((line: string) => void) | undefined;
    const arrives = new Promise<Record<string, unknown>>((resolve) => {
      listener = (line) => isAnswer(parsed(line)) && resolve(parsed(line));
      listeners.add(listener);
    });
    const never = ended.then(({ code }) => Promise.reject(new Error(`The server ended (${code}) without an answer to ${id}: ${stderr}`)));
    try {
      return await Promise.race([arrives, never]);
    } finally {
      if (listener) listeners.delete(listener);
    }
  }

  function transport(): Transport {
    const own: Transport = {
      async start() {
        listeners.add((line) => own.onmessage?.(parsed(line) as JSONRPCMessage));
        void ended.then(() => own.onclose?.());
      },
      async send(message) {
        write(JSON.stringify(message));
      },
      async close() {
        own.onclose?.();
      },
    };
    return own;
  }

  async function stop(): Promise<Ending> {
    child.stdin.end();
    const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
    const ending = await ended;
    clearTimeout(patience);
    return ending;
  }

  return { child, lines, rest: () => rest, stderr: () => stderr, ended, write, answerTo, transport, stop };
}

/** The built server as a child process that serves HTTP on a free port. */
export interface HttpServerProcess extends ServerProcess {
  /** Address of its endpoint. */
  readonly url: string;
}

/** Starts the built server over HTTP and waits until it listens; it stops when it is asked to terminate. */
export async function startHttpServer(
  args: readonly string[] = DEMO,
  environment: Record<string, string> = {},
): Promise<HttpServerProcess> {
  const server = await startServer(['serve', '--http', '--port', '0', ...args], environment);
  const { child, ended, stderr } = server;
  const over = ended.then(() => true);
  let url: string | undefined;
  while (!(url = /listens on ([^\s"]+)["\n]/.exec(stderr())?.[1])) {
    if ((await Promise.race([once(child.stderr, 'data'), over])) === true) throw new Error(`The server ended: ${stderr()}`);
  }
  const stop = () => {
    child.kill('SIGTERM');
    return server.stop();
  };
  return { ...server, url, stop };
}

function parsed(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>;
}

/** What on stdout is no message of the protocol. */
export function strayOutput({ lines, rest }: ServerProcess): string[] {
  const stray = lines.filter((line) => {
    try {
      return parsed(line)['jsonrpc'] !== '2.0';
    } catch {
      return true;
    }
  });
  return rest() === '' ? stray : [...stray, rest()];
}
