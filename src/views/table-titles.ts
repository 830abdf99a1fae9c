import { nameOf } from '../domain/metrics/metric-definitions.ts';
import { isAddable } from '../domain/metrics/read/metric-query.ts';
import { formatPercent } from '../lib/number-text.ts';
import { formatValue, momentWords, type Unit } from './charts/values.ts';

/** A line of a table over time: its name, and its values by time. */
export type Line = readonly [name: string, values: ReadonlyMap<string, number | null>];

/** The figure of a picture over time: the whole and the highest of a count, the span and the last value of anything else. */
export function trendTitle(
  { metric, unit, per }: { readonly metric: string; readonly unit: Unit; readonly per: string },
  lines: readonly Line[],
  partial: ReadonlySet<string>,
): string {
  const name = nameOf(metric);
  const write = (value: number) => formatValue(value, unit);
  const known = lines.flatMap(([line, values]) =>
    [...values].flatMap(([time, value]) => (value === null || partial.has(time) ? [] : [{ line, time, value }])),
  );
  const highest = known.toSorted((a, b) => b.value - a.value)[0];
  const last = known.at(-1);
  if (!highest || !last) return `${name} by ${per}: no value`;
  const hasYear = new Set(known.map(({ time }) => time.slice(0, 4))).size > 1;
  const at = ({ time }: { time: string }) => momentWords(time, per, hasYear);
  const where = lines.length > 1 ? `${highest.line}, ${at(highest)}` : at(highest);
  if (lines.length > 1) return `${name} by ${per}: highest ${write(highest.value)} (${where})`;
  const peak = `highest ${write(highest.value)} (${where})`;
  if (isAddable(metric)) {
    const sum = known.reduce((total, { value }) => total + value, 0);
    return `${name}: ${write(sum)} in ${known.length} ${per}${known.length === 1 ? '' : 's'}, ${peak}`;
  }
  return `${name} by ${per}: ${peak}${last === highest ? '' : `, last ${write(last.value)} (${at(last)})`}`;
}

/** The finding of a picture with expected values: which of the judged ones are not ordinary; undefined where none was judged. */
export function expectedTitle(
  { metric, per }: { readonly metric: string; readonly per: string },
  cells: readonly {
    readonly time: string;
    readonly value: number | null;
    readonly expected: { readonly expected: number | null };
    readonly verdict?: string;
  }[],
): string | undefined {
  const judged = cells.filter(({ verdict }) => verdict === 'normal' || verdict === 'high' || verdict === 'low');
  if (judged.length === 0) return undefined;
  const distanceOf = ({ value, expected: { expected } }: (typeof cells)[number]) => (value !== null && expected ? value / expected - 1 : 0);
  const [most, ...others] = judged
    .filter(({ verdict }) => verdict !== 'normal')
    .toSorted((a, b) => Math.abs(distanceOf(b)) - Math.abs(distanceOf(a)));
  const of = `${judged.length} ${per}${judged.length === 1 ? '' : 's'}`;
  if (!most) return `${nameOf(metric)}: ${of}, ${judged.length === 1 ? '' : 'all '}as expected`;
  const first = `${momentWords(most.time, per)} ${formatPercent(100 * distanceOf(most), { sign: true, digits: 1 })}`;
  return `${nameOf(metric)}: ${1 + others.length} of ${of} not as expected (${others.length > 0 ? 'most: ' : ''}${first})`;
}

/** The figure of bars: where the amount is highest and lowest. */
export function barsTitle(
  name: string,
  by: string,
  unit: Unit,
  rows: readonly string[],
  series: readonly string[],
  valueOf: (row: string, name: string) => number | null,
): string {
  const all = rows.flatMap((row) =>
    series.map((each) => ({ label: series.length > 1 ? `${row}, ${each}` : row, value: valueOf(row, each) })),
  );
  const known = all.flatMap(({ label, value }) => (value === null || label === 'all' ? [] : [{ label, value }]));
  const [first] = known.toSorted((a, b) => b.value - a.value);
  const [last] = known.toSorted((a, b) => a.value - b.value);
  if (!first || !last) return `${name} by ${by}: no value`;
  const lowest = last.label === first.label ? '' : `, lowest ${last.label} ${formatValue(last.value, unit)}`;
  return `${name} by ${by}: highest ${first.label} ${formatValue(first.value, unit)}${lowest}`;
}
