import { hostOf, registrableDomain } from './addresses.ts';
import type { ResourceType } from './har-model.ts';
import { typeOfMime } from './resource-type.ts';
import { type FreshnessReaders, statedLifetimeSeconds } from './response-headers.ts';

const ZERO = 48;
const SECONDS_AT = 17;

/**
 * A reader of `startedDateTime`, ms since 1970 or null for anything but an ISO date-time. The entries of a file lie in a few minutes, so
 * that of most only the seconds are read: a tenth of the time that Date.parse takes.
 */
function instantReader(): (text: string) => number | null {
  let minute = '';
  let minuteMs = 0;
  return (text) => {
    const afterMs = minute !== '' && text.length === 24 && text.startsWith(minute) ? secondsAsMs(text) : null;
    if (afterMs !== null) return minuteMs + afterMs;
    // Date.parse reads almost any text as some date.
    const ms = text[4] === '-' && text[10] === 'T' ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(ms)) return null;
    const seconds = text.length === 24 ? secondsAsMs(text) : null;
    if (seconds !== null) {
      minute = text.slice(0, SECONDS_AT);
      minuteMs = ms - seconds;
    }
    return ms;
  };
}

/** The `05.123Z` at the end of `2026-11-01T10:00:05.123Z` in ms; null for any other form. */
function secondsAsMs(text: string): number | null {
  if (text[19] !== '.' || text[23] !== 'Z') return null;
  const tens = text.charCodeAt(SECONDS_AT) - ZERO;
  let ms = tens;
  for (const position of [18, 20, 21, 22]) {
    const digit = text.charCodeAt(position) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return null;
    ms = ms * 10 + digit;
  }
  return tens >= 0 && tens <= 5 ? ms : null;
}

/** Where an address points: both null without a host. */
export interface Place {
  host: string | null;
  domain: string | null;
}

/** A MIME type without parameters and what it says of the type. */
export interface ContentKind {
  mime: string;
  type: ResourceType | null;
}

/** Answers of one file, each worked out once: files repeat a few hosts and header values thousands of times. */
export interface Lookups extends FreshnessReaders {
  placeOf: (url: string) => Place;
  contentKind: (contentType: string) => ContentKind;
  /** As `instantReader`. */
  instant: (text: string) => number | null;
}

/** Fresh lookups, to be forgotten with the file. */
export function createLookups(): Lookups {
  const placeByAuthority = remembered(placeAt);
  return {
    placeOf(url) {
      const end = authorityEnd(url);
      return end === -1 ? placeAt(url) : placeByAuthority(url.slice(0, end));
    },
    contentKind: remembered(contentKind),
    instant: instantReader(),
    statedLifetime: remembered(statedLifetimeSeconds),
    dateMs: remembered(Date.parse),
  };
}

function remembered<Value>(work: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = work(text);
    known.set(text, value);
    return value;
  };
}

function placeAt(url: string): Place {
  const host = hostOf(url);
  return { host, domain: host === null ? null : registrableDomain(host) };
}

/** Where path, query or fragment begin; -1 for an address in another form than `scheme://…`. */
function authorityEnd(url: string): number {
  const start = url.startsWith('data:') ? -1 : url.indexOf('://');
  if (start === -1) return -1;
  for (let position = start + 3; position < url.length; position += 1) {
    const code = url.charCodeAt(position);
    if (code === SLASH || code === QUESTION || code === HASH || code === BACKSLASH) return position;
  }
  return url.length;
}

const SLASH = 47;
const QUESTION = 63;
const HASH = 35;
const BACKSLASH = 92;

function contentKind(contentType: string): ContentKind {
  const end = contentType.indexOf(';');
  const mime = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return { mime, type: typeOfMime(mime) };
}
