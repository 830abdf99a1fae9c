import type { Dispatcher } from 'undici';
import { isLoopback } from '../lib/address.ts';
import { abortable, seconds } from './deadline.ts';
import { ApiError } from './errors.ts';
import { networkFailure } from './network.ts';
import { readBytes, tooLarge, unpack } from './unpack.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  /** Whole address with path and query. */
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** False for a write: a failure then says whether it may have taken effect. */
  safe: boolean;
  /** Largest answer, packed and unpacked. */
  maxBytes: number;
  /** Longest silence of the service before the attempt is given up; left out: until the signal. */
  patienceMs?: number | undefined;
  /** Ends the request at once; its reason is thrown. */
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

/** Sends single requests over kept connections; never follows a redirect, never repeats. Throws an ApiError when there is no whole answer. */
export interface Http {
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections; a request that runs or comes later fails. */
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Takes note when the request is about to be written, so that a failure before is known to have sent nothing. */
const noteSent: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart(controller, context) {
      if ('opaque' in options && typeof options.opaque === 'function') options.opaque();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...rest) => handler.onRequestUpgrade?.(...rest),
    onResponseStart: (...rest) => handler.onResponseStart?.(...rest),
    onResponseData: (...rest) => handler.onResponseData?.(...rest),
    onResponseEnd: (...rest) => handler.onResponseEnd?.(...rest),
    onResponseError: (...rest) => handler.onResponseError?.(...rest),
  });

/** Address of a proxy; `host:port` alone is common. */
function proxyAddress(value = ''): string {
  if (value === '') return '';
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new ApiError('settings', 'HTTP_PROXY or HTTPS_PROXY is no address; expected http://host:port.');
}

async function loadUndici(environment: Environment) {
  // undici's parser is WebAssembly: code optimised for it costs 25 MB of peak memory and gains nothing at this traffic.
  (await import('node:v8')).setFlagsFromString('--liftoff-only');
  // The default export, because a bundle gives a CommonJS package no other.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  // Timeouts are this module's own, in ms; those of undici are too coarse.
  const options = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } };
  const direct = new Agent(options);
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY } = environment;
  const httpProxy = proxyAddress(http_proxy || HTTP_PROXY);
  const httpsProxy = proxyAddress(https_proxy || HTTPS_PROXY);
  const proxied =
    httpProxy || httpsProxy
      ? new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy: no_proxy || NO_PROXY || '', proxyTunnel: false })
      : direct;
  const writing = new Map<Dispatcher, Dispatcher>([direct, proxied].map((agent) => [agent, agent.compose(noteSent)]));
  return {
    dispatcher: (hostname: string, safe: boolean): Dispatcher => {
      const agent = isLoopback(hostname) ? direct : proxied;
      return safe ? agent : (writing.get(agent) ?? agent);
    },
    close: async () => {
      await Promise.all([direct.destroy(), proxied === direct ? undefined : proxied.destroy()]);
    },
  };
}

interface Silence {
  readonly signal: AbortSignal;
  heard(): void;
  wasSilent(): boolean;
  stop(): void;
}

/** Aborts when nothing was heard for `patienceMs`, or with the signal. */
function listen({ patienceMs, signal }: HttpRequest): Silence {
  const controller = new AbortController();
  const relay = () => controller.abort(signal.reason);
  if (signal.aborted) relay();
  signal.addEventListener('abort', relay, { once: true });
  let silent = false;
  const giveUp = () => {
    silent = true;
    controller.abort();
  };
  const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
  return {
    signal: controller.signal,
    heard: () => timer?.refresh(),
    wasSilent: () => silent && !signal.aborted,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', relay);
    },
  };
}

/** What the caller is told when the request ended without a whole answer. */
function failure(error: unknown, request: HttpRequest, { sent, silent }: { sent: boolean; silent: boolean }): unknown {
  const mayHaveHappened = sent && !request.safe;
  if (request.signal.aborted) {
    const { reason } = request.signal;
    return reason instanceof ApiError && mayHaveHappened ? new ApiError(reason.kind, reason.message, { mayHaveHappened }) : reason;
  }
  if (silent) return new ApiError('timeout', `No answer within ${seconds(request.patienceMs ?? 0)}.`, { mayHaveHappened, transient: true });
  if (error instanceof ApiError) return error;
  return networkFailure(error, new URL(request.url).host, mayHaveHappened);
}

/** Makes the HTTP side of the client; undici is loaded by the first request. Proxies are read from `environment`. */
export function createHttp({ environment = process.env }: { environment?: Environment } = {}): Http {
  let undici: ReturnType<typeof loadUndici> | undefined;
  let closed = false;
  return {
    async send(request) {
      if (closed) throw new ApiError('down', 'The connections were closed; open a new session.');
      undici ??= loadUndici(environment);
      const { dispatcher } = await undici;
      const { method, url, headers, body = null, maxBytes, safe } = request;
      let sent = false;
      const silence = listen(request);
      try {
        const { origin, hostname, pathname, search } = new URL(url);
        const answer = await dispatcher(hostname, safe).request({
          origin,
          path: `${pathname}${search}`,
          method,
          headers: { ...headers, 'accept-encoding': 'gzip' },
          body,
          signal: silence.signal,
          opaque: () => {
            sent = true;
          },
        });
        silence.heard();
        const announced = Number(answer.headers['content-length']);
        if (announced > maxBytes) {
          answer.body.destroy();
          throw tooLarge(maxBytes, safe);
        }
        const packed = await readBytes(answer.body, { maxBytes, safe, onChunk: () => silence.heard() });
        const encodings = String(answer.headers['content-encoding'] ?? '');
        const bytes = encodings === '' ? packed : await abortable(unpack(packed, encodings, { maxBytes, safe }), request.signal);
        const retryAfter = answer.headers['retry-after'];
        return {
          status: answer.statusCode,
          retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
          text: bytes.toString('utf8'),
        };
      } catch (error) {
        throw failure(error, request, { sent, silent: silence.wasSilent() });
      } finally {
        silence.stop();
      }
    },
    async close() {
      closed = true;
      // Settings that kept undici from being loaded were reported by the request.
      await (await undici?.catch(() => undefined))?.close();
    },
  };
}
