import type { ColumnType, ItemType } from './column-types.ts';

/** What the numbers of a column are. */
export type Unit = 'cents' | 'money' | 'ms' | 's' | '%' | 'px' | 'UTC';

/** What is known of a field before a file is read. */
export interface KnownField {
  readonly type: ColumnType;
  readonly unit?: Unit;
}

/** Fields whose names do not say what they hold; ids are text, because a user id lies above 2^53. */
const named: Readonly<Record<string, KnownField>> = {
  project_id: { type: 'BIGINT' },
  session_number: { type: 'BIGINT' },
  view_number: { type: 'BIGINT' },
  device_id: { type: 'BIGINT' },
  scroll_rate: { type: 'DOUBLE', unit: '%' },
  frustration_score: { type: 'DOUBLE' },
  fully_loaded: { type: 'BIGINT', unit: 'ms' },
  start_render: { type: 'BIGINT', unit: 'ms' },
  'session_transaction_items.quantity': { type: 'BIGINT[]' },
};

/** Fields that are parallel arrays. */
const LISTS = /^(app_events|session_transaction_items|errors)\./;

/** The names say the unit: what a field holds by the end of its name. */
const endings: readonly (readonly [RegExp, ItemType, Unit?])[] = [
  [/_cents$/, 'BIGINT', 'cents'],
  [/_msec$/, 'BIGINT', 'ms'],
  [/_number_of_\w+$/, 'BIGINT'],
  [/_(width|height)$/, 'BIGINT', 'px'],
  [/(_ind|^is_\w+)$/, 'BOOLEAN'],
  [/_time$/, 'TIMESTAMP', 'UTC'],
  [/_date$/, 'DATE', 'UTC'],
];

/** What a field holds; text, where neither list nor name tells. */
export function knownField(fieldName: string): KnownField {
  const known = Object.hasOwn(named, fieldName) ? named[fieldName] : undefined;
  if (known) return known;
  const [, item = 'VARCHAR', unit] = endings.find(([ending]) => ending.test(fieldName)) ?? [];
  return { type: LISTS.test(fieldName) ? `${item}[]` : item, ...(unit && { unit }) };
}
