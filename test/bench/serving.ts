import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { INITIALIZE, metaOf } from '../support/http.ts';
import type { ExternalEmulator } from './emulator.ts';
import type { GateRow } from './gate-row.ts';
import { median, type Row, timed } from './measure.ts';
import { greet, openPeer, type Peer, startHttpPeer, startPeer } from './peer.ts';
import { memoryOf, processorMs } from './process-figures.ts';

/** What a server is started with and which call it answers. */
interface Side {
  readonly stdio: readonly string[];
  readonly http: readonly string[];
  readonly environment: Record<string, string>;
  readonly call: { readonly name: string; readonly arguments: object };
}
type Era = '2025' | '2026';
/** Ratios of rounds by what they are of. */
type Ratios = Map<string, number[]>;

const ROUNDS = 5;
const WARM = 3_000;
const ALONE = 2_000;
const CROWD = 20_000;
const IN_FLIGHT = 50;
const CONNECTIONS = 32;
const WARM_MS = 2_000;
const MEASURED_MS = 5_000;
const SESSIONS = 1_000;
const META = metaOf({ name: 'bench', version: '1.0.0' });

/** Processor time of a process so far, in ms. */
const spentMs = (pid: number | undefined) => processorMs(pid ?? 0) ?? Number.NaN;

/** A bare server, bundled in the way of the product; gives its path. */
function bundled(name: 'stdio' | 'http'): string {
  const folder = `node_modules/.cache/bench-bare-${name}`;
  const build = `
    const [{ executable }, { build }] = await Promise.all([import('./.ci/build.mjs'), import('esbuild')]);
    const external = ['@resvg/resvg-js', '@duckdb/node-api', '@keyv/redis'];
    const entryPoints = { main: 'test/bench/bare/${name}.ts' };
    await build({ ...executable, entryPoints, outdir: '${folder}/dist', external, nodePaths: ['node_modules'] });`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', build], { stdio: 'inherit' });
  return `${folder}/dist/main.js`;
}

async function startOf({ stdio, environment }: Side): Promise<Record<string, number>> {
  let peer: Peer | undefined;
  const start = await timed(async () => {
    peer = startPeer(stdio, environment);
    await Promise.all([greet(peer), peer.ask('tools/list')]);
  });
  const memory = peer ? memoryOf(peer.child.pid ?? 0).residentMb : 0;
  await peer?.stop();
  return { 'start to the whole list of tools': start, 'memory at the start': memory };
}

async function callsOverStdio(era: Era, { stdio, environment, call }: Side): Promise<Record<string, number>> {
  const peer = era === '2025' ? await openPeer(stdio, environment) : startPeer(stdio, environment);
  if (era === '2026') await peer.ask('server/discover', { _meta: META });
  const params = era === '2025' ? call : { ...call, _meta: META };
  const ask = async () => {
    const { result } = (await peer.ask('tools/call', params)) as { result?: { isError?: boolean } };
    if (!result || result.isError) throw new Error(`${call.name} failed: ${JSON.stringify(result)}`);
  };
  for (let index = 0; index < WARM; index += 1) await ask();
  const times: number[] = [];
  const before = spentMs(peer.child.pid);
  for (let index = 0; index < ALONE; index += 1) times.push(await timed(ask));
  const between = spentMs(peer.child.pid);
  let left = CROWD;
  const crowdMs = await timed(() =>
    Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while ((left -= 1) >= 0) await ask();
      }),
    ),
  );
  const after = spentMs(peer.child.pid);
  const memory = memoryOf(peer.child.pid ?? 0).peakMb;
  await peer.stop();
  return {
    [`stdio ${era}: p50 of a call, one by one`]: median(times),
    [`stdio ${era}: processor time of a call, one by one`]: (between - before) / ALONE,
    [`stdio ${era}: processor time of a call, ${IN_FLIGHT} in flight`]: (after - between) / CROWD,
    [`stdio ${era}: time of a call, ${IN_FLIGHT} in flight`]: crowdMs / CROWD,
    [`stdio ${era}: peak memory after ${WARM + ALONE + CROWD} calls`]: memory,
  };
}

/** A connection that is kept; sends a request as it is and gives the whole answer. */
function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let text = '';
  let wake: (answer: string) => void = () => undefined;
  const isWhole = () => {
    const head = text.indexOf('\r\n\r\n');
    if (head < 0) return false;
    const length = /^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1];
    return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= head + 4 + Number(length);
  };
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    if (!isWhole()) return;
    const answer = text;
    text = '';
    wake(answer);
  });
  return {
    send: (request: string) =>
      new Promise<string>((resolve) => {
        wake = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

function requestOf(port: number, message: object, headers: Record<string, string>): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const all = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** What opens a connection's session in the 2025 era, and the headers of calls after it. */
async function headersOf(era: Era, { name }: Side['call'], port: number, send: (request: string) => Promise<string>) {
  if (era === '2026') return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  const opened = await send(requestOf(port, INITIALIZE, {}));
  const session = /^mcp-session-id: *(\S+)/im.exec(opened)?.[1] ?? '';
  const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': session };
  await send(requestOf(port, { method: 'notifications/initialized' }, headers));
  return headers;
}

async function callsOverHttp(era: Era, { http, environment, call }: Side): Promise<Record<string, number>> {
  const peer = await startHttpPeer(http, environment);
  const port = Number(new URL(peer.url).port);
  const params = era === '2025' ? call : { ...call, _meta: META };
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(port));
  let calls = 0;
  let until = Number.POSITIVE_INFINITY;
  const running = connections.map(async ({ send }) => {
    const headers = await headersOf(era, call, port, send);
    const request = requestOf(port, { id: 1, method: 'tools/call', params }, headers);
    while (performance.now() < until) {
      const answer = await send(request);
      if (!answer.startsWith('HTTP/1.1 200') || answer.includes('"isError":true') || !answer.includes('"result"')) throw new Error(answer);
      calls += 1;
    }
  });
  await new Promise((resolve) => setTimeout(resolve, WARM_MS));
  const [warmCalls, warmMs, startMs] = [calls, spentMs(peer.pid), performance.now()];
  until = startMs + MEASURED_MS;
  await Promise.all(running);
  const counted = calls - warmCalls;
  const ownMs = spentMs(peer.pid) - warmMs;
  const perSecond = (1000 * counted) / (performance.now() - startMs);
  for (const { close } of connections) close();
  await peer.stop();
  return {
    [`HTTP ${era}: calls a second, ${CONNECTIONS} connections`]: perSecond,
    [`HTTP ${era}: processor time of a call`]: ownMs / counted,
  };
}

/** Opens sessions and lets them be: how long that takes, and what each costs in memory. */
async function idleSessions({ http, environment }: Side): Promise<Record<string, number>> {
  const peer = await startHttpPeer(http, environment);
  const port = Number(new URL(peer.url).port);
  const { send, close } = openConnection(port);
  const open = async (count: number) => {
    for (let left = count; left > 0; left -= 1) await send(requestOf(port, INITIALIZE, {}));
  };
  await open(50);
  const before = memoryOf(peer.pid).residentMb;
  const elapsedMs = await timed(() => open(SESSIONS));
  const grownMb = memoryOf(peer.pid).residentMb - before;
  close();
  await peer.stop();
  return { [`HTTP 2025: time of ${SESSIONS} sessions opened`]: elapsedMs, 'HTTP 2025: memory of an idle session': grownMb / SESSIONS };
}

/** What is measured, by the name that the command line has for it. */
const PARTS: Readonly<Record<string, (side: Side) => Promise<Record<string, number>>>> = {
  start: startOf,
  'stdio-2025': (side) => callsOverStdio('2025', side),
  'stdio-2026': (side) => callsOverStdio('2026', side),
  'http-2025': (side) => callsOverHttp('2025', side),
  'http-2026': (side) => callsOverHttp('2026', side),
  sessions: idleSessions,
};

const AIMS: readonly (readonly [RegExp, string])[] = [
  [/^start/, '≤ 1.25 ×'],
  [/p50/, '≤ 1.6 ×'],
  [/peak memory/, '≤ 1.2 ×'],
  [/calls a second/, '≥ 1 ×'],
];

/** Rounds of one part: ours and the bare one in turn, each first in every second round. */
async function measureRounds(measure: (side: Side) => Promise<Record<string, number>>, [ours, bare]: readonly [Side, Side], count: number) {
  const ratios: Ratios = new Map();
  const values = new Map<string, [number[], number[]]>();
  for (let round = 0; round < count; round += 1) {
    const first = await measure(round % 2 === 0 ? ours : bare);
    const second = await measure(round % 2 === 0 ? bare : ours);
    const [own, theirs] = round % 2 === 0 ? [first, second] : [second, first];
    for (const [name, value] of Object.entries(own)) {
      const other = theirs[name] ?? Number.NaN;
      ratios.set(name, [...(ratios.get(name) ?? []), value / other]);
      const [left, right] = values.get(name) ?? [[], []];
      values.set(name, [
        [...left, value],
        [...right, other],
      ]);
    }
  }
  return { ratios, values };
}

async function rounds(...asked: Parameters<typeof measureRounds>): Promise<Row[]> {
  const { ratios, values } = await measureRounds(...asked);
  return [...ratios].map(([what, each]) => {
    const [left, right] = (values.get(what) ?? [[], []]).map((side) => median(side).toPrecision(3));
    const spread = `${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)}`;
    return {
      what,
      measured: `${median(each).toFixed(2)} × (${left} : ${right}; rounds ${spread})`,
      aim: AIMS.find(([name]) => name.test(what))?.[1] ?? '',
    };
  });
}

/** Ours, and a bare server with one tool that makes one request a call to itself. */
function sidesOf(product: string, environment: Record<string, string>): [Side, Side] {
  const serve = ['serve', '--http', '--port', '0', '--max-sessions', '5000'];
  return [
    { stdio: [product], http: [product, ...serve], environment, call: { name: 'get_credential', arguments: {} } },
    { stdio: [bundled('stdio')], http: [bundled('http')], environment: {}, call: { name: 'echo', arguments: { text: 'hello' } } },
  ];
}

/** The rows of the gate: calls a second over HTTP beside the bare server, in both eras. */
export async function httpRows(product: string, { environment }: ExternalEmulator): Promise<GateRow[]> {
  const sides = sidesOf(product, environment);
  const rows: GateRow[] = [];
  for (const era of ['2025', '2026'] as const) {
    const { ratios } = await measureRounds((side) => callsOverHttp(era, side), sides, 3);
    for (const [what, each] of ratios)
      rows.push({
        what: `beside a bare server, ${what}`,
        value: median(each),
        unit: 'x',
        better: what.includes('a second') ? 'higher' : 'lower',
      });
  }
  return rows;
}

/**
 * The cost of a call and of a start beside a bare server of the SDK with one tool that makes one request a call to itself. Takes names of
 * parts and a number of rounds, by default all and five.
 */
export async function benchServing(product: string, { environment }: ExternalEmulator, args: readonly string[] = []): Promise<Row[]> {
  const count = Number(args.find((arg) => /^\d+$/.test(arg)) ?? ROUNDS);
  const named = args.filter((arg) => arg in PARTS);
  const sides = sidesOf(product, environment);
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(PARTS))
    if (named.length === 0 || named.includes(name)) rows.push(...(await rounds(measure, sides, name === 'start' ? 5 * count : count)));
  return rows;
}
