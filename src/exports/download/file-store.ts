import {
  type Connections,
  INNER_ADDRESS,
  leadsInside,
  networkFailure,
  openConnections,
  outsideLookup,
  startIdleTimeout,
} from '../../api/connections.ts';
import { seconds } from '../../api/deadline.ts';
import { ApiError } from '../../api/errors.ts';
import { type ResponseHeaders, receive } from '../../api/http.ts';
import type { Environment, Proxy } from '../../api/proxies.ts';
import { isLoopback } from '../../lib/address.ts';
import { codeOf, messageOf, WorkspaceError } from '../store/disk.ts';

/**
 * Why a file must not be fetched from here, as the end of a sentence; undefined when it may. Names are judged again when they are resolved.
 */
export function fileAddressFault(address: string, { allowInner }: { allowInner: boolean }): string | undefined {
  if (!URL.canParse(address)) return 'is not a valid address';
  const url = new URL(address);
  if (leadsInside(url) && !allowInner) return 'leads into this machine or the network behind it';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return 'is not https';
  if (url.username || url.password) return 'carries a user name or a password';
  return undefined;
}

/** Longest idleTimeout of the store before a try is given up. */
const IDLE_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 3;

/** Which bytes of a file are wanted. */
interface FileRequest {
  readonly url: string;
  /** First byte; what comes before is on the disk. */
  readonly offset: number;
  /** Strong tag of the file that the bytes on the disk are of. */
  readonly etag?: string | undefined;
  readonly signal: AbortSignal;
}

/** Where files may come from, and how long a silence is accepted. */
interface FileStoreOptions {
  /** Files may be on this machine; only where the whole platform is. */
  readonly allowInner: boolean;
  readonly environment?: Environment;
  readonly idleTimeoutMs?: number;
}

function header(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The first byte that an answer brings, and the size of the whole file where the store says it, according to the headers. */
function extent(status: number, headers: ResponseHeaders): { offset: number; totalBytes: number | undefined } {
  const [, first, size] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(header(headers, 'content-range')?.trim() ?? '') ?? [];
  if (status === 206 || status === 416)
    return { offset: Number(first ?? 0), totalBytes: /^\d+$/.test(size ?? '') ? Number(size) : undefined };
  const length = header(headers, 'content-length');
  return { offset: 0, totalBytes: length === undefined ? undefined : Number(length) };
}

/** A failure between here and the store, in words. */
function storeFailure(error: unknown, host: string, proxy: Proxy | undefined, silentMs: number | undefined): unknown {
  if (silentMs !== undefined) return new ApiError('timeout', `${host} was silent for ${seconds(silentMs)}.`, { transient: true });
  if (codeOf(error) === INNER_ADDRESS)
    return new WorkspaceError('address', `${messageOf(error)}, so it was not asked for the file. Report it to the platform's support.`);
  return networkFailure(error, { host, outcomeUnknown: false, proxy });
}

/** Makes the store's client; connections are opened by the first file and go through the proxies of the environment. */
export function createFileStore({ allowInner, environment, idleTimeoutMs = IDLE_TIMEOUT_MS }: FileStoreOptions) {
  let opening: Promise<Connections> | undefined;

  async function exchange(url: string, request: FileRequest) {
    const { signal, offset, etag } = request;
    const fault = fileAddressFault(url, { allowInner });
    if (fault)
      throw new WorkspaceError('address', `The address of a file ${fault}, so it was not asked. Report it to the platform's support.`);
    opening ??= openConnections({ environment, ...(!allowInner && { lookup: outsideLookup() }) });
    const connections = await opening;
    const address = new URL(url);
    const { dispatcher, proxy } = connections.route(address);
    const idleTimeout = startIdleTimeout({ idleTimeoutMs, signal });
    const failure = (error: unknown): unknown =>
      signal.aborted ? signal.reason : storeFailure(error, address.host, proxy, idleTimeout.hasExpired() ? idleTimeoutMs : undefined);
    const { origin, pathname, search } = address;
    const range = offset > 0 ? { range: `bytes=${offset}-`, ...(etag && { 'if-range': etag }) } : {};
    const headers = { accept: '*/*', 'accept-encoding': 'identity', ...range };
    const options = { origin, path: `${pathname}${search}`, method: 'GET' as const, headers };
    try {
      const onActivity = () => idleTimeout.refresh();
      const answer = await receive({ dispatcher, options, signal: idleTimeout.signal, onActivity, failure });
      const tag = header(answer.headers, 'etag')?.trim();
      return {
        status: answer.status,
        ...extent(answer.status, answer.headers),
        /** Only a strong one. */
        etag: tag?.startsWith('"') ? tag : undefined,
        retryAfter: header(answer.headers, 'retry-after'),
        location: header(answer.headers, 'location'),
        /** The bytes that have arrived since the last look, in order. */
        body: answer.body,
        /** Ends the answer, read or not. */
        close(): void {
          idleTimeout.stop();
          answer.abort();
        },
      };
    } catch (error) {
      idleTimeout.stop();
      throw failure(error);
    }
  }

  return {
    /** Throws a transient ApiError where no answer comes, a `WorkspaceError` where the address must not be asked. */
    async open(request: FileRequest): ReturnType<typeof exchange> {
      let { url } = request;
      for (let redirects = 0; ; redirects += 1) {
        const answer = await exchange(url, request);
        if (![301, 302, 303, 307, 308].includes(answer.status) || answer.location === undefined) return answer;
        answer.close();
        if (redirects >= MAX_REDIRECTS || !URL.canParse(answer.location, url))
          throw new WorkspaceError('store', "The file store only redirects and never delivers. Report it to the platform's support.");
        url = new URL(answer.location, url).href;
      }
    },
    async close(): Promise<void> {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** Fetches files by their signed addresses alone: no token, no cookie, no address that leads inwards. */
export type FileStore = ReturnType<typeof createFileStore>;
/** The beginning of an answer of the store; the receiver must read or destroy `body`. */
export type FileAnswer = Awaited<ReturnType<FileStore['open']>>;
