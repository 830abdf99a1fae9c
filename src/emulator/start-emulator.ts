import { once } from 'node:events';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { ApiError } from '../api/errors.ts';
import { type Clock, DAY_MS, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { createCredentials, createTokens, projects, shop } from './credentials.ts';
import { type Deployment, REFERENCE } from './deployment.ts';
import { createFaults, type Fault, underFaults } from './faults.ts';
import type { Platform } from './handler.ts';
import { metricsHandlers } from './handlers/metrics.ts';
import { createLoad, type Env } from './requests.ts';
import { compressed } from './responses.ts';
import { arrivals, createRoutes } from './route.ts';
import { type FilePart, idsOf } from './world/exports/files.ts';
import { runState, runWithId } from './world/exports/schedule.ts';
import { createWorld, type Stories, storiesOf, type World } from './world/index.ts';
import type { Size } from './world/size.ts';

const HOST = '127.0.0.1';
/** Idle connections stay as long as load balancers keep them; Node's 5 s would close them under a process that is busy for longer. */
const KEEP_ALIVE_MS = 60_000;

/** Options of an emulator; all have defaults. */
export interface EmulatorOptions {
  /** Port of the authentication server; service, enrichment and file store take the next three. Left out: four free ports. */
  readonly port?: number;
  /** The clock of the emulator; its reading at start places the stories. */
  readonly clock: Clock;
  readonly seed: number;
  /** Faults that are set from the start. */
  readonly faults?: readonly Fault[];
  /** In what the platform differs from the letter of the reference. */
  readonly deployment?: Partial<Deployment>;
  /** Left out: an account with a few of each kind. */
  readonly size?: Size | undefined;
}

type Shown = 'authUrl' | 'serviceUrl' | 'enrichmentUrl' | 'storeUrl' | 'credentials' | 'faults' | 'requests' | 'world';

/** The whole platform, listening on loopback. */
export interface Emulator extends Pick<Platform, Shown> {
  /** The stories planted in the data, for tests that look for them. */
  readonly stories: Stories;
  /** Stops at once: connections are dropped, kept-alive ones too. */
  readonly close: () => Promise<void>;
}

/** Starts the platform: a pure function of seed and clock, the start to the minute, on loopback alone. */
export async function startEmulator({ port, clock, seed, faults = [], deployment = {}, size }: EmulatorOptions): Promise<Emulator> {
  // Records that are dated back from the start are the same whenever within a minute that is.
  const origin = { seed, startMs: Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS };
  const world = createWorld(origin, size);
  const platform: Platform = {
    clock,
    world,
    credentials: createCredentials(origin, world.account.projects),
    tokens: createTokens(seed, clock),
    load: createLoad(),
    faults: createFaults(),
    requests: [],
    deployment: { ...REFERENCE, ...deployment },
    authUrl: '',
    serviceUrl: '',
    enrichmentUrl: '',
    storeUrl: '',
  };
  for (const fault of faults) platform.faults.add(fault);
  const apps = {
    auth: createRoutes('auth', platform),
    service: createRoutes('service', platform),
    enrichment: createRoutes('enrichment', platform),
    store: storeFront(platform),
  };
  const servers = Object.values(apps).map(serverOf);
  const close = async () => void (await Promise.all(servers.map(closed)));
  // All are awaited, so that a server that still starts cannot outlive the failure of another.
  const started = await Promise.allSettled(servers.map((server, index) => listening(server, port === undefined ? 0 : port + index)));
  const failure = started.find((result) => result.status === 'rejected');
  if (failure) {
    await close();
    throw failure.reason;
  }
  const [auth = '', service = '', enrichment = '', store = ''] = started.map((result) =>
    result.status === 'fulfilled' ? result.value : '',
  );
  Object.assign(platform, { authUrl: auth, serviceUrl: service, enrichmentUrl: `${enrichment}/`, storeUrl: store });
  return {
    ...platform,
    get stories() {
      return storiesOf(origin);
    },
    close() {
      platform.faults.clear();
      return close();
    },
  };
}

/** The file store, where faults strike downloads. */
function storeFront(platform: Platform): Hono<Env> {
  const store = createStore(platform.world, platform.clock, platform.deployment);
  const front = arrivals('store', platform);
  front.all('*', (context) => {
    context.get('recorded').operation = 'download';
    return underFaults(context, platform.faults, 'download', async () => store.fetch(context.req.raw, context.env));
  });
  return front;
}

function serverOf(app: Hono<Env>): ServerType {
  return createAdaptorServer({
    overrideGlobalObjects: false,
    serverOptions: { keepAliveTimeout: KEEP_ALIVE_MS },
    fetch: async (request, env) => compressed(await app.fetch(request, env), request.headers.get('accept-encoding')),
  });
}

async function listening(server: ServerType, port: number): Promise<string> {
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError('settings', `The emulator cannot listen on port ${port}: ${reason}`, { cause: error });
  }
  const address = server.address();
  return `http://${HOST}:${typeof address === 'object' ? address?.port : port}`;
}

function closed(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}

/** A refusal as object stores give it. */
function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return new Response(body, { status, headers: { 'content-type': 'application/xml', ...headers } });
}

/** First and last byte that a `Range` of one part asks for; undefined where it is to be ignored, null where it lies outside. */
function rangeOf(header: string | undefined, size: number): readonly [number, number] | null | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return Number(last) === 0 || size === 0 ? null : [Math.max(0, size - Number(last)), size - 1];
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return Number(first) >= size ? null : [Number(first), Math.min(size - 1, last === '' ? size - 1 : Number(last))];
}

/** The whole part, or the bytes that the headers ask for. */
function answer({ bytes, etag }: FilePart, range: string | undefined, ifRange: string | undefined): Response {
  const headers = { 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream', etag };
  const wanted = ifRange === undefined || ifRange.trim() === etag ? rangeOf(range, bytes.length) : undefined;
  if (wanted === null) {
    return refusal(416, 'InvalidRange', 'The requested range lies outside the file.', { 'content-range': `bytes */${bytes.length}` });
  }
  if (!wanted) return new Response(new Uint8Array(bytes), { headers: { ...headers, 'content-length': String(bytes.length) } });
  const [first, last] = wanted;
  const part = new Uint8Array(bytes.subarray(first, last + 1));
  const contentRange = `bytes ${first}-${last}/${bytes.length}`;
  return new Response(part, { status: 206, headers: { ...headers, 'content-range': contentRange, 'content-length': String(part.length) } });
}

/** The file store: delivers parts by their signed address alone, as long as they live. */
export function createStore(
  { exports }: Pick<World, 'exports'>,
  clock: Pick<Clock, 'now'>,
  { fileLifeMs }: Pick<Deployment, 'fileLifeMs'> = REFERENCE,
): Hono {
  const store = new Hono();
  store.get('/exports/*', async (context) => {
    if (context.req.header('authorization') !== undefined) {
      return refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed: the signature of the address or the Authorization header.');
    }
    const { path } = context.req;
    const { expires = '', signature = '' } = context.req.query();
    if (!exports.addresses.genuine(path, expires, signature)) return refusal(403, 'SignatureDoesNotMatch', 'The signature does not match.');
    const nowMs = clock.now();
    if (nowMs >= Number(expires) * 1000) return refusal(403, 'AccessDenied', 'Request has expired.');
    const ids = idsOf(path);
    const project = projects.find(({ id }) => id === ids?.projectId);
    const job = project && exports.jobs(project, nowMs).find(({ jobId }) => jobId === ids?.jobId);
    const run = job && ids && runWithId(job, ids.runId, nowMs);
    if (!run || runState(run, nowMs) !== 'SUCCESS' || nowMs >= run.endMs + fileLifeMs) return refusal(404, 'NoSuchKey', 'No such file.');
    const part = await exports.files.part(run, ids.partId);
    return answer(part, context.req.method === 'HEAD' ? undefined : context.req.header('range'), context.req.header('if-range'));
  });
  store.notFound(() => refusal(404, 'NoSuchKey', 'No such file.'));
  return store;
}

/** Old days that are computed: enough for the runtime to compile the loops that a long range runs through. */
const DAYS = 60;
const DAYS_AT_ONCE = 20;

/** Spends some 100 ms on old days, so that the first long range of a process meets compiled code. */
export async function warmUp(world: World): Promise<void> {
  // The first buffer that is ever detached makes V8 drop all code compiled over typed arrays; else the first answered request would do it.
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
  const nowMs = world.origin.startMs;
  const isoOf = (daysAgo: number) => isoTime(nowMs - daysAgo * DAY_MS);
  // Other days each time: those that were computed stay in memory, and reading them compiles only half of the way.
  for (let daysAgo = 300; daysAgo > 300 - DAYS; daysAgo -= DAYS_AT_ONCE) {
    const range = { startDate: isoOf(daysAgo), endDate: isoOf(daysAgo - DAYS_AT_ONCE) };
    await metricsHandlers.getSiteMetrics(range, { world, project: shop, storeUrl: '', nowMs, deployment: REFERENCE });
  }
}
