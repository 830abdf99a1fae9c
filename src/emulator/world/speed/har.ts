import type { Content, Cookie, Entry, Har, Header, PostData, Request, Response } from 'har-format';
import { DAY_MS } from '../../../lib/clock.ts';
import { hash, hashText } from '../random.ts';
import { entryTime, type PlacedRequest, placeRequests } from './har-timeline.ts';
import { draw, drawBetween } from './noise.ts';
import { fillUrl, SECRET_EMAIL, secretBearer, secretToken, visitorCookies } from './planted-secrets.ts';
import { type RequestSpec, type ResourceType, sites, transferBytes } from './request-spec.ts';
import type { SpeedModel } from './runs.ts';
import { requestsOf, type StepRun } from './step-run.ts';

/** Data that the entries of one HAR share. */
export interface HarContext {
  readonly hour: number;
  readonly navigationStartMs: number;
  readonly documentUrl: string;
  readonly mobile: boolean;
  readonly isFirstParty: (url: URL) => boolean;
}

const AGENTS = {
  desktop: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  mobile: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
};
const ACCEPTS: Partial<Record<ResourceType, string>> = {
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  stylesheet: 'text/css,*/*;q=0.1',
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};

/** Headers in order, without those that have no value. */
function headersOf(pairs: readonly (readonly [name: string, value: string | undefined])[]): Header[] {
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function postDataOf({ post }: RequestSpec, { hour, documentUrl }: HarContext): PostData | undefined {
  if (post === undefined) return undefined;
  const fields = { email: SECRET_EMAIL, token: secretToken('post', hour), page: documentUrl };
  // HAR 1.2: `params` and `text` exclude each other.
  if (post === 'form')
    return { mimeType: 'application/x-www-form-urlencoded', params: Object.entries(fields).map(([name, value]) => ({ name, value })) };
  return { mimeType: post === 'json' ? 'application/json' : 'text/plain;charset=UTF-8', text: JSON.stringify(fields) };
}

/** `request` of an entry. */
function harRequest(spec: RequestSpec, url: URL, context: HarContext, httpVersion: string): Request {
  const cookies: Cookie[] = context.isFirstParty(url) && spec.type !== 'font' ? visitorCookies(context.hour) : [];
  const postData = postDataOf(spec, context);
  const headers = headersOf([
    [httpVersion === 'http/1.1' ? 'Host' : ':authority', url.host],
    ['accept', ACCEPTS[spec.type] ?? '*/*'],
    ['accept-encoding', 'gzip, deflate, br, zstd'],
    ['accept-language', 'en-GB,en;q=0.9'],
    ['authorization', spec.authorized ? `Bearer ${secretBearer(context.hour)}` : undefined],
    ['content-type', postData?.mimeType],
    ['cookie', cookies.length > 0 ? cookies.map(({ name, value }) => `${name}=${value}`).join('; ') : undefined],
    ['referer', spec.phase === 'document' || spec.phase === 'redirect' ? undefined : context.documentUrl],
    ['user-agent', context.mobile ? AGENTS.mobile : AGENTS.desktop],
  ]);
  return {
    method: spec.post === undefined ? 'GET' : 'POST',
    url: url.href,
    httpVersion,
    headers,
    queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
    cookies,
    headersSize: headers.reduce((sum, { name, value }) => sum + name.length + value.length + 4, 2),
    bodySize: postData === undefined ? 0 : Buffer.byteLength(postData.text ?? JSON.stringify(postData.params)),
    ...(postData ? { postData } : {}),
  };
}

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

function contentOf(spec: RequestSpec, mimeType: string, compressed: boolean, h: number, hour: number): Content {
  const { bodyBytes } = spec;
  const size = compressed ? Math.round(bodyBytes * (2.6 + 2.1 * draw(h, 21))) : bodyBytes;
  const transferred = TEXTS.has(spec.type) && bodyBytes > 0 && !spec.fromCache;
  const sized: Content = { size, mimeType, ...(transferred ? { compression: size - bodyBytes } : {}) };
  if (!spec.authorized || bodyBytes === 0) return sized;
  const text = JSON.stringify({ customer: SECRET_EMAIL, session: secretToken('sid', hour) }).padEnd(Math.min(400, sized.size), ' ');
  return { ...sized, text, comment: 'Cut to the first 400 bytes.' };
}

function setCookiesOf(spec: RequestSpec, context: HarContext, h: number): Cookie[] {
  const expires = new Date(context.navigationStartMs + 30 * DAY_MS).toISOString();
  if (spec.phase === 'document') {
    const value = secretToken('sid', context.hour);
    return [{ name: 'sid', value, path: '/', expires, httpOnly: true, secure: true }];
  }
  if (spec.type !== 'beacon' || draw(h, 22) > 0.5) return [];
  return [{ name: 'uid', value: secretToken('uid', context.hour), path: '/', expires, httpOnly: false, secure: true }];
}

/** How long a client may keep an answer; nothing is said of what is neither kept nor a document. */
function cacheControlOf({ phase }: RequestSpec, cacheable: boolean, h: number): string | undefined {
  if (cacheable) return `public, max-age=${[600, 86_400, 2_592_000, 31_536_000][drawBetween(h, 24, 0, 3)] ?? 600}`;
  return phase === 'document' ? 'no-store' : undefined;
}

/** Sizes as different agents write them: one that knows the total need not know its parts. */
function sizesOf(spec: RequestSpec, h: number) {
  const { status = 200, bodyBytes, headerBytes, fromCache } = spec;
  const total = { _transferSize: transferBytes(spec) };
  if (fromCache === true || status === 0) return { headersSize: -1, bodySize: 0, ...total };
  if (draw(h, 28) < 0.08) return { headersSize: -1, bodySize: -1, ...total };
  return { headersSize: headerBytes, bodySize: bodyBytes, ...(draw(h, 25) < 0.6 ? total : {}) };
}

/** Facts of a response that its headers repeat. */
interface Made {
  readonly mimeType: string;
  readonly compressed: boolean;
  readonly cookies: readonly Cookie[];
}

/** Headers of a response, which also set its cookies. */
function responseHeaders(spec: RequestSpec, context: HarContext, h: number, made: Made) {
  const { mimeType, compressed, cookies } = made;
  const cacheable = !spec.uncached && (spec.status === undefined || spec.status === 200 || spec.status === 304);
  const encoding = draw(h, 23) < 0.6 ? 'br' : 'gzip';
  return headersOf([
    ['content-type', mimeType === 'x-unknown' ? undefined : mimeType],
    ['content-length', spec.bodyBytes > 0 ? String(spec.bodyBytes) : undefined],
    ['content-encoding', compressed ? encoding : undefined],
    ['cache-control', cacheControlOf(spec, cacheable, h)],
    ['etag', cacheable ? `"${h.toString(16)}"` : undefined],
    ['date', new Date(context.navigationStartMs).toUTCString()],
    ['location', spec.location],
    ['vary', compressed ? 'Accept-Encoding' : undefined],
    ...cookies.map(({ name, value, path }): [string, string] => ['set-cookie', `${name}=${value}; Path=${path}; Secure; SameSite=None`]),
  ]);
}

/** `response` of an entry; sizes are those of the request's specification, written as different agents do. */
function harResponse(spec: RequestSpec, url: URL, context: HarContext, httpVersion: string, h: number): Response {
  const { status = 200, bodyBytes } = spec;
  const mimeType = mimeTypeOf(spec, url);
  const compressed = TEXTS.has(spec.type) && !spec.plain && bodyBytes > 600 && status === 200;
  const cookies = setCookiesOf(spec, context, h);
  return {
    status,
    statusText: httpVersion === 'http/1.1' ? (STATUS_TEXTS[status] ?? '') : '',
    httpVersion,
    headers: status === 0 ? [] : responseHeaders(spec, context, h, { mimeType, compressed, cookies }),
    cookies,
    content: contentOf(spec, mimeType, compressed, h, context.hour),
    redirectURL: spec.location ?? '',
    ...sizesOf(spec, h),
    ...(status === 0 ? { _error: 'net::ERR_BLOCKED_BY_CLIENT' } : {}),
  };
}

const PRIORITIES: Record<ResourceType, string> = {
  document: 'VeryHigh',
  stylesheet: 'VeryHigh',
  script: 'Low',
  font: 'High',
  image: 'Low',
  fetch: 'High',
  beacon: 'Low',
};

/** One entry of HAR 1.2; members that begin with an underscore are there on some entries only. */
function harEntry({ request: spec, startMs, timings, connection }: PlacedRequest, context: HarContext): Entry {
  const url = new URL(fillUrl(spec.url, context.hour));
  // A property of the address, so that the same file looks the same in each run.
  const h = hashText(spec.url);
  const httpVersion = spec.protocol ?? 'h2';
  const blocking = spec.phase === 'blocking' || spec.phase === 'tag';
  const lastAccess = new Date(context.navigationStartMs - 45_000).toISOString();
  const urgent = (blocking && spec.type === 'script') || spec.phase === 'hero';
  return {
    pageref: 'page_1',
    startedDateTime: new Date(context.navigationStartMs + startMs).toISOString(),
    time: entryTime(timings),
    request: harRequest(spec, url, context, httpVersion),
    response: harResponse(spec, url, context, httpVersion, h),
    cache: spec.fromCache ? { beforeRequest: { lastAccess, eTag: `"${h.toString(16)}"`, hitCount: 1 } } : {},
    timings: { ...timings },
    ...(spec.status === 0 ? {} : { serverIPAddress: `203.0.113.${hashText(url.host) % 254}`, connection: String(connection) }),
    ...(draw(h, 26) < 0.9 ? { _priority: urgent ? 'High' : PRIORITIES[spec.type] } : {}),
    ...(spec.type === 'script' || spec.type === 'stylesheet' ? { _renderBlocking: blocking ? 'blocking' : 'non_blocking' } : {}),
    ...(spec.fromCache ? { _fromCache: 'memory' } : {}),
    ...(draw(h, 27) < 0.8 ? { _resourceType: spec.type === 'beacon' ? 'ping' : spec.type } : {}),
  };
}

/** HAR 1.2 of a step: its entries transfer the step's `weight`, its document answers at `firstByte`, the last entry ends at `loadTime`. */
export function stepHar(model: SpeedModel, stepRun: StepRun): Har {
  const { run, step, timings, variation } = stepRun;
  const navigationStartMs = timings.navigationStart;
  const { scenario, hour } = run;
  const site = sites[scenario.site];
  const mobile = scenario.device === 'mobile';
  const hosts = new Set([site.origin, site.static, site.images, site.calls, ...site.redirects].map((origin) => new URL(origin).host));
  const context: HarContext = {
    hour,
    navigationStartMs,
    mobile,
    documentUrl: site.origin + step.path,
    isFirstParty: (url) => hosts.has(url.host),
  };
  const requests = requestsOf(model, model.planOf(scenario, step), run, variation);
  const placed = placeRequests(requests, stepRun, hash(model.origin.seed, step.id, hour), mobile);
  return {
    log: {
      version: '1.2',
      creator: { name: 'Speed Analysis', version: '4.18.0' },
      browser: { name: 'Chrome', version: '131.0.6778.85' },
      pages: [
        {
          id: 'page_1',
          startedDateTime: new Date(navigationStartMs).toISOString(),
          title: context.documentUrl,
          pageTimings: { onContentLoad: timings.domContentLoadedEventStart, onLoad: timings.loadEvent, _startRender: timings.startRender },
        },
      ],
      entries: placed.map((entry) => harEntry(entry, context)),
    },
  };
}
