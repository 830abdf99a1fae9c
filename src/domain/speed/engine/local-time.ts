import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';

/** Where each run lies in the local calendar. */
export interface LocalTime {
  /** 0 to 23. */
  readonly hour: Uint8Array;
  /** 0 (Monday) to 6. */
  readonly weekday: Uint8Array;
  /** Number of the local day since 1970. */
  readonly day: Int32Array;
}

/** Offsets that agree at both ends of so short a stretch agree within it: no zone changes its clock twice in it. */
const CHECKED_MS = 20 * DAY_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Offset of a zone from UTC at an instant, in ms; throws a RangeError for a name that is no zone. */
function offsetMs(timeZone: string, ms: number): number {
  if (timeZone === 'UTC') return 0;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (hours === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

/**
 * Hour, weekday and day of each instant in a zone. Asks for the offset only around the changes of the clock, because each question is
 * slow.
 */
export function localTimes(dates: readonly number[], timeZone: string): LocalTime {
  const n = dates.length;
  const [hour, weekday, day] = [new Uint8Array(n), new Uint8Array(n), new Int32Array(n)];
  const at = (index: number) => nth(dates, index);
  function fill(from: number, to: number, first: number, last: number): void {
    if (from < to - 1 && (first !== last || at(to) - at(from) > CHECKED_MS)) {
      const middle = (from + to) >> 1;
      const between = offsetMs(timeZone, at(middle));
      fill(from, middle, first, between);
      fill(middle, to, between, last);
      return;
    }
    for (let index = from; index <= to; index += 1) {
      const local = at(index) + (index === to ? last : first);
      const days = Math.floor(local / DAY_MS);
      day[index] = days;
      hour[index] = Math.floor((local - days * DAY_MS) / HOUR_MS);
      weekday[index] = (((days + 3) % 7) + 7) % 7;
    }
  }
  if (n > 0) fill(0, n - 1, offsetMs(timeZone, at(0)), offsetMs(timeZone, at(n - 1)));
  return { hour, weekday, day };
}
