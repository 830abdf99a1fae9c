/** True for a JSON object: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NOTHING: Record<string, unknown> = Object.freeze({});

/** The member as an object; an empty one where it is absent or of another type. */
export function recordAt(record: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = record[name];
  return isRecord(value) ? value : NOTHING;
}

/** The member as a list; empty where it is absent or of another type. */
export function listAt(record: Record<string, unknown>, name: string): unknown[] {
  const value = record[name];
  return Array.isArray(value) ? value : [];
}

/** The member as text; empty where it is absent or of another type. */
export function textAt(record: Record<string, unknown>, name: string): string {
  const value = record[name];
  return typeof value === 'string' ? value : '';
}

/** Largest number believed: beyond it sums lose whole units. */
const MAX_AMOUNT = 1e15;

/** The member as an amount of ms or bytes; null where it is absent, -1 (HAR for "does not apply"), or no believable amount. */
export function amountAt(record: Record<string, unknown>, name: string): number | null {
  const value = record[name];
  return typeof value === 'number' && value >= 0 && value <= MAX_AMOUNT ? value : null;
}

/** As `amountAt`, but digits as text count too: some recorders write all their own members as text. */
export function looseAmountAt(record: Record<string, unknown>, name: string): number | null {
  const value = record[name];
  return amountAt(typeof value === 'string' && /^\d{1,15}$/.test(value) ? { [name]: Number(value) } : record, name);
}

/** True when the member is there and `amountAt` cannot read it, -1 and null excepted. */
export function isBadAmount(record: Record<string, unknown>, name: string): boolean {
  const value = record[name];
  return value !== undefined && value !== null && value !== -1 && amountAt(record, name) === null;
}

/** What a JSON value is, in a word for an error. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (value === undefined) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
