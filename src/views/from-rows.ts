import type { Interval } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { hullOf } from '../lib/intervals.ts';
import { capital, present } from '../lib/sentences.ts';
import { PART_MARK } from '../metrics/read/query-table.ts';
import { intervalIn, rangeIn } from './charts/values.ts';
import { chartOfTable } from './from-table.ts';
import { type ChartSpec, NO_NAME } from './spec.ts';

/** Rows of any query: the types as DuckDB writes them, numbers perhaps as texts. */
interface TypedRows {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly units?: Readonly<Record<string, string>>;
  readonly currency?: string | undefined;
  /** How many rows the query has; the picture holds those that are given. */
  readonly rowCount?: number | undefined;
  /** The days that the query could read, in order. */
  readonly drawnDays?: readonly Interval[] | undefined;
  /** Columns that the files of only some of these days have. */
  readonly partial?: readonly { readonly columns: readonly string[]; readonly days: readonly Interval[] }[];
}

const NUMBER = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;
const MIDNIGHT = / 00:00:00$/;

function cellText(cell: unknown): string {
  if (cell === null || cell === '') return NO_NAME;
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** A column as a title says it: `browser name`. */
const wordsOf = (column: string) => column.replaceAll('_', ' ').trim() || column;

/** Instants as charts take them: days where all are midnights, in part where the files hold no more of them. */
function timeLabels(cells: readonly unknown[], drawnDays: readonly Interval[]): string[] {
  const texts = cells.map(cellText);
  const areDays = texts.every((text) => MIDNIGHT.test(text) || text.length === 10);
  const isHeld = (startMs: number) => drawnDays.some((each) => each.startMs <= startMs && startMs + DAY_MS <= each.endMs + 1);
  const isPart = (day: string) => drawnDays.length > 0 && !isHeld(Date.parse(day));
  return texts.map((text) => {
    if (!areDays) return text.replace(' ', 'T');
    const day = text.replace(MIDNIGHT, '');
    return isPart(day) ? `${day}${PART_MARK}` : day;
  });
}

/** First and last day of the times of rows, else the days of files, the last of which may end within it. */
function daysWords(times: readonly string[], days: Interval | undefined, timeZone: string) {
  const [from = 0, to = 0] = [times[0], times.at(-1)].map((time = '') => Date.parse(time.slice(0, 10)));
  if (from > 0) return rangeIn('UTC', from, to);
  const part = days && (days.endMs + 1) % DAY_MS > 1 ? ' (the last day in part)' : '';
  return days && `${intervalIn(timeZone, days)}${part}, ${timeZone}`;
}

/** Which of the rows of a query are not drawn. */
const leftWords = (drawn: number, given: number, all: number) =>
  present(drawn < given && 'rows without a day not drawn', all > given && `the first ${given} of ${all} rows`);

/** Units by the words of their columns, of money the currency where that is known. */
const unitsBy = (units: NonNullable<TypedRows['units']>, currency: string) =>
  Object.fromEntries(Object.entries(units).map(([name, unit]) => [wordsOf(name), unit === 'money' ? currency : unit]));

/**
 * Rows as lines over time where the first column is one, else as bars by the columns before the first amount; undefined where no amount
 * stands behind a label.
 */
export function chartOfRows(
  { columns: names, types, rows, units: own = {}, currency = 'money', rowCount = rows.length, drawnDays = [], partial = [] }: TypedRows,
  timeZone: string,
): ChartSpec | undefined {
  // The first column is a label even where it is a number, and so is an id.
  const isAmount = (index: number) => index > 0 && NUMBER.test(types[index] ?? '') && !/(^|_)id$/i.test(names[index] ?? '');
  const columns = names.map(wordsOf);
  const units = unitsBy(own, currency);
  const places = columns.flatMap((_, index) => (isAmount(index) ? [index] : []));
  const [first] = places;
  if (first === undefined) return undefined;
  const isTime = TIME.test(types[0] ?? '');
  const ordered = isTime ? rows.filter(([time]) => time !== null).toSorted(([a], [b]) => (cellText(a) < cellText(b) ? -1 : 1)) : rows;
  const cells = ordered.map(([cell]) => cell);
  const starts = isTime ? timeLabels(cells, drawnDays) : cells.map(cellText);
  const metrics = places.flatMap((place) => columns[place] ?? []);
  const table = {
    // Numbers called hours or months are no times, whatever the name.
    columns: [isTime ? 'day' : capital(columns[0] ?? ''), ...columns.slice(1, first), ...metrics],
    rows: ordered.map((row, index) => [
      starts[index] ?? '',
      ...row.slice(1, first).map(cellText),
      ...places.map((place) => (row[place] === null ? null : Number(row[place]))),
    ]),
    units: Object.fromEntries(metrics.map((metric) => [metric, units[metric] ?? ''])),
  };
  const range = daysWords(isTime ? starts : [], hullOf(drawnDays), timeZone);
  // A group without a name holds the days whose files have none.
  const others = starts.includes(NO_NAME) ? `: ${NO_NAME} holds the other days too` : '';
  const known = partial.map(
    ({ columns: some, days }) =>
      `${some.map(wordsOf).join(', ')} known on ${days.map((each) => intervalIn(timeZone, each)).join(' and ')} only${others}`,
  );
  return chartOfTable(table, {
    timeZone,
    answers: Object.fromEntries(metrics.map((metric) => [metric, `${capital(metric)} by ${columns.slice(0, first).join(' and ')}`])),
    words: present(range, ...known, ...leftWords(ordered.length, rows.length, rowCount), 'rows of the query over downloaded exports'),
  });
}
