import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type DataView, dataViewOf } from '../../../src/workspace/query/data-view.ts';
import { convertRuns, runSql, type SqlResult } from '../../../src/workspace/query/sql-process.ts';
import { isConvertible, type RunManifest, type RunTable } from '../../../src/workspace/store/manifest.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** A run as a test describes it: the text of each of its files. */
export interface RunSketch extends Partial<Pick<RunManifest, 'from' | 'to' | 'exportedAt' | 'format' | 'scope' | 'deviceId'>> {
  readonly runId?: number;
  readonly jobId?: number;
  /** Names of fields, or whole selectors. */
  readonly fields: readonly (string | RunManifest['fields'][number])[];
  readonly files: readonly string[];
  /** Default true. */
  readonly gzip?: boolean;
}

/** Runs of one job in a directory that goes with the test. */
export interface RunsOnDisk {
  readonly directory: string;
  readonly view: () => Promise<DataView>;
  /** Runs one statement. */
  readonly query: (sql: string, options?: { timeoutMs?: number; maxRows?: number; signal?: AbortSignal }) => Promise<SqlResult>;
  /** Rows of the result as records. */
  readonly records: (sql: string) => Promise<Record<string, unknown>[]>;
}

/** Lines of JSON, or texts that are lines already. */
export function lines(...rows: readonly (object | string)[]): string {
  return rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
}

/** Writes runs as the workspace would have them; a day each, one after the other, unless they say otherwise. */
export function runsOnDisk(...sketches: readonly RunSketch[]): RunsOnDisk {
  const directory = temporaryFolder();
  const runs = sketches.map((sketch, index): RunManifest => {
    const { runId = 501 + index, jobId = 31, gzip = true, fields, files, format = 'JSONL' } = sketch;
    mkdirSync(join(directory, String(runId)), { recursive: true });
    return {
      version: 1,
      jobId,
      jobName: 'Daily sessions',
      runId,
      scope: sketch.scope ?? 'sessions',
      format,
      from: sketch.from ?? new Date(Date.UTC(2026, 10, 9 + index)).toISOString(),
      to: sketch.to ?? new Date(Date.UTC(2026, 10, 10 + index)).toISOString(),
      fields: fields.map((field) => (typeof field === 'string' ? { fieldName: field } : field)),
      exportedAt: sketch.exportedAt ?? new Date(Date.UTC(2026, 10, 10 + index, 2)).toISOString(),
      ...(sketch.deviceId !== undefined && { deviceId: sketch.deviceId }),
      downloadedAt: '2026-11-20T10:00:00.000Z',
      files: files.map((text, part) => {
        const name = `part-${part + 1}.${format.toLowerCase()}${gzip ? '.gz' : ''}`;
        const bytes = gzip ? gzipSync(text) : Buffer.from(text);
        writeFileSync(join(directory, String(runId), name), bytes);
        return { name, bytes: bytes.length, sha256: '', gzip };
      }),
    };
  });
  const place = { directory, holder: 'test', timeoutMs: 60_000 };
  /** The runs as tables; throws what is wrong with the first that cannot be one. */
  async function converted(): Promise<RunManifest[]> {
    const filled = runs.filter(isConvertible);
    const tables = new Map<number, RunTable>();
    const tasks = filled.map((run, index) => ({ run, directory: `${run.runId}`, target: `${run.runId}/table-${index}.parquet` }));
    const damages: string[] = [];
    await convertRuns(tasks, {
      ...place,
      onDone: (done) => {
        const name = tasks.find(({ run }) => run.runId === done.runId)?.target.split('/')[1] ?? '';
        if ('damage' in done) damages.push(done.damage);
        else tables.set(done.runId, { ...done.table, name, bytes: 0 });
      },
    });
    if (damages.length > 0) throw new Error(damages.join('\n'));
    return runs.map((run) => {
      const table = tables.get(run.runId);
      return table ? { ...run, table } : run;
    });
  }
  let made: Promise<RunManifest[]> | undefined;
  const view = async () => {
    made ??= converted();
    return dataViewOf(await made, { directory, pathOf: (run, file) => join(directory, String(run.runId), file.name) });
  };
  async function query(
    sql: string,
    { timeoutMs = 20_000, maxRows = 1000, signal }: { timeoutMs?: number; maxRows?: number; signal?: AbortSignal } = {},
  ) {
    const { name, setup, files } = await view();
    const request = { views: [name], setup: [setup], files, sql, maxRows, maxChars: 4_000_000 };
    return runSql(request, { ...place, timeoutMs, ...(signal && { signal }) });
  }
  return {
    directory,
    view,
    query,
    async records(sql) {
      const { columns, rows } = await query(sql);
      return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
    },
  };
}
