import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProjectWorkspace } from '../../../src/exports/project-workspace.ts';
import { scratchDirectory } from '../download/store-stub.ts';
import { asked, lines } from '../warehouse/loaded-project.ts';
import { openOffline, queried, type RunText, writeRun } from './converted-runs.ts';

const FIELDS = [
  'project_id',
  'user_id',
  'session_id',
  'session_time',
  'session_transactions_revenue_cents',
  'session_transaction_items.revenue_cents',
];
const [, , , , REVENUE = '', ITEMS = ''] = FIELDS;

const row = (id: number, cents: number, more: object = {}) => ({
  project_id: 1201,
  // Above 2^53, and above 2^63.
  user_id: `@${18_446_744_073_709_000_000n + BigInt(id)}@`,
  session_id: `@${9_007_199_254_740_993n + BigInt(id)}@`,
  session_time: `2026-11-19T0${id % 9}:14:03.250Z`,
  [REVENUE]: cents,
  [ITEMS]: [cents - 1, 1],
  ...more,
});
const text = (...rows: object[]) => lines(rows);

function project(...runs: RunText[]) {
  const dir = scratchDirectory();
  const opened: ProjectWorkspace[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((workspace) => workspace.close()));
  });
  const open = (keepSource = false) => {
    const workspace = openOffline(dir, { keepSource });
    opened.push(workspace);
    return workspace;
  };
  for (const run of runs) writeRun(open(), run);
  return open;
}

/** Opens the workspace and waits for what that begins. */
async function converted(open: ReturnType<typeof project>, keepSource = false) {
  const workspace = open(keepSource);
  await workspace.runs();
  await workspace.converted();
  return workspace;
}

const names = (workspace: ProjectWorkspace, runId: number, jobId = 31) => readdirSync(workspace.directoryOf({ jobId, runId })).toSorted();

it('a downloaded run of the version before becomes a table with every digit, and its files go', { tags: 'nightly' }, async () => {
  const file = text(row(1, 8990), row(2, 9_007_199_254_740_991), row(3, 0, { [ITEMS]: [] }));
  const open = project({ runId: 501, fields: FIELDS, files: [file, file.replaceAll('1201,', '1202,')] });
  // What a killed conversion left goes too.
  writeFileSync(join(open().directoryOf({ jobId: 31, runId: 501 }), 'table-0123456789ab.tmp'), 'half');
  const workspace = await converted(open);
  const { rows, files } = await queried(workspace, 'SELECT DISTINCT user_id FROM data ORDER BY ALL');
  expect(rows).toEqual([1, 2, 3].map((id) => [`1844674407370900000${id}`]));
  expect(files).toEqual([expect.stringMatching(/^31\/501\/table-[0-9a-f]{12}\.parquet$/)]);
  expect(names(workspace, 501)).toEqual(['manifest.json', expect.stringMatching(/^table-.*\.parquet$/)]);
  expect((await workspace.runs())[0]).toMatchObject({ sourceDropped: true, table: { rows: 6 } });
});

it('a downloaded run keeps its files where the setting says so', { tags: 'nightly' }, async () => {
  const open = project({ runId: 501, fields: FIELDS, files: [text(row(1, 8990))] });
  const workspace = await converted(open, true);
  expect(names(workspace, 501)).toEqual(['manifest.json', 'part-00001.jsonl.gz', expect.stringMatching(/^table-/)]);
});

it('a downloaded run is not dropped while a query reads its files', { tags: 'nightly' }, async () => {
  const open = project({ runId: 501, fields: FIELDS, files: [text(row(1, 8990))] });
  const workspace = open();
  const id = { jobId: 31, runId: 501 };
  await open().reading([id], async ([run]) => {
    await workspace.runs();
    while (!(await open().find(id))?.table) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(names(workspace, 501)).toEqual(expect.arrayContaining(run?.files.map(({ name }) => name) ?? []));
  });
  await workspace.converted();
  expect(names(workspace, 501)).toEqual(['manifest.json', expect.stringMatching(/^table-/)]);
});

describe('runs that overlap', () => {
  const early = { runId: 501, fields: FIELDS, files: [text(row(1, 100), row(2, 200), row(3, 300))] };
  const late = { runId: 502, exportedAt: '2026-11-20T05:00:00.000Z', fields: FIELDS, files: [text(row(2, 222), row(3, 333), row(4, 400))] };
  const SUM = `SELECT count(*), sum(${REVENUE}) FROM data`;

  it('are resolved once: a query compares no keys, gives the same, and has the earlier rows again after a purge', {
    tags: 'nightly',
  }, async () => {
    const workspace = await converted(project(early, late));
    const after = await queried(workspace, SUM);
    expect(after.rows).toEqual([[4, 1055]]);
    expect(after.setup).not.toContain('GROUP BY');
    expect((await workspace.runs()).map(({ table }) => table?.superseded?.rows ?? 0)).toEqual([2, 0]);
    await workspace.remove({ jobId: 31, runId: 502 });
    expect((await queried(workspace, SUM)).rows).toEqual([[3, 600]]);
    await workspace.converted();
    expect((await queried(workspace, SUM)).rows).toEqual([[3, 600]]);
  });

  it('are the same rows where one run holds ids as text and the next as numbers, and 007 is not 7', { tags: 'nightly' }, async () => {
    const odd = { ...row(61, 61), user_id: '007', session_id: '@1@' };
    const texts = { ...early, files: [text(...Array.from({ length: 60 }, (_, id) => row(id, id)), odd)] };
    const numbers = { ...late, files: [text(row(1, 100), row(2, 200), row(3, 300, { user_id: '@7@', session_id: '@7@' }))] };
    const sql = `SELECT count(*), sum(${REVENUE}), count(DISTINCT user_id) FROM data`;
    const workspace = await converted(project(texts, numbers));
    expect((await queried(workspace, sql)).rows).toEqual([[62, (60 * 59) / 2 + 61 - 3 + 600, 62]]);
    expect((await workspace.runs()).map(({ table }) => table?.superseded?.rows)).toEqual([2, undefined]);
  });
});

it('a run with a broken line stays as it is and is left out by name, and the others answer', async () => {
  const open = project(
    { runId: 501, fields: FIELDS, files: [`${text(row(1, 8990))}{"session_id":"b","label":\n`] },
    { runId: 502, from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', fields: FIELDS, files: [text(row(2, 100))] },
  );
  const workspace = await converted(open);
  const { rows, notes } = await asked(workspace, `SELECT ${REVENUE} FROM sessions`);
  expect(rows).toEqual([[100]]);
  expect(notes).toContain('Run 501 of job 31 is left out: part-00001.jsonl.gz, line 2 is not valid JSON.');
  expect(names(workspace, 501)).toEqual(['manifest.json', 'part-00001.jsonl.gz']);
});
