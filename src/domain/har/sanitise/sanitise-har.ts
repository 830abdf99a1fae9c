import type * as Format from 'har-format';
import { type Har, INITIATOR_TYPES, PRIORITIES, protocolName, RESOURCE_TYPES, renderBlockingName } from '../read/har-model.ts';
import { amountOf, isRecord, listOf, looseAmountOf, recordOf, textOf } from '../read/member.ts';
import { isMarkedCached, readStatus } from '../read/read-entry.ts';
import { holdsSecret, REMOVED, sanitiseTitle, sanitiseUrl } from '../sanitise-url.ts';
import { sanitiseContentType, sanitiseHeaders } from './sanitise-headers.ts';

type Raw = Record<string, unknown>;
type Custom = Record<`_${string}`, number | string>;

const COMMENT =
  'Sanitised: cookies, bodies, user info, fragments, unlisted header values and query values are removed; names, sizes and times ' +
  'are as recorded.';
const PAGE_NUMBERS = [
  '_firstPaint',
  '_firstContentfulPaint',
  '_largestContentfulPaint',
  '_startRender',
  '_domInteractiveTime',
  '_domContentLoadedTime',
  '_fullyLoaded',
];
const TIMING_NUMBERS = ['_queued', '_blocked_queueing', '_blocked_proxy'];
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;

/**
 * A copy of the file without its secrets: HAR 1.2 built from an allow-list, so that an unknown member is left out.
 * Unknown times and sizes are -1 (`time` 0), as HAR has it. The same file gives the same copy, and a copy is a copy of itself.
 */
export function sanitiseHar(har: Har): Format.Har {
  const { log } = har.source;
  const pageIds = pageNames(log);
  const earliest = earliestDate(har);
  const browser = recordOf(log.browser);
  const kept = har.readable.toSorted((a, b) => a - b);
  return {
    log: {
      version: '1.2',
      creator: maker(recordOf(log.creator)),
      ...(textOf(browser.name) ? { browser: maker(browser) } : {}),
      ...(Array.isArray(log.pages) ? { pages: log.pages.filter(isRecord).map((page) => copyPage(page, pageIds, earliest)) } : {}),
      entries: kept
        .map((index) => log.entries[index])
        .filter(isRecord)
        .map((entry) => copyEntry(entry, pageIds, earliest)),
      comment: COMMENT,
    },
  };
}

/** Page ids that recorders give stay; where one is of another form, all are numbered. */
function pageNames(log: Raw): Map<string, string> {
  const ids = [
    ...new Set(
      listOf(log.pages)
        .filter(isRecord)
        .map((page) => textOf(page.id)),
    ),
  ];
  const plain = ids.every((id) => /^page_\d{1,6}(?:_\d{1,6}){0,2}$/.test(id));
  return new Map(ids.map((id, index) => [id, plain ? id : `page_${index + 1}`]));
}

function earliestDate(har: Har): string {
  const first = har.source.log.entries[har.readable[0] ?? -1];
  return dateAt(isRecord(first) ? first : {}, new Date(0).toISOString());
}

/** The date as HAR requires it (some recorders leave the colon out of the offset), `otherwise` for any other text. */
function dateAt(record: Raw, otherwise: string): string {
  const date = textOf(record.startedDateTime).replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return ISO_DATE.test(date) && !Number.isNaN(Date.parse(date)) ? date : otherwise;
}

function maker(raw: Raw): Format.Creator {
  return { name: plainName(textOf(raw.name)), version: plainName(textOf(raw.version)) };
}

function plainName(text: string): string {
  return /^[\w .()/+-]{0,60}$/.test(text) && !holdsSecret(text) ? text : REMOVED;
}

function numbers(raw: Raw, names: string[]): Custom {
  const custom: Custom = {};
  for (const name of names) {
    const amount = amountOf(raw[name]);
    if (amount !== null && name.startsWith('_')) custom[`_${name.slice(1)}`] = amount;
  }
  return custom;
}

function word(raw: Raw, name: `_${string}`, words: Set<string>): Custom {
  const value = raw[name];
  return typeof value === 'string' && words.has(value) ? { [name]: value } : {};
}

function size(raw: Raw, name: string): number {
  return amountOf(raw[name]) ?? -1;
}

function copyPage(raw: Raw, pageIds: Map<string, string>, earliest: string): Format.Page {
  const timings = recordOf(raw.pageTimings);
  return {
    startedDateTime: dateAt(raw, earliest),
    id: pageIds.get(textOf(raw.id)) ?? '',
    title: sanitiseTitle(textOf(raw.title)),
    pageTimings: { onContentLoad: size(timings, 'onContentLoad'), onLoad: size(timings, 'onLoad'), ...numbers(timings, PAGE_NUMBERS) },
  };
}

function copyEntry(raw: Raw, pageIds: Map<string, string>, earliest: string): Format.Entry {
  const page = pageIds.get(textOf(raw.pageref));
  const bytesIn = looseAmountOf(raw._bytesIn);
  const connection = textOf(raw.connection);
  const initiatorType = textOf(recordOf(raw._initiator).type) || textOf(raw._initiator_type);
  const renderBlocking = renderBlockingName(textOf(raw._renderBlocking));
  return {
    ...(page === undefined ? {} : { pageref: page }),
    startedDateTime: dateAt(raw, earliest),
    time: amountOf(raw.time) ?? 0,
    request: copyRequest(recordOf(raw.request)),
    response: copyResponse(recordOf(raw.response)),
    cache: {},
    timings: copyTimings(recordOf(raw.timings)),
    ...(/^\d{1,10}$/.test(connection) ? { connection } : {}),
    ...word(raw, '_priority', PRIORITIES),
    ...word(raw, '_initialPriority', PRIORITIES),
    ...(renderBlocking === null ? {} : { _renderBlocking: renderBlocking }),
    ...word(raw, '_resourceType', RESOURCE_TYPES),
    ...(isMarkedCached(raw) ? { _fromCache: textOf(raw._fromCache) === 'memory' ? 'memory' : 'disk' } : {}),
    ...(bytesIn === null ? {} : { _bytesIn: bytesIn }),
    ...(INITIATOR_TYPES.has(initiatorType) ? { _initiator_type: initiatorType } : {}),
  };
}

function copyRequest(raw: Raw): Format.Request {
  const url = sanitiseUrl(textOf(raw.url));
  const method = textOf(raw.method).toUpperCase();
  return {
    method: /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)$/.test(method) ? method : 'GET',
    url,
    httpVersion: protocolName(textOf(raw.httpVersion)) ?? 'unknown',
    cookies: [],
    headers: sanitiseHeaders(listOf(raw.headers)),
    queryString: queryOf(url),
    ...(isRecord(raw.postData) ? { postData: copyPostData(raw.postData) } : {}),
    headersSize: size(raw, 'headersSize'),
    bodySize: size(raw, 'bodySize'),
  };
}

/** Taken from the sanitised address, so that the two cannot differ. */
function queryOf(url: string): Format.QueryString[] {
  const start = url.indexOf('?');
  if (start === -1) return [];
  return url
    .slice(start + 1)
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const [name = '', value = ''] = parameter.split('=', 2);
      return { name, value };
    });
}

function copyPostData(raw: Raw): Format.PostData {
  const mimeType = sanitiseContentType(textOf(raw.mimeType));
  return { mimeType, text: '', comment: removedNote(raw, textOf(raw.text).length, listOf(raw.params).length) };
}

/** How much was removed; of a copy the note of its first making. */
function removedNote(raw: Raw, characters: number, parameters = 0): string {
  const note = textOf(raw.comment);
  if (/^removed: \d{1,12} (?:characters|parameters)$/.test(note)) return note;
  return parameters > 0 && characters === 0 ? `removed: ${parameters} parameters` : `removed: ${characters} characters`;
}

function copyResponse(raw: Raw): Format.Response {
  const statusText = textOf(raw.statusText);
  return {
    status: readStatus(amountOf(raw.status)) ?? 0,
    statusText: /^[A-Za-z][A-Za-z' -]{0,39}$/.test(statusText) && !holdsSecret(statusText) ? statusText : '',
    httpVersion: protocolName(textOf(raw.httpVersion)) ?? 'unknown',
    cookies: [],
    headers: sanitiseHeaders(listOf(raw.headers)),
    content: copyContent(recordOf(raw.content)),
    redirectURL: sanitiseUrl(textOf(raw.redirectURL)),
    headersSize: size(raw, 'headersSize'),
    bodySize: size(raw, 'bodySize'),
    ...numbers(raw, ['_transferSize']),
  };
}

function copyContent(raw: Raw): Format.Content {
  const compression = amountOf(raw.compression);
  const text = textOf(raw.text);
  return {
    size: size(raw, 'size'),
    ...(compression === null ? {} : { compression }),
    mimeType: sanitiseContentType(textOf(raw.mimeType)),
    ...(text === '' && !textOf(raw.comment).startsWith('removed: ') ? {} : { comment: removedNote(raw, text.length) }),
  };
}

function copyTimings(raw: Raw): Format.Timings {
  return {
    blocked: size(raw, 'blocked'),
    dns: size(raw, 'dns'),
    connect: size(raw, 'connect'),
    ssl: size(raw, 'ssl'),
    send: size(raw, 'send'),
    wait: size(raw, 'wait'),
    receive: size(raw, 'receive'),
    ...numbers(raw, TIMING_NUMBERS),
  };
}
