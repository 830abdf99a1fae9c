const ZERO = 48;
const SECONDS_AT = 17;

/**
 * A reader of `startedDateTime`, ms since 1970 or null for what is no ISO date-time. The entries of a file lie in a few minutes, so that of
 * most only the seconds are read: a tenth of the time that Date.parse takes.
 */
export function instantReader(): (text: string) => number | null {
  let minute = '';
  let minuteMs = 0;
  return (text) => {
    const afterMs = minute !== '' && text.length === 24 && text.startsWith(minute) ? secondsAsMs(text) : null;
    if (afterMs !== null) return minuteMs + afterMs;
    // Date.parse reads almost any text as some date.
    const ms = text[4] === '-' && text[10] === 'T' ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(ms)) return null;
    const seconds = text.length === 24 ? secondsAsMs(text) : null;
    if (seconds !== null) {
      minute = text.slice(0, SECONDS_AT);
      minuteMs = ms - seconds;
    }
    return ms;
  };
}

/** The `05.123Z` at the end of `2026-11-01T10:00:05.123Z` in ms; null for any other form. */
function secondsAsMs(text: string): number | null {
  if (text[19] !== '.' || text[23] !== 'Z') return null;
  const tens = text.charCodeAt(SECONDS_AT) - ZERO;
  let ms = tens;
  for (const position of [18, 20, 21, 22]) {
    const digit = text.charCodeAt(position) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return null;
    ms = ms * 10 + digit;
  }
  return tens >= 0 && tens <= 5 ? ms : null;
}
