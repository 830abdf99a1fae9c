import type { Content, Cookie, Response } from 'har-format';
import { type HarContext, headersOf } from './har-request.ts';
import { draw, drawBetween } from './noise.ts';
import { type RequestSpec, type ResourceType, transferBytes } from './request-spec.ts';
import { SECRET_EMAIL, secretToken } from './secrets.ts';

const STATUS_TEXTS: Record<number, string> = {
  0: '',
  200: 'OK',
  204: 'No Content',
  301: 'Moved Permanently',
  304: 'Not Modified',
  404: 'Not Found',
  503: 'Service Unavailable',
};
const MIME_TYPES: Record<ResourceType, string> = {
  document: 'text/html; charset=utf-8',
  stylesheet: 'text/css',
  script: 'text/javascript; charset=utf-8',
  font: 'font/woff2',
  image: 'image/jpeg',
  fetch: 'application/json',
  beacon: 'image/gif',
};
const IMAGE_TYPES: Record<string, string> = {
  webp: 'image/webp',
  avif: 'image/avif',
  png: 'image/png',
  svg: 'image/svg+xml',
  jpg: 'image/jpeg',
};
const TEXTS = new Set<ResourceType>(['document', 'stylesheet', 'script', 'fetch']);

function mimeTypeOf({ type, status = 200 }: RequestSpec, url: URL): string {
  if (status === 204 || status === 304 || status === 0) return 'x-unknown';
  const extension = /\.(\w+)$/.exec(url.pathname)?.[1] ?? '';
  if (type === 'font' && extension === 'woff') return 'font/woff';
  return (type === 'image' ? IMAGE_TYPES[extension] : undefined) ?? MIME_TYPES[type];
}

function contentOf(spec: RequestSpec, mimeType: string, packed: boolean, h: number, hour: number): Content {
  const { bodyBytes } = spec;
  const size = packed ? Math.round(bodyBytes * (2.6 + 2.1 * draw(h, 21))) : bodyBytes;
  const transferred = TEXTS.has(spec.type) && bodyBytes > 0 && !spec.fromCache;
  const sized: Content = { size, mimeType, ...(transferred ? { compression: size - bodyBytes } : {}) };
  if (!spec.authorized || bodyBytes === 0) return sized;
  const text = JSON.stringify({ customer: SECRET_EMAIL, session: secretToken('sid', hour) }).padEnd(Math.min(400, sized.size), ' ');
  return { ...sized, text, comment: 'Cut to the first 400 bytes.' };
}

function setCookiesOf(spec: RequestSpec, context: HarContext, h: number): Cookie[] {
  const expires = new Date(context.navigationStartMs + 30 * 86_400_000).toISOString();
  if (spec.phase === 'document') {
    const value = secretToken('sid', context.hour);
    return [{ name: 'sid', value, path: '/', expires, httpOnly: true, secure: true }];
  }
  if (spec.type !== 'beacon' || draw(h, 22) > 0.5) return [];
  return [{ name: 'uid', value: secretToken('uid', context.hour), path: '/', expires, httpOnly: false, secure: true }];
}

/** `response` of an entry; sizes are those of the request's specification, written as different agents do. */
export function harResponse(spec: RequestSpec, url: URL, context: HarContext, httpVersion: string, h: number): Response {
  const { status = 200, bodyBytes, headerBytes } = spec;
  const mimeType = mimeTypeOf(spec, url);
  const packed = TEXTS.has(spec.type) && !spec.plain && bodyBytes > 600 && status === 200;
  const cookies = setCookiesOf(spec, context, h);
  const cacheable = !spec.uncached && (status === 200 || status === 304);
  const headers = headersOf([
    ['content-type', mimeType === 'x-unknown' ? undefined : mimeType],
    ['content-length', bodyBytes > 0 ? String(bodyBytes) : undefined],
    ['content-encoding', packed ? (draw(h, 23) < 0.6 ? 'br' : 'gzip') : undefined],
    [
      'cache-control',
      cacheable
        ? `public, max-age=${[600, 86_400, 2_592_000, 31_536_000][drawBetween(h, 24, 0, 3)] ?? 600}`
        : spec.phase === 'document'
          ? 'no-store'
          : undefined,
    ],
    ['etag', cacheable ? `"${h.toString(16)}"` : undefined],
    ['date', new Date(context.navigationStartMs).toUTCString()],
    ['location', spec.location],
    ['vary', packed ? 'Accept-Encoding' : undefined],
    ...cookies.map(({ name, value, path }): [string, string] => ['set-cookie', `${name}=${value}; Path=${path}; Secure; SameSite=None`]),
  ]);
  const nothing = spec.fromCache === true || status === 0;
  // Agents that know the total need not know its parts.
  const totalOnly = !nothing && draw(h, 28) < 0.08;
  return {
    status,
    statusText: httpVersion === 'http/1.1' ? (STATUS_TEXTS[status] ?? '') : '',
    httpVersion,
    headers: status === 0 ? [] : headers,
    cookies,
    content: contentOf(spec, mimeType, packed, h, context.hour),
    redirectURL: spec.location ?? '',
    headersSize: nothing || totalOnly ? -1 : headerBytes,
    bodySize: nothing ? 0 : totalOnly ? -1 : bodyBytes,
    ...(nothing || totalOnly || draw(h, 25) < 0.6 ? { _transferSize: transferBytes(spec) } : {}),
    ...(status === 0 ? { _error: 'net::ERR_BLOCKED_BY_CLIENT' } : {}),
  };
}
