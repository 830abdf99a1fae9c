import { chartOfTable } from './from-query.ts';
import { type ChartSpec, joined, type PanelSpec, panelsOf } from './spec.ts';

/** Rows of any query: the types as DuckDB writes them, numbers perhaps as texts. */
interface TypedRows {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly units?: Readonly<Record<string, string>>;
}

const NUMBER = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;
const MIDNIGHT = / 00:00:00$/;

function label(cell: unknown): string {
  if (cell === null) return '(none)';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** Instants as charts take them: days where all are midnights. */
function timeLabels(cells: readonly unknown[]): string[] {
  const texts = cells.map(label);
  const areDays = texts.every((text) => MIDNIGHT.test(text));
  return texts.map((text) => (areDays ? text.replace(MIDNIGHT, '') : text.replace(' ', 'T')));
}

/** A picture in the words of the query; what has no unit begins with nothing. */
function worded(panel: PanelSpec, timeName: string | undefined): PanelSpec {
  const { title, subtitle = '' } = panel;
  return {
    ...panel,
    title: timeName === undefined ? title : title.replace(/ by day$/, ` by ${timeName}`),
    subtitle: subtitle.replace(/^, /, ''),
  };
}

/** Rows as lines over time where the first column is one, else as bars by the columns before the first amount; undefined where no amount stands behind a label. */
export function chartOfRows({ columns, types, rows, units = {} }: TypedRows, timeZone: string): ChartSpec | undefined {
  // The first column is a label even where it is a number, and so is an id.
  const isAmount = (index: number) => index > 0 && NUMBER.test(types[index] ?? '') && !/(^|_)id$/i.test(columns[index] ?? '');
  const places = columns.flatMap((_, index) => (isAmount(index) ? [index] : []));
  const [first] = places;
  if (first === undefined) return undefined;
  const isTime = TIME.test(types[0] ?? '');
  const told = isTime ? rows.filter(([time]) => time !== null).toSorted(([a], [b]) => (label(a) < label(b) ? -1 : 1)) : rows;
  const starts = isTime ? timeLabels(told.map(([time]) => time)) : told.map(([cell]) => label(cell));
  const metrics = places.flatMap((place) => columns[place] ?? []);
  const table = {
    columns: [isTime ? 'day' : (columns[0] ?? ''), ...columns.slice(1, first), ...metrics],
    rows: told.map((row, index) => [
      starts[index] ?? '',
      ...row.slice(1, first).map(label),
      ...places.map((place) => (row[place] === null ? null : Number(row[place]))),
    ]),
    units: Object.fromEntries(metrics.map((metric) => [metric, units[metric] ?? ''])),
  };
  const chart = chartOfTable(table, timeZone);
  return chart && joined(panelsOf(chart).map((panel) => worded(panel, isTime ? columns[0] : undefined)));
}
