import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openProjectWorkspace, type ProjectWorkspace, type WorkspaceParts } from '../../../src/exports/project-workspace.ts';
import { dataViewOf } from '../../../src/exports/query/data-view.ts';
import { runSql } from '../../../src/exports/query/sql-process.ts';
import type { RunManifest } from '../../../src/exports/store/manifest.ts';
import { systemClock } from '../../../src/lib/clock.ts';

/** A run as a test describes it. */
export interface RunText
  extends Partial<Pick<RunManifest, 'jobId' | 'from' | 'to' | 'exportedAt' | 'format' | 'scope' | 'deviceId' | 'segmentId'>> {
  readonly runId: number;
  /** Names of fields, or whole selectors. */
  readonly fields: readonly (string | RunManifest['fields'][number])[];
  /** Text of each file, or the bytes of a packed one. */
  readonly files: readonly (string | Buffer)[];
  /** Default true. */
  readonly gzip?: boolean;
}

/** Opens the workspace of a project without a platform behind it. */
export function openOffline(
  dir: string,
  parts: Partial<Pick<WorkspaceParts, 'keepSource' | 'warehouse' | 'askKept' | 'principal' | 'projectId' | 'authUrl'>> = {},
): ProjectWorkspace {
  const ask = () => Promise.reject(new Error('Nothing is asked of the platform here.'));
  const owner = { dir, principal: 'local', authUrl: 'http://127.0.0.1:9', projectId: 1201 };
  // It refuses nobody to read its exports, of which it has none.
  const askKept = () => Promise.resolve([] as never);
  return openProjectWorkspace({ ...owner, quotaMb: 1_000, ask, askKept, clock: systemClock, ...parts });
}

/** Writes the files of a run of a day into its directory, and gives its manifest. */
export function manifestIn(
  directory: string,
  { jobId = 31, fields, files, format = 'JSONL', scope = 'sessions', gzip = true, ...text }: RunText,
) {
  mkdirSync(directory, { recursive: true });
  const manifest: RunManifest = {
    version: 1,
    jobId,
    jobName: `Job ${jobId}`,
    scope,
    format,
    from: '2026-11-19T00:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
    exportedAt: '2026-11-20T02:00:00.000Z',
    downloadedAt: text.exportedAt ?? '2026-11-20T02:00:00.000Z',
    ...text,
    fields: fields.map((field) => (typeof field === 'string' ? { fieldName: field } : field)),
    files: files.map((content, index) => {
      const bytes = typeof content === 'string' && gzip ? gzipSync(content) : Buffer.from(content);
      const name = `part-${String(index + 1).padStart(5, '0')}.${format.toLowerCase()}${gzip ? '.gz' : ''}`;
      writeFileSync(join(directory, name), bytes);
      return { name, bytes: bytes.length, sha256: '', gzip };
    }),
  };
  return manifest;
}

/** Writes a complete run of a day as the version before left it. */
export function writeRun(workspace: ProjectWorkspace, text: RunText): void {
  const directory = workspace.directoryOf({ jobId: 31, ...text });
  const manifest = manifestIn(directory, text);
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
}

/** Rows of one statement over all runs as the view `data`, once they are tables, with the files that it could read. */
export async function queried(workspace: ProjectWorkspace, sql: string) {
  const { dir: directory, holder } = workspace;
  await workspace.runs();
  await workspace.converted();
  return workspace.reading(await workspace.runs(), async (runs) => {
    const { name, setup, files, columns, notes } = dataViewOf(runs);
    const request = { views: [name], setup: [setup()], files, sql, maxRows: 100_000, maxChars: 20_000_000 };
    const { rows } = await runSql(request, { directory, holder, timeoutMs: 30_000 });
    return { rows, files, setup: setup(), columns, notes };
  });
}
