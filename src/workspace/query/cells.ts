import type { DuckDBValue } from '@duckdb/node-api';
import type { Cell } from './protocol.ts';

/** What the classes of DuckDB have in common, each in its own way. */
interface Composite {
  readonly items?: readonly DuckDBValue[];
  readonly entries?: Readonly<Record<string, DuckDBValue>> | readonly { readonly key: DuckDBValue; readonly value: DuckDBValue }[];
  readonly value?: DuckDBValue;
}

/** A value of DuckDB as JSON holds it, exactly: what a number cannot hold becomes text. */
export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  const { items, entries }: Composite = value as Composite; // one of the classes, told apart by their members
  if (items) return items.map(cellOf);
  if (Array.isArray(entries)) return entries.map(({ key, value: inner }) => ({ key: cellOf(key), value: cellOf(inner) }));
  if (entries) return Object.fromEntries(Object.entries(entries).map(([name, inner]) => [name, cellOf(inner)]));
  return value.toString();
}
