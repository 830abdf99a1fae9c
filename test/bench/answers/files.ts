import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { allOf, type Rest } from './rest.ts';

/** The files of the daily export jobs, fetched by plain requests, as the tables `sessions` and `views`. */
export interface ExportFiles {
  /** Rows of a statement, made from the days of which the platform has the files of both. */
  readonly query: (sql: (days: readonly string[]) => string) => Promise<Record<string, unknown>[]>;
  readonly close: () => void;
}

const KINDS: Readonly<Record<string, string>> = { 'Daily sessions': 'sessions.jsonl', 'Daily views': 'views.csv' };

/** Writes the files of each successful run and gives the days by kind. */
async function download(rest: Rest, directory: string): Promise<Map<string, Set<string>>> {
  const days = new Map<string, Set<string>>();
  const runs = await allOf<{ jobId: number; jobRunId: number; name: string; from: string }>(rest, '/v1/exports/successful-runs');
  for (const { name, jobId, jobRunId, from } of runs) {
    const kind = KINDS[name];
    if (kind === undefined) continue;
    const { files = [] } = (await rest.get(`/v1/exports/${jobId}/runs/${jobRunId}`)) as { files?: { partId: number; url: string }[] };
    for (const { partId, url } of files) {
      const bytes = await rest.bytes(url);
      if (!bytes) continue;
      await writeFile(join(directory, `${jobRunId}-${partId}-${kind}.gz`), bytes);
      days.set(kind, (days.get(kind) ?? new Set()).add(from.slice(0, 10)));
    }
  }
  return days;
}

/** Fetches the files that the platform still has into memory. */
export async function openFiles(rest: Rest): Promise<ExportFiles> {
  const directory = await mkdtemp(join(tmpdir(), 'truth-'));
  try {
    const days = await download(rest, directory);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `CREATE TABLE sessions AS SELECT DISTINCT ON (session_id) *
         FROM read_json('${directory}/*-sessions.jsonl.gz', format = 'newline_delimited', union_by_name = true);
       CREATE TABLE views AS SELECT DISTINCT ON (session_id, view_number) *
         FROM read_csv('${directory}/*-views.csv.gz', union_by_name = true)`,
    );
    const both = [...(days.get('views.csv') ?? [])].filter((day) => days.get('sessions.jsonl')?.has(day)).toSorted();
    return {
      query: async (sql) => (await connection.runAndReadAll(sql(both))).getRowObjectsJson(),
      close() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
