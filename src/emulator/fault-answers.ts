import { once } from 'node:events';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { json, refused } from './answers.ts';
import type { Fault, FaultKind, Faults, StruckFault } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { Env, Target } from './requests.ts';

/** Runs an operation under the fault that is set for it, if any. */
export async function underFaults(context: Context<Env>, faults: Faults, target: Target, run: () => Promise<Response>): Promise<Response> {
  const struck = faults.take(target);
  if (!struck) return run();
  if (!struck.fault.afterEffect) return strike(context, struck, run);
  const done = await run();
  return strike(context, struck, async () => done);
}

type Strike = (context: Context<Env>, struck: StruckFault, run: () => Promise<Response>) => Response | Promise<Response>;

function strike(context: Context<Env>, struck: StruckFault, run: () => Promise<Response>): Response | Promise<Response> {
  return strikes[struck.fault.kind](context, struck, run);
}

const strikes: Record<FaultKind, Strike> = {
  'expired-token': () => refused(new Refusal(401, 'JWT_EXPIRED', 'Auth token is expired.')),
  'rate-limit': (_, { fault }) => refused(new Refusal(429, 'TOO_MANY_REQUESTS', 'Too many requests.', retryAfter(fault, 1))),
  'concurrent-call': () => refused(new Refusal(409, 'CONCURRENT_API_CALL', 'Too much concurrent calls')),
  'server-error': () => refused(new Refusal(500, 'INTERNAL_SERVER_ERROR', 'An internal error occurred.')),
  unavailable: (_, { fault }) => refused(new Refusal(503, 'SERVICE_UNAVAILABLE', 'The service is not available.', retryAfter(fault, null))),
  'bad-gateway': () =>
    new Response('<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>', {
      status: 502,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }),
  refused: () => json(200, { success: false, errorMessage: 'The request was refused.', errorCode: 'REQUEST_REFUSED' }),
  reset({ env }) {
    env.incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  async hang({ env }) {
    if (!env.outgoing.destroyed) await once(env.outgoing, 'close');
    return RESPONSE_ALREADY_SENT;
  },
  async slow({ env }, { fault, released }, run) {
    await heldUp(released, fault.delayMs, env.outgoing);
    return env.outgoing.destroyed ? RESPONSE_ALREADY_SENT : run();
  },
  async truncated(_, __, run) {
    const response = await run();
    const bytes = new Uint8Array(await response.arrayBuffer());
    return replaced(response, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  async shape(_, { fault }, run) {
    const response = await run();
    if (!response.ok) return response;
    const answer: unknown = await response.json();
    const payload = 'payload' in fault ? fault.payload : 'This is no payload that the reference describes.';
    const isEnveloped = typeof answer === 'object' && answer !== null && 'payload' in answer;
    return replaced(response, JSON.stringify(isEnveloped ? { ...answer, payload } : payload));
  },
  async enveloped(_, __, run) {
    const response = await run();
    if (!response.ok) return response;
    const answer: unknown = await response.json();
    const isEnveloped = typeof answer === 'object' && answer !== null && 'success' in answer;
    return replaced(response, JSON.stringify(isEnveloped ? answer : { payload: answer, success: true }));
  },
  async 'cut-download'({ env }, { fault }, run) {
    const response = await run();
    const bytes = new Uint8Array(await response.arrayBuffer());
    const arriving = Math.min(fault.afterBytes ?? 1024, bytes.length - 1);
    env.outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': bytes.length });
    env.outgoing.write(bytes.subarray(0, Math.max(0, arriving)), () => env.incoming.socket.destroy());
    return RESPONSE_ALREADY_SENT;
  },
};

function retryAfter({ retryAfter: wait }: Fault, otherwise: number | null): Record<string, string> {
  const value = wait === undefined ? otherwise : wait;
  return value === null ? {} : { 'retry-after': String(value) };
}

/** The same answer with another body and the length of that. */
function replaced(response: Response, body: string | Uint8Array<ArrayBuffer>): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(body, { status: response.status, headers });
}

async function heldUp(released: Promise<void>, delayMs: number | undefined, outgoing: Env['Bindings']['outgoing']): Promise<void> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const waits: Promise<unknown>[] = [released, once(outgoing, 'close', { signal: over.signal }).catch(() => undefined)];
  if (delayMs !== undefined) {
    waits.push(
      new Promise((resolve) => {
        timer = setTimeout(resolve, delayMs);
      }),
    );
  }
  await Promise.race(waits);
  clearTimeout(timer);
  over.abort();
}
