import { present } from '../../lib/sentences.ts';
import { type Column, folded } from './columns.ts';
import { literal, sqlName } from './view-sql.ts';

/** A question and the statement that answers it. */
interface Example {
  readonly question: string;
  readonly sql: string;
}

/** The engine that reads a statement. */
export type Dialect = 'DuckDB' | 'ClickHouse';

/** The columns that a question groups rows by, the most useful first. */
const DIMENSIONS = ['browser_name', 'device_id', 'country_code', 'platform_name', 'language', 'city'];
const LISTS = ['session_transaction_items.sku', 'session_transaction_items.id', 'errors.message', 'app_events.event_name'];

/** The columns that the examples are about. */
interface About {
  readonly scope: string;
  /** In which days are counted; the files are in UTC. */
  readonly timeZone: string;
  /** Name of the view. */
  readonly view: string;
  readonly dialect: Dialect;
}

/** The columns as a statement names them, found by the fields of the platform. */
type Names = ReturnType<typeof namesOf>;

function namesOf(columns: readonly Column[], about: About) {
  const byField = new Map(columns.map((column) => [column.field ?? column.name, column]));
  const written = (column: Column | undefined) => column && sqlName(column.name);
  return {
    ...about,
    /** The kind of row. */
    rows: about.scope.toLowerCase() === 'views' || byField.has('view_number') ? 'views' : 'sessions',
    of: (field: string) => written(byField.get(field)),
    /** The column in a derived unit that is computed from a field. */
    derived: (field: string) => {
      const source = byField.get(field);
      return source && written(columns.find(({ from }) => from !== undefined && folded(from) === folded(source.name)));
    },
  };
}

function byDay({ rows, of, timeZone, view, dialect }: Names): Example | undefined {
  const time = of('session_time') ?? of('view_time');
  const own = timeZone === 'UTC' ? time : `${time} AT TIME ZONE 'UTC' AT TIME ZONE ${literal(timeZone)}`;
  const dayOfTime = dialect === 'ClickHouse' ? `toDate(${time}, ${literal(timeZone)})` : `CAST(${own} AS DATE)`;
  const day = (timeZone === 'UTC' ? of('session_date') : undefined) ?? (time && dayOfTime);
  return day === undefined
    ? undefined
    : { question: `${rows} by day`, sql: `SELECT ${day} AS day, count(*) AS ${rows} FROM ${view} GROUP BY ALL ORDER BY day` };
}

function byDimension({ rows, of, derived, view, dialect }: Names): Example | undefined {
  const field = DIMENSIONS.find((candidate) => of(candidate) !== undefined);
  const [revenue, transactions] = [derived('session_transactions_revenue_cents'), of('session_number_of_transactions')];
  const bought = dialect === 'DuckDB' ? `count(*) FILTER (${transactions} > 0)` : `countIf(${transactions} > 0)`;
  const measures = present([rows, 'count(*)'], transactions && ['conversions', bought], revenue && ['revenue', `sum(${revenue})`]);
  const question = measures.map(([name]) => name).join(', ');
  const list = measures.map(([name, value]) => `${value} AS ${name}`).join(', ');
  if (field === undefined) return measures.length > 1 ? { question, sql: `SELECT ${list} FROM ${view}` } : undefined;
  const order = `GROUP BY ALL ORDER BY ${revenue ? 'revenue' : rows} DESC`;
  return { question: `${question} by ${of(field)}`, sql: `SELECT ${of(field)}, ${list} FROM ${view} ${order}` };
}

function byPage({ of, view }: Names): Example | undefined {
  const [path, rage, session, user] = [of('path'), of('rage_click_all_targets_ind'), of('session_id'), of('user_id')];
  if (path === undefined) return undefined;
  if (rage === undefined || session === undefined)
    return { question: 'views by page', sql: `SELECT ${path}, count(*) AS views FROM ${view} GROUP BY ALL ORDER BY views DESC LIMIT 20` };
  const sessions = `count(DISTINCT ${user ? `(${user}, ${session})` : session}) AS sessions`;
  return {
    question: 'sessions with rage clicks on checkout pages, by page',
    sql: `SELECT ${path}, ${sessions} FROM ${view} WHERE ${rage} AND ${path} LIKE '/checkout%' GROUP BY ALL ORDER BY sessions DESC`,
  };
}

function byElement({ of, derived, view, dialect }: Names): Example | undefined {
  const field = LISTS.find((candidate) => of(candidate) !== undefined);
  if (field === undefined) return undefined;
  const money = field.startsWith('session_transaction_items.') ? derived('session_transaction_items.revenue_cents') : undefined;
  const item = field.split('.').at(-1) ?? 'item';
  const elements = `unnest(${of(field)}) AS ${item}${money ? `, unnest(${money}) AS revenue` : ''}`;
  const joined = `ARRAY JOIN ${of(field)} AS ${item}${money ? `, ${money} AS revenue` : ''}`;
  const [amount, order] = money ? ['sum(revenue) AS revenue', 'revenue'] : ['count(*) AS times', 'times'];
  const rows = dialect === 'DuckDB' ? `(SELECT ${elements} FROM ${view})` : `${view} ${joined}`;
  return {
    question: `${order} by ${item}, a row for each element of the list`,
    sql: `SELECT ${item}, ${amount} FROM ${rows} GROUP BY ALL ORDER BY ${order} DESC LIMIT 20`,
  };
}

/** One to four example statements that run on these columns unchanged. */
export function examplesOf(columns: readonly Column[], about: About): Example[] {
  const names = namesOf(columns, about);
  const examples = [byDay, byDimension, byPage, byElement].flatMap((example) => example(names) ?? []);
  return examples.length > 0 ? examples : [{ question: 'some rows', sql: `SELECT * FROM ${about.view} LIMIT 5` }];
}
