import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import type { Asked } from '../../../src/exports/export-data.ts';
import type { ProjectWorkspace } from '../../../src/exports/project-workspace.ts';
import { describeExport, queryExport } from '../../../src/exports/query-export.ts';
import { openWarehouse } from '../../../src/exports/warehouse/warehouse.ts';
import type { TestClickHouse } from '../../support/clickhouse/start.ts';
import { openOffline, type RunText, writeRun } from '../convert/converted-runs.ts';

let projects = 0;

/** A project of its own until the test ends. */
export async function loadedProject(clickHouse: TestClickHouse, ...runs: RunText[]) {
  const project = await openLoadedProject(clickHouse, ...runs);
  onTestFinished(() => project.close());
  return project;
}

/** A project of its own in the warehouse, whose runs are converted and loaded; the caller closes it. */
export async function openLoadedProject(clickHouse: TestClickHouse, ...runs: RunText[]) {
  projects += 1;
  const authUrl = `http://127.0.0.1:9/${projects}`;
  const dir = await mkdtemp(join(tmpdir(), 'loaded-'));
  const warehouse = openWarehouse(clickHouse.access);
  const workspace = openOffline(dir, { keepSource: true, warehouse, authUrl });
  const onDisk = openOffline(dir, { authUrl });
  const add = async (...more: RunText[]) => {
    for (const run of more) writeRun(workspace, run);
    await workspace.runs();
    await workspace.converted();
  };
  await add(...runs);
  return {
    /** With the warehouse, or on the disk alone. */
    workspace,
    onDisk,
    warehouse,
    dir,
    authUrl,
    add,
    async close(): Promise<void> {
      await Promise.all([workspace.close(), onDisk.close()]);
      await warehouse.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export type LoadedProject = Awaited<ReturnType<typeof openLoadedProject>>;

/** Asks a workspace as `query_export` does; gives the answer and its notes. */
export async function asked(workspace: ProjectWorkspace, sql: string, jobs: Asked = {}, signal = new AbortController().signal) {
  const notes: string[] = [];
  const answer = await queryExport({ ...jobs, sql }, contextOf(workspace, notes, signal));
  return { ...answer, notes };
}

/** Describes a workspace as `query_export` does. */
export async function described(workspace: ProjectWorkspace, jobs: Asked = {}) {
  const notes: string[] = [];
  return { ...(await describeExport(jobs, contextOf(workspace, notes, new AbortController().signal))), notes };
}

/** What a use case takes from its call, over a workspace; notes are collected. */
export function contextOf(workspace: ProjectWorkspace | Promise<ProjectWorkspace>, notes: string[], signal: AbortSignal) {
  return {
    workspace: () => Promise.resolve(workspace),
    // Without a platform, the currency is not known.
    lists: () => Promise.reject(new ApiError('down', 'The platform cannot be reached.')),
    note: (sentence: string) => void notes.push(sentence),
    covers: () => undefined,
    timeZone: 'UTC',
    clock: { now: () => Date.parse('2026-11-20T10:00:00Z'), sleep: () => Promise.resolve() },
    progress: () => undefined,
    nowMs: Date.parse('2026-11-20T10:00:00Z'),
    ask: () => Promise.resolve([] as never),
    whole: true,
    signal,
  };
}

const DEVICES = ['mobile', 'desktop', 'tablet'];
const BROWSERS = ['Chrome', 'Safari', 'Firefox', null];
const COUNTRIES = ['DE', 'FR', 'ES', 'JP', null];

/** Of the row numbers of a day, what is said of a session: ids above 2^53, amounts in cents, lists, missing values. */
export function sessionRow(day: number, number: number, more: object = {}): object {
  const id = BigInt(day) * 100_000n + BigInt(number);
  const bought = number % 7 === 0;
  return {
    project_id: 1201,
    user_id: `@${18_446_744_073_709_000_000n + (id % 400n)}@`,
    session_id: `@${9_007_199_254_740_993n + id}@`,
    session_time: `2026-11-${String(day).padStart(2, '0')}T${String(number % 24).padStart(2, '0')}:14:03.250Z`,
    session_number: 1 + (number % 5),
    browser_name: BROWSERS[number % 4],
    country_code: COUNTRIES[number % 5],
    device_name: DEVICES[number % 3],
    session_number_of_views: 1 + (number % 9),
    session_number_of_transactions: bought ? 1 : 0,
    session_transactions_revenue_cents: bought ? 1_999 + number * 7 : 0,
    'session_transaction_items.sku': bought ? [`A${number % 4}`, 'B'] : [],
    'session_transaction_items.revenue_cents': bought ? [1_000 + number * 7, 999] : [],
    scroll_rate: (number % 101) / 4,
    is_excludable: number % 11 === 0,
    ...more,
  };
}

/** The views of a session. */
export function viewRow(day: number, number: number, view: number): object {
  const session = sessionRow(day, number) as { user_id: string; session_id: string; session_time: string };
  const { user_id, session_id, session_time } = session;
  return {
    project_id: 1201,
    user_id,
    session_id,
    view_number: view,
    view_time: session_time.replace(':14:03', `:${15 + view}:07`),
    path: ['/', '/cart', '/checkout/pay', `/p/${number % 6}`][(number + view) % 4],
    fully_loaded: 400 + ((number * view * 37) % 3000),
    rage_click_all_targets_ind: (number + view) % 13 === 0,
  };
}

/** Rows as lines of JSON, ids as numbers with all digits. */
export function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row).replaceAll(/"@(\d+)@"/g, '$1')}\n`).join('');
}

/** A run of one day. */
export function dayRun(runId: number, day: number, rows: readonly object[], more: Partial<RunText> = {}): RunText {
  const at = (each: number) => `2026-11-${String(each).padStart(2, '0')}T00:00:00.000Z`;
  return {
    runId,
    from: at(day),
    to: at(day + 1),
    exportedAt: at(day + 1).replace('00:00:00', '02:00:00'),
    fields: Object.keys(rows[0] ?? {}),
    files: [lines(rows)],
    ...more,
  };
}
