import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePiece } from '../../../src/exports/query/sql-process.ts';
import { type RunManifest, readManifest, runDirectory, type StoredColumn } from '../../../src/exports/store/manifest.ts';
import { times } from '../../support/times.ts';

/** How many sessions there are of each of so many days; views are about five times as many. */
export interface Size {
  readonly sessions: number;
  readonly days: number;
  /** An hourly export holds the same sessions, earlier than the daily one and with fewer columns. */
  readonly hourly?: boolean;
}

const FIRST_DAY_MS = Date.UTC(2026, 9, 19);
const DAY_MS = 86_400_000;

type Column = readonly [name: string, type: StoredColumn['type'], value: string, heldAs?: StoredColumn['heldAs']];

const IDS: readonly Column[] = [
  ['user_id', 'VARCHAR', 'hash(i * 2 // 3)', 'UBIGINT'],
  ['session_id', 'VARCHAR', '20776000000 + i', 'BIGINT'],
];

/**
 * A whole number that a session, or a view, has for a purpose. Hashed twice: the hash of several values is that of each put together bit by
 * bit, so that those for two purposes would tell of each other.
 */
const draw = (...of: readonly (string | number)[]) => `hash(hash(${of.join(', ')}))`;
/** The same as a number from 0 to 1. */
const part = (...of: readonly (string | number)[]) => `((${draw(...of)} % 1000000) / 1000000.0)`;
const VARIABLE = ['A', 'B'];
const among = (values: readonly string[], index: string) => `[${values.map((value) => `'${value}'`).join(', ')}][1 + (${index})::INT]`;

const SESSIONS: readonly Column[] = [
  ...IDS,
  ['session_number', 'BIGINT', `1 + ${draw('i', 3)} % 4`],
  ['session_time', 'TIMESTAMP', 'began'],
  ['device_id', 'BIGINT', `1 + ${draw('i', 4)} % 3`],
  ['country_code', 'VARCHAR', among(['DE', 'FR', 'ES', 'PL', 'US', 'JP'], `${draw('i', 5)} % 6`)],
  ['browser_name', 'VARCHAR', among(['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet'], `${draw('i', 6)} % 5`)],
  [
    'referer_url',
    'VARCHAR',
    `CASE WHEN ${draw('i', 7)} % 3 = 0 THEN NULL ELSE 'https://site' || ${draw('i', 7)} % 9 || '.example/' || ${draw('i', 8)} % 500 END`,
  ],
  ['is_excludable', 'BOOLEAN', `${draw('i', 9)} % 50 = 0`],
  ['session_number_of_transactions', 'BIGINT', 'CASE WHEN buys THEN 1 ELSE 0 END'],
  ['session_transactions_revenue_cents', 'BIGINT', `CASE WHEN buys THEN 2000 + ${draw('i', 10)} % 18000 ELSE 0 END`],
  ['custom_var_3', 'VARCHAR', among(VARIABLE, `${draw('i * 2 // 3', 11)} % 2`)],
];

const VIEW_DRAW = `${draw('i', 'n', 20)} % 100`;
const [CATEGORY, PRODUCT, GUIDE] = [`${draw('i', 'n', 21)} % 40`, `${draw('i', 'n', 22)} % 5000`, `${draw('i', 'n', 23)} % 60`];
const PATH =
  `CASE WHEN buys AND n = length THEN '/checkout/confirmation' WHEN buys AND n = length - 1 THEN '/checkout/payment' ` +
  `WHEN buys AND n = length - 2 THEN '/cart' WHEN ${VIEW_DRAW} < 10 THEN '/' WHEN ${VIEW_DRAW} < 35 THEN '/c/' || ${CATEGORY} ` +
  `WHEN ${VIEW_DRAW} < 75 THEN '/p/' || ${PRODUCT} WHEN ${VIEW_DRAW} < 84 THEN '/search' WHEN ${VIEW_DRAW} < 91 THEN '/cart' ` +
  `WHEN ${VIEW_DRAW} < 94 THEN '/checkout/payment' ELSE '/guide/' || ${GUIDE} END`;
const HAS_ERROR = `${draw('i', 'n', 30)} % 100 < 4`;
const MESSAGE = `'Error ' || ${draw('i', 'n', 29)} % 100000 || ' in part ' || chr((65 + ${draw('i', 'n', 31)} % 14)::INT)`;

const VIEWS: readonly Column[] = [
  ...IDS,
  ['session_number', 'BIGINT', `1 + ${draw('i', 3)} % 4`],
  ['view_number', 'BIGINT', 'n'],
  ['view_time', 'TIMESTAMP', `began + to_milliseconds(n * 31000 - 31000 + (${draw('i', 'n', 24)} % 20000)::BIGINT)`],
  ['path', 'VARCHAR', PATH],
  ['fully_loaded', 'BIGINT', `(900 - 1100 * ln(${part('i', 'n', 25)} + 0.000001))::BIGINT`],
  ['frustration_score', 'DOUBLE', `round(100 * pow(${part('i', 'n', 26)}, 4), 1)`],
  ['rage_click_all_targets_ind', 'BOOLEAN', `${draw('i', 'n', 27)} % 40 = 0`],
  ['any_js_error_ind', 'BOOLEAN', HAS_ERROR],
  ['any_api_error_ind', 'BOOLEAN', `${draw('i', 'n', 28)} % 50 = 0`],
  ['errors.message', 'VARCHAR[]', `CASE WHEN ${HAS_ERROR} THEN [${MESSAGE}] ELSE [] END`],
];

/** The rows of one day; lengths of sessions are geometric with a mean of about five views. */
function selectOf(columns: readonly Column[], { from, to, day }: { from: number; to: number; day: number }, ofViews: boolean): string {
  const began = `make_timestamp_ms(${FIRST_DAY_MS + day * DAY_MS} + (${draw('i', 1)} % 85000000)::BIGINT)`;
  const length = `1 + least(29, floor(-4.45 * ln(${part('i', 2)} + 0.000001)))::BIGINT`;
  const buys = `length >= 4 AND ${part('i', 12)} < 0.06`;
  const sessions = `SELECT *, ${buys} AS buys FROM (SELECT i, ${began} AS began, ${length} AS length FROM range(${from}, ${to}) r(i)) s`;
  const rows = ofViews ? `SELECT *, unnest(range(1, length + 1)) AS n FROM (${sessions}) t` : sessions;
  // The limit keeps what counts the written rows from looking at sessions instead.
  return `SELECT ${columns.map(([name, , value]) => `${value} AS "${name}"`).join(', ')} FROM (${rows}) v LIMIT 1000000000000`;
}

const dateOf = (day: number) => new Date(FIRST_DAY_MS + day * DAY_MS).toISOString();

/** The first and the last day, as a question names them. */
export function rangeOf({ days }: Size): { startDate: string; endDate: string } {
  return { startDate: dateOf(0).slice(0, 10), endDate: dateOf(days - 1).slice(0, 10) };
}

const idOf = (scope: 'sessions' | 'views', day: number) =>
  scope === 'views' ? { jobId: 32, runId: 2_000 + day } : { jobId: 31, runId: 1_000 + day };

/** Writes the converted run of one day and scope, or of an hour of it, as the conversion writes it: sorted, ids as numbers. */
async function writeDay(
  projectDir: string,
  { sessions, days }: Size,
  scope: 'sessions' | 'views',
  day: number,
  hour?: number,
): Promise<void> {
  const ofViews = scope === 'views';
  const run = hour === undefined ? idOf(scope, day) : { jobId: 33, runId: 10_000 + 24 * day + hour };
  const directory = runDirectory(projectDir, run);
  mkdirSync(directory, { recursive: true });
  const columns = ofViews ? VIEWS : SESSIONS.slice(0, hour === undefined ? undefined : 5);
  const each = Math.floor(sessions / days);
  const select = selectOf(columns, { from: day * each, to: (day + 1) * each, day }, ofViews);
  const name = 'table.parquet';
  const order = ofViews ? ['user_id', 'session_id', 'view_number'] : ['user_id', 'session_id'];
  const time = ofViews ? 'view_time' : 'session_time';
  const ofHour = hour === undefined ? '' : ` WHERE hour(${time}) = ${hour}`;
  const sorted = `SELECT * FROM (${select})${ofHour} ORDER BY CAST(${time} AS DATE), ${order.join(', ')}`;
  const rows = await writePiece({ select: sorted, files: [], target: name }, { directory, holder: 'bench', timeoutMs: 900_000 });
  const [from, to] = hour === undefined ? [dateOf(day), dateOf(day + 1)] : [dateOf(day + hour / 24), dateOf(day + (hour + 1) / 24)];
  const fields = columns.map(([own]) => (own === 'custom_var_3' ? { fieldName: 'custom_var', customVarPosition: 3 } : { fieldName: own }));
  const stored = columns.map(([own, type, , heldAs]) => ({ name: own, type, ...(heldAs && { heldAs }) }));
  const manifest: RunManifest = {
    version: 1,
    ...run,
    jobName: ofViews ? 'Views' : 'Sessions',
    scope,
    format: 'JSONL',
    from,
    to,
    exportedAt: hour === undefined ? dateOf(day + 1.1) : to,
    downloadedAt: to,
    fields,
    files: [],
    table: { name, bytes: statSync(join(directory, name)).size, rows, columns: stored },
    sourceDropped: true,
  };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
}

/** The directory of a project with so many generated sessions and their views, written once and kept until they would be others. */
export async function visitFiles(size: Size): Promise<string> {
  const sample = { from: 0, to: 1, day: 0 };
  const made = createHash('sha256')
    .update(`${selectOf(SESSIONS, sample, false)}${selectOf(VIEWS, sample, true)}`)
    .digest('hex');
  const hours = size.hourly ? times(24, (hour) => hour) : [];
  const kept = join(tmpdir(), `journeys-bench-${size.sessions}-${size.days}-${hours.length}-${made.slice(0, 8)}`);
  if (existsSync(kept)) return kept;
  const staged = `${kept}-${process.pid}`;
  try {
    for (let day = 0; day < size.days; day += 1) {
      for (const scope of ['sessions', 'views'] as const) await writeDay(staged, size, scope, day);
      for (const hour of hours) await writeDay(staged, size, 'sessions', day, hour);
    }
    renameSync(staged, kept);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return kept;
}

/** The runs of a scope in the directory that `visitFiles` gives. */
export async function runsOf(projectDir: string, scope: 'sessions' | 'views', { days }: Size): Promise<RunManifest[]> {
  const runs = await Promise.all(times(days, (day) => readManifest(projectDir, idOf(scope, day))));
  return runs.filter((run) => run !== undefined);
}
