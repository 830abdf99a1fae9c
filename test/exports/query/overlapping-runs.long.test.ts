import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coverageOf, EVER } from '../../../src/exports/coverage.ts';
import { neededOf } from '../../../src/exports/query/data-view.ts';
import type { RunManifest } from '../../../src/exports/store/manifest.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { askedOf, lines, type RunSketch, runsOnDisk, tablesIn, viewIn } from './runs-on-disk.ts';

describe('runs that overlap', () => {
  const first = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-11T00:00:00.000Z', exportedAt: '2026-11-11T02:00:00.000Z' };
  const again = { from: '2026-11-10T00:00:00.000Z', to: '2026-11-12T00:00:00.000Z', exportedAt: '2026-11-12T02:00:00.000Z' };
  const fields = ['session_id', 'session_number_of_views'];
  const views = (id: number, count: number) => ({ session_id: id, session_number_of_views: count });

  it('keep the views of a session apart, and rows whose key is not whole', { tags: 'nightly' }, async () => {
    const viewFields = ['user_id', 'session_id', 'view_number', 'path'];
    const at = (number: number | null, path: string) => ({ user_id: 7, session_id: 1, view_number: number, path });
    const { records } = runsOnDisk(
      { ...first, scope: 'views', fields: viewFields, files: [lines(at(1, '/old'), at(2, '/kept'), at(null, '/odd'))] },
      { ...again, scope: 'views', fields: viewFields, files: [lines(at(1, '/new'), at(null, '/odd too'))] },
    );
    expect((await records('SELECT path FROM data ORDER BY path')).map(({ path }) => path)).toEqual(['/kept', '/new', '/odd', '/odd too']);
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

describe('runs whose whole time later exports hold with all their columns', () => {
  const HOURS = [0, 1, 2];
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 9, hour)).toISOString();
  const sessionOf = (hour: number) => ({ session_id: hour, session_time: at(hour), device_id: 1, plan: 'plus' });
  const plan = { fieldName: 'custom_var', customVarPosition: 1, aliasName: 'plan' };
  const hourly = HOURS.map((hour) => ({
    jobId: 32,
    from: at(hour),
    to: at(hour + 1),
    exportedAt: at(hour + 1),
    fields: ['session_id', 'session_time', plan],
    files: [lines({ ...sessionOf(hour), device_id: undefined })],
  }));
  const whole = { jobId: 31, from: at(-1), to: at(3), exportedAt: at(5), files: [lines(...HOURS.map(sessionOf))] };

  it('are not read, unless they hold more of what a question reads', async () => {
    const { tables } = runsOnDisk(...hourly, { ...whole, fields: ['session_id', 'session_time', 'device_id', plan] });
    expect(neededOf(await tables()).map(({ jobId }) => jobId)).toEqual([31]);
    const lean = { ...whole, files: [lines(...HOURS.map((hour) => ({ ...sessionOf(hour), plan: undefined })))] };
    const other = await runsOnDisk(...hourly, { ...lean, fields: ['session_id', 'session_time', 'device_id'] }).tables();
    expect(neededOf(other).map(({ jobId }) => jobId)).toEqual([32, 32, 32, 31]);
    expect(neededOf(other, () => false).map(({ jobId }) => jobId)).toEqual([31]);
  });

  it('are read where the later ones hold fewer rows, or no time before theirs, of which they may deliver rows', async () => {
    const fields = ['session_id', 'session_time', 'device_id', plan];
    const empty = await runsOnDisk(...hourly, { ...whole, fields, files: [] }).tables();
    expect(neededOf(empty)).toHaveLength(4);
    const late = await runsOnDisk(...hourly, { ...whole, fields, from: at(0) }).tables();
    expect(neededOf(late).map(({ from }) => from)).toEqual([at(0), at(0)]);
  });
});

describe('jobs over the same days, in every order of their creation and export', () => {
  const HOUR_MS = 3_600_000;
  const START_MS = Date.UTC(2026, 10, 9);
  const SESSIONS = times(24, (index) => ({
    project_id: 1201,
    user_id: index % 5,
    session_id: 900 + index,
    session_time: new Date(START_MS + (2 * index + 0.5) * HOUR_MS).toISOString(),
    device_id: 1 + (index % 2),
    session_number_of_transactions: index % 3 === 0 ? 1 : 0,
  }));
  type Row = (typeof SESSIONS)[number];
  const COLUMNS = ['session_time', 'device_id', 'session_number_of_transactions'] as const;
  const ALL: readonly (keyof Row)[] = ['project_id', 'user_id', 'session_id', ...COLUMNS];
  interface Sketch extends Partial<RunSketch> {
    readonly fields: readonly (keyof Row)[];
    /** Of a run, and before the first; there are as many as fit into two days. */
    readonly hours?: number;
    readonly after?: number;
    readonly holds?: ((row: Row) => boolean) | undefined;
  }
  const runsOf = ({ fields, hours = 24, after = 0, holds = () => true, ...more }: Sketch) =>
    times(Math.floor((48 - after) / hours), (index): RunSketch => {
      const fromMs = START_MS + (after + index * hours) * HOUR_MS;
      const [from, to] = [new Date(fromMs).toISOString(), new Date(fromMs + hours * HOUR_MS).toISOString()];
      const rows = SESSIONS.filter((row) => holds(row) && row.session_time >= from && row.session_time < to);
      const own = rows.map((row) => Object.fromEntries(fields.map((name) => [name, row[name]])));
      return { from, to, fields, files: [lines(...own, ...(fields.includes('session_id') ? own.slice(0, 1) : []))], ...more };
    });
  const PARTS: Readonly<Record<string, (row: Row) => boolean>> = {
    mobile: (row) => row.device_id === 2,
    segment: (row) => row.user_id === 0,
  };
  const alias = (fieldName: keyof Row) => ({ fieldName, aliasName: `my ${fieldName}` });
  const JOBS = {
    superset: runsOf({ fields: ALL }),
    lean: runsOf({ fields: ['project_id', 'session_id', 'session_time'] }),
    unmatched: runsOf({ fields: ['session_time', 'device_id'], hours: 48 }),
    hourly: runsOf({ fields: ['session_id', 'session_time', 'device_id'], hours: 12 }),
    mobile: runsOf({ fields: ALL, holds: PARTS['mobile'], deviceId: 2 }),
    amounts: runsOf({ fields: ['session_id', 'session_number_of_transactions'], after: 36, hours: 12 }),
    devices: runsOf({ fields: ['session_id', 'session_time', 'device_id'], after: 6, hours: 30 }),
    segment: runsOf({ fields: ALL, holds: PARTS['segment'], segmentId: 77 }),
    aliases: runsOf({ fields: ALL, hours: 48 }).map((run) => {
      const cells = [ALL.map((name) => `my ${name}`), ...SESSIONS.map((row) => ALL.map((name) => row[name]))];
      return { ...run, format: 'CSV', fields: ALL.map(alias), files: [cells.map((row) => row.join()).join('\r\n')] };
    }),
  };
  type Job = keyof typeof JOBS;
  const names = Object.keys(JOBS) as Job[]; // its keys, in the order of their ids
  const { uniform: roll } = seeded(55);
  const CASES: (readonly Job[])[] = [
    ['amounts', 'unmatched'],
    ...Array.from({ length: sampleSize({ full: 400, short: 40 }) }, () =>
      names.toSorted(() => roll() - 0.5).slice(0, 1 + Math.floor(4 * roll())),
    ),
  ];

  const directory = mkdtempSync(join(tmpdir(), 'overlapping-'));
  let tables: readonly RunManifest[] = [];
  beforeAll(async () => {
    const sketches = Object.values<readonly RunSketch[]>(JOBS).flatMap((runs, job) => runs.map((run) => ({ ...run, jobId: 31 + job })));
    tables = await tablesIn(directory, sketches);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  /** The runs of jobs, each job exported after the one before it. */
  const runsIn = (jobs: readonly Job[]) =>
    jobs.flatMap((job, order) => {
      const own = tables.filter(({ jobId }) => jobId === 31 + names.indexOf(job));
      return own.map((run) => ({ ...run, exportedAt: `2026-11-2${order}T00:00:00.000Z` }));
    });
  const SETS = [[], ...COLUMNS.map((name) => [name]), COLUMNS];

  it.each(CASES.map((jobs) => ({ jobs })))('$jobs count each session once in the time that they are said to hold', async ({ jobs }) => {
    const runs = runsIn(jobs);
    const seen = (await askedOf(directory, runs, 'SELECT * FROM data')).records;
    // As the sessions have it.
    const instant = (text: unknown) => (typeof text === 'string' ? new Date(`${text.replace(' ', 'T')}Z`).toISOString() : text);
    const records = seen.map((record): Record<string, unknown> => ({ ...record, session_time: instant(record['session_time']) }));
    const { held } = viewIn(directory, runs);
    const isPart = (row: Row) => jobs.some((job) => PARTS[job]?.(row));
    const areParts = jobs.every((job) => job in PARTS);
    const wrong = SETS.flatMap((columns) => {
      const { have } = coverageOf(EVER, columns, held);
      const isHeld = ({ session_time: time }: Row) =>
        have.some(({ startMs, endMs }) => startMs <= Date.parse(time) && Date.parse(time) < endMs);
      const isSeen = (row: Row) => {
        const ids = new Set<unknown>([String(row.session_id), row.session_time]);
        const own = records.filter((record) => ids.has(record['session_id'] ?? record['session_time']));
        return own.length === 1 && columns.every((name) => own[0]?.[name] === row[name]);
      };
      return SESSIONS.filter((row) => (isHeld(row) && !(areParts && !isPart(row))) !== isSeen(row) && (isHeld(row) || !isPart(row))).map(
        (row) => ({ columns, row }),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('say whose rows do not count, and who answers for the visits of one device alone', () => {
    const notesOf = (...jobs: readonly Job[]) => viewIn(directory, runsIn(jobs)).notes;
    expect(notesOf('lean', 'unmatched')).toEqual([
      'Rows of job 33 do not count on days that other runs hold: without session_id they cannot be matched.',
    ]);
    expect(notesOf('mobile')).toEqual([expect.stringMatching(/^Job 35 holds the visits of one device or segment alone/)]);
  });
});
