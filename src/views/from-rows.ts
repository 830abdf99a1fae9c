import { chartOfTable } from './from-query.ts';
import type { ChartSpec } from './spec.ts';

/** Rows of any query: the types as DuckDB writes them, numbers perhaps as texts. */
interface TypedRows {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly units?: Readonly<Record<string, string>>;
}

const NUMBER = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;

function label(cell: unknown): string {
  if (cell === null) return '(none)';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** Rows as lines over time where the first column is one, else as bars by the columns before the first number; undefined where no number stands behind a label. */
export function chartOfRows({ columns, types, rows, units = {} }: TypedRows, timeZone: string): ChartSpec | undefined {
  // The first column is a label even where it is a number: a device, an hour.
  const firstNumber = types.findIndex((type, index) => index > 0 && NUMBER.test(type));
  if (firstNumber === -1) return undefined;
  const metrics = columns.filter((_, index) => index >= firstNumber && NUMBER.test(types[index] ?? ''));
  const isTime = TIME.test(types[0] ?? '');
  const dimensions = columns.slice(0, firstNumber);
  const places = metrics.map((metric) => columns.indexOf(metric));
  return chartOfTable(
    {
      columns: [...dimensions.map((name, index) => (index === 0 && isTime ? 'day' : name)), ...metrics],
      rows: rows.map((row) => [
        ...row.slice(0, firstNumber).map((cell, index) => (index === 0 && isTime ? label(cell).replace(/ 00:00:00$/, '').replace(' ', 'T') : label(cell))), // biome-ignore format: one thought
        ...places.map((place) => (row[place] === null ? null : Number(row[place]))),
      ]),
      units: Object.fromEntries(metrics.map((metric) => [metric, units[metric] ?? ''])),
    },
    timeZone,
  );
}
