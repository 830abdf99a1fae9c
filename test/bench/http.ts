import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { metaOf } from '../support/http.ts';
import { bundled } from './bare-server.ts';
import type { ExternalEmulator } from './emulator.ts';
import { median, type Row, timed } from './measure.ts';

const CONNECTIONS = 32;
const ROUND_MS = 400;
const ROUNDS = 12;
const SESSIONS = 1_000;
/** What the product is compared with: its own tools behind the transports of the SDK and nothing else. */
const PLAIN = 'test/bench/plain-http-server.ts';

/** A server over HTTP in a process of its own. */
export interface HttpPeer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export async function startHttpPeer(args: readonly string[], environment: Record<string, string> = {}): Promise<HttpPeer> {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...environment }, stdio: ['ignore', 'ignore', 'pipe'] });
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
    async stop() {
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const INFO = { name: 'bench', version: '1.0.0' };
const META = metaOf(INFO);
export const INITIALIZE = { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO } };

/** What came back. */
interface Posted {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
type Post = (message: object, headers?: Record<string, string>) => Promise<Posted>;

/** Sends messages over so many kept connections and reads each answer to its end, whatever it says. */
export function rawPoster({ url }: HttpPeer, connections: number): { post: Post; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const post: Post = async (message, headers = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sending = request(url, { agent, method: 'POST', headers: { ...usual, 'content-length': Buffer.byteLength(body), ...headers } });
    sending.end(body);
    const [response] = (await once(sending, 'response')) as [NodeJS.ReadableStream & { statusCode: number; headers: IncomingHttpHeaders }];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, headers: response.headers, text };
  };
  return { post, close: () => agent.destroy() };
}

/** As `rawPoster`, for answers without errors: another one is thrown. */
function poster(peer: HttpPeer, connections: number): ReturnType<typeof rawPoster> {
  const { post, close } = rawPoster(peer, connections);
  return {
    async post(message, headers) {
      const posted = await post(message, headers);
      const { status, text } = posted;
      if (status !== 200 || text.includes('"isError":true')) throw new Error(`${peer.url}: ${status} ${text.slice(0, 300)}`);
      return posted;
    },
    close,
  };
}

/** Calls of one era: a tool that the product answers from its token cache, so that both servers only serve. */
async function callsOf(era: '2025' | '2026', post: Post): Promise<() => Promise<unknown>> {
  const params = { name: 'authenticate', arguments: {} };
  if (era === '2026') {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': params.name };
    return () => post({ id: 1, method: 'tools/call', params: { ...params, _meta: META } }, headers);
  }
  const opened = await Promise.all(Array.from({ length: CONNECTIONS }, () => post(INITIALIZE)));
  const ids = opened.map(({ headers }) => String(headers['mcp-session-id']));
  let count = 0;
  return () => {
    count += 1;
    const id = ids[count % ids.length] ?? '';
    return post({ id: count, method: 'tools/call', params }, { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' });
  };
}

interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Calls for a while, one after the other on each connection. */
async function load(call: () => Promise<unknown>): Promise<Load> {
  const times: number[] = [];
  const endMs = performance.now() + ROUND_MS;
  const elapsedMs = await timed(() =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() < endMs) times.push(await timed(call));
      }),
    ),
  );
  return { perSecond: (1000 * times.length) / elapsedMs, p99Ms: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0 };
}

async function throughput(era: '2025' | '2026', peers: readonly [HttpPeer, HttpPeer]): Promise<Row> {
  const posters = peers.map((peer) => poster(peer, CONNECTIONS));
  const calls = await Promise.all(posters.map(({ post }) => callsOf(era, post)));
  const loads: Load[][] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Each takes its turn in every round; the first warms both up.
    for (const [index, call] of calls.entries()) {
      const measured = await load(call);
      if (round > 0) loads[index]?.push(measured);
    }
  }
  for (const { close } of posters) close();
  const [product, bare] = loads.map((each) => ({
    perSecond: median(each.map(({ perSecond }) => perSecond)),
    p99Ms: median(each.map(({ p99Ms }) => p99Ms)),
  }));
  // Of each round, because the machine does other things too, and they change from round to round.
  const ratio = median((loads[0] ?? []).map(({ perSecond }, round) => perSecond / (loads[1]?.[round]?.perSecond ?? perSecond)));
  return {
    what: `tools/call a second over HTTP, ${era} era, ${CONNECTIONS} connections, over a bare server`,
    measured:
      `${ratio.toFixed(2)} × (${product?.perSecond.toFixed(0)} : ${bare?.perSecond.toFixed(0)} /s; p99 ${product?.p99Ms.toFixed(0)} : ` +
      `${bare?.p99Ms.toFixed(0)} ms)`,
    aim: era === '2025' ? '≥ 1 ×' : '≥ 1.4 ×',
  };
}

export function residentKilobytes({ pid }: HttpPeer): number {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
}

/** Opens sessions and lets them be: how long that takes, and what each costs in memory. */
async function openMany(peer: HttpPeer, sessions: number): Promise<{ elapsedMs: number; kilobytesEach: number }> {
  const { post, close } = poster(peer, CONNECTIONS);
  const open = (count: number) =>
    timed(async () => {
      let left = count;
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          while (left > 0) {
            left -= 1;
            await post(INITIALIZE);
          }
        }),
      );
    });
  await open(50);
  const before = residentKilobytes(peer);
  const elapsedMs = await open(sessions);
  close();
  return { elapsedMs, kilobytesEach: (residentKilobytes(peer) - before) / sessions };
}

/** Serving over HTTP against a bare server of the SDK with the same tools. */
export async function benchHttp(product: string, emulator: ExternalEmulator): Promise<Row[]> {
  const plain = bundled(PLAIN, 'node_modules/.cache/bench-http');
  // The other server logs nothing.
  const serve = [product, 'serve', '--http', '--port', '0', '--max-sessions', '5000', '--log-level', 'warn', '--log-format', 'words'];
  const peers = await Promise.all([startHttpPeer(serve, emulator.environment), startHttpPeer([plain], emulator.environment)]);
  const rows = [await throughput('2025', peers), await throughput('2026', peers)];
  await Promise.all(peers.map((peer) => peer.stop()));
  const fresh = await Promise.all([startHttpPeer(serve, emulator.environment), startHttpPeer([plain], emulator.environment)]);
  const [ours, theirs] = [await openMany(fresh[0], SESSIONS), await openMany(fresh[1], SESSIONS)];
  await Promise.all(fresh.map((peer) => peer.stop()));
  return [
    ...rows,
    {
      what: `${SESSIONS} sessions opened over HTTP`,
      measured: `${(ours.elapsedMs / 1000).toFixed(2)} s (a bare server: ${(theirs.elapsedMs / 1000).toFixed(2)} s)`,
      aim: '≤ 5 s',
    },
    {
      what: 'memory of an idle session over HTTP, above that of a bare server',
      measured:
        `${(ours.kilobytesEach - theirs.kilobytesEach).toFixed(0)} KB (${ours.kilobytesEach.toFixed(0)} : ` +
        `${theirs.kilobytesEach.toFixed(0)} KB)`,
      aim: '≤ 60 KB',
    },
  ];
}
