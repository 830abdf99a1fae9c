import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProjectWorkspace } from '../../../src/workspace/project-workspace.ts';
import { inFullRun, someOf } from '../../support/sample-size.ts';
import { scratchDirectory } from '../download/store-stub.ts';
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
const text = (...rows: object[]) => rows.map((each) => `${JSON.stringify(each).replaceAll(/"@(\d+)@"/g, '$1')}\n`).join('');

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
const ALL = 'SELECT * FROM data ORDER BY ALL';

describe('a downloaded run', () => {
  it.each(['JSONL', 'CSV'])(
    'of the version before (%s) becomes a table with every digit, and its files go',
    { tags: 'nightly' },
    async (format) => {
      const rows = ['1201,18446744073709551615,9007199254740993,2026-11-19T08:14:03.250Z,9007199254740991,"[5,6]"', '1201,7,,,,[]'];
      const csv = `${[FIELDS.join(','), ...rows].join('\n')}\n`;
      const file = format === 'CSV' ? csv : text(row(1, 8990), row(2, 9_007_199_254_740_991), row(3, 0, { [ITEMS]: [] }));
      const open = project({ runId: 501, format, fields: FIELDS, files: [file, file.replaceAll('1201,', '1202,')] });
      const workspace = await converted(open);
      const after = await queried(workspace, ALL);
      const ids =
        format === 'CSV' ? ['18446744073709551615', '7'] : ['18446744073709000001', '18446744073709000002', '18446744073709000003'];
      expect(new Set(after.rows.map((each) => each[1]))).toEqual(new Set(ids));
      expect(after.files).toEqual([expect.stringMatching(/^31\/501\/table-[0-9a-f]{12}\.parquet$/)]);
      expect(names(workspace, 501)).toEqual(['manifest.json', expect.stringMatching(/^table-.*\.parquet$/)]);
      expect((await workspace.runs())[0]).toMatchObject({ sourceDropped: true, table: { rows: after.rows.length } });
    },
  );

  it('keeps its files where the setting says so', { tags: 'nightly' }, async () => {
    const open = project({ runId: 501, fields: FIELDS, files: [text(row(1, 8990))] });
    const workspace = await converted(open, true);
    expect(names(workspace, 501)).toEqual(['manifest.json', 'part-00001.jsonl.gz', expect.stringMatching(/^table-/)]);
  });

  it('that cannot be read stays as it is, and leaves nothing half', { tags: 'nightly' }, async () => {
    const broken = gzipSync(text(...Array.from({ length: 500 }, (_, index) => row(index, index))));
    const open = project({ runId: 501, fields: FIELDS, files: [broken.subarray(0, broken.length - 40)] });
    const workspace = await converted(open);
    expect(names(workspace, 501)).toEqual(['manifest.json', 'part-00001.jsonl.gz']);
    expect((await workspace.runs())[0]?.table).toBeUndefined();
  });

  it('is not dropped while a query reads its files', { tags: 'nightly' }, async () => {
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

  it('has what a killed conversion left removed at the next opening', { tags: 'nightly' }, async () => {
    const open = project({ runId: 501, fields: FIELDS, files: [text(row(1, 8990))] });
    writeFileSync(join(open().directoryOf({ jobId: 31, runId: 501 }), 'table-0123456789ab.tmp'), 'half');
    const workspace = await converted(open);
    expect(names(workspace, 501)).toEqual(['manifest.json', expect.stringMatching(/^table-.*\.parquet$/)]);
  });
});

describe('runs that overlap', () => {
  const early = { runId: 501, fields: FIELDS, files: [text(row(1, 100), row(2, 200), row(3, 300))] };
  const late = { runId: 502, exportedAt: '2026-11-20T05:00:00.000Z', fields: FIELDS, files: [text(row(2, 222), row(3, 333), row(4, 400))] };
  const SUM = `SELECT count(*), sum(${REVENUE}) FROM data`;

  it('are resolved once: a query compares no keys, and gives the same', { tags: 'nightly' }, async () => {
    const workspace = await converted(project(early, late));
    const after = await queried(workspace, ALL);
    expect(after.rows).toHaveLength(4);
    expect(after.setup).not.toContain('PARTITION BY');
    expect((await queried(workspace, SUM)).rows).toEqual([[4, 1055]]);
    expect((await workspace.runs()).map(({ table }) => table?.superseded?.rows ?? 0)).toEqual([2, 0]);
  });

  inFullRun(() => {
    it('give the rows of the earlier one again where the later is purged', async () => {
      const workspace = await converted(project(early, late));
      await workspace.remove({ jobId: 31, runId: 502 });
      expect((await queried(workspace, SUM)).rows).toEqual([[3, 600]]);
      await workspace.converted();
      expect((await queried(workspace, SUM)).rows).toEqual([[3, 600]]);
    });
  });

  inFullRun(() => {
    it('read less where the later replaces all of the earlier', async () => {
      const all = { ...late, files: [text(row(1, 111), row(2, 222), row(3, 333))] };
      const { rows, files } = await queried(await converted(project(early, all)), SUM);
      expect(rows).toEqual([[3, 666]]);
      expect(files).toHaveLength(2);
    });
  });
});

describe('ids', () => {
  const UNHASHED = ['007', '7', '-7', '-0', '+7', '7.0', '7e0', ' 7', '18446744073709551616', 'anna', ''];
  const held = async (workspace: ProjectWorkspace) =>
    (await workspace.runs()).map(({ table }) => table?.columns.filter(({ name }) => name.endsWith('_id')).map(({ heldAs }) => heldAs));
  /** More rows than a look reads, then one with this id. */
  const many = (last: unknown, more: object = {}) => {
    const rows = Array.from({ length: 60 }, (_, id) => row(id, id));
    return text(...rows, { ...row(61, 61), user_id: last, ...more });
  };

  it('that are whole numbers are held as such, and shown as the same text', { tags: 'nightly' }, async () => {
    const open = project({
      runId: 501,
      fields: FIELDS,
      files: [text(row(1, 100), row(2, 200, { session_id: '-9223372036854775808' }), {})],
    });
    const workspace = await converted(open);
    const { rows } = await queried(workspace, 'SELECT user_id, session_id FROM data ORDER BY ALL NULLS LAST');
    expect(rows).toEqual([
      ['18446744073709000001', '9007199254740994'],
      ['18446744073709000002', '-9223372036854775808'],
      [null, null],
    ]);
    expect(await held(workspace)).toEqual([[undefined, 'UBIGINT', 'BIGINT']]);
  });

  it.each(someOf(UNHASHED, 2))('keep every character where a later row has %j', { tags: 'nightly' }, async (id) => {
    const open = project({ runId: 501, fields: FIELDS, files: [many(id)] });
    const workspace = await converted(open);
    const { rows } = await queried(workspace, `SELECT count(*) FROM data WHERE user_id = '${id}'`);
    expect(rows).toEqual([[1]]);
    expect(await held(workspace)).toEqual([[undefined, ...(id === '7' ? ['UBIGINT', 'BIGINT'] : [undefined, undefined])]]);
  });

  it('held as text in one run and as numbers in the next are the same ids, and 007 is not 7', { tags: 'nightly' }, async () => {
    const session = { session_id: '@1@' };
    const early = { runId: 501, fields: FIELDS, files: [many('007', session)] };
    const rows = [row(1, 100), row(2, 200), row(3, 300, { user_id: '@7@', session_id: '@7@' })];
    const late = { runId: 502, exportedAt: '2026-11-20T05:00:00.000Z', fields: FIELDS, files: [text(...rows)] };
    const sql = `SELECT count(*), sum(${REVENUE}), count(DISTINCT user_id) FROM data`;
    const workspace = await converted(project(early, late));
    expect((await queried(workspace, sql)).rows).toEqual([[62, (60 * 59) / 2 + 61 - 3 + 600, 62]]);
    expect((await workspace.runs()).map(({ table }) => table?.superseded?.rows)).toEqual([2, undefined]);
  });
});

it('a million equal rows, which unpack to hundreds of times their size, are a million rows of the table', { tags: 'nightly' }, async () => {
  const line = '{"project_id":1201,"country_code":"DE","browser_name":"Chrome","session_number":1,"is_excludable":false}\n';
  const workspace = await converted(project({ runId: 501, fields: ['project_id', 'country_code'], files: [line.repeat(1_000_000)] }));
  const { rows } = await queried(workspace, 'SELECT count(*), count(DISTINCT country_code), sum(session_number)::INT FROM data');
  expect(rows).toEqual([[1_000_000, 1, 1_000_000]]);
  expect(names(workspace, 501)).toEqual(['manifest.json', expect.stringMatching(/^table-\w+\.parquet$/)]);
});

describe('a column that no list knows', () => {
  const lines = (values: readonly unknown[]) =>
    values.map((value, index) => `${JSON.stringify({ session_id: index, basket_value: value })}\n`).join('');
  const typeIn = async (workspace: ProjectWorkspace) => {
    const { columns } = await queried(workspace, 'FROM data LIMIT 0');
    return columns.find(({ name }) => name === 'basket_value')?.type;
  };
  const run = (runId: number, values: readonly unknown[], more: Partial<RunText> = {}): RunText => ({
    runId,
    fields: ['session_id'],
    files: [lines(values)],
    ...more,
  });
  const many = (last: unknown) => [...Array.from({ length: 500 }, (_, index) => index + 0.5), null, last];

  const kinds: [string, readonly unknown[], string][] = [
    ['of whole numbers is one of them', [999, 2499, null], 'BIGINT'],
    ['of numbers is one of them', [999.5, 2499, null], 'DOUBLE'],
    ['of numbers as text too', ['999.5', '2499', '-3'], 'DOUBLE'],
    ['with leading zeros is text', ['007', '12'], 'VARCHAR'],
    ['of long digits is text', ['4012345678901234', '12'], 'VARCHAR'],
    ['of long decimals is text', ['0.12345678901234567', '12'], 'VARCHAR'],
    ['with a word after many numbers is text', many('n/a'), 'VARCHAR'],
    ['with a number after many numbers is one of numbers', many(7), 'DOUBLE'],
    ['without a value is text', [null, null], 'VARCHAR'],
  ];
  it.each(someOf(kinds, 5))('%s', { tags: 'nightly' }, async (_, values, type) => {
    expect(await typeIn(await converted(project(run(501, values))))).toBe(type);
  });

  it('orders, compares and sums by value', { tags: 'nightly' }, async () => {
    const open = project(run(501, [999.5, 2499, null]));
    const after = await queried(open(), 'SELECT max(basket_value) AS most, sum(basket_value) FROM data');
    expect([after.rows, after.notes]).toEqual([[[2499, 3498.5]], []]);
  });

  it('keeps the text of the files where another run holds words', { tags: 'nightly' }, async () => {
    const next = { from: '2026-11-21T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z' };
    const workspace = await converted(project(run(501, ['1.5']), run(502, ['none'], next)));
    const { rows, notes } = await queried(workspace, 'SELECT basket_value FROM data ORDER BY ALL');
    expect(rows).toEqual([['1.5'], ['none']]);
    expect(notes).toEqual([expect.stringMatching(/^In data basket_value is text/)]);
  });

  it('that says id, code or version is text, whatever it holds', async () => {
    const workspace = await converted(
      project({ runId: 501, fields: ['session_id'], files: ['{"session_id":1,"store_code":12,"app_version":9.1}\n'] }),
    );
    const { columns } = await queried(workspace, 'FROM data LIMIT 0');
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['session_id', 'VARCHAR'],
      ['store_code', 'VARCHAR'],
      ['app_version', 'VARCHAR'],
    ]);
  });
});
