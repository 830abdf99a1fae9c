import { MAX_EXPORT_RANGE_MS } from '../../api/params.ts';
import { chunksOf } from '../../lib/calendar.ts';
import { isoAt } from '../../lib/dates.ts';

/** A range of an export, its end not included, as job and run say it. */
export interface ExportRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Cuts a range into as few as possible that a once job takes, at midnights of the zone; each begins where the one before ends. */
export function splitRange({ fromMs, toMs }: ExportRange, timeZone: string): ExportRange[] {
  if (toMs - fromMs <= MAX_EXPORT_RANGE_MS) return [{ fromMs, toMs }];
  // A chunk that ends with a day ends with its last millisecond.
  const chunks = chunksOf({ startMs: fromMs, endMs: toMs }, timeZone, MAX_EXPORT_RANGE_MS - 1);
  return chunks.map(({ startMs, endMs }) => ({ fromMs: startMs, toMs: Math.min(endMs + 1, toMs) }));
}

/** A range for names and tables: `2026-11-01`, `2026-11-01 to 2026-11-07` with the last day for whole days, or with times. */
export function rangeName({ fromMs, toMs }: ExportRange, timeZone: string): string {
  const [from, to] = [isoAt(fromMs, timeZone), isoAt(toMs, timeZone)];
  const isMidnight = (iso: string) => iso.slice(11, 23) === '00:00:00.000';
  if (isMidnight(from) && isMidnight(to)) {
    const [first, last] = [from.slice(0, 10), isoAt(toMs - 1, timeZone).slice(0, 10)];
    return first === last ? first : `${first} to ${last}`;
  }
  const minute = (iso: string) => iso.slice(0, 16).replace('T', ' ');
  const end = from.slice(0, 10) === to.slice(0, 10) ? minute(to).slice(11) : minute(to);
  return `${minute(from)} to ${end}`;
}
