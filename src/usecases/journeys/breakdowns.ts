import { hostOf, type SqlWords } from './sql-words.ts';
import { deviceSql } from './visit-filters.ts';

/** Dimensions by which sessions can be split. */
export const breakdowns = ['device', 'visitor_type', 'country', 'browser', 'referrer', 'entry_page', 'day', 'week'] as const;
/** A dimension by which sessions can be split. */
export type Breakdown = (typeof breakdowns)[number];

const FIELDS: Readonly<Partial<Record<Breakdown, string>>> = {
  device: 'device_id',
  visitor_type: 'session_number',
  country: 'country_code',
  browser: 'browser_name',
  referrer: 'referer_url',
};

/** The field of sessions that a split reads; undefined for one by pages or days. */
export function fieldOfBreakdown(breakdown: Breakdown | undefined): string | undefined {
  return breakdown && FIELDS[breakdown];
}

/** The group of a session as text, from the column of the field of its split. */
export function groupExpression(breakdown: Breakdown, column: string, sql: SqlWords): string {
  const named = (value: string) => `coalesce(${value}, 'unknown')`;
  if (breakdown === 'device') return deviceSql(column);
  if (breakdown === 'visitor_type') return `CASE WHEN ${column} = 1 THEN 'new' WHEN ${column} > 1 THEN 'returning' ELSE 'unknown' END`;
  if (breakdown === 'referrer') return `CASE WHEN coalesce(${column}, '') = '' THEN 'direct' ELSE ${named(hostOf(sql, column))} END`;
  return named(column);
}
