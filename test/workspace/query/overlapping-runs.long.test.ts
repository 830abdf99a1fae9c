import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunManifest } from '../../../src/workspace/store/manifest.ts';
import { askedOf, lines, type RunSketch, runsOnDisk, tablesIn, viewIn } from './runs-on-disk.ts';

const KEYS = ['project_id', 'user_id', 'session_id'];
const session = (id: number, more: object = {}) => ({ project_id: 1201, user_id: 7, session_id: id, ...more });

describe('runs that overlap', () => {
  const first = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-11T00:00:00.000Z', exportedAt: '2026-11-11T02:00:00.000Z' };
  const again = { from: '2026-11-10T00:00:00.000Z', to: '2026-11-12T00:00:00.000Z', exportedAt: '2026-11-12T02:00:00.000Z' };
  const fields = [...KEYS, 'session_number_of_views'];
  const views = (id: number, count: number) => session(id, { session_number_of_views: count });

  it('may be three, of other formats and fields: the last export is the one whose columns count', { tags: 'nightly' }, async () => {
    const day = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-10T00:00:00.000Z' };
    const { records } = runsOnDisk(
      {
        ...day,
        exportedAt: '2026-11-12T02:00:00.000Z',
        fields: [...KEYS, 'city'],
        files: [lines(session(1, { city: 'Ulm' }))],
        gzip: false,
      },
      { ...day, exportedAt: '2026-11-10T02:00:00.000Z', fields, files: [lines(views(1, 1), views(2, 2)), lines(views(3, 3))] },
      {
        ...day,
        exportedAt: '2026-11-11T02:00:00.000Z',
        fields,
        format: 'CSV',
        files: ['session_number_of_views,session_id,user_id,project_id\r\n20,2,7,1201\r\n'],
      },
    );
    expect(await records('SELECT session_id, session_number_of_views AS n, city FROM data ORDER BY ALL')).toEqual([
      { session_id: '1', n: null, city: 'Ulm' },
      { session_id: '2', n: 20, city: null },
      { session_id: '3', n: 3, city: null },
    ]);
  });

  it('of several jobs read on where a column is in the files of other days alone', { tags: 'nightly' }, async () => {
    const day = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-10T00:00:00.000Z' };
    const { records } = runsOnDisk(
      { ...day, jobId: 31, exportedAt: '2026-11-11T02:00:00.000Z', fields, files: [lines(views(1, 1))] },
      { ...day, jobId: 32, exportedAt: '2026-11-12T02:00:00.000Z', fields: [...KEYS, 'city'], files: [lines(session(1, { city: 'Ulm' }))] },
      { ...again, jobId: 33, fields: [...KEYS, 'country_code'], files: [lines(session(2, { country_code: 'DE' }))] },
    );
    expect(await records('SELECT session_id, session_number_of_views AS n, city, country_code AS country FROM data ORDER BY ALL')).toEqual([
      { session_id: '1', n: 1, city: 'Ulm', country: null },
      { session_id: '2', n: null, city: null, country: 'DE' },
    ]);
  });

  it('keep the views of a session apart, and rows whose key is not whole', { tags: 'nightly' }, async () => {
    const viewFields = ['user_id', 'session_id', 'view_number', 'path'];
    const at = (number: number | null, path: string) => ({ user_id: 7, session_id: 1, view_number: number, path });
    const { records } = runsOnDisk(
      { ...first, scope: 'views', fields: viewFields, files: [lines(at(1, '/old'), at(2, '/kept'), at(null, '/odd'))] },
      { ...again, scope: 'views', fields: viewFields, files: [lines(at(1, '/new'), at(null, '/odd too'))] },
    );
    expect((await records('SELECT path FROM data ORDER BY path')).map(({ path }) => path)).toEqual(['/kept', '/new', '/odd', '/odd too']);
  });

  it('do not add rows that cannot be matched to those of a better run, and say so', async () => {
    const lean = (from: string, to: string, ids: readonly number[]) => ({
      from: `2026-11-${from}T00:00:00.000Z`,
      to: `2026-11-${to}T00:00:00.000Z`,
      jobId: 32,
      fields: ['session_time', 'city'],
      files: [lines(...ids.map((day) => ({ session_time: `2026-11-${String(day).padStart(2, '0')}T10:00:00.000Z`, city: 'Ulm' })))],
    });
    const { records, view } = runsOnDisk(
      { ...first, fields: [...KEYS, 'session_time'], files: [lines(session(1, { session_time: '2026-11-09T10:00:00.000Z' }))] },
      lean('10', '12', [10, 11]),
    );
    // Of 9 to 10 November the keyed run answers, even where it holds nothing.
    expect(await records('SELECT count(*) AS n, count(city) AS cities FROM data')).toEqual([{ n: 2, cities: 1 }]);
    expect((await view()).notes).toEqual([
      'Rows of job 32 do not count on days that other runs hold: without session_id they cannot be matched.',
    ]);
  });

  it('of which one delivers rows of the day before again, or twice, count each once, the last delivery winning', async () => {
    const { records, view } = runsOnDisk(
      { ...first, fields, files: [lines(views(1, 1), views(2, 2), views(2, 3)), lines(views(3, 4), views(1, 5))] },
      { ...again, fields, files: [lines(views(3, 6), views(4, 7))] },
    );
    expect(await records('SELECT session_id AS id, session_number_of_views AS n FROM data ORDER BY ALL')).toEqual([
      { id: '1', n: 5 },
      { id: '2', n: 3 },
      { id: '3', n: 6 },
      { id: '4', n: 7 },
    ]);
    expect((await view()).notes).toEqual(['Some runs overlap: each row counts once, as the last export has it.']);
  });
});

describe('jobs over the same days, in every order of their creation and export', () => {
  const DAYS = ['09', '10'];
  const SESSIONS = DAYS.flatMap((day) =>
    Array.from({ length: 12 }, (_, index) => ({
      project_id: 1201,
      user_id: index % 5,
      session_id: Number(day) * 100 + index,
      session_time: `2026-11-${day}T${String(index * 2).padStart(2, '0')}:30:00.000Z`,
      device_id: 1 + (index % 2),
      session_number_of_transactions: index % 3 === 0 ? 1 : 0,
    })),
  );
  type Row = (typeof SESSIONS)[number];
  const ALL: readonly (keyof Row)[] = [
    'project_id',
    'user_id',
    'session_id',
    'session_time',
    'device_id',
    'session_number_of_transactions',
  ];
  const runsOf = (fields: readonly (keyof Row)[], hours: number, wanted: (row: Row) => boolean, more: Partial<RunSketch> = {}) =>
    Array.from({ length: 48 / hours }, (_, index) => {
      const fromMs = Date.UTC(2026, 10, 9, index * hours);
      const [from, to] = [new Date(fromMs).toISOString(), new Date(fromMs + hours * 3_600_000).toISOString()];
      const rows = SESSIONS.filter((row) => wanted(row) && row.session_time >= from && row.session_time < to);
      const own = rows.map((row) => Object.fromEntries(fields.map((name) => [name, row[name]])));
      return { from, to, fields, files: [lines(...own, ...own.slice(0, 1))], ...more };
    });
  const every = () => true;
  const JOBS = {
    superset: runsOf(ALL, 24, every),
    lean: runsOf(['project_id', 'session_id', 'session_time'], 24, every),
    unmatched: runsOf(['session_time', 'device_id'], 48, every),
    hourly: runsOf(['session_id', 'session_time', 'device_id'], 12, every),
    mobile: runsOf(ALL, 24, ({ device_id: device }) => device === 2, { deviceId: 2 }),
    again: runsOf(ALL, 24, every),
  };
  type Job = keyof typeof JOBS;
  const orders = (jobs: readonly Job[]): Job[][] =>
    jobs.length < 2 ? [[...jobs]] : jobs.flatMap((job) => orders(jobs.filter((other) => other !== job)).map((rest) => [job, ...rest]));
  const CASES = [
    ...orders(['superset', 'lean', 'mobile']),
    ...orders(['superset', 'hourly', 'unmatched']),
    ...orders(['lean', 'again', 'unmatched']),
    ...orders(['superset', 'again', 'unmatched', 'mobile']).filter((_, index) => index % 4 === 0),
  ];

  const directory = mkdtempSync(join(tmpdir(), 'overlapping-'));
  let tables: readonly RunManifest[] = [];
  beforeAll(async () => {
    const sketches = Object.values(JOBS).flatMap((runs, job) => runs.map((run): RunSketch => ({ ...run, jobId: 31 + job })));
    tables = await tablesIn(directory, sketches);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  /** The runs of jobs, each job exported after the one before it. */
  const runsIn = (jobs: readonly Job[]) =>
    jobs.flatMap((job, order) => {
      const own = tables.filter(({ jobId }) => jobId === 31 + Object.keys(JOBS).indexOf(job));
      // Again is the same job a second time.
      return own.map((run) => ({ ...run, jobId: job === 'again' ? 31 : run.jobId, exportedAt: `2026-11-2${order}T00:00:00.000Z` }));
    });

  it.each(CASES.map((jobs) => ({ jobs })))('$jobs', async ({ jobs }) => {
    const sql =
      'SELECT device_id AS device, count(*)::INT AS sessions, sum(session_number_of_transactions)::INT AS purchases FROM data GROUP BY 1 ' +
      'ORDER BY 1';
    const by = (device: number) => SESSIONS.filter((row) => row.device_id === device);
    const purchases = (rows: readonly Row[]) => rows.filter((row) => row.session_number_of_transactions > 0).length;
    const { rows } = await askedOf(directory, runsIn(jobs), sql);
    expect(rows).toEqual([1, 2].map((device) => [device, by(device).length, purchases(by(device))]));
  });

  it('alone, a job of one device says that it answers for this one', async () => {
    expect((await askedOf(directory, runsIn(['mobile']), 'SELECT count(*) AS n FROM data')).rows).toEqual([[12]]);
    expect(viewIn(directory, runsIn(['mobile'])).notes).toEqual([
      expect.stringMatching(/^Job 35 holds the visits of one device or segment alone/),
    ]);
  });
});
