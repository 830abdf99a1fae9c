import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { enabledTools, listedTools, loadTool } from '../../src/commands/catalogue.ts';
import { createPlatform } from '../../src/commands/platform.ts';
import { type Catalogue, startHttpServing } from '../../src/commands/serve-over-http.ts';
import { prompts } from '../../src/prompts/index.ts';
import type { HttpLimits, HttpServing } from '../../src/protocol/http/http-server.ts';
import type { SharedCache } from '../../src/replicas/index.ts';
import { resources } from '../../src/resources/index.ts';
import { readSettings } from '../../src/settings/settings.ts';
import {
  type AccessScope,
  CredentialsError,
  type PlatformCredential,
  type PlatformCredentials,
  type SignIn,
} from '../../src/sign-in/principal.ts';
import type { Tracing } from '../../src/telemetry/tracing.ts';
import { openPlatform, type Platform, type PlatformOptions } from './emulator.ts';

/** The product served over HTTP in this process, on an emulator, both on a clock that a test moves. */
export interface Service extends HttpServing {
  readonly platform: Platform;
  /** Ends the serving, not the emulator. */
  readonly stop: () => Promise<void>;
}

export interface ServiceOptions {
  /** Variables without `WEB_ANALYTICS_`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly limits?: Partial<HttpLimits>;
  readonly signIn?: SignIn;
  readonly credentials?: PlatformCredentials;
  readonly emulator?: PlatformOptions;
  /** An emulator that others use too; it outlives the service. */
  readonly on?: Platform;
  /** What replicas share; closed with the service. */
  readonly cache?: SharedCache;
  readonly tracing?: Tracing;
}

/** Begins to serve on a free port; the caller closes it, with the emulator. */
export async function openService({
  settings = {},
  limits = {},
  signIn,
  credentials,
  emulator,
  on,
  cache,
  tracing,
}: ServiceOptions = {}): Promise<Service> {
  const platform = on ?? (await openPlatform(emulator));
  const { clientId, clientSecret } = platform.credentials.account;
  const given = {
    AUTH_URL: platform.authUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    PROJECT_ID: '1201',
    LOG_LEVEL: 'error',
    PORT: '0',
    ...settings,
  };
  const read = readSettings(Object.fromEntries(Object.entries(given).map(([name, value]) => [`WEB_ANALYTICS_${name}`, value])));
  const { tools, absent } = enabledTools(await listedTools(), read);
  const catalogue: Catalogue = { name: 'web-analytics-mcp', version: '0.0.0', tools, absent, load: loadTool, resources, prompts };
  const shared = createPlatform(read, tools, { seed: 1, faults: [], clock: platform.clock }, credentials, cache);
  const serving = await startHttpServing(read, { platform: shared, catalogue, signIn, tracing, limits }).catch(async (error: unknown) => {
    await shared.close();
    if (!on) await platform.close();
    throw error;
  });
  return {
    ...serving,
    platform,
    stop: () => serving.close(),
    async close() {
      // What still hangs would be waited for by a clock that stands still.
      platform.faults.clear();
      await serving.close();
      await shared.close();
      if (!on) await platform.close();
    },
  };
}

/** A service for the running test alone. */
export async function ownService(options: ServiceOptions = {}): Promise<Service> {
  const service = await openService(options);
  onTestFinished(() => service.close());
  return service;
}

/** One service for a test file, opened before its tests and closed after them. */
export function sharedService(options?: ServiceOptions): () => Service {
  let service: Service | undefined;
  beforeAll(async () => {
    service = await openService(options);
  });
  afterAll(() => service?.close());
  return () => {
    if (!service) throw new Error('The service of this file is not running yet; ask for it inside a test.');
    return service;
  };
}

/** A sign-in whose tokens say who comes and with which scopes: `anna:read+write`, or `anna:read@1700000000000` with its end. */
export const spokenSignIn: SignIn = {
  fault: async () => undefined,
  async authenticate({ authorization = '' }) {
    const [, id, scopes = '', expires] = /^Bearer ([\w-]+):([a-z+]+)(?:@(\d+))?$/.exec(authorization) ?? [];
    if (id === undefined) {
      const body = { error: 'invalid_token', error_description: 'Say who you are.' };
      return { challenge: { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, body } };
    }
    const expiry = expires === undefined ? {} : { expiresAtMs: Number(expires) };
    return { principal: { id, scopes: new Set(scopes.split('+') as AccessScope[]), ...expiry } };
  },
  stepUp: (scope) => ({
    status: 403,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="read ${scope}"` },
    body: { error: 'insufficient_scope', error_description: `The scope ${scope} is missing.` },
  }),
};

/** Credentials by the name of the principal, as they are at the moment. */
export function credentialsBy(credentials: Readonly<Record<string, PlatformCredential>>): PlatformCredentials {
  return {
    versionOf: async ({ id }) => String(credentials[id]?.credential.clientId),
    async credentialsOf({ id }) {
      const own = credentials[id];
      if (!own) throw new CredentialsError('No credential is stored for you; ask the operator.');
      return own;
    },
  };
}

const INFO = { name: 'raw', version: '1' };
/** What each request of the 2026 era carries. */
export const metaOf = (clientInfo: { name: string; version: string }) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
});
const META = metaOf(INFO);

/** The headers that a client of either era sends with a message. */
export const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** An answer as it is on the wire; the messages of a stream are read to its end. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly message: Record<string, unknown> | undefined;
}

function messageIn(type: string, text: string): Record<string, unknown> | undefined {
  const json = type.startsWith('text/event-stream')
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))
        ?.slice(6)
    : text;
  return json ? (JSON.parse(json) as Record<string, unknown>) : undefined;
}

/** Sends one request and reads its answer. */
export async function send(url: string, init: RequestInit): Promise<RawAnswer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, message: messageIn(response.headers.get('content-type') ?? '', text) };
}

/** Sends one message of the 2025 era. */
export function post(url: string, message: object, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return send(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

/** One request of the 2026-07-28 era, with the headers that belong to it. */
export function request2026(method: string, params: Record<string, unknown> = {}): { headers: Record<string, string>; body: string } {
  const name = params['name'] ?? params['uri'];
  const named = typeof name === 'string' ? { 'mcp-name': name } : {};
  const meta = { ...META, ...(params['_meta'] as object | undefined) };
  return {
    headers: { ...HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  };
}

/** Sends one request of the 2026-07-28 era. */
export function post2026(url: string, method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const { headers: usual, body } = request2026(method, params);
  return send(url, { method: 'POST', headers: { ...usual, ...headers }, body });
}

export const INITIALIZE = { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO } };

/** Opens a session of the 2025 era and gives the headers that continue it. */
export async function openRawSession(url: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const { status, headers: answered } = await post(url, INITIALIZE, headers);
  const id = answered.get('mcp-session-id');
  if (status !== 200 || id === null) throw new Error(`No session: ${status}`);
  return { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

/** Opens the stream of a session; it ends with the signal. */
export function openStream(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  return fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal });
}

/** The message of a tool call in a session of the 2025 era. */
export const callOf = (name: string, args: object = {}) => ({ id: 5, method: 'tools/call', params: { name, arguments: args } });
