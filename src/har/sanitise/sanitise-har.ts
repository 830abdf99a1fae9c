import type * as Format from 'har-format';
import { isRecord } from '../../lib/is-record.ts';
import { members } from '../../lib/members.ts';
import { INITIATOR_TYPES, METHODS, PRIORITIES, protocolName, RESOURCE_TYPES, renderBlockingName } from '../read/har-model.ts';
import { amountOf, listOf, looseAmountOf, recordOf, textOf } from '../read/member.ts';
import { isMarkedCached, readStatus } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import { REMOVED, sanitiseTitle, sanitiseUrl } from '../sanitise-url.ts';
import { matching, sanitiseContentType, sanitiseHeaders } from './sanitise-headers.ts';

type Raw = Record<string, unknown>;

/** Facts of the whole file that its parts are copied by. */
interface Whole {
  readonly pageIds: ReadonlyMap<string, string>;
  readonly earliest: string;
}

/** Gives the harmless part of a member, of which the record around it may tell; undefined leaves it out. */
type Keep = (value: unknown, raw: Raw, whole: Whole) => unknown;
/** The members that are kept of a record; all others are left out. */
type Allowed = Readonly<Record<string, Keep>>;

/** The one walk: each allowed member of a record in its harmless form. */
function copyOf(allowed: Allowed, raw: Raw, whole: Whole): Raw {
  const kept = Object.entries(allowed).map(([name, keep]) => [name, keep(raw[name], raw, whole)] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

const nested =
  (allowed: Allowed): Keep =>
  (value, _raw, whole) =>
    copyOf(allowed, recordOf(value), whole);
const always =
  (value: unknown): Keep =>
  () =>
    value;
const size: Keep = (value) => amountOf(value) ?? -1;
const known: Keep = (value) => amountOf(value) ?? undefined;
const oneOf =
  (words: ReadonlySet<string>): Keep =>
  (value) =>
    words.has(textOf(value)) ? value : undefined;
const address: Keep = (value) => sanitiseUrl(textOf(value));
const contentType: Keep = (value) => sanitiseContentType(textOf(value));
const protocol: Keep = (value) => protocolName(textOf(value)) ?? 'unknown';
const headers: Keep = (value) => sanitiseHeaders(listOf(value));

const COMMENT =
  'Sanitised: cookies, bodies, titles, unlisted header values and what may be secret in addresses are removed; sizes and times ' +
  'are as recorded.';
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;

/** The date as HAR requires it (some recorders leave the colon out of the offset), `otherwise` for any other text. */
function dateAt(value: unknown, otherwise: string): string {
  const date = textOf(value).replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return ISO_DATE.test(date) && !Number.isNaN(Date.parse(date)) ? date : otherwise;
}

/** How much was removed; of a copy the note of its first making. */
function removedNote({ text, params, comment }: Raw): string {
  if (/^removed: \d{1,12} (?:characters|parameters)$/.test(textOf(comment))) return textOf(comment);
  const [characters, parameters] = [textOf(text).length, listOf(params).length];
  return parameters > 0 && characters === 0 ? `removed: ${parameters} parameters` : `removed: ${characters} characters`;
}

/** Taken from the sanitised address, so that the two cannot differ. */
const queryString: Keep = (_value, { url }) => {
  const [, query = ''] = /\?(.*)$/s.exec(sanitiseUrl(textOf(url))) ?? [];
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  return parameters.map((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return { name, value };
  });
};

const startedDateTime: Keep = (value, _raw, { earliest }) => dateAt(value, earliest);
const plainName = matching(/^[\w .()/+-]{0,60}$/, REMOVED);
const maker = members(plainName, 'name', 'version');

const page: Allowed = {
  startedDateTime,
  id: (value, _raw, { pageIds }) => pageIds.get(textOf(value)) ?? '',
  title: (value) => sanitiseTitle(textOf(value)),
  pageTimings: nested({
    ...members(size, 'onContentLoad', 'onLoad'),
    ...members(known, '_firstPaint', '_firstContentfulPaint', '_largestContentfulPaint', '_startRender'),
    ...members(known, '_domInteractiveTime', '_domContentLoadedTime', '_fullyLoaded'),
  }),
};

const postData: Allowed = { mimeType: contentType, text: always(''), comment: (_value, raw) => removedNote(raw) };

const request: Allowed = {
  method: (value, raw, whole) => oneOf(METHODS)(textOf(value).toUpperCase(), raw, whole) ?? 'GET',
  url: address,
  httpVersion: protocol,
  cookies: always([]),
  headers,
  queryString,
  postData: (value, _raw, whole) => (isRecord(value) ? copyOf(postData, value, whole) : undefined),
  headersSize: size,
  bodySize: size,
};

const response: Allowed = {
  status: (value) => readStatus(amountOf(value)) ?? 0,
  statusText: matching(/^[A-Za-z][A-Za-z' -]{0,39}$/, ''),
  httpVersion: protocol,
  cookies: always([]),
  headers,
  content: nested({
    size,
    compression: known,
    mimeType: contentType,
    comment: (value, raw) => (textOf(raw.text) === '' && !textOf(value).startsWith('removed: ') ? undefined : removedNote(raw)),
  }),
  redirectURL: address,
  headersSize: size,
  bodySize: size,
  _transferSize: known,
};

const timings: Allowed = {
  ...members(size, 'blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive'),
  ...members(known, '_queued', '_blocked_queueing', '_blocked_proxy'),
};

const entry: Allowed = {
  pageref: (value, _raw, { pageIds }) => pageIds.get(textOf(value)),
  startedDateTime,
  time: (value) => amountOf(value) ?? 0,
  request: nested(request),
  response: nested(response),
  cache: always({}),
  timings: nested(timings),
  connection: matching(/^\d{1,10}$/),
  ...members(oneOf(PRIORITIES), '_priority', '_initialPriority'),
  _renderBlocking: (value) => renderBlockingName(textOf(value)) ?? undefined,
  _resourceType: oneOf(RESOURCE_TYPES),
  _fromCache(value, raw) {
    if (!isMarkedCached(raw)) return undefined;
    return value === 'memory' ? value : 'disk';
  },
  _bytesIn: (value) => looseAmountOf(value) ?? undefined,
  _initiator_type: (value, raw, whole) => oneOf(INITIATOR_TYPES)(textOf(recordOf(raw._initiator).type) || value, raw, whole),
};

/**
 * A copy of the file without its secrets: HAR 1.2 built from an allow-list, so that an unknown member is left out.
 * Unknown times and sizes are -1 (`time` 0), as HAR has it. The same file gives the same copy, and a copy is a copy of itself.
 */
export function sanitiseHar({ source: { log }, readable }: Har): Format.Har {
  const pages = listOf(log.pages).filter(isRecord);
  const first = recordOf(log.entries[readable[0] ?? -1]);
  const whole = { pageIds: pageNames(pages), earliest: dateAt(first.startedDateTime, new Date(0).toISOString()) };
  const browser = recordOf(log.browser);
  const entries = readable.toSorted((a, b) => a - b).map((index) => copyOf(entry, recordOf(log.entries[index]), whole));
  const copy = {
    version: '1.2',
    creator: copyOf(maker, recordOf(log.creator), whole),
    ...(textOf(browser.name) && { browser: copyOf(maker, browser, whole) }),
    ...(Array.isArray(log.pages) && { pages: pages.map((each) => copyOf(page, each, whole)) }),
    entries,
    comment: COMMENT,
  };
  return { log: copy } as unknown as Format.Har; // its members are those of the tables above
}

/** Page ids that recorders give stay; where one is of another form, all are numbered. */
function pageNames(pages: readonly Raw[]): Map<string, string> {
  const ids = [...new Set(pages.map(({ id }) => textOf(id)))];
  const isPlain = ids.every((id) => /^page_\d{1,6}(?:_\d{1,6}){0,2}$/.test(id));
  return new Map(ids.map((id, index) => [id, isPlain ? id : `page_${index + 1}`]));
}
