import type { Redactor } from './redact.ts';

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
