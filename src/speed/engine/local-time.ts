import { offsetAt } from '../../lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';

/** Offsets that were asked for, by zone and instant: each question is slow. */
const known = new Map<string, number>();

/** Offset of a zone from UTC at an instant, in ms; throws a RangeError for a name that is no zone. */
function offsetMs(timeZone: string, ms: number): number {
  if (timeZone === 'UTC') return 0;
  const key = `${timeZone} ${ms}`;
  const offset = known.get(key) ?? offsetAt(ms, timeZone);
  known.set(key, offset);
  return offset;
}

/** Where each run lies in the local calendar: its hour, its weekday from 0 (Monday), the number of its local day since 1970. */
export type LocalTime = ReturnType<typeof localTimes>;

/** Hour, weekday and day of each instant in a zone; only on days of UTC on which the clock changes each instant has to be asked. */
export function localTimes(dates: readonly number[], timeZone: string) {
  const n = dates.length;
  const [hour, weekday, day] = [new Uint8Array(n), new Uint8Array(n), new Int32Array(n)];
  for (const [index, date] of dates.entries()) {
    const startMs = Math.floor(date / DAY_MS) * DAY_MS;
    const first = offsetMs(timeZone, startMs);
    const local = date + (first === offsetMs(timeZone, startMs + DAY_MS) ? first : offsetMs(timeZone, date));
    const days = Math.floor(local / DAY_MS);
    day[index] = days;
    hour[index] = Math.floor((local - days * DAY_MS) / HOUR_MS);
    weekday[index] = (((days + 3) % 7) + 7) % 7;
  }
  return { hour, weekday, day };
}
