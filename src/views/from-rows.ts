import type { Interval } from '../lib/calendar.ts';
import { intervalIn, rangeIn } from './charts/values.ts';
import { chartOfTable } from './from-query.ts';
import { type ChartSpec, joined, type PanelSpec, panelsOf } from './spec.ts';

/** Rows of any query: the types as DuckDB writes them, numbers perhaps as texts. */
interface TypedRows {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly units?: Readonly<Record<string, string>>;
  /** How many rows the query has; the picture holds those that are given. */
  readonly rowCount?: number | undefined;
  /** The days that the query could read. */
  readonly drawnDays?: Interval | undefined;
}

const NUMBER = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;
const MIDNIGHT = / 00:00:00$/;

function cellText(cell: unknown): string {
  if (cell === null) return '(none)';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** A column as a title says it: `browser name`. */
const wordsOf = (column: string) => column.replaceAll('_', ' ').trim() || column;

/** Instants as charts take them: days where all are midnights. */
function timeLabels(cells: readonly unknown[]): string[] {
  const texts = cells.map(cellText);
  const areDays = texts.every((text) => MIDNIGHT.test(text));
  return texts.map((text) => (areDays ? text.replace(MIDNIGHT, '') : text.replace(' ', 'T')));
}

/** A picture as the query names it; a column without a unit has no prefix. */
function worded(panel: PanelSpec, timeName: string | undefined, left: string): PanelSpec {
  const { title, subtitle = '' } = panel;
  return {
    ...panel,
    title: timeName === undefined ? title : title.replace(/ by day:/, ` by ${timeName}:`),
    subtitle: [subtitle.replace(/^, /, ''), left, 'rows of the query over downloaded exports'].filter((words) => words !== '').join(', '),
  };
}

/** First and last day of ordered times; empty where they are none. */
function rangeOf(times: readonly string[]): string {
  const [fromMs = Number.NaN, toMs = Number.NaN] = [times[0], times.at(-1)].map((time) => Date.parse(`${time?.slice(0, 10)}T00:00Z`));
  return Number.isFinite(fromMs) && Number.isFinite(toMs) ? rangeIn('UTC', fromMs, toMs) : '';
}

/**
 * Rows as lines over time where the first column is one, else as bars by the columns before the first amount; undefined where no amount
 * stands behind a label.
 */
export function chartOfRows(
  { columns: names, types, rows, units: own = {}, rowCount = rows.length, drawnDays }: TypedRows,
  timeZone: string,
): ChartSpec | undefined {
  // The first column is a label even where it is a number, and so is an id.
  const isAmount = (index: number) => index > 0 && NUMBER.test(types[index] ?? '') && !/(^|_)id$/i.test(names[index] ?? '');
  const columns = names.map(wordsOf);
  const units = Object.fromEntries(Object.entries(own).map(([name, unit]) => [wordsOf(name), unit]));
  const places = columns.flatMap((_, index) => (isAmount(index) ? [index] : []));
  const [first] = places;
  if (first === undefined) return undefined;
  const isTime = TIME.test(types[0] ?? '');
  const ordered = isTime ? rows.filter(([time]) => time !== null).toSorted(([a], [b]) => (cellText(a) < cellText(b) ? -1 : 1)) : rows;
  const starts = isTime ? timeLabels(ordered.map(([time]) => time)) : ordered.map(([cell]) => cellText(cell));
  const metrics = places.flatMap((place) => columns[place] ?? []);
  const table = {
    columns: [isTime ? 'day' : (columns[0] ?? ''), ...columns.slice(1, first), ...metrics],
    rows: ordered.map((row, index) => [
      starts[index] ?? '',
      ...row.slice(1, first).map(cellText),
      ...places.map((place) => (row[place] === null ? null : Number(row[place]))),
    ]),
    units: Object.fromEntries(metrics.map((metric) => [metric, units[metric] ?? ''])),
  };
  const chart = chartOfTable(table, { timeZone });
  const days = drawnDays ? `${intervalIn(timeZone, drawnDays)}, ${timeZone}` : '';
  const range = isTime ? rangeOf(starts) : days;
  const rest = rowCount > rows.length ? `the first ${rows.length} of ${rowCount} rows` : '';
  const left = [range, rest].filter((words) => words !== '').join(', ');
  return chart && joined(panelsOf(chart).map((panel) => worded(panel, isTime ? columns[0] : undefined, left)));
}
