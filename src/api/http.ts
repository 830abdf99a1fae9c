import type { Dispatcher } from 'undici';
import { type Connections, type Environment, openConnections } from './connections.ts';
import { abortable, seconds } from './deadline.ts';
import { ApiError } from './errors.ts';
import { networkFailure } from './network.ts';
import { watchSilence } from './silence.ts';
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
export function createHttp({ environment }: { environment?: Environment } = {}): Http {
  let opening: Promise<Connections> | undefined;
  let closed = false;
  return {
    async send(request) {
      if (closed) throw new ApiError('down', 'The connections were closed; open a new session.');
      opening ??= openConnections({ environment });
      const connections = await opening;
      const { method, url, headers, body = null, maxBytes, safe } = request;
      let sent = false;
      const silence = watchSilence(request);
      try {
        const { origin, hostname, pathname, search } = new URL(url);
        const dispatcher = connections.dispatcher(hostname);
        const answer = await (safe ? dispatcher : dispatcher.compose(noteSent)).request({
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
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}
