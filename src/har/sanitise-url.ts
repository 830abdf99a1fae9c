import { visibleText } from '../lib/visible-text.ts';

/** The placeholder for a removed text. */
export const REMOVED = '[removed]';

/** A pattern for all of a text: one of these words, each a pattern of its own. */
export const wordsAs = (words: string, { before = '^', after = '', flags = 'iu' } = {}) =>
  new RegExp(`${before}(?:${words.trim().split(/\s+/).join('|')})${after}$`, flags);

const RUN = /[A-Za-z0-9+/_-]{16,}/g;
/** A JSON Web Token also where its parts are short: the first begins with `{"` in base64. */
const JWT = /(?:^|[^A-Za-z0-9])eyJ[\w-]{4,400}\.[\w-]/;
/** Marks a thing among all others; of no use without the service that gave it, but the same each time. */
export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** A word, an abbreviation or a short number: what slugs and file names are made of. */
const SLUG_PART = /^(?:[a-z]?[A-Z]?[a-z]{0,19}|[A-Z]{1,5}|[A-Za-z]?\d{1,8}[a-z]?)$/;
/** Longest run of one piece that is taken for a name. */
const LONGEST_NAME = 24;
/** Changes between small letters, capitals and digits from which a shorter run is taken for random. */
const RANDOM_CHANGES = 4;

/**
 * True for a run that is a token and not a name: more than 24 characters that are not a slug of words, a UUID, or random-looking from 16
 * on.
 */
function isToken(run: string): boolean {
  if (UUID.test(run)) return true;
  if (run.length > LONGEST_NAME) return !isSlug(run);
  if (/\d{12,}/.test(run)) return true;
  return /\d/.test(run) && changes(run) >= RANDOM_CHANGES && !isSlug(run);
}

function isSlug(run: string): boolean {
  return run.split(/[-_+/]+/).every((part) => SLUG_PART.test(part));
}

/** Pairs of letters that words of European languages hardly hold. */
const UNUSUAL_PAIR =
  /q(?!u|$)|j(?=[bcdfghlmnpqrstvwxz])|v(?=[bcdfghjkmnpqtwxz])|w(?=[bcfgjmpqvxz])|x(?=[bdfgjkmnqrvwxz])|[bcdfghkmpvwx](?=[jqx])|z(?=[cfjmnpqrx])|[fpqvwx](?=g)/g;
/** Shorter runs of letters alone are abbreviations as often as not. */
const SHORTEST_LETTERS = 10;

/** True where a run of letters is no word: pairs that no language has, hardly a vowel, or capitals strewn in. */
function isLettersToken(run: string): boolean {
  if (run.length < SHORTEST_LETTERS) return false;
  const small = run.toLowerCase();
  const unusual = small.match(UNUSUAL_PAIR)?.length ?? 0;
  const vowels = small.match(/[aeiouy]/g)?.length ?? 0;
  const pieces = run.match(/[A-Z]+[a-z]*|[a-z]+/g) ?? [];
  return unusual >= 2 || vowels / run.length < 0.12 || run.length / pieces.length < 2.5;
}

/** True where a run of letters in the text is no word; host names are not asked, because those of networks are made up. */
function holdsLettersToken(text: string): boolean {
  return text.split(/[^A-Za-z]+/).some(isLettersToken);
}

/**
 * Seven to nineteen digits, as in the number of a telephone or a card, with or without punctuation; no date. Points count only between
 * groups of usual lengths, because versions have them too.
 */
const TELEPHONE = /^\(?\+?(?:[ ()-]{0,2}\d){7,19}$|^\d{2}(?:\.\d{2}){3,5}$|^\d{3}\.\d{3}\.\d{4}$/;
const DAY = /^(?:19|20)\d\d[-._]?(?:0[1-9]|1[0-2])[-._]?(?:0[1-9]|[12]\d|3[01])(?:[-T_]?\d{4,6})?$/;

function isTelephone(text: string): boolean {
  return TELEPHONE.test(text.replace(/^[a-z]{1,8}:/i, '')) && !DAY.test(text);
}

/** A number by which a person is reached or paid. */
function isNumberOfPerson(text: string): boolean {
  return isTelephone(text) || IBAN.test(text.replaceAll(' ', '')) || NETWORK_ADDRESS.test(text);
}

/** A capital followed by small letters begins a word and does not count as a change. */
function changes(run: string): number {
  return (run.match(/[a-z](?=[A-Z\d])|\d(?=[A-Za-z])|[A-Z](?=\d)/g) ?? []).length;
}

/** Percent-decoded until nothing changes (three times at most); null when the encoding is broken. */
function decodeFully(text: string): string | null {
  let decoded = text;
  try {
    for (let round = 0; round < 3 && decoded.includes('%'); round += 1) decoded = decodeURIComponent(decoded);
  } catch {
    return null;
  }
  // Double encoding hides text from the rules; other spellings of a letter, such as a full-width @, become the usual one.
  return /%[0-9a-f]{2}/i.test(decoded) ? null : decoded.normalize('NFKC');
}

/** True when the text holds an e-mail address, a JWT or another token. */
export function holdsSecret(text: string): boolean {
  return text.includes('@') || JWT.test(text) || (text.match(RUN) ?? []).some(isToken);
}

/** A piece that may stand beside a token, such as `min` or `js`; a longer one may be a part of it. */
const SMALL_PIECE = /^[A-Za-z0-9-]{0,8}$/;

/** The text with tokens replaced piece by piece between dots and commas; all of it where it holds an e-mail address or a JWT. */
function withoutTokens(text: string): string {
  if (!holdsSecret(text) && !holdsLettersToken(text)) return text;
  if (text.includes('@') || JWT.test(text)) return REMOVED;
  return text
    .split(/([.,])/)
    .map((piece) => (piece === '.' || piece === ',' || SMALL_PIECE.test(piece) ? piece : REMOVED))
    .join('');
}

/**
 * Query parameters whose values say how a resource is made (size, format, version, language, page) and nothing about who asks. Even of
 * these a value is kept only when it is a number of at most four digits, a boolean, a version or a language code: `holdsNothing`.
 */
const HARMLESS_NAMES = new Set(
  (
    'async auto blur cols crop debug defer depth dpr fit fm format height h hl lang language limit locale minify offset order page ' +
    'per_page ' +
    'quality rows size sort step sz tab v ver version w width zoom'
  ).split(' '),
);
const HARMLESS_VALUE = wordsAs(
  String.raw`\d{1,4} true false v?\d{1,3}(?:\.\d{1,4}){1,3} [a-z]{2}(?:[-_][A-Z]{2})? asc desc json jpe?g png webp avif svg gif cover contain`,
  { flags: 'u' },
);
const NAME = /^[A-Za-z_$][\w.$:-]{0,39}(?:\[[\w-]{0,20}\]){0,3}$/;
const ADDRESS = /^(https?|wss?):\/\/([^/?#\\]*)([^?#]*)(\?[^#]*)?/i;
const HOST = /^(?:[\p{L}\p{N}._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu;
const OTHER_SCHEMES = wordsAs('blob chrome chrome-extension edge file ftp intent javascript mailto moz-extension safari-extension sms tel');
const DATA = /^data:([a-z]{1,20}\/[a-z0-9.+-]{1,40})?/i;
const UNREADABLE = 'https://removed.invalid/';

// Words of path segments are in English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish and Polish, plurals by their endings.

/** Path segments after which a secret is usual, as in `/reset-password/…`. */
const ANNOUNCES_SECRET = wordsAs(
  `(?:access|activate|activation|auth|code|confirm|invitation|invite|jwt|key|magic|oauth|otp|password|reset|secret|session|sid|ticket|token)s?
  unsubscribe verify magic[-_]?links? shared? shares passw[oö]rt(?:er)? kennwort motdepasse mot-de-passe contrase[nñ]a senha wachtwoord l[oö]senord
  has[lł]o einladung(?:en)? invitaci[oó]n convite teilen partages? compartir`,
  { before: '(?:^|[-_.])' },
);
/** Path segments after which a name of a person stands, as in `/users/…`. */
const ANNOUNCES_PERSON = wordsAs(
  `u users? members? profiles? people persons? authors? patients? benutzer(?:in)? nutzer(?:in)? mitglied(?:er)? profil(?:e|s|er)? personen
  autor(?:en|es|ka)? patienten utilisateurs? membres? auteurs? personnes? usuari[oa]s? miembros? perfi(?:l|les|s) personas? pessoas? membros?
  utent[ei] profil[oi] person[ae] membri autor[ei] gebruikers? profiel(?:en)? leden lid anv[aä]ndare medlem(?:mar)? u[zż]ytkownicy u[zż]ytkownik`,
);
/** Path segments after which an id stands. */
const ANNOUNCES_ID = wordsAs(
  `baskets? bookings? carts? cases? contracts? ids? invoices? ips? orders? payments? reservations? shipments? tracking transactions? subscriptions?
  tickets? bestellung(?:en)? auftrag auftr[aä]ge rechnung(?:en)? buchung(?:en)? vertrag vertr[aä]ge sendung(?:en)? zahlung(?:en)? commandes? factures?
  r[eé]servations? contrats? envois? paiements? pedidos? facturas? reservas? contratos? env[ií]os? pagos? encomendas? pagamentos? ordin[ei] fattur[ae]
  prenotazion[ei] bestelling(?:en)? factu(?:ur|ren) boeking(?:en)? best[aä]llning(?:ar)? faktur[ay]? zam[oó]wieni[ea]
  age birth(?:day|date)?s? dob geburts?(?:tag|datum)? naissance nacimiento nascita nascimento`,
);
/** Path segments after which an id or the name of a customer stands. */
const ANNOUNCES_CUSTOMER = wordsAs(
  'accounts? clients? customers? kunden? kundin konto konten comptes? clientes? cuentas? contas? client[ei] account klant(?:en)? kund(?:er)? klienci klient',
);
/** The names of a person, as slugs have them. */
const NAMES = /^\p{L}{2,}(?:[-._ ]\p{L}{2,}){1,3}$/u;
/** The number of an account by ISO 13616, blanks left out. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** An address of the network, of which a version of four parts hardly has such numbers. */
const NETWORK_ADDRESS = /^(?=.*\d{3})\d{1,3}(?:\.\d{1,3}){3}$/;
/** Segments that may follow the name of a person: a page of theirs. */
const PAGE_OF_PERSON = wordsAs(
  'account address addresses cart details favou?rites history me orders payments preferences profile reviews search self settings wishlist',
);
/**
 * Segments that may follow such a one: another one, a version, a step that sites name, or a file of the page. A token can be all letters,
 * so other words are masked.
 */
const STEP = wordsAs(
  String.raw`v\d{1,2} callback change check complete confirmation done edit end error expired failed forgot index info list login logout new
  refresh register renew request resend sent signin signout signup start status success update user users validate
  [a-z]{1,20}(?:-[a-z]{1,20}){0,4}\.(?:css|gif|html?|ico|jpe?g|js|json|php|png|svg|webp|woff2?)`,
  { flags: 'u' },
);

/**
 * An address without secrets: user info and fragment dropped, query values masked unless harmless, path segments masked where they look
 * like tokens, e-mail addresses or nested addresses. Of data addresses the MIME type stays. What cannot be read is masked as a whole.
 */
export function sanitiseUrl(url: string): string {
  const text = visibleText(url)
    .replaceAll(/[\t\n\r]/g, '')
    .trim();
  if (text === '' || text === 'about:blank' || text === 'about:srcdoc') return text;
  const address = ADDRESS.exec(text);
  if (address) return sanitiseAddress(address);
  const data = DATA.exec(text);
  if (data) return `data:${data[1]?.toLowerCase() ?? ''},${REMOVED}`;
  const [scheme = ''] = text.split(':', 1);
  if (scheme.length < text.length && OTHER_SCHEMES.test(scheme)) return `${scheme.toLowerCase()}:${REMOVED}`;
  // A relative address is recognised by its first character; other text could hold anything, so it is removed.
  return /^[.?]|^\/(?!\/)/.test(text) ? sanitiseRelative(text) : REMOVED;
}

/** A match of `ADDRESS` without secrets. */
function sanitiseAddress([, scheme = '', authority = '', path = '', query = '']: RegExpExecArray): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (!HOST.test(host)) return UNREADABLE;
  return `${scheme.toLowerCase()}://${sanitiseHost(host)}${sanitisePath(path)}${sanitiseQuery(query)}`;
}

function sanitiseRelative(address: string): string {
  const [, path = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(address) ?? [];
  return sanitisePath(path) + sanitiseQuery(query);
}

/** A host in lower case; labels that look like tokens are replaced, so that the address stays one. */
export function sanitiseHost(host: string): string {
  return host.length < 16
    ? host.toLowerCase()
    : host
        .toLowerCase()
        .split('.')
        .map((label) => (holdsSecret(label) ? 'removed' : label))
        .join('.');
}

/** A sanitised address of at most `limit` characters for tables. */
export function shortUrl(url: string, limit = 100): string {
  return shortened(sanitiseUrl(url), limit);
}

/** At most `limit` characters of an address that is sanitised already: first the query is cut, then the middle. */
export function shortened(safe: string, limit: number): string {
  if (safe.length <= limit) return safe;
  const bare = safe.replace(/\?.*/s, '?…');
  const tail = Math.floor(limit / 3);
  return bare.length <= limit ? bare : `${bare.slice(0, limit - tail - 1)}…${bare.slice(-tail)}`;
}

function sanitisePath(path: string): string {
  let before = '';
  return path
    .split(/([/\\])/)
    .map((segment) => {
      if (segment === '' || segment === '/' || segment === '\\') return segment;
      const decoded = decodeFully(segment);
      const masked = isAnnounced(segment, before, decoded ?? segment) ? REMOVED : sanitiseSegment(segment, decoded);
      before = decoded ?? '';
      return masked;
    })
    .join('');
}

/** Whether a segment is a secret, an id or a person because of what stands before it. */
function isAnnounced(segment: string, before: string, decoded = segment): boolean {
  const [first = '', ...rest] = segment.split(/[;:,]/);
  if (rest.length > 0 && ANNOUNCES_SECRET.test(first)) return true;
  if (STEP.test(segment) || ANNOUNCES_SECRET.test(segment) || PAGE_OF_PERSON.test(segment)) return false;
  if (ANNOUNCES_SECRET.test(before) || ANNOUNCES_PERSON.test(before)) return true;
  const isCustomer = ANNOUNCES_CUSTOMER.test(before);
  return ((isCustomer || ANNOUNCES_ID.test(before)) && /\d/.test(decoded)) || (isCustomer && NAMES.test(decoded));
}

function sanitiseSegment(segment: string, decoded: string | null): string {
  if (/^(?:[a-z][a-z.~_-]{0,8}|[\w.~-]{1,6})$/i.test(segment)) return segment;
  if (decoded !== null && isNumberOfPerson(decoded)) return REMOVED;
  // A slash in disguise: a path that was written so that no rule sees its parts.
  if (decoded?.includes('/') && !segment.includes('/')) return REMOVED;
  // A nested address, a query in disguise, or the padding of base64.
  if (decoded === null || /[?#@\\]|:\/\/|[A-Za-z0-9+/_-]={1,2}$/.test(decoded)) return REMOVED;
  if (decoded !== segment && /[;=]/.test(decoded)) return REMOVED;
  // A part of `/list;jsessionid=…`: with a value it is a parameter, without one a name.
  if (/[;=]/.test(segment))
    return segment
      .split(';')
      .map((part) => (part.includes('=') ? sanitiseParameter(part) : withoutTokens(part)))
      .join(';');
  if (decoded !== segment) return holdsSecret(decoded) || holdsLettersToken(decoded) ? REMOVED : segment;
  return withoutTokens(segment);
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
  const isHarmless =
    HARMLESS_NAMES.has(rawName.toLowerCase()) && HARMLESS_VALUE.test(value) && !(/^order$/i.test(rawName) && /\d/.test(value));
  return `${shownName}=${isHarmless ? value : REMOVED}`;
}

/** The title of a page where it is an address or the recorder's own name; any other may name a person or an order. */
export function sanitiseTitle(title: string): string {
  if (/^https?:\/\/\S+$/i.test(title)) return sanitiseUrl(title);
  return /^(?:[a-z]{0,8}_?\d{1,6}(?:_\d{1,6})*)?$/i.test(title) ? title : REMOVED;
}
