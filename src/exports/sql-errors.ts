import { ApiError } from '../api/errors.ts';
import { hint } from '../lib/hint.ts';
import { foundIn } from '../lib/sentences.ts';
import { matchName } from '../names/match-name.ts';
import { type Column, folded } from './query/columns.ts';
import type { DataView } from './query/data-view.ts';
import { SqlError } from './query/sql-process.ts';
import { sqlName, viewWords } from './query/view-sql.ts';
import { WorkspaceError } from './store/disk.ts';

/** More columns than this are not listed in an error. */
const MAX_LISTED = 60;
const LONGEST_MESSAGE = 500;

/** The columns that a name may mean. */
function foundBy(match: Awaited<ReturnType<typeof matchName>>) {
  if ('found' in match) return [match.found];
  if ('several' in match) return match.several;
  return match.isNear ? match.closest : [];
}

async function nearest(name: string, columns: readonly Column[]): Promise<string> {
  const match = await matchName(
    name,
    columns.map((column, id) => ({ id, path: [column.name] })),
  );
  const found = foundBy(match);
  const names = found.flatMap(({ path }) => path[0] ?? []).slice(0, 3);
  const near = names.length > 0 ? `Nearest: ${names.map(sqlName).join(', ')}. ` : '';
  const all = new Set(columns.map((column) => sqlName(column.name)));
  return `${near}There are: ${[...all].slice(0, MAX_LISTED).join(', ')}.`;
}

/** Thrown where a statement names a column or view that is nowhere in the data. */
export class NoSuchName extends ApiError {
  readonly missing: string;

  constructor(message: string, missing: string) {
    super('invalid', message);
    this.missing = missing;
  }
}

type NamedView = Pick<DataView, 'name' | 'columns'>;

/** How the engines say that there is no such column, each way with its name. */
const NO_COLUMN = [
  /Referenced column "(.+?)" (?:was )?not found/,
  /does not have a column named "(.+?)"/,
  /Column "(.+?)" (?:in \w+ list not found|does not exist on)/,
  // ClickHouse
  /Unknown expression(?: or function)? identifier [`'](.+?)[`']/,
];

/** Words for names before a dot, where the dot is part of a column's name. */
function unquoted(prefix: string, columns: readonly Column[]): string | undefined {
  const below = columns.filter(({ name }) => name.toLowerCase().startsWith(`${prefix.toLowerCase()}.`));
  return below.length > 0 ? `a name with a dot stands in double quotes: ${below.map(({ name }) => sqlName(name)).join(', ')}.` : undefined;
}

const has = (columns: readonly Column[], name: string) => columns.some((column) => folded(column.name) === folded(name));

/** Columns that are the same visit in each view. */
const KEYS = ['project_id', 'user_id', 'session_id'];

/** Which of several views has a column, and how rows of another one come to it; undefined where all have it. */
function elsewhere(name: string, views: readonly NamedView[]): string | undefined {
  const holders = views.filter(({ columns }) => has(columns, name));
  const [holder] = holders;
  if (!holder || holders.length === views.length) return undefined;
  const keys = KEYS.filter((key) => views.every(({ columns }) => has(columns, key)));
  const join = keys.length > 0 ? `: JOIN ${holder.name} USING (${keys.join(', ')})` : '';
  return `"${name}" is a column of ${holders.map((each) => each.name).join(', ')}, not of what the statement selects from${join}.`;
}

async function noColumn(name: string, message: string, views: readonly NamedView[]): Promise<string> {
  const columns = views.flatMap((view) => view.columns);
  if (has(columns, name)) {
    const there = foundIn(message, /Candidate bindings: (.+)/);
    const isHere = `the data have a column "${name}", but not what the statement selects from there`;
    return elsewhere(name, views) ?? `${isHere}${there === undefined ? '' : `, which has ${there}`}.`;
  }
  return unquoted(name, columns) ?? `there is no column "${name}". ${await nearest(name, columns)} Texts stand in 'single quotes'.`;
}

const NO_TABLE = [
  /Referenced table "(.+?)" not found/,
  /Table with name (\S+) does not exist/,
  /Unknown table expression identifier [`'](.+?)[`']/,
];

/** Whether a statement failed whatever the rows are; `isUnknown`: a name that no column can have. */
export function isOfStatement(error: unknown, isUnknown: (name: string) => boolean): boolean {
  if (!(error instanceof SqlError)) return false;
  const { reason, message } = error;
  const column = foundIn(message, ...NO_COLUMN);
  return reason === 'refused' || foundIn(message, ...NO_TABLE) !== undefined || (column !== undefined && isUnknown(column));
}

/** The engine's refusal of a statement, in words for its author. */
async function faultOf(message: string, views: readonly NamedView[]): Promise<ApiError> {
  const columns = views.flatMap((view) => view.columns);
  const text = foundIn(message, /Could not convert string .* when casting from source column (\w+)/);
  if (text !== undefined)
    return new ApiError('invalid', `sql: ${text} is text, as ids are: compare it with a text, such as ${text} = '1'.`);
  const column = foundIn(message, ...NO_COLUMN);
  if (column !== undefined) {
    const words = `sql: ${await noColumn(column, message, views)}`;
    return has(columns, column) ? new ApiError('invalid', words) : new NoSuchName(words, column);
  }
  const table = foundIn(message, ...NO_TABLE);
  if (table === undefined) return new ApiError('invalid', `sql: ${shortened(message)}`);
  const quoted = unquoted(table, columns);
  if (quoted !== undefined) return new ApiError('invalid', `sql: ${quoted}`);
  return new NoSuchName(`sql: there is no table "${table}"; ${viewWords(views.map(({ name }) => name))}.`, table);
}

function shortened(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('^'));
  return lines
    .join(' ')
    .replace(/ Candidate functions: .*?(?= LINE \d|$)/, '')
    .slice(0, LONGEST_MESSAGE);
}

/** Why a run could not become a table, as the end of a sentence. */
export function damageOf(failure: SqlError | Error): string {
  if (!(failure instanceof SqlError)) return failure.message.replace(/\.$/, '');
  if (failure.reason === 'time' || failure.reason === 'memory') return `reading it takes more ${failure.reason} than it may`;
  return shortened(failure.message) || 'the engine ended while it read it';
}

/** Who wrote a statement: the caller, or this server for a tool whose arguments are no SQL, on files or on a warehouse. */
export type Author = 'caller' | 'server' | 'server on a warehouse';

/** A statement that took more than it may: what its author can do. */
function exceeded(what: 'time' | 'memory', author: Author): ApiError {
  const took = what === 'time' ? 'took too long' : 'needed more memory than it may';
  const words =
    author === 'caller'
      ? `sql: the query ${took} and was stopped. Filter or group earlier, name columns instead of *, and join less.`
      : `The data are too many for one answer of the engine: it ${took} and was stopped. Ask about fewer days (startDate, endDate) or a ` +
        `part of the visits (devices, countries)${author === 'server' ? ', or load the exports into a warehouse' : ''}.`;
  return new ApiError('invalid', words);
}

/** Turns the failure of a query into an error that says what to do next; other errors stay what they are. */
export async function sqlFailure(error: unknown, views: readonly NamedView[], author: Author): Promise<unknown> {
  if (!(error instanceof SqlError)) return error;
  const { reason, message } = error;
  if (reason === 'missing package') {
    const how = 'Install it beside this server (npm install @duckdb/node-api@1.5.5-r.5), then call again';
    return new ApiError(
      'settings',
      hint('query_export', 'query_export', 'This answer') +
        ` needs the optional package @duckdb/node-api, which cannot be loaded here. ${how}.`,
    );
  }
  if (reason === 'start') {
    const why = message === '' ? 'its process ended at once' : message.slice(0, LONGEST_MESSAGE);
    return new ApiError(
      'settings',
      `The SQL engine did not start: ${why}. This is a fault of the set-up, not of the statement; doctor checks it.`,
    );
  }
  if (reason === 'time' || reason === 'memory') return exceeded(reason, author);
  if (reason === 'busy') return new ApiError('busy', 'Other queries of this server took all the time.', { retryAfterMs: 10_000 });
  if (reason === 'crash')
    return new ApiError('invalid', `sql: the query ended its process${message && ` (${message})`}. Write it in another way.`);
  if (reason === 'refused') {
    // A view that is not there may come with an export.
    const table = foundIn(message, /^there is no table "([^"]+)"/);
    return table === undefined ? new ApiError('invalid', `sql: ${message}`) : new NoSuchName(`sql: ${message}`, table);
  }
  // The views are the server's own: a failure before the statement is read is not the fault of the statement.
  if (reason === 'data')
    return new WorkspaceError(
      'disk',
      `The downloaded files could not be opened: ${shortened(message)}` +
        hint(
          ['purge_workspace', 'sync_exports'],
          ' Ask job by job first: purge_workspace removes files for good, and sync_exports brings back only what the platform still has.',
        ),
    );
  return faultOf(message, views);
}
