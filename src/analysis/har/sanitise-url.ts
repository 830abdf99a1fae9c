import { decodeFully, holdsSecret, REMOVED, withoutTokens } from './secrets.ts';

/**
 * Query parameters whose values say how a resource is made (size, format, version, language, page) and nothing about who asks. Even of these a
 * value is kept only when it is a number of at most four digits, a boolean, a version or a language code: `holdsNothing`.
 */
const HARMLESS_NAMES = new Set(
  (
    'async auto blur cols crop debug defer depth dpr fit fm format height h hl lang language limit locale minify offset order page per_page ' +
    'quality rows size sort step sz tab v ver version w width zoom'
  ).split(' '),
);
const HARMLESS_VALUE =
  /^(?:\d{1,4}|true|false|v?\d{1,3}(?:\.\d{1,4}){1,3}|[a-z]{2}(?:[-_][A-Z]{2})?|asc|desc|json|jpe?g|png|webp|avif|svg|gif|cover|contain)$/;
const NAME = /^[A-Za-z_$][\w.$:-]{0,39}(?:\[[\w-]{0,20}\]){0,3}$/;
const ADDRESS = /^(https?|wss?):\/\/([^/?#\\]*)([^?#]*)(\?[^#]*)?/i;
const HOST = /^(?:[\p{L}\p{N}._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu;
const OTHER_SCHEME = /^(?:blob|chrome|chrome-extension|edge|file|ftp|intent|javascript|mailto|moz-extension|safari-extension|sms|tel):/i;
const DATA = /^data:([a-z]{1,20}\/[a-z0-9.+-]{1,40})?/i;
const UNREADABLE = 'https://removed.invalid/';
/** Path segments after which a secret is usual, as in `/reset-password/…`. */
const ANNOUNCES_SECRET =
  /(?:^|[-_.])(?:access|activate|activation|auth|code|confirm|invitation|invite|jwt|key|magic|oauth|otp|password|reset|secret|session|sid|ticket|token|unsubscribe|verify)s?$/i;
const PLAIN_WORDS = /^(?:v\d{1,2}|[a-z]{1,20}(?:-[a-z]{1,20}){0,4}(?:\.[a-z]{2,5})?)$/;

/**
 * An address without secrets: user info and fragment dropped, query values masked unless harmless, path segments masked where they look like
 * tokens, e-mail addresses or nested addresses. Of data addresses the MIME type stays. What cannot be read is masked as a whole.
 */
export function sanitiseUrl(url: string): string {
  const text = url.replaceAll(/[\t\n\r]/g, '').trim();
  if (text === '' || text === 'about:blank' || text === 'about:srcdoc') return text;
  const address = ADDRESS.exec(text);
  if (address) {
    const [, scheme = '', authority = '', path = '', query = ''] = address;
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    if (!HOST.test(host)) return UNREADABLE;
    return `${scheme.toLowerCase()}://${sanitiseHost(host)}${sanitisePath(path)}${sanitiseQuery(query)}`;
  }
  const data = DATA.exec(text);
  if (data) return `data:${data[1]?.toLowerCase() ?? ''},${REMOVED}`;
  const scheme = OTHER_SCHEME.exec(text)?.[0];
  if (scheme) return scheme.toLowerCase() + REMOVED;
  // A relative address is told by its first character: any other text may be anything.
  return /^[.?]|^\/(?!\/)/.test(text) ? sanitiseRelative(text) : REMOVED;
}

function sanitiseRelative(address: string): string {
  const [, path = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(address) ?? [];
  return sanitisePath(path) + sanitiseQuery(query);
}

/** A host in lower case; labels that look like tokens are replaced, so that the address stays one. */
export function sanitiseHost(host: string): string {
  return host.length < 16 ? host.toLowerCase() : host.toLowerCase().split('.').map(sanitiseLabel).join('.');
}

function sanitiseLabel(label: string): string {
  return holdsSecret(label) ? 'removed' : label;
}

/** A sanitised address of at most `limit` characters for tables: first the query is cut, then the middle. */
export function shortUrl(url: string, limit = 100): string {
  const safe = sanitiseUrl(url);
  if (safe.length <= limit) return safe;
  const query = safe.indexOf('?');
  const bare = query === -1 ? safe : `${safe.slice(0, query)}?…`;
  if (bare.length <= limit) return bare;
  const tail = Math.floor(limit / 3);
  return `${bare.slice(0, limit - tail - 1)}…${bare.slice(-tail)}`;
}

function sanitisePath(path: string): string {
  let announced = false;
  return path
    .split(/([/\\])/)
    .map((segment) => {
      if (segment === '' || segment === '/' || segment === '\\') return segment;
      const masked = announced && !PLAIN_WORDS.test(segment) ? REMOVED : sanitiseSegment(segment);
      announced = ANNOUNCES_SECRET.test(segment);
      return masked;
    })
    .join('');
}

function sanitiseSegment(segment: string): string {
  if (/^[\w.~-]{1,15}$/.test(segment)) return segment;
  const decoded = decodeFully(segment);
  // A nested address, a query in disguise, or the padding of base64.
  if (decoded === null || /[?#@\\]|:\/\/|[A-Za-z0-9+/_-]={1,2}$/.test(decoded)) return REMOVED;
  if (decoded !== segment && /[;=]/.test(decoded)) return REMOVED;
  if (/[;=]/.test(segment)) return segment.split(';').map(sanitiseMatrixPart).join(';');
  if (decoded !== segment) return holdsSecret(decoded) ? REMOVED : segment;
  return withoutTokens(segment);
}

/** A part of `/list;jsessionid=…`: with a value it is a parameter, without one a name. */
function sanitiseMatrixPart(part: string): string {
  return part.includes('=') ? sanitiseParameter(part) : withoutTokens(part);
}

/** The query with its question mark; a parameter without "=" is all value. */
function sanitiseQuery(query: string): string {
  if (query.length <= 1) return query;
  return `?${query.slice(1).split('&').map(sanitiseParameter).join('&')}`;
}

function sanitiseParameter(parameter: string): string {
  if (parameter === '') return '';
  const equals = parameter.indexOf('=');
  if (equals === -1) return REMOVED;
  const rawName = parameter.slice(0, equals);
  const value = parameter.slice(equals + 1);
  const name = decodeFully(rawName);
  const shownName = name !== null && NAME.test(name) && !holdsSecret(name) ? rawName : REMOVED;
  if (value === '') return `${shownName}=`;
  return `${shownName}=${HARMLESS_NAMES.has(rawName.toLowerCase()) && HARMLESS_VALUE.test(value) ? value : REMOVED}`;
}

const MAX_TEXT = 200;

/** Free text such as a page title: addresses in it sanitised, values after "=" and words that look like tokens masked, 200 characters at most. */
export function sanitiseText(text: string): string {
  const words: string[] = [];
  let length = 0;
  for (const word of text.split(/(\s+)/)) {
    const safe = sanitiseWord(word);
    words.push(safe);
    length += safe.length;
    if (length > MAX_TEXT) break;
  }
  return words.join('').slice(0, MAX_TEXT);
}

function sanitiseWord(word: string): string {
  const scheme = /[a-z][a-z0-9+.-]{0,20}:(?=\/\/)|\b(?:data|blob):/i.exec(word);
  if (scheme) return withoutTokens(word.slice(0, scheme.index)) + sanitiseUrl(word.slice(scheme.index));
  if (/[/?=#%]/.test(word)) return sanitiseRelative(word);
  return withoutTokens(word);
}
