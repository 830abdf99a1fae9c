/** Returns the text with every known secret replaced. */
export type Redactor = (text: string) => string;

export const REDACTED = '[redacted]';

/** Shorter secrets would blank out ordinary words. */
const SHORTEST_SECRET = 4;
/** Shorter base64 fragments occur by chance. */
const SHORTEST_FRAGMENT = 8;

/** What looks like a secret whoever issued it (bounded where a long text could make the search slow): JWTs, tokens of this server, bearer and basic credentials, passwords in addresses. */
const LOOKS_SECRET: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]{4,2000}\.[\w-]+(?:\.[\w-]*)*/g, REDACTED],
  [/wam_[\w-]{20,}/g, REDACTED],
  [/\b(Bearer)(\s+|%20|\+)["'\\]*(?!\[redacted)[\w.~+/=%-]{6,}/gi, `$1$2${REDACTED}`],
  [/\b(Basic)(\s+|%20|\+)(?=[A-Za-z0-9+/_-]*[\d=+/])[A-Za-z0-9+/_-]{8,}={0,2}/g, `$1$2${REDACTED}`],
  [/:\/\/[^\s/@:"]*:[^\s/@"]+@/g, `://${REDACTED}@`],
];

/** The part of a secret's base64 that does not depend on its neighbours, when `lead` bytes stand before it. */
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

/** Makes a redactor for these secrets in plain, URL-encoded, JSON and base64 spelling, and for whatever looks like a token. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...new Set([...secrets].filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(spellings))];
  // The longest first: a shorter spelling inside a longer one would leave the rest of it standing.
  const pattern = known.toSorted((a, b) => b.length - a.length).map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const exact = pattern.length > 0 ? new RegExp(pattern.join('|'), 'g') : undefined;
  return (text) => {
    const cleaned = exact ? text.replace(exact, REDACTED) : text;
    return LOOKS_SECRET.reduce((rest, [form, replacement]) => rest.replace(form, replacement), cleaned);
  };
}

const LONGEST_QUOTE = 300;
/** Only the beginning of a long text is looked at. */
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
