import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Scope } from '../api/operation.ts';
import type { OperationName } from '../api/operations/index.ts';
import { addTo, countOf } from '../lib/tally.ts';
import { Refusal } from './responses.ts';

/** Requests that are remembered; the oldest are forgotten first. */
const REMEMBERED = 1000;

/** Which operation a request meant; `download` is a file of the store. */
export type Target = OperationName | 'download';

/** A request as it arrived, secrets replaced by a short hash. */
export interface RecordedRequest {
  readonly server: 'auth' | 'service' | 'enrichment' | 'store';
  /** Undefined where no operation has this method and path. */
  operation: Target | undefined;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON, else the text; undefined until it has arrived, or where there is none. */
  body: unknown;
}

/** The variables of hono for one request to the emulator. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { recorded: RecordedRequest };
}

/** Short name of a secret: equal secrets have equal names. */
export function shortHash(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('hex').slice(0, 12)}`;
}

function withoutBearer(headers: Record<string, string>): Record<string, string> {
  const { authorization } = headers;
  return authorization ? { ...headers, authorization: authorization.replace(/\S+$/, shortHash) } : headers;
}

/** Remembers the request in `requests`, at once and in the order of arrival. */
export function record(context: Context<Env>, requests: RecordedRequest[], server: RecordedRequest['server']): void {
  const { incoming } = context.env;
  const recorded: RecordedRequest = {
    server,
    operation: undefined,
    method: context.req.method,
    url: incoming.url ?? '',
    headers: withoutBearer(context.req.header()),
    body: undefined,
  };
  context.set('recorded', recorded);
  requests.push(recorded);
  if (requests.length > REMEMBERED) requests.shift();
}

/** The text of the body, remembered with the request. */
export async function readBody(context: Context<Env>): Promise<string> {
  const text = await context.req.text();
  context.get('recorded').body = parsed(text);
  return text;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text, (name, value) => (name === 'client_secret' && typeof value === 'string' ? shortHash(value) : value));
  } catch {
    return text;
  }
}

/** Requests of one project that may be in flight at once, and of those, calls to speed analysis. */
const MAX_REQUESTS = 10;
const MAX_SPEED_CALLS = 1;

/** Counts open requests of each project, all and those of speed analysis apart, whatever credential they came with. */
export function createLoad() {
  const inFlight = new Map<string, number>();
  function take(key: string): () => void {
    addTo(inFlight, key);
    return () => inFlight.set(key, (inFlight.get(key) ?? 1) - 1);
  }
  return {
    /** Takes a slot and returns the function that frees it; returns a `Refusal` where there is none. */
    admit(project: unknown, scope: Scope | undefined): Refusal | (() => void) {
      const all = `all of ${String(project)}`;
      const speed = `speed of ${String(project)}`;
      if (countOf(inFlight, all) >= MAX_REQUESTS) {
        const message = `More than ${MAX_REQUESTS} requests of the project are in flight.`;
        return new Refusal(429, 'TOO_MANY_REQUESTS', message, { 'retry-after': '1' });
      }
      if (scope !== 'speed-analysis') return take(all);
      if (countOf(inFlight, speed) >= MAX_SPEED_CALLS) return new Refusal(409, 'CONCURRENT_API_CALL', 'Too much concurrent calls');
      const leaves = [take(all), take(speed)];
      return () => {
        for (const leave of leaves) leave();
      };
    },
  };
}

/** The requests of one emulator that are in flight. */
export type Load = ReturnType<typeof createLoad>;
