import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { mapConcurrent } from '../../src/lib/concurrency.ts';
import { sampleSize, someOf } from '../support/sample-size.ts';
import { DEMO, freshBundle, startServer } from '../support/stdio.ts';

/** Instants of the kill after the start or the call; all of them in `npm run full`. */
const STEP_MS = sampleSize({ full: 25, short: 400 });
const LAST_MS = 400;
const INSTANTS = Array.from({ length: LAST_MS / STEP_MS + 1 }, (_, index) => index * STEP_MS);
const AT_ONCE = 3;
/** Far beyond the second that a stop takes, also on a machine with other work; far below the life of a process that is left behind. */
const PATIENCE_MS = 20_000;
/** A full sample starts dozens of servers, one after the other on a small machine; each of them has its own patience. */
const SAMPLE = { timeout: sampleSize({ full: 300_000, short: 60_000 }) };

/** An address at which nothing listens: port 9 discards, and no machine of today serves it. */
const UNREACHABLE = {
  WEB_ANALYTICS_AUTH_URL: 'http://127.0.0.1:9',
  WEB_ANALYTICS_CLIENT_ID: 'a',
  WEB_ANALYTICS_CLIENT_SECRET: 'b',
};

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'dies', version: '1' } },
};
const tool = (name: string, args: object = {}) => ({ id: 2, method: 'tools/call', params: { name, arguments: args } });
const range = { startDate: '2026-11-01', endDate: '2026-11-14' };

/** What a client may have asked first: each brings up other parts of the server. */
const FIRST_CALLS: readonly (readonly [name: string, message: object])[] = [
  ['a list', tool('list_goals')],
  ['a study with a picture', tool('compare_metrics', { ...range, chart: true })],
  ['a download', tool('sync_exports', { jobIds: ['Daily sessions'], since: '2026-11-17' })],
  ['a HAR file', tool('analyze_scenario')],
  ['a resource', { id: 2, method: 'resources/read', params: { uri: 'analytics://reference/metrics' } }],
];

function start(command: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
  // A group of its own: what npm starts, and what the server starts, has to end too.
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  child.stdin?.on('error', () => undefined);
  return child;
}

function send(child: ChildProcess, message: object): void {
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** What is seen of a client that died: both pipes are closed, and no signal comes. */
function die({ stdin, stdout }: ChildProcess): void {
  stdin?.destroy();
  stdout?.destroy();
}

/** Whether any process of a group is left. */
function isLeft(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process and all that it started end by themselves; what is left is killed. */
async function allEnd(child: ChildProcess): Promise<boolean> {
  const group = child.pid ?? 0;
  const until = performance.now() + PATIENCE_MS;
  while (isLeft(group) && performance.now() < until) await delay(20);
  if (!isLeft(group)) return true;
  process.kill(-group, 'SIGKILL');
  return false;
}

async function diesAfter(args: readonly string[], environment: Record<string, string>, atMs: number, call?: object): Promise<boolean> {
  const child = start(process.execPath, ['dist/main.js', ...args], environment);
  send(child, INITIALIZE);
  if (call && child.stdout) {
    await once(child.stdout, 'data');
    send(child, { method: 'notifications/initialized' });
    send(child, call);
  }
  await delay(atMs);
  die(child);
  return allEnd(child);
}

/** The instants whose process outlived its client; `diesAt` says whether it ended by itself. */
async function outlivedAt(instants: readonly number[], diesAt: (atMs: number) => Promise<boolean>): Promise<number[]> {
  const ended = await mapConcurrent(instants, AT_ONCE, diesAt);
  return instants.filter((_, index) => {
    const outcome = ended[index];
    return outcome?.status !== 'fulfilled' || !outcome.value;
  });
}

const outlived = (args: readonly string[], environment: Record<string, string>, call?: object) =>
  outlivedAt(INSTANTS, (atMs) => diesAfter(args, environment, atMs, call));

beforeAll(freshBundle);

describe.each([
  ['the emulated platform', DEMO, {}],
  ['a platform that does not answer', [], UNREACHABLE],
] as const)('a server on %s', (_, args, environment) => {
  it('ends when its client dies while it starts', SAMPLE, async () => {
    expect(await outlived(args, environment)).toEqual([]);
  });

  it.each(someOf(FIRST_CALLS, 1))('ends when its client dies after it asked for %s', SAMPLE, async (_name, call) => {
    expect(await outlived(args, environment, call)).toEqual([]);
  });
});

it('a server that npm started ends with its client too', SAMPLE, async () => {
  const outlasted = await outlivedAt(someOf(INSTANTS, 1), async (atMs) => {
    const child = start('npm', ['exec', '--no', '--', 'web-analytics-mcp', ...DEMO], { HOME: process.env['HOME'] ?? '' });
    send(child, INITIALIZE);
    if (child.stdout) await once(child.stdout, 'data');
    send(child, { method: 'notifications/initialized' });
    send(child, tool('list_goals'));
    await delay(atMs);
    die(child);
    return allEnd(child);
  });
  expect(outlasted, 'ms after the call').toEqual([]);
});

/** Runs a command whose reader goes away after the first piece of its output. */
async function unread(args: readonly string[]) {
  const child = spawn(process.execPath, ['dist/main.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  await exit;
  return { code: child.exitCode, err };
}

it.each([[['doctor', ...DEMO]], [['demo']]])(
  '%j ends without a word when its reader has read enough',
  { tags: 'nightly' },
  async (args) => {
    expect(await unread(args)).toEqual({ code: 0, err: '' });
  },
);

it('what keeps a server from answering is said on stderr once, when the first call meets it', { tags: 'nightly' }, async () => {
  const server = await startServer([], UNREACHABLE);
  server.write(JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }));
  for (const id of [2, 3]) {
    server.write(JSON.stringify({ jsonrpc: '2.0', ...tool('list_goals'), id }));
    expect(JSON.stringify(await server.answerTo(id))).toContain('WEB_ANALYTICS_AUTH_URL sets this address');
  }
  await server.stop();
  expect(server.stderr().match(/WEB_ANALYTICS_AUTH_URL does not answer/g)).toHaveLength(1);
});

it('what keeps a server from answering names a variable that no setting has, and the one that was meant', { tags: 'nightly' }, async () => {
  const server = await startServer(DEMO, { WEB_ANALYTICS_READONLY: '1' });
  await server.stop();
  expect(server.stderr()).toContain('WEB_ANALYTICS_READONLY is no setting and has no effect; did you mean WEB_ANALYTICS_READ_ONLY?');
});

it.runIf(process.platform === 'linux').each([
  [UNREACHABLE, 'The authentication server at WEB_ANALYTICS_AUTH_URL cannot be reached (ECONNREFUSED)'],
  [{}, 'No credential is set. Set WEB_ANALYTICS_AUTH_URL, WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET'],
  [{ ...UNREACHABLE, WEB_ANALYTICS_CLIENT_SECRET: '' }, 'The credential is incomplete. Set WEB_ANALYTICS_CLIENT_SECRET'],
])('what keeps a server from answering is said in a terminal before any call: %j', { tags: 'nightly' }, async (environment, words) => {
  const { stdout, exitCode } = await inTerminal(environment, words);
  expect(stdout).toContain('waits for an MCP client on stdin');
  expect(stdout).toContain(words);
  expect(exitCode).toBe(0);
});

/** What a person sees who starts the server in a terminal, until the words are there; `script` makes the terminal. */
async function inTerminal(environment: Record<string, string>, words: string) {
  const child = spawn('script', ['-qec', `${process.execPath} dist/main.js`, '/dev/null'], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  let stdout = '';
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    stdout += String(text);
    if (stdout.includes(words)) child.stdin.end('\u0004');
  }
  return { stdout, exitCode: child.exitCode ?? (await once(child, 'exit'))[0] };
}
