import { isRecord } from '../../lib/is-record.ts';

// Members are read as values, `textOf(entry.pageref)`: reading them by a name in a variable is several times slower on large files.

const NOTHING: Record<string, unknown> = Object.freeze({});

/** The value as an object; an empty one where it is absent or of another type. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : NOTHING;
}

/** The value as a list; empty where it is absent or of another type. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; empty where it is absent or of another type. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Largest number believed: beyond it sums lose whole units. */
const MAX_AMOUNT = 1e15;

/** The value as an amount of ms or bytes; null where it is absent, -1 (HAR for "does not apply"), or no believable amount. */
export function amountOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_AMOUNT ? value : null;
}

/** As `amountOf`, but digits as text count too: some recorders write all their own members as text. */
export function looseAmountOf(value: unknown): number | null {
  return amountOf(typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value);
}

/** True when there is a value that `amountOf` cannot read, -1 and null excepted. */
export function isBadAmount(value: unknown): boolean {
  return value !== undefined && value !== null && value !== -1 && amountOf(value) === null;
}

/** The type of a JSON value, in a word for an error. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (value === undefined) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
