import { visibleText } from './visible-text.ts';

/** Returns the text with every known secret replaced and without invisible characters. */
export type Redactor = (text: string) => string;

/** The placeholder for a removed secret. */
export const REDACTED = '[redacted]';

/** A shorter text is no secret. */
const SHORTEST_SECRET = 4;
/** Letters and digits that are shorter stand in many texts by chance. */
const SHORTEST_DISTINCT = 8;
/** One or two words of a language, as a person might type them in place of a secret. */
const WORDS = /^(?=.{1,15}$)(?:\p{Lu}?\p{Ll}+|\p{Lu}+)(?:[-_. ](?:\p{Lu}?\p{Ll}+|\p{Lu}+))*$/u;
/** The end of what stands before a value that its name calls a secret. */
const NAMED_SECRET = /(?:secret|password|passphrase|token)(?:\\?["'])?\s*(?:[:=]|%3[ad])\s*(?:\\?["'])?$/i;
/** Longest such beginning that is read. */
const NAME_CHARS = 40;
/** Shorter base64 fragments occur by chance. */
const SHORTEST_FRAGMENT = 8;

/**
 * Forms of secrets of any issuer, each searched in time linear in the text: tokens of this server, bearer and basic credentials, passwords
 * in addresses.
 */
const LOOKS_SECRET: readonly (readonly [RegExp, string])[] = [
  [/wam_[\w-]{20,}/g, REDACTED],
  [/\b(Bearer)(\s+|%20|\+)["'\\]*(?!\[redacted)[\w.~+/=%-]{6,}/gi, `$1$2${REDACTED}`],
  [/\b(Basic)(\s+|%20|\+)(?=[A-Za-z0-9+/_-]*[\d=+/])[A-Za-z0-9+/_-]{8,}={0,2}/g, `$1$2${REDACTED}`],
  [/:\/\/[^\s/@:"]*:[^\s/@"]+@/g, `://${REDACTED}@`],
];

/** Beginnings of all these forms, in one search: most texts of an answer hold none. */
const MAY_LOOK_SECRET = /wam_|bearer|basic|:\/\//i;

/** A part of a text, from its first position to the one after its last. */
type TextSpan = readonly [start: number, end: number];

/** A spelling of a secret. */
interface KnownText {
  readonly text: string;
  /** It counts only behind a name that says what it is. */
  readonly ordinary: boolean;
}

/** Where JWTs stand: a header that begins with `eyJ`, a dot, and all that follows of word characters and dots. */
function jwts(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  const header = /[\w-]*/y;
  const rest = /\.[\w-][\w.-]*/y;
  // No single expression: from each `eyJ` it would run to the end of the word again, and its stack grows with the dots.
  for (let at = text.indexOf('eyJ'); at >= 0; at = text.indexOf('eyJ', header.lastIndex)) {
    header.lastIndex = at;
    header.test(text);
    rest.lastIndex = header.lastIndex;
    if (header.lastIndex - at < 7 || !rest.test(text)) continue;
    found.push([at, rest.lastIndex]);
    header.lastIndex = rest.lastIndex;
  }
  return found;
}

/** Whether a secret reads as ordinary text: without its name it is nobody's secret, and blanking it out would take words from sentences. */
function isOrdinary(secret: string): boolean {
  return WORDS.test(secret) || (secret.length < SHORTEST_DISTINCT && /^[a-z0-9]*$/i.test(secret));
}

/**
 * Where these texts stand, each searched for as it is: an expression made of them could be too large, and would quote them when it fails.
 */
function occurrences(text: string, known: readonly KnownText[]): TextSpan[] {
  const found: TextSpan[] = [];
  for (const { text: each, ordinary } of known) {
    // Most texts are values of a few letters, and an answer has hundreds.
    if (each.length > text.length) continue;
    for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + each.length))
      if (!ordinary || NAMED_SECRET.test(text.slice(Math.max(0, at - NAME_CHARS), at))) found.push([at, at + each.length]);
  }
  return found;
}

/** The text with each of these parts replaced; parts that overlap become one. */
function blankOut(text: string, parts: readonly TextSpan[]): string {
  if (parts.length === 0) return text;
  let cleaned = '';
  let done = 0;
  for (const [start, end] of parts.toSorted((a, b) => a[0] - b[0])) {
    if (start >= done) cleaned += text.slice(done, start) + REDACTED;
    done = Math.max(done, end);
  }
  return cleaned + text.slice(done);
}

/** The part of a secret's base64 that does not depend on its neighbours, when `lead` bytes precede it. */
function base64Fragment(secret: string, lead: number): string {
  const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(secret)]);
  return bytes.toString('base64').slice(Math.ceil((lead * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function spellings(secret: string): string[] {
  const encoded = encodeURIComponent(Buffer.from(secret).toString());
  const plain = [
    secret,
    encoded,
    encoded.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    encodeURIComponent(encoded),
    JSON.stringify(secret).slice(1, -1),
  ];
  const base64 = [0, 1, 2].map((lead) => base64Fragment(secret, lead)).filter((fragment) => fragment.length >= SHORTEST_FRAGMENT);
  return [...plain, ...base64, ...base64.map((fragment) => fragment.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * Makes a redactor for these secrets in plain, URL-encoded, JSON and base64 spelling, and for all that looks like a token; it never throws.
 * A secret that is an ordinary word goes only where its name stands before it.
 * Characters that cannot be seen are removed first: they could split a secret, or turn around what a person reads.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const readable = [...secrets].map(visibleText).filter((secret) => secret.length >= SHORTEST_SECRET);
  const known = [...new Set(readable.flatMap(spellings))].map((text) => ({ text, ordinary: isOrdinary(text) }));
  return (given) => {
    const text = visibleText(given);
    if (text.length < SHORTEST_SECRET) return text;
    const cleaned = blankOut(text, [...occurrences(text, known), ...jwts(text)]);
    if (!MAY_LOOK_SECRET.test(cleaned)) return cleaned;
    return LOOKS_SECRET.reduce((rest, [form, replacement]) => rest.replace(form, replacement), cleaned);
  };
}

const LONGEST_QUOTE = 300;
/** Only this many characters of a long text are read. */
const LONGEST_SOURCE = 65_536;

/** Foreign text made harmless for an error: one line without control or invisible characters, without secrets, cut. */
export function quote(text: string, redact: Redactor, longest = LONGEST_QUOTE): string {
  // Redacted before and after the cleaning: a secret may be split by what the cleaning removes.
  const line = redact(text.slice(0, LONGEST_SOURCE))
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .replaceAll('"', "'")
    .trim();
  const safe = redact(line);
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe;
}

/** Opaque tokens that are redacted by value; JWTs are recognised by their form. */
const MAX_KNOWN_TOKENS = 16;

/** A redactor that learns the tokens of a session, the latest ones. */
export function createRedaction(secrets: readonly string[]) {
  const tokens = new Set<string>();
  let redactor = createRedactor(secrets);
  return {
    redact: (text: string) => redactor(text),
    learn: (accessToken: string) => {
      tokens.add(accessToken);
      const [oldest] = tokens;
      if (tokens.size > MAX_KNOWN_TOKENS && oldest !== undefined) tokens.delete(oldest);
      redactor = createRedactor([...secrets, ...tokens]);
    },
  };
}
