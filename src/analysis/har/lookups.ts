import { type FreshnessReaders, statedLifetimeSeconds } from './freshness.ts';
import { instantReader } from './instant.ts';
import type { ResourceType } from './model.ts';
import { hostOf, registrableDomain } from './parties.ts';
import { typeOfMime } from './resource-type.ts';

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
