/** A member of a HAR as JSON gives it. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** What a test says of an entry; the rest is that of an ordinary request. */
export interface EntryParts {
  url?: string;
  startedDateTime?: string;
  time?: number;
  entry?: JsonObject;
  request?: JsonObject;
  response?: JsonObject;
  headers?: Record<string, string>;
  content?: JsonObject;
  timings?: JsonObject;
}

/** An entry of HAR 1.2 as Chrome writes it. */
export function entry(parts: EntryParts = {}): JsonObject {
  return {
    pageref: 'page_1',
    startedDateTime: parts.startedDateTime ?? '2026-11-01T10:00:00.000Z',
    time: parts.time ?? 100,
    request: {
      method: 'GET',
      url: parts.url ?? 'https://www.shop.example/',
      httpVersion: 'h2',
      cookies: [],
      headers: [],
      queryString: [],
      headersSize: 100,
      bodySize: 0,
      ...parts.request,
    },
    response: {
      status: 200,
      statusText: 'OK',
      httpVersion: 'h2',
      cookies: [],
      headers: Object.entries({ 'content-type': 'text/html', ...parts.headers }).map(([name, value]) => ({ name, value })),
      redirectURL: '',
      headersSize: 200,
      bodySize: 800,
      ...parts.response,
      content: { size: 3000, mimeType: parts.headers?.['content-type'] ?? 'text/html', ...parts.content },
    },
    cache: {},
    timings: { blocked: 1, dns: 10, connect: 30, ssl: 20, send: 1, wait: 50, receive: 8, ...parts.timings },
    ...parts.entry,
  };
}

/** The site that the requests below belong to. */
export const SHOP = 'https://www.shop.example';
const TYPES: Record<string, string> = {
  js: 'text/javascript',
  css: 'text/css',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  json: 'application/json',
  woff2: 'font/woff2',
};

/** A request of the site at a time, by path or address, typed by its ending: fast by itself, compressed and cached for a year. */
export function request(path: string, startMs: number, durationMs: number, parts: EntryParts = {}): JsonObject {
  const mime = TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? 'text/html';
  const timings = { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: durationMs, receive: 0, ...parts.timings };
  const headers = { 'content-type': mime, 'cache-control': 'max-age=31536000', 'content-encoding': 'br', ...parts.headers };
  const url = path.startsWith('/') ? SHOP + path : path;
  return entry({ url, startedDateTime: at(startMs), time: durationMs, ...parts, timings, headers });
}

/** A file of these entries with one page. */
export function har(entries: Json[], log: JsonObject = {}): { log: JsonObject } {
  return {
    log: {
      version: '1.2',
      creator: { name: 'WebInspector', version: '537.36' },
      pages: [
        {
          startedDateTime: '2026-11-01T10:00:00.000Z',
          id: 'page_1',
          title: 'https://www.shop.example/',
          pageTimings: { onContentLoad: 700, onLoad: 1500 },
        },
      ],
      entries,
      ...log,
    },
  };
}

/** The moment `ms` after the start of the sample. */
export function at(ms: number): string {
  return new Date(Date.parse('2026-11-01T10:00:00.000Z') + ms).toISOString();
}

/** Narrows a JSON value in a test; fails loudly where it is of another type. */
export function object(value: Json | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('an object was expected');
  return value;
}

export function list(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new TypeError('a list was expected');
  return value;
}
