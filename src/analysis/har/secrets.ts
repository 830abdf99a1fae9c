/** What stands in place of a removed text. */
export const REMOVED = '[removed]';

const RUN = /[A-Za-z0-9+/_-]{16,}/g;
/** A JSON Web Token also where its parts are short: the first begins with `{"` in base64. */
const JWT = /(?:^|[^A-Za-z0-9])eyJ[\w-]{4,400}\.[\w-]/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** A word, an abbreviation or a short number: what slugs and file names are made of. */
const SLUG_PART = /^(?:[a-z]?[A-Z]?[a-z]{0,19}|[A-Z]{1,5}|[A-Za-z]?\d{1,8}[a-z]?)$/;
/** Longest run of one piece that is taken for a name. */
const LONGEST_NAME = 24;
/** Changes between small letters, capitals and digits from which a shorter run is taken for random. */
const RANDOM_CHANGES = 4;

/** True for a run that is no name but a token: more than 24 characters that are no slug of words, a UUID, or random-looking from 16 on. */
function isToken(run: string): boolean {
  if (UUID.test(run)) return true;
  if (run.length > LONGEST_NAME) return !isSlug(run);
  if (/^\d{16,}$/.test(run)) return true;
  return /\d/.test(run) && changes(run) >= RANDOM_CHANGES && !isSlug(run);
}

function isSlug(run: string): boolean {
  const parts = run.split(/[-_+/]+/);
  return parts.length > 1 && parts.every((part) => SLUG_PART.test(part));
}

/** A capital followed by small letters begins a word and is no change. */
function changes(run: string): number {
  return (run.match(/[a-z](?=[A-Z\d])|\d(?=[A-Za-z])|[A-Z](?=\d)/g) ?? []).length;
}

/** Percent-decoded until nothing changes (three times at most); null when the encoding is broken. */
export function decodeFully(text: string): string | null {
  let decoded = text;
  try {
    for (let round = 0; round < 3 && decoded.includes('%'); round += 1) decoded = decodeURIComponent(decoded);
  } catch {
    return null;
  }
  return decoded;
}

/** True when the text holds an e-mail address, a JWT or another token. */
export function holdsSecret(text: string): boolean {
  return text.includes('@') || JWT.test(text) || (text.match(RUN) ?? []).some(isToken);
}

/** A piece that may stand beside a token, such as `min` or `js`; a longer one may be a part of it. */
const SMALL_PIECE = /^[A-Za-z0-9-]{0,8}$/;

/** The text with tokens replaced piece by piece between dots and commas; all of it where it holds an e-mail address or a JWT. */
export function withoutTokens(text: string): string {
  if (!holdsSecret(text)) return text;
  if (text.includes('@') || JWT.test(text)) return REMOVED;
  return text
    .split(/([.,])/)
    .map((piece) => (piece === '.' || piece === ',' || SMALL_PIECE.test(piece) ? piece : REMOVED))
    .join('');
}
