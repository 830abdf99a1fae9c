import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { recordedBy, recorders, type TimedVisit, type Visit } from './recorders.ts';

/** Recordings of real sites, which are not part of the project; where they lie beside it, the tests read them too. */
const FOLDER = new URL('../../../../shared/har/', import.meta.url);
const REAL_FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.har')) : [];

/** A value like those of session cookies and tokens: long, the same in every run, found nowhere else. */
function secret(purpose: string, form: 'hex' | 'base64url' = 'base64url'): string {
  return createHash('sha256').update(purpose).digest(form).slice(0, 40);
}

const jwt = (purpose: string) => `eyJhbGciOiJIUzI1NiJ9.${secret(`${purpose} claims`)}.${secret(`${purpose} signature`)}`;
const SHOP = 'https://www.shop.example';
const session = { sid: secret('session', 'hex'), csrf: secret('csrf'), _ga: `GA1.2.${secret('ga', 'hex').slice(0, 10)}.1761990000` };
const lasting = { 'Cache-Control': 'public, max-age=31536000', ETag: `"${secret('etag', 'hex')}"`, Vary: 'Accept-Encoding' };
const signedIn = { Authorization: `Bearer ${jwt('api')}`, Referer: `${SHOP}/basket?session=${secret('referer', 'hex')}` };

function own(path: string, mime: string, bytes: number, more: Partial<Visit> = {}): Visit {
  return { url: `${SHOP}${path}`, mime, bytes, sentCookies: session, response: lasting, ...more };
}

/** Requests to other parties, which know the visitor by cookies and by what stands in their addresses. */
function tracked(host: string, index: number): Visit[] {
  const visitor = { uid: secret(`${host} uid`), IDE: secret(`${host} ide`), test_cookie: `CheckForPermission-${secret(host, 'hex')}` };
  const page = encodeURIComponent(`${SHOP}/basket?session=${session.sid}`);
  const query = `cid=${secret(`${host} cid`, 'hex')}&dl=${page}&z=${index}1&v=1&email=${secret(host)}%40mail.example`;
  const synced = `https://sync.${host}/match?partner=7&puid=${secret(`${host} puid`)}`;
  return [
    {
      url: `https://${host}/tag.js?id=GTM-${index}`,
      mime: index % 2 ? 'application/x-javascript' : 'text/javascript',
      bytes: 21_400 + index * 3_100,
      unpackedBytes: 64_000,
      setCookies: visitor,
    },
    { url: `https://${host}/sync?${query}`, mime: 'text/html', bytes: 0, status: 302, location: synced, sentCookies: visitor },
    { url: synced, mime: 'image/gif', bytes: 43, sentCookies: visitor, setCookies: { puid: secret(`${host} set`) } },
    { url: `https://${host}/collect?${query}`, mime: '', bytes: 0, status: 204, method: 'POST', sentCookies: visitor },
  ];
}

const visits: readonly Visit[] = [
  {
    url: 'http://shop.example/basket?utm_source=mail&token=reset',
    mime: 'text/html',
    bytes: 0,
    status: 301,
    location: `${SHOP}/login?next=%2Fbasket`,
  },
  { url: `${SHOP}/login?next=%2Fbasket`, mime: 'text/html', bytes: 0, status: 302, location: `${SHOP}/basket`, setCookies: session },
  own('/basket', 'text/html; charset=utf-8', 14_200, {
    unpackedBytes: 61_000,
    response: { 'Cache-Control': 'no-store' },
    text: `<script>var token = "${jwt('page')}"</script>`,
  }),
  own('/css/site.css', 'text/css', 18_900, { unpackedBytes: 92_000 }),
  own('/css/theme.css?v=41', 'text/css', 8_300, { unpackedBytes: 31_000 }),
  own('/js/vendor.js?v=41', 'application/javascript', 121_000, { unpackedBytes: 402_000 }),
  own('/js/basket.js', 'application/javascript', 88_000, { response: {} }),
  own('/fonts/sans.woff2', 'font/woff2', 41_000),
  own('/favicon.ico', 'image/x-icon', 1_150),
  ...Array.from({ length: 8 }, (_, index) =>
    own(`/img/p${index}.jpg?w=640&sig=${secret(`image ${index}`, 'hex')}`, 'image/jpeg', 34_000 + index * 2_700),
  ),
  own('/img/p0.jpg?w=640&sig=again', 'image/jpeg', 34_000),
  own('/img/missing.png', 'text/html', 512, { status: 404, unpackedBytes: 900 }),
  own('/api/basket?user=7710042&hash=a1b2', 'application/json', 2_300, {
    request: signedIn,
    response: { 'Cache-Control': 'private' },
    text: `{"access_token":"${jwt('answer')}"}`,
  }),
  own('/api/offers?locale=en&page=1&size=20', 'application/json', 9_800, { request: { ...signedIn, 'X-CSRF-Token': session.csrf } }),
  ...['metrics.ads.example', 'cdn.tags.example', 'www.google-analytics.com', 'connect.facebook.net'].flatMap(tracked),
  { url: 'https://bids.ads.example/auction?slot=top&w=728&h=90', mime: 'text/plain', bytes: 120, status: 503 },
];

/** One after the other in small steps, the slower the larger they are. */
const timed: readonly TimedVisit[] = visits.map((visit, index) => ({
  ...visit,
  page: 0,
  atMs: index < 3 ? index * 120 : 240 + index * 22,
  tookMs: 30 + (index % 5) * 17.25 + visit.bytes / 1_500,
}));

const generated: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(recorders).map(([name, recorder]) => [name, JSON.stringify(recordedBy(recorder, timed))]),
);

/** Names of recorded files: one visit as four recorders write it, made here, and recordings of real sites where they are at hand. */
export const RECORDED_FILES: readonly string[] = [...Object.keys(generated), ...REAL_FILES];

/** Text of a recorded file. */
export function readRecorded(name: string): string {
  return generated[name] ?? readFileSync(new URL(name, FOLDER), 'utf8');
}
