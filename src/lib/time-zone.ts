// Names that ICU knows beyond the IANA database; Temporal refuses them.
const ICU_ONLY = /^(?:AC|AE|AG|AR|AS|BE|BS|CA|CN|CS|CT|EA|EC|IE|IS|JS|MI|NE|NS|PL|PN|PR|PS|SS|VS)T$/i;

/**
 * Whether `text` is an IANA zone such as Europe/Paris, case ignored; an offset such as +01:00 is not. Loads nothing, so it can run at
 * start-up.
 */
export function isTimeZone(text: string): boolean {
  if (text === 'UTC') return true; // the default; the first use of Intl costs a start 10 ms
  if (!/^[a-z]/i.test(text) || ICU_ONLY.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A format costs a thousand times its use. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar date of an instant in a zone, `2026-11-20`; without Temporal, which a start of the server must not wait for. */
export function dateIn(timeZone: string, atMs: number): string {
  if (timeZone === 'UTC') return new Date(atMs).toISOString().slice(0, 10);
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format.format(atMs);
}
