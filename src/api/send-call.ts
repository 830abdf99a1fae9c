import { pageBefore } from './all-pages.ts';
import { withProject } from './check-input.ts';
import type { ClientOptions } from './client-options.ts';
import { type Limits, refuseLongQueue } from './deadline.ts';
import { ApiError } from './errors.ts';
import { exchange, type Wiring } from './exchange.ts';
import type { ApiEvent, Observer } from './observer.ts';
import type { Operation } from './operation.ts';
import type { ReadCache } from './read-cache.ts';
import { retry } from './retry.ts';
import type { AcquiredToken, TokenProvider } from './token-provider.ts';
import type { TokenCache } from './tokens.ts';
import type { Tolerated } from './tolerant-payload.ts';

/** The parts of a client that its calls go through. */
export interface CallParts extends Pick<ClientOptions, 'limiter' | 'clock' | 'principalId' | 'sessionId'> {
  readonly wiring: Wiring;
  readonly authUrl: string;
  /** Host that an endpoint may lie as far inside as; undefined where the operator allowed domains. */
  readonly trustedHost: string | undefined;
  readonly random: () => number;
  readonly reads: ReturnType<ReadCache['open']>;
  readonly tokens: TokenCache;
  readonly tokenProvider: TokenProvider;
}

/** How one call is sent. */
export interface SendOptions {
  readonly projectId: number | undefined;
  readonly encoding: 'form' | 'json';
  readonly fresh?: boolean | undefined;
  /** True: the answer is not kept. */
  readonly passing?: boolean | undefined;
  readonly newerThan?: number | undefined;
  readonly onKept?: ((sinceMs: number) => void) | undefined;
  readonly observe?: Observer | undefined;
  readonly limits: Limits;
}

function notify(event: ApiEvent, { wiring }: CallParts, ofCall: Observer | undefined): void {
  for (const observe of [wiring.observe, ofCall]) observe?.(event);
}

/** One request of a call, in its turn. */
async function attempt(
  request: Omit<Parameters<typeof exchange>[1], 'base' | 'accessToken'>,
  acquired: AcquiredToken,
  parts: CallParts,
): Promise<Tolerated<unknown>> {
  const { operation, limits } = request;
  const { limiter, clock, principalId, sessionId, wiring, authUrl, trustedHost } = parts;
  const project = `${authUrl} ${acquired.projectId ?? acquired.request.credential.clientId}`;
  const speed = operation.scope === 'speed-analysis';
  const queuedAtMs = clock.now();
  const wanted = { project, principalId, sessionId, speed };
  limits.waitsFor = 'turn';
  limits.queueMs = () => limiter.expectedWaitMs?.(wanted);
  refuseLongQueue(limits, queuedAtMs);
  const slot = await limiter.acquire({ ...wanted, signal: limits.signal });
  limits.waitsFor = 'answer';
  notify({ type: 'slot', durationMs: clock.now() - queuedAtMs }, parts, request.observe);
  let refused = false;
  try {
    return await exchange(wiring, { ...request, base: acquired.token.endpoint, trustedHost, accessToken: acquired.token.accessToken });
  } catch (error) {
    refused = error instanceof ApiError && error.kind === 'busy';
    throw error;
  } finally {
    slot.release(refused);
  }
}

async function acquireToken(operation: Operation, how: SendOptions, parts: CallParts): Promise<AcquiredToken> {
  const { projectId, limits, observe } = how;
  const { scope } = operation;
  if (scope === undefined) throw new TypeError(`${operation.path} is answered by authenticate() and credential().`);
  const startMs = parts.clock.now();
  limits.waitsFor = 'token';
  const acquired = await parts.tokenProvider.forScope(scope, { projectId, signal: limits.signal });
  notify({ type: 'token', kept: acquired.fromCache, durationMs: parts.clock.now() - startMs }, parts, observe);
  return acquired;
}

/** An operation with its checked input. */
interface Request {
  readonly operation: Operation;
  readonly input: Record<string, unknown>;
}

/** Sends a request until it is answered or has failed for good; `first` is the token that the call has already. */
async function send({ operation, input }: Request, how: SendOptions, first: AcquiredToken, parts: CallParts): Promise<Tolerated<unknown>> {
  const { clock, random, limiter, tokens, reads } = parts;
  const { encoding, limits, observe } = how;
  let acquired = first;
  for (let renewed = false; ; renewed = true) {
    try {
      return await retry(limits, { clock, random, isAlone: () => limiter.isAlone?.() ?? false }, (number) =>
        attempt({ operation, input, encoding, limits, attempt: number, observe }, acquired, parts),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'unauthorized') throw error;
      // Whatever is wrong with this token, it must not be used again.
      tokens.drop(acquired.request, acquired.token);
      if (error.code !== 'JWT_EXPIRED' || renewed) reads.forget();
      if (error.code !== 'JWT_EXPIRED') throw error;
      if (renewed) throw new ApiError('unauthorized', `A token fetched a moment ago counts as expired. ${error.message}`, error);
      acquired = await acquireToken(operation, how, parts);
    }
  }
}

/** The answer of one call: from the cache, or shared with identical reads that are on their way. */
export async function answerCall(
  operation: Operation,
  given: Record<string, unknown>,
  how: SendOptions,
  parts: CallParts,
): Promise<Tolerated<unknown>> {
  const { clock, reads } = parts;
  const acquired = await acquireToken(operation, how, parts);
  const input = withProject(operation, given, acquired.projectId);
  if (!operation.safe) return send({ operation, input }, how, acquired, parts).finally(() => reads.separate());
  const { keepMs = 0 } = operation;
  const project = acquired.projectId ?? how.projectId ?? null;
  const keyOf = (asked: Record<string, unknown>) => JSON.stringify([acquired.token.endpoint, project, operation.path, asked]);
  const before = pageBefore(input);
  return reads.get({
    key: keyOf(input),
    keepMs: typeof keepMs === 'number' ? keepMs : keepMs(input, clock.now()),
    fresh: how.fresh,
    passing: how.passing,
    newerThan: how.newerThan,
    onKept: how.onKept,
    after: before && keyOf(before),
    limits: how.limits,
    read: (limits) => send({ operation, input }, { ...how, limits }, acquired, parts),
  });
}
