import { dateIn } from '../lib/time-zone.ts';
import { unitOf } from './metric-definitions.ts';

/** A metric value as the interface gives it (section 2.3). */
export interface MetricValue {
  name: string;
  value?: number | null | undefined;
  startDate?: string | null | undefined;
  endDate?: string | null | undefined;
  currency?: string | null | undefined;
  device?: string | null | undefined;
}

/** One row per period, one column per metric; null where the platform gave no value. */
export interface MetricTable {
  columns: string[];
  rows: (string | number | null)[][];
  /** Unit of each metric column. */
  units: Record<string, string>;
  /** ISO 4217, where all values agree. */
  currency?: string;
  /** The device that all values name, where they do. */
  device?: string;
}

/**
 * The calendar day of the zone that a bucket covers from its first instant on, marked where it ends early; undefined for any other bucket.
 */
function dayOf({ startDate, endDate }: MetricValue, timeZone: string): string | undefined {
  const startMs = Date.parse(startDate ?? '');
  const endMs = Date.parse(endDate ?? '');
  if (Number.isNaN(startMs) || Number.isNaN(endMs)) return undefined;
  const day = dateIn(timeZone, startMs);
  if (dateIn(timeZone, startMs - 1) === day || dateIn(timeZone, endMs - 1) !== day) return undefined;
  return dateIn(timeZone, endMs + 1) === day ? `${day} (part)` : day;
}

function only(values: readonly (string | null | undefined)[]): string | undefined {
  const distinct = new Set(values);
  const [first] = distinct;
  return distinct.size === 1 ? (first ?? undefined) : undefined;
}

/**
 * Turns a list of values into one compact table in the order of the answer; buckets that are whole days of the zone are named by their
 * date.
 */
export function metricTable(values: readonly MetricValue[], { timeZone }: { timeZone: string }): MetricTable {
  const currency = only(values.map((value) => value.currency));
  const device = only(values.map((value) => value.device));
  const metrics = [...new Set(values.map(({ name }) => name))];
  const buckets = new Map<string, { value: MetricValue; cells: Map<string, number | null> }>();
  for (const value of values) {
    const key = `${value.startDate} ${value.endDate} ${device === undefined ? value.device : ''}`;
    const bucket = buckets.get(key) ?? { value, cells: new Map() };
    bucket.cells.set(value.name, value.value ?? null);
    buckets.set(key, bucket);
  }
  const days = [...buckets.values()].map(({ value }) => dayOf(value, timeZone));
  const named = buckets.size > 1 && days.every((day) => day !== undefined);
  const split = device === undefined && values.some((value) => value.device);
  const rows = [...buckets.values()].map(({ value, cells }, index) => [
    ...(named ? [days[index] ?? null] : [value.startDate ?? null, value.endDate ?? null]),
    ...(split ? [value.device ?? null] : []),
    ...metrics.map((metric) => cells.get(metric) ?? null),
  ]);
  const units = metrics.map((metric) => [metric, unitOf(metric, currency) ?? 'unit not documented']);
  return {
    columns: [...(named ? ['day'] : ['start', 'end']), ...(split ? ['device'] : []), ...metrics],
    rows,
    units: Object.fromEntries(units),
    ...(currency !== undefined && { currency }),
    ...(device !== undefined && { device }),
  };
}
