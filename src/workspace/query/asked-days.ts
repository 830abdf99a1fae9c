import { DAY_MS } from '../../lib/clock.ts';
import type { Interval } from './intervals.ts';

/** A date in quotes behind a comparison, with what SQL may write around it; after BETWEEN two of them. */
const LITERAL = String.raw`(?:cast\s*\(\s*)?(?:date|timestamp)?\s*'(\d{4}-\d{2}-\d{2})([ T][\d:.]+Z?)?'`;
/** A condition that leaves days out instead of naming those that it selects. */
const EXCLUDED = new RegExp(String.raw`(?:<>|!=|\bnot\s+between\b)\s*${LITERAL}`, 'i');
const COMPARED = new RegExp(String.raw`(>=|<=|>|<|=|\bbetween\b)\s*${LITERAL}(?:[^'<>=]{0,30}?\band\b\s*${LITERAL})?`, 'gi');

interface Bound {
  readonly side: 'from' | 'to';
  readonly ms: number;
}

function msOf(day: string, time: string | undefined): number {
  return Date.parse(time === undefined ? `${day}T00:00:00Z` : `${day}T${time.trim().replace(/^T/, '').replace(/Z$/, '')}Z`);
}

/** The bounds that one comparison sets; a day without a time ends with itself where it is included. */
function boundsOf([, operator = '', day = '', time, lastDay, lastTime]: RegExpMatchArray): Bound[] {
  const ms = msOf(day, time);
  const endOf = (at: number, ofTime: string | undefined) => at + (ofTime === undefined ? DAY_MS : 0);
  const isRange = /between/i.test(operator) && lastDay !== undefined;
  const endMs = isRange ? endOf(msOf(lastDay, lastTime), lastTime) : endOf(ms, time);
  const from: Bound = { side: 'from', ms: operator === '>' ? endMs : ms };
  const to: Bound = { side: 'to', ms: operator === '<' ? ms : endMs };
  if (operator.startsWith('>')) return [from];
  return operator.startsWith('<') ? [to] : [from, to];
}

/**
 * The days (UTC) that the dates of a statement select, as far as they are written as dates: from each lower bound to the next upper one, or
 * to `nowMs` where none follows. Empty where the statement names no date, or only an end, or leaves days out.
 */
export function askedDays(sql: string, nowMs: number): readonly Interval[] {
  if (EXCLUDED.test(sql)) return [];
  const bounds = [...sql.matchAll(COMPARED)].flatMap(boundsOf).filter(({ ms }) => Number.isFinite(ms));
  const froms = bounds.filter(({ side }) => side === 'from');
  const firstMs = Math.min(...froms.map(({ ms }) => ms));
  // `d < A OR d >= B`: everything before A is meant too.
  if (bounds.some(({ side, ms }) => side === 'to' && ms <= firstMs)) return [];
  const found = froms.map(({ ms: startMs }): Interval => {
    const ends = bounds.filter(({ side, ms }) => side === 'to' && ms > startMs).map(({ ms }) => ms);
    return { startMs, endMs: Math.min(nowMs, ...ends) };
  });
  return found.filter(({ startMs, endMs }) => endMs > startMs);
}
