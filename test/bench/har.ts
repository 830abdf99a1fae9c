import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HarRun } from './har-process.ts';
import { inDirectory, median, printedBy, type Row } from './measure.ts';

const ENTRIES = 60_000;
/** Characters of the file, which is plain ASCII: 80 MB. */
const SIZE = 80 * 1024 * 1024;

const KINDS = [
  ['script', 'js', 'text/javascript; charset=utf-8'],
  ['image', 'webp', 'image/webp'],
  ['image', 'jpg', 'image/jpeg'],
  ['fetch', 'json', 'application/json'],
  ['stylesheet', 'css', 'text/css'],
  ['image', 'gif', 'image/gif'],
  ['font', 'woff2', 'font/woff2'],
] as const;
const HOSTS = [
  'static.shop.example',
  'img.shop.example',
  'www.googletagmanager.com',
  'connect.facebook.net',
  'securepubads.g.doubleclick.net',
  'cdn.jsdelivr.net',
  ...Array.from({ length: 90 }, (_, index) => `cdn${index}.party${index % 60}.example`),
];

const headersOf = (pairs: Record<string, string>) => Object.entries(pairs).map(([name, value]) => ({ name, value }));

/** Characters of cookie that bring an entry to its share of the file. */
function entryOf(index: number, cookieCharacters: number): string {
  const [type, extension, mimeType] = KINDS[index % KINDS.length] ?? KINDS[0];
  const host = HOSTS[(index * 7) % HOSTS.length] ?? '';
  const isDocument = index === 0;
  const url = isDocument
    ? 'https://www.shop.example/'
    : `https://${host}/assets/${index % 977}/part-${index}.${extension}?v=${index % 31}&sid=${index * 7919}`;
  const status = index % 211 === 5 ? 404 : index % 83 === 3 ? 304 : 200;
  const fresh = index % 11 === 1;
  const size = 900 + ((index * 37) % 40_000);
  const cookie = `sid=${String(index).padEnd(Math.max(1, cookieCharacters), 'x')}`;
  return JSON.stringify({
    pageref: 'page_1',
    startedDateTime: new Date(Date.UTC(2026, 10, 1, 10) + index * 3).toISOString(),
    time: 40 + ((index * 13) % 900) + 0.25,
    request: {
      method: 'GET',
      url,
      httpVersion: 'h2',
      headers: headersOf({ ':authority': host, accept: '*/*', 'accept-encoding': 'gzip, deflate, br', cookie }),
      queryString: [{ name: 'v', value: String(index % 31) }],
      cookies: [],
      headersSize: 300,
      bodySize: 0,
    },
    response: {
      status,
      statusText: '',
      httpVersion: index % 9 === 4 ? 'http/1.1' : 'h2',
      headers: headersOf({
        'content-type': isDocument ? 'text/html' : mimeType,
        'content-length': String(size),
        'cache-control': index % 5 === 2 ? 'no-store' : 'public, max-age=600',
        etag: `"${(index * 2_654_435_761).toString(16)}"`,
        date: new Date(Date.UTC(2026, 10, 1, 10) + index * 3).toUTCString(),
        server: 'nginx',
      }),
      cookies: [],
      content: { size: size * 3, mimeType: isDocument ? 'text/html' : mimeType },
      redirectURL: '',
      headersSize: 250,
      bodySize: size,
    },
    cache: {},
    timings: {
      blocked: 1.5,
      dns: fresh ? 12.25 : -1,
      connect: fresh ? 40.5 : -1,
      ssl: fresh ? 25 : -1,
      send: 0.2,
      wait: 30.75,
      receive: 8,
    },
    serverIPAddress: '203.0.113.7',
    connection: String(index % 400),
    _priority: index % 3 === 0 ? 'High' : 'Low',
    ...(index % 2 === 0 ? { _resourceType: isDocument ? 'document' : type } : {}),
  });
}

/** Writes a HAR file of 80 MB with 60,000 requests to 100 hosts. */
async function writeLargeHar(path: string): Promise<void> {
  const file = createWriteStream(path);
  const pages = [
    { startedDateTime: '2026-11-01T10:00:00.000Z', id: 'page_1', title: 'Shop', pageTimings: { onContentLoad: 1800, onLoad: 4200 } },
  ];
  let written = 0;
  const write = async (text: string): Promise<void> => {
    written += text.length;
    if (!file.write(text)) await once(file, 'drain');
  };
  await write(`{"log":{"version":"1.2","creator":{"name":"bench","version":"1"},"pages":${JSON.stringify(pages)},"entries":[`);
  const bare = entryOf(12_345, 1).length + 3;
  for (let index = 0; index < ENTRIES; index += 1) {
    const share = (SIZE - written) / (ENTRIES - index);
    await write(`${index === 0 ? '' : ','}${entryOf(index, Math.round(share - bare))}`);
  }
  await write(']}}');
  file.end();
  await once(file, 'close');
}

const ROUNDS = 5;

/** `analyze_har` on a file of 80 MB with 60,000 requests: its time over JSON.parse alone, and the most memory that it takes. */
export function benchHar(): Promise<Row[]> {
  return inDirectory(async (directory) => {
    const path = join(directory, 'large.har');
    await writeLargeHar(path);
    const runOf = (work: 'parse' | 'analyse') => JSON.parse(printedBy('har-process', work, path)) as HarRun;
    const { size } = statSync(path);
    const [ratios, parses, peaks]: [number[], number[], number[]] = [[], [], []];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      // One right after the other, so that what else the machine does meets both.
      const [parse, analysis] = [runOf('parse'), runOf('analyse')];
      if (parse.requests !== analysis.requests) throw new Error(`${analysis.requests} of ${parse.requests} requests were analysed`);
      ratios.push(analysis.ms / parse.ms);
      parses.push(parse.ms);
      peaks.push(analysis.peakBytes / size);
    }
    const megabytes = size / 1024 / 1024;
    return [
      {
        what: `analyze_har on ${megabytes.toFixed(0)} MB with 60,000 requests, over JSON.parse`,
        measured: `${median(ratios).toFixed(2)} × (of ${median(parses).toFixed(0)} ms)`,
        aim: '≤ 1.5 ×',
      },
      {
        what: 'its peak memory, over the size of the file',
        measured: `${median(peaks).toFixed(1)} × (${(median(peaks) * megabytes).toFixed(0)} MB)`,
        aim: '≤ 6 ×',
      },
    ];
  });
}
