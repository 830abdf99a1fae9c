import * as z from 'zod';
import { HOUR_MS, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { scopes } from './operation.ts';

/** Longest range of a once export: 7 days, counted in hours (section 4.2). */
export const MAX_EXPORT_RANGE_MS = 168 * HOUR_MS;
/** Longest range of one metrics query: 92 days, counted in hours (stated publicly, not in the reference). */
export const MAX_METRICS_RANGE_MS = 2_208 * HOUR_MS;
/** `period` needs a range longer than this (section 8). */
export const ONE_DAY_MS = 24 * HOUR_MS;
/** How long the files of an export run are kept (stated publicly, not in the reference). */
export const FILE_LIFE_MS = 168 * HOUR_MS;
/** Largest page of a list of jobs or runs (section 8). */
export const MAX_PAGE_SIZE = 100;
/** Page size when none is asked for (section 8). */
export const DEFAULT_PAGE_SIZE = 25;
/** Reports of a scenario when no limit is asked for (section 8). */
export const DEFAULT_REPORTS = 30;

const ISO_DATE = /^\d{4}-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/;

/** Date.parse counts on into the next month where a month has no such day. */
function hasDay(text: string): boolean {
  const day = text.slice(8, 10);
  return day === '' || new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(day);
}

/** Instant of an ISO date of the interface in ms; a date without an offset is UTC; NaN for anything else. */
export function instantOf(text: string): number {
  if (!ISO_DATE.test(text) || !hasDay(text)) return Number.NaN;
  const hasTime = text.includes('T');
  const zoned = !hasTime || /(Z|[+-]\d{2}:?\d{2})$/.test(text);
  return Date.parse(zoned ? text.replace(/([+-]\d{2})(\d{2})$/, hasTime ? '$1:$2' : '$&') : `${text}Z`);
}

/** The same instant in a documented form (section 1): with milliseconds, in UTC with `Z`, or with its offset as `+hh:mm`. */
export function documentedDate(text: string): string {
  const instantMs = instantOf(text);
  const [, sign, hours, minutes] = /T.*([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  if (sign === undefined) return isoTime(instantMs);
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  return `${isoTime(instantMs + offsetMs).slice(0, -1)}${sign}${hours}:${minutes}`;
}

/** ISO 8601 date string in any usual spelling; it leaves in a documented form. */
export const isoDate = z
  .string()
  .refine(
    (text) => !Number.isNaN(instantOf(text)),
    'expected an ISO 8601 date, such as 2026-11-20T00:00:00.000Z or 2026-11-20T00:00:00+01:00',
  )
  .transform(documentedDate);

/** An id of the platform. */
export const id = z.int().positive();
/** A text with at least one character that is seen. */
export const text = z.string().trim().min(1, 'must not be empty');
/** One id or more. */
export const ids = z.array(id).min(1);
/** Order by id. */
export const order = z.enum(['ASC', 'DESC']);
/** Rows of a page, at most the platform's limit. */
export const pageSize = z.int().min(1).max(MAX_PAGE_SIZE);
/** Number of a page; deployments begin at 0 or 1. */
export const page = z.int().min(0);
/** Devices that metrics can be asked for. */
export const device = z.enum(['all', 'desktop', 'mobile', 'tablet']);
/** Whole range or by day. */
export const period = z.enum(['none', 'daily']);
/** Formats of export files. */
export const exportFormat = z.enum(['JSONL', 'CSV']);
/** Scopes of exports; the reference knows `sessions` and `views`, deployments have more. */
export const exportScope = z.string().min(1).max(255);

/** Says of a value, or of a member of it, what is wrong. */
export function complain(context: z.RefinementCtx, message: string, ...path: readonly PropertyKey[]): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}

/** Scope names separated by spaces; `enrichment` stands alone (section 5). */
export const scopeList = z
  .string()
  .trim()
  .min(1, `expected scope names separated by spaces: ${scopes.join(', ')}`)
  .superRefine((value, context) => {
    const names = value.split(/\s+/);
    const known: readonly string[] = scopes;
    for (const name of names) {
      if (known.includes(name)) continue;
      complain(context, `"${name}" is not a scope; expected one of ${scopes.join(', ')}`);
    }
    if (names.includes('enrichment') && names.length > 1) {
      complain(context, 'enrichment cannot be combined with other scopes; ask for it alone');
    }
  });

/** Why a number beyond 2^53 is refused, and what to do. */
export const LOST_DIGITS = 'a number beyond 2^53 loses digits; pass it as text';

/** Path of the first integer that was read as a number although it is too large for one. */
export function lostDigits(value: unknown, path: readonly PropertyKey[] = []): readonly PropertyKey[] | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = lostDigits(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found) return found;
  }
  return undefined;
}

/** The batch, each record as it is sent. User ids are beyond 2^53: with other digits a record would go to another user. */
export const enrichmentRecords = z
  .array(z.record(z.string(), z.unknown()))
  .min(1)
  .superRefine((list, context) => {
    const path = lostDigits(list);
    if (path) complain(context, LOST_DIGITS, ...path);
  });

/** Why a range that ends before it begins is refused. */
export function requireOrderWords(start: string, from: string, to: string): string {
  return `must be after ${start} (${from} … ${to})`;
}

/** Adds an issue at `path` unless `from` lies before `to`; says nothing where either is absent or no date. */
export function requireOrder(
  context: z.RefinementCtx,
  [from, to]: readonly [string | undefined, string | undefined],
  names: readonly [string, string],
  path: PropertyKey[] = [],
): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  const rangeMs = instantOf(to) - instantOf(from);
  if (Number.isNaN(rangeMs)) return undefined;
  if (rangeMs <= 0) {
    complain(context, requireOrderWords(names[0], from, to), ...path, names[1]);
    return undefined;
  }
  return rangeMs;
}
