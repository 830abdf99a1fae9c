import type { QueryTable } from '../analysis/metrics/table.ts';
import type { TrendSpec } from './spec.ts';

/** Lines beyond this cannot be told apart. */
const MAX_SERIES = 8;

/** A row's label as a day: that of a month is its first, a mark of a part is dropped. */
function dayOf(label: string): string {
  const [date = ''] = label.split(' ');
  return date.length === 7 ? `${date}-01` : date;
}

/** The first metric of a table over time, a line for each combination of its other columns; undefined where the table has no column of time. */
export function trendOfTable({ columns, rows, units, filters }: QueryTable, timeZone: string): TrendSpec | undefined {
  const [unit = ''] = columns;
  const [metric = ''] = Object.keys(units);
  if (!['day', 'week', 'month'].includes(unit)) return undefined;
  const dimensions = columns.length - Object.keys(units).length;
  const times = [...new Set(rows.map(([label]) => dayOf(String(label))))];
  const lines = new Map<string, Map<string, number | null>>();
  for (const row of rows) {
    const name = row.slice(1, dimensions).join(', ') || metric;
    const value = row[dimensions];
    const line = lines.get(name) ?? new Map<string, number | null>();
    lines.set(name, line.set(dayOf(String(row[0])), typeof value === 'number' ? value : null));
  }
  const shown = [...lines].slice(0, MAX_SERIES);
  const left = lines.size > shown.length ? `; ${shown.length} of ${lines.size} lines` : '';
  const others = Object.keys(units).length > 1 ? `; the first of ${Object.keys(units).length} metrics` : '';
  const about = Object.entries(filters ?? {}).map(([name, value]) => `${name} ${value}`);
  return {
    kind: 'trend',
    title: `${metric} by ${unit}`,
    subtitle: `${[units[metric], ...about, timeZone].join(', ')}${others}${left}`,
    unit: units[metric] === '%' ? 'percent' : 'none',
    timeZone,
    times,
    series: shown.map(([name, line]) => ({ name, values: times.map((time) => line.get(time) ?? null) })),
    events: [],
  };
}
