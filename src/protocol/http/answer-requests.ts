import type { IncomingMessage, ServerResponse } from 'node:http';
import { localPrincipal, type Principal } from '../../sign-in/principal.ts';
import { paramsFault } from '../read-message.ts';
import { readOnlyReason } from '../read-only-reason.ts';
import type { Connections } from './connections.ts';
import { answerJson, type Refusal, refuse } from './era-handler.ts';
import { createCrossOrigin, createGuard } from './guard.ts';
import type { HttpOptions } from './http-options.ts';
import type { InFlightLimit } from './in-flight-limit.ts';
import { calledTools, createBodyReader, headerMismatch, listenedUris, requestIds } from './messages.ts';
import { createRefusalLog } from './refusal-log.ts';
import type { Router } from './router.ts';

/** Where the protocol is served. */
export const ENDPOINT = '/mcp';

const METHODS = ['POST', 'GET', 'DELETE'];
const BUSY: Refusal = { status: 503, message: 'Too many requests at once; try again later.', headers: { 'retry-after': '1' } };
const GREEDY: Refusal = {
  status: 429,
  message: 'Too many of your requests are being processed; try again later.',
  headers: { 'retry-after': '1' },
};
const CLOSING: Refusal = {
  status: 503,
  message: 'This server is about to stop; try again later.',
  headers: { connection: 'close', 'retry-after': '1' },
};
/** How often the caller of a stream is authenticated again. */
const PROOF_MS = 4_000;

/** The server's parts that requests go through. */
export interface AnsweringParts {
  readonly options: HttpOptions;
  readonly connections: Connections;
  readonly places: InFlightLimit;
  /** Known once the server listens. */
  readonly router: () => Router;
  /** Whether nothing new is taken. */
  readonly isClosing: () => boolean;
}

/** Finds out who calls; undefined where the request was refused. */
function createProver({ signIn }: HttpOptions, logRefusal: ReturnType<typeof createRefusalLog>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<Principal | undefined> => {
    if (!signIn) return localPrincipal;
    const { authorization } = request.headers;
    const found = await signIn.authenticate({ authorization });
    if ('principal' in found) return found.principal;
    const { status, body } = found.challenge;
    // A first request without a token only asks where to get one.
    logRefusal(authorization === undefined ? 'info' : 'warn', { status, reason: body.error_description, token: authorization });
    answerJson(response, status, body, found.challenge.headers);
    return undefined;
  };
}

/** A stream must end with the right of its caller, which is checked repeatedly, because a token may be withdrawn. */
async function endWhenRefused(
  { headers: { authorization } }: IncomingMessage,
  proved: Principal,
  response: ServerResponse,
  { signIn, clock }: HttpOptions,
): Promise<void> {
  if (!signIn) return;
  const over = new AbortController();
  response.once('close', () => over.abort());
  const restMs = ({ expiresAtMs = Number.POSITIVE_INFINITY }: Principal) => expiresAtMs - clock.now();
  for (let principal = proved; restMs(principal) > 0; ) {
    await clock.sleep(Math.min(PROOF_MS, restMs(principal)), over.signal);
    const found = await signIn.authenticate({ authorization });
    if ('principal' in found) ({ principal } = found);
    else if (found.challenge.status !== 503) break;
    if (principal.id !== proved.id || principal.credentialVersion !== proved.credentialVersion) break;
  }
  response.destroy();
}

function keepProved(request: IncomingMessage, principal: Principal, response: ServerResponse, options: HttpOptions): void {
  endWhenRefused(request, principal, response, options).catch(() => undefined); // ends with the stream
}

type AnswerMessage = (request: IncomingMessage, response: ServerResponse, principal: Principal) => Promise<void>;

/** Why a body is not given to the router; one that is, is as its host means it. */
function bodyRefusal(headers: IncomingMessage['headers'], body: unknown): Refusal | undefined {
  const mismatch = headerMismatch(headers, body);
  if (mismatch) return mismatch;
  const fault = paramsFault(body);
  return fault && { status: 200, ...fault };
}

/** Answers a message of a caller: its body is read and checked before the router gets it. */
function createMessageAnswerer(
  { options, places, router, isClosing }: AnsweringParts,
  logRefusal: ReturnType<typeof createRefusalLog>,
): AnswerMessage {
  const { signIn, changesSomething, limits } = options;
  const readBody = createBodyReader(limits);

  /** Takes what the work on a body needs until the response is over; the refusal where that cannot be had. */
  function begin(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Refusal | undefined {
    const asked = requestIds(body).length;
    if (isClosing() && asked > 0) return CLOSING;
    if (listenedUris(body)) keepProved(request, principal, response, options);
    else {
      const leave = places.take(principal.id, asked);
      if (leave === 'all') return BUSY;
      if (leave === 'caller') return GREEDY;
      response.once('close', leave);
    }
    return undefined;
  }

  return async (request, response, principal) => {
    const read = await readBody(request);
    if (!read) return;
    if ('refusal' in read) return refuse(response, read.refusal);
    const { body } = read;
    const wrong = bodyRefusal(request.headers, body);
    if (wrong) return refuse(response, wrong);
    const stepUp = principal.scopes.has('write') ? undefined : signIn?.stepUp('write');
    // A token of an issuer can be exchanged for one with more scopes; who holds one from a file reads the words of the tool.
    if (stepUp && signIn?.metadata && calledTools(body).some(changesSomething)) {
      logRefusal('info', { status: stepUp.status, reason: stepUp.body.error_description });
      return answerJson(response, stepUp.status, stepUp.body, stepUp.headers);
    }
    const full = begin(request, response, principal, body);
    if (full) return refuse(response, full);
    await readOnlyReason.run(stepUp?.body.error_description, () => router().handle(request, response, principal, body));
  };
}

/** Answers every request: probes and pages, then names and origins, then who calls, then what is asked. */
export function createAnswerer(parts: AnsweringParts): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { options, connections, router, isClosing } = parts;
  const guard = createGuard(options);
  const crossOrigin = createCrossOrigin(METHODS);
  const logRefusal = createRefusalLog(options);
  const principalOf = createProver(options, logRefusal);
  const answerMessage = createMessageAnswerer(parts, logRefusal);

  async function answerCaller(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!METHODS.includes(request.method ?? ''))
      return refuse(response, { status: 405, message: 'Method not allowed.', headers: { allow: METHODS.join(', ') } });
    const principal = await principalOf(request, response);
    if (!principal) return;
    connections.prove(request.socket);
    if (request.method === 'POST') return answerMessage(request, response, principal);
    if (isClosing()) return refuse(response, CLOSING);
    keepProved(request, principal, response, options);
    await router().handle(request, response, principal, undefined);
  }

  return async (request, response) => {
    const [written = ''] = (request.url ?? '').split('?');
    // Some hosts add a slash to every address, and follow no redirection.
    const path = written.endsWith('/') ? written.slice(0, -1) : written;
    const probe = options.probes?.get(path);
    if (probe) return probe(request, response);
    const page = options.pages?.get(path);
    if (path !== ENDPOINT && !page)
      return refuse(response, { status: 404, message: `There is nothing here; the endpoint is ${ENDPOINT}.` });
    const refusal = guard(request);
    if (refusal) {
      const { host, origin } = request.headers;
      logRefusal('warn', { status: refusal.status, reason: refusal.message, host, origin });
      return refuse(response, refusal);
    }
    if (crossOrigin(request, response)) return;
    return page ? page(request, response) : answerCaller(request, response);
  };
}
