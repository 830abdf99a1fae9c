import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { DEMO, type ServerProcess, startServer, strayOutput } from '../support/stdio.ts';

/** A process that has written nothing but the protocol when the test ends, and is gone. */
async function start(args?: readonly string[], environment?: Record<string, string>): Promise<ServerProcess> {
  const server = await startServer(args, environment);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

const info = { name: 'raw', version: '1' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': {},
};

let lastId = 0;

/** Sends a request as it is on the wire and gives its answer. */
async function ask({ write, answerTo }: ServerProcess, method: string, params: object = {}): Promise<Record<string, unknown>> {
  lastId += 1;
  const id = lastId;
  write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return answerTo(id);
}

const initialize = (server: ServerProcess, protocolVersion = '2025-11-25') =>
  ask(server, 'initialize', { protocolVersion, capabilities: {}, clientInfo: info });

const call = (server: ServerProcess, name: string, args: object = {}) => ask(server, 'tools/call', { name, arguments: args });

/** Sends a call that stays without an answer, and makes sure that it has reached the platform. */
async function hang(server: ServerProcess): Promise<void> {
  await initialize(server);
  const params = { name: 'get_site_visits', arguments: { startDate: '2026-11-01', endDate: '2026-11-01' } };
  server.write(JSON.stringify({ jsonrpc: '2.0', id: 'hangs', method: 'tools/call', params }));
  await call(server, 'list_goals');
}

/** Ports that the process listens on. */
function listening(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1];
      } catch {
        return undefined; // closed meanwhile
      }
    }),
  );
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1));
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === '0A' && sockets.has(inode) ? [Number.parseInt(local.split(':').at(-1) ?? '', 16)] : [];
  });
}

it('the start says in both eras who serves, with title, address and icons, and gives each tool an icon', { tags: 'nightly' }, async () => {
  const server = await start();
  const { title, icons } = {
    title: expect.stringMatching(/\w/),
    icons: [expect.objectContaining({ src: expect.stringMatching(/^data:/) })],
  };
  const about = { name: 'web-analytics-mcp', title, websiteUrl: expect.stringMatching(/^https:/), icons };
  expect(JSON.stringify(await ask(server, 'server/discover', { _meta: envelope }))).toContain('"websiteUrl":"https://');
  expect(await initialize(server)).toMatchObject({ result: { serverInfo: about } });
  const listed = (await ask(server, 'tools/list')) as { result: { tools: { name: string; icons?: unknown[] }[] } };
  expect(listed.result.tools.filter((tool) => tool.icons?.length !== 1).map(({ name }) => name)).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'the start opens no port before the first call, however often the host probes',
  { tags: 'nightly' },
  async () => {
    const server = await start();
    const pid = server.child.pid ?? 0;
    expect(await ask(server, 'server/discover', { _meta: envelope })).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
    expect(await initialize(server, '2025-06-18')).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
    expect(await ask(server, 'tools/list')).toMatchObject({ result: { tools: expect.any(Array) } });
    expect(await ask(server, 'resources/templates/list')).toMatchObject({ result: { resourceTemplates: expect.any(Array) } });
    expect(listening(pid)).toEqual([]);
    expect(await call(server, 'list_goals')).toMatchObject({ result: { structuredContent: { goals: expect.any(Array) } } });
    // The emulated platform: authentication, service, enrichment, file store.
    expect(listening(pid)).toHaveLength(4);
    expect(strayOutput(server)).toEqual([]);
  },
);

it.runIf(process.platform === 'linux')('the start opens no port at all without the emulated platform', { tags: 'nightly' }, async () => {
  const server = await start([]);
  await initialize(server);
  expect(await call(server, 'list_goals')).toMatchObject({ result: { isError: true } });
  expect(listening(server.child.pid ?? 0)).toEqual([]);
});

it('the start with a wrong setting ends with 2 and says which, without a word on stdout', async () => {
  const server = await start(['--time-zone', 'Mars/Olympus']);
  expect(await server.ended).toEqual({ code: 2, signal: null });
  expect(server.stderr()).toMatch(/^web-analytics-mcp: --time-zone: "Mars\/Olympus" is wrong: expected an IANA time zone/);
  expect([...server.lines, server.rest()]).toEqual(['']);
});

const HANGING = [...DEMO, '--fault', 'hang:getSiteVisits'];

it.each<[string, (server: ServerProcess) => Promise<unknown>, (server: ServerProcess) => unknown]>([
  ['stdin closes before anything was said', async () => undefined, ({ child }) => child.stdin.end()],
  ['stdin closes while a call hangs', hang, ({ child }) => child.stdin.end()],
  ['SIGTERM comes while a call hangs', hang, ({ child }) => child.kill('SIGTERM')],
  ['SIGINT comes after the handshake', initialize, ({ child }) => child.kill('SIGINT')],
])(
  'the end %s: code 0 within a second, or twice the start of a server where that takes longer',
  { tags: 'nightly' },
  async (_, prepare, end) => {
    const begun = performance.now();
    await initialize(await start(DEMO));
    const startMs = performance.now() - begun;
    const server = await start(HANGING);
    await prepare(server);
    const asked = performance.now();
    end(server);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    // A process that has just been started loads its code first.
    expect(performance.now() - asked).toBeLessThan(Math.max(1_000, 2 * startMs));
    expect([strayOutput(server), server.stderr()]).toEqual([[], '']);
  },
);
