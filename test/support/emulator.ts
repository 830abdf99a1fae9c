import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { PayloadOf } from '../../src/api/operation.ts';
import { type OperationName, operations } from '../../src/api/operations/index.ts';
import { encodeRequest } from '../../src/api/wire.ts';
import type { CredentialName } from '../../src/emulator/credentials.ts';
import type { Deployment } from '../../src/emulator/deployment.ts';
import type { Fault } from '../../src/emulator/faults.ts';
import { type Emulator, startEmulator } from '../../src/emulator/start-emulator.ts';
import type { Size } from '../../src/emulator/world/size.ts';
import { type ManualClock, manualClock } from './clock.ts';

/** The present of all tests unless they say otherwise. */
export const START = '2026-11-20T10:00:00.000Z';

/** Body and status of an answer; the body is parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A running emulator, the clock that it lives by, and a plain client that knows neither retries nor caches. */
export interface Platform extends Emulator {
  readonly clock: ManualClock;
  /** Sends any request; throws where the connection fails. */
  readonly send: (url: string, init?: RequestInit) => Promise<Answer>;
  /** A token with all scopes of the credential or those named; `projectId` is needed by `account`. */
  readonly token: (credential?: CredentialName, options?: { scope?: string; projectId?: number }) => Promise<string>;
  /** Sends one operation with the given token. */
  readonly call: (operation: OperationName, input: Record<string, unknown>, token?: string, init?: RequestInit) => Promise<Answer>;
  /** The payload of one operation behind a bearer; throws where the answer is another than `success: true`. */
  readonly ask: <Name extends OperationName>(
    operation: Name,
    input: Record<string, unknown>,
    token: string,
  ) => Promise<PayloadOf<(typeof operations)[Name]>>;
}

export interface PlatformOptions {
  readonly start?: string;
  readonly seed?: number;
  readonly port?: number;
  readonly faults?: readonly Fault[];
  readonly deployment?: Partial<Deployment>;
  readonly size?: Size;
}

/** How often a request that has to wait for another one is sent again. */
const TURNS = 100;

async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? parsed(text) : text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Starts an emulator on a clock of its own; the caller closes it. */
export async function openPlatform({
  start = START,
  seed = 1,
  faults = [],
  port,
  deployment = {},
  size,
}: PlatformOptions = {}): Promise<Platform> {
  const clock = manualClock(start);
  const emulator = await startEmulator({ clock, seed, faults, deployment, size, ...(port === undefined ? {} : { port }) });
  const { authUrl, serviceUrl, enrichmentUrl, credentials } = emulator;
  const bases = { auth: authUrl, service: serviceUrl, enrichment: enrichmentUrl.slice(0, -1) };

  function call(name: OperationName, input: Record<string, unknown>, bearer?: string, init: RequestInit = {}): Promise<Answer> {
    const operation = operations[name];
    const { target, body } = encodeRequest(operation, input);
    const headers = new Headers(init.headers);
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    if (body) headers.set('content-type', 'application/json');
    return send(bases[operation.base] + target, {
      method: operation.method,
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...init,
      headers,
    });
  }

  async function token(name: CredentialName = 'shop', { scope, projectId }: { scope?: string; projectId?: number } = {}): Promise<string> {
    const { clientId, clientSecret, scopes } = credentials[name];
    const { status, body } = await call('requestToken', {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
      scope: scope ?? scopes.join(' '),
      project_id: projectId,
    });
    if (status === 200 && typeof body === 'object' && body && 'access_token' in body) return String(body.access_token);
    throw new Error(`No token for ${name}: ${status} ${JSON.stringify(body)}`);
  }

  /** Asks again while the platform answers what the product has asked: it takes one request at a time of some kinds. */
  async function askInTurn(name: OperationName, input: Record<string, unknown>, bearer: string): Promise<Answer> {
    for (let left = TURNS; ; left -= 1) {
      const answer = await call(name, input, bearer);
      if (answer.status !== 409 || left === 0) return answer;
      await delay(20);
    }
  }

  async function ask<Name extends OperationName>(name: Name, input: Record<string, unknown>, bearer: string) {
    const { status, body } = await askInTurn(name, input, bearer);
    if (status !== 200 || typeof body !== 'object' || !body || !('payload' in body))
      throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return operations[name].payload.parse(body.payload) as PayloadOf<(typeof operations)[Name]>;
  }

  return { ...emulator, clock, send, call, token, ask };
}

/** One emulator for a test file: started before its tests, closed after them; faults and recorded requests are cleared after each. */
export function sharedPlatform(options?: PlatformOptions): () => Platform {
  let platform: Platform | undefined;
  beforeAll(async () => {
    platform = await openPlatform(options);
  });
  afterEach(() => {
    platform?.faults.clear();
    if (platform) platform.requests.length = 0;
  });
  afterAll(() => platform?.close());
  return () => {
    if (!platform) throw new Error('The emulator of this file is not running yet; ask for it inside a test.');
    return platform;
  };
}

/** Runs one test on an emulator of its own. */
export async function withPlatform<T>(run: (platform: Platform) => Promise<T>, options?: PlatformOptions): Promise<T> {
  const platform = await openPlatform(options);
  try {
    return await run(platform);
  } finally {
    await platform.close();
  }
}
