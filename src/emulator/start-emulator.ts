import { once } from 'node:events';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import type { Hono } from 'hono';
import { ApiError } from '../api/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type Credentials, createCredentials, createTokens } from './credentials.ts';
import { createFaults, type Fault, type Faults, underFaults } from './faults.ts';
import type { Platform } from './handler.ts';
import { createLoad, type Env, type RecordedRequest } from './requests.ts';
import { compressed } from './responses.ts';
import { arrivals, createRoutes } from './route.ts';
import { createStore } from './store.ts';
import { createWorld, type Stories, storiesOf, type World } from './world/index.ts';

const HOST = '127.0.0.1';
/** Idle connections stay as long as load balancers keep them; Node's 5 s would close them under a process that is busy for longer. */
const KEEP_ALIVE_MS = 60_000;

export interface EmulatorOptions {
  /** Port of the authentication server; service, enrichment and file store take the next three. Left out: four free ports. */
  readonly port?: number;
  /** What the emulator takes for the present; its reading at start places the stories. */
  readonly clock: Clock;
  readonly seed: number;
  /** Faults that are set from the start. */
  readonly faults?: readonly Fault[];
  /** Number of the first page of a list, which the reference leaves open; default 1. */
  readonly pagesFrom?: 0 | 1;
}

/** The whole platform, listening on loopback. */
export interface Emulator {
  readonly authUrl: string;
  /** The `endpoint` of service tokens, without a slash at the end. */
  readonly serviceUrl: string;
  /** The `endpoint` of enrichment tokens, with a slash at the end. */
  readonly enrichmentUrl: string;
  readonly storeUrl: string;
  readonly credentials: Credentials;
  readonly faults: Faults;
  /** What arrived, oldest first; the last 1000. Setting its length to 0 forgets them. */
  readonly requests: RecordedRequest[];
  /** What was placed in the data, for tests that look whether it is found. */
  readonly stories: Stories;
  readonly world: World;
  /** Stops at once: connections are dropped, kept-alive ones too. */
  readonly close: () => Promise<void>;
}

/** Starts the platform: a pure function of seed and clock, on loopback alone. */
export async function startEmulator({ port, clock, seed, faults = [], pagesFrom = 1 }: EmulatorOptions): Promise<Emulator> {
  const origin = { seed, startMs: clock.now() };
  const platform: Platform = {
    clock,
    world: createWorld(origin),
    credentials: createCredentials(origin),
    tokens: createTokens(seed, clock),
    load: createLoad(),
    faults: createFaults(),
    requests: [],
    pagesFrom,
    addresses: { auth: '', service: '', enrichment: '', store: '' },
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
  Object.assign(platform.addresses, { auth, service, enrichment: `${enrichment}/`, store });
  const { addresses, credentials, requests, world } = platform;
  return {
    authUrl: addresses.auth,
    serviceUrl: addresses.service,
    enrichmentUrl: addresses.enrichment,
    storeUrl: addresses.store,
    credentials,
    faults: platform.faults,
    requests,
    get stories() {
      return storiesOf(origin);
    },
    world,
    close() {
      platform.faults.clear();
      return close();
    },
  };
}

/** The file store, where faults strike downloads. */
function storeFront(platform: Platform): Hono<Env> {
  const store = createStore(platform.world, platform.clock);
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
