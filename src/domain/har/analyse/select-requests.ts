import type { HarEntry, ResourceType } from '../read/har-model.ts';
import { sanitiseUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';

/** Which requests are meant; all conditions hold together. */
export interface RequestFilter {
  /** Part of the address as it is shown: sanitised; `…` stands for anything. */
  readonly url?: string | undefined;
  readonly type?: ResourceType | undefined;
  /** A registrable domain or a host; hosts below it count too. */
  readonly domain?: string | undefined;
  /** A status, or a class of them: `404`, `4xx`. */
  readonly status?: string | number | undefined;
  readonly minDurationMs?: number | undefined;
  /** Transferred bytes, those of the content where the former are unknown. */
  readonly minBytes?: number | undefined;
}

type Condition = (entry: HarEntry) => boolean;

/** True where nothing is asked for. */
export function isEmptyFilter(filter: RequestFilter): boolean {
  return conditionsOf(filter).length === 0;
}

/** The requests that fit, in order of start. */
export function filterRequests(entries: readonly HarEntry[], filter: RequestFilter): readonly HarEntry[] {
  const conditions = conditionsOf(filter);
  return conditions.length === 0 ? entries : entries.filter((entry) => conditions.every((holds) => holds(entry)));
}

/** Cheap conditions first: sanitising an address costs more than all others together. */
function conditionsOf({ url, type, domain, status, minDurationMs, minBytes }: RequestFilter): Condition[] {
  return [
    ...(type === undefined ? [] : [(entry: HarEntry) => entry.type === type]),
    ...(status === undefined ? [] : [hasStatus(String(status))]),
    ...(minDurationMs === undefined ? [] : [(entry: HarEntry) => (entry.durationMs ?? -1) >= minDurationMs]),
    ...(minBytes === undefined ? [] : [(entry: HarEntry) => (weightOf(entry) ?? -1) >= minBytes]),
    ...(domain === undefined ? [] : [isBelow(domain)]),
    ...(url === undefined ? [] : [holdsText(url)]),
  ];
}

function hasStatus(status: string): Condition {
  const classOf = /^([1-5])xx$/i.exec(status)?.[1];
  if (classOf === undefined) return (entry) => entry.status === Number(status);
  return (entry) => Math.floor((entry.status ?? 0) / 100) === Number(classOf);
}

function isBelow(domain: string): Condition {
  const name = domain.toLowerCase();
  const below = `.${name}`;
  return ({ host, domain: registrable }) => host !== null && (host === name || registrable === name || host.endsWith(below));
}

function holdsText(text: string): Condition {
  const pieces = text
    .toLowerCase()
    .split(/…|\.\.\./)
    .filter((piece) => piece !== '');
  return ({ url }) => {
    const address = sanitiseUrl(url).toLowerCase();
    let from = 0;
    for (const piece of pieces) {
      const at = address.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return true;
  };
}
