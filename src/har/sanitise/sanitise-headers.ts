import type { Header } from 'har-format';
import { isRecord } from '../../lib/is-record.ts';
import { textOf } from '../read/member.ts';
import { holdsSecret, REMOVED, sanitiseUrl, wordsAs } from '../sanitise-url.ts';

/** Gives the part of a header value that is safe to show; empty when nothing is. */
type KeepText = (value: string) => string | undefined;

/** Keeps a text of a shape in which it is harmless, unless it holds a token; gives the other words for anything else. */
export const matching =
  (pattern: RegExp, otherwise?: string) =>
  (value: unknown): string | undefined =>
    pattern.test(textOf(value)) && !holdsSecret(textOf(value)) ? textOf(value) : otherwise;
/** Keeps the items of a comma list that match; the others may carry anything. */
const itemsMatching =
  (pattern: RegExp): KeepText =>
  (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => pattern.test(item))
      .join(', ');

/** Longer values say nothing about speed and are not parsed. */
const MAX_VALUE = 2000;
const COUNT = matching(/^\d{1,15}$/);
const HTTP_DATE = matching(/^(?:-1|0|[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} (?:GMT|UTC))$/);
/** Codings of bodies that are known: others may be anything. */
export const knownCodings = itemsMatching(
  wordsAs(String.raw`gzip x-gzip deflate br zstd compress identity chunked dcb dcz sdch trailers \*`, {
    after: String.raw`(?:;q=[\d.]{1,5})?`,
  }),
);
const FETCH_WORD = matching(
  wordsAs(`audio document embed empty font frame iframe image manifest object script style track video worker cors navigate no-cors
  same-origin websocket`),
);

/** The headers whose values help to judge speed, each with the shape in which its value is known to be harmless. All others are masked. */
const KEPT: Record<string, KeepText> = {
  'accept-encoding': knownCodings,
  'accept-ranges': matching(/^(?:bytes|none)$/i),
  age: COUNT,
  'cache-control': itemsMatching(
    wordsAs(String.raw`(?:max-age|s-maxage|stale-while-revalidate|stale-if-error|max-stale|min-fresh)="?\d{1,12}"? immutable must-revalidate
    must-understand no-cache no-store no-transform only-if-cached private proxy-revalidate public`),
  ),
  'cf-cache-status': matching(wordsAs('HIT MISS EXPIRED STALE BYPASS DYNAMIC REVALIDATED UPDATING NONE')),
  connection: matching(/^(?:keep-alive|close|upgrade)$/i),
  'content-encoding': knownCodings,
  'content-language': matching(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/i),
  'content-length': COUNT,
  'content-type': sanitiseContentType,
  date: HTTP_DATE,
  expires: HTTP_DATE,
  'last-modified': HTTP_DATE,
  location: sanitiseUrl,
  pragma: matching(/^no-cache$/i),
  priority: matching(/^(?:u=[0-7])?(?:, ?)?i?$/),
  referer: sanitiseUrl,
  'sec-fetch-dest': FETCH_WORD,
  'sec-fetch-mode': FETCH_WORD,
  'server-timing': keepDurations,
  'transfer-encoding': knownCodings,
  vary: itemsMatching(
    wordsAs(String.raw`\* accept(?:-[a-z]{2,10})? cookie host origin save-data user-agent referer authorization x-forwarded-proto
    x-requested-with access-control-request-(?:headers|method) rtt ect downlink dpr width viewport-width sec-[a-z-]{2,30}`),
  ),
  'x-cache': (value) => (value.match(/\b(?:hit|miss|expired|stale|bypass|refresh)\b/gi) ?? []).join(', '),
};

/** A MIME type with its charset; other parameters may carry anything. Empty for any other text. */
export function sanitiseContentType(value: string): string {
  const [type = '', ...parameters] = value.slice(0, MAX_VALUE).split(';');
  const mime = type.trim();
  if (!/^[a-z]{1,20}\/[a-z0-9.+-]{1,60}$/i.test(mime) || holdsSecret(mime)) return '';
  const charset = parameters
    .map((parameter) => /^\s*charset="?((?:utf|iso|windows|us|shift|euc|gb|big)[\w-]{1,10})"?\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  return charset ? `${mime}; charset=${charset}` : mime;
}

/** Server-Timing with names and durations; descriptions are free text of the server. */
function keepDurations(value: string): string {
  return value
    .split(',')
    .map((metric) => /^\s*([A-Za-z][\w-]{0,30})\s*;(?:[^"]*;)?\s*dur=(\d{1,9}(?:\.\d{1,9})?)\s*(?:;|$)/.exec(metric))
    .flatMap((found) => (found?.[1] && !holdsSecret(found[1]) ? [`${found[1]};dur=${found[2]}`] : []))
    .join(', ');
}

/** Headers with all names, and the values of the kept ones; broken names (recorders cut cookies in two) are masked too. */
export function sanitiseHeaders(list: unknown[]): Header[] {
  return list.filter(isRecord).map((header) => {
    const [name, value] = [textOf(header.name), textOf(header.value)];
    const keep = Object.hasOwn(KEPT, name.toLowerCase()) ? KEPT[name.toLowerCase()] : undefined;
    return {
      name: /^:?[A-Za-z][\w-]{0,63}$/.test(name) && !holdsSecret(name) ? name : REMOVED,
      value: value === '' ? '' : (value.length <= MAX_VALUE && keep?.(value)) || REMOVED,
    };
  });
}
