import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { namesIn, readJson, statOf } from './disk.ts';

/** The owner of the data: a directory for each, so that users, accounts and the demo never mix. */
export interface Owner {
  /** Data directory of the settings. */
  readonly dir: string;
  /** Who calls; `local` over stdio. */
  readonly principal: string;
  readonly authUrl: string;
  readonly projectId: number;
}

/** Name of the manifest beside the parts of a run. */
export const MANIFEST = 'manifest.json';

/** One path segment for any text: readable, the same on systems that ignore case, and different for different texts. */
export function safeName(text: string): string {
  // Callers of an HTTP server may choose what they are called: 96 bits leave no two names for one directory to be found,
  // and as UTF-16 no two halves of a character become the same.
  const readable = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 24);
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** `<dir>/<principal>`. */
export function principalDirectory({ dir, principal }: Pick<Owner, 'dir' | 'principal'>): string {
  return join(dir, safeName(principal));
}

/** `<dir>/<principal>/<authentication server>/<project>`. */
export function projectDirectory({ authUrl, projectId, ...owner }: Owner): string {
  return join(principalDirectory(owner), safeName(authUrl), idName(projectId));
}

/** `<project>/<job>/<run>`, which holds the manifest and the parts. */
export function runDirectory(projectDir: string, { jobId, runId }: { readonly jobId: number; readonly runId: number }): string {
  return join(projectDir, idName(jobId), idName(runId));
}

/** `<project>/plans`. */
export function plansDirectory(projectDir: string): string {
  return join(projectDir, 'plans');
}

/** `<project>/queries`. */
export function resultsDirectory(projectDir: string): string {
  return join(projectDir, 'queries');
}

function idName(id: number): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`${id} is not a valid id.`);
  return String(id);
}

const instant = z.iso.datetime();
/** A name inside the directory of its run: no separator, no dot in front. */
const fileName = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/i);

const field = z.object({
  fieldName: z.string(),
  aliasName: z.string().optional(),
  customVarPosition: z.number().optional(),
  dynamicVarKey: z.string().optional(),
});

/** One file of a run on disk. */
export const runFile = z.object({
  name: fileName,
  /** Size on disk, compressed or not. */
  bytes: z.number(),
  /** Of the same bytes, hexadecimal. */
  sha256: z.string(),
  gzip: z.boolean(),
  /** Records in it, the header of CSV not counted. */
  rows: z.number().optional(),
});

const unit = z.enum(['cents', 'money', 'ms', 's', '%', 'px', 'UTC']);
const itemType = z.enum(['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'DATE', 'TIMESTAMP']);
const columnType = z.union([itemType, z.templateLiteral([itemType, '[]'])]);

/** A column of a table that was made of a run. */
export const storedColumn = z.object({
  name: z.string(),
  type: columnType,
  unit: unit.exactOptional(),
  field: z.string().exactOptional(),
  /**
   * The stored type where it is another one. Ids that are text are stored as numbers, which sort faster and take less room; a column whose
   * values all turned out to be numbers keeps the text of the file.
   */
  heldAs: z.enum(['BIGINT', 'UBIGINT', 'VARCHAR']).exactOptional(),
});
/** A column of a stored table. */
export type StoredColumn = z.output<typeof storedColumn>;

/** A run as one Parquet file, checked against its source. */
const runTable = z.object({
  name: fileName,
  bytes: z.number(),
  rows: z.number(),
  columns: z.array(storedColumn),
  /** Halves of characters in the source became U+FFFD. */
  isMended: z.literal(true).exactOptional(),
  /** Values in the source that are not of their column's type: the table has none there. */
  unread: z.array(z.object({ column: z.string(), values: z.number() })).exactOptional(),
  /** Rows that later exports of the same job hold too, found once for exactly these runs. */
  superseded: z
    .object({ by: z.array(z.number()), rows: z.number(), file: z.object({ name: fileName, bytes: z.number() }).exactOptional() })
    .exactOptional(),
});
/** The table that a run was converted into. */
export type RunTable = z.output<typeof runTable>;

/** One downloaded run: written last, so that a run with a manifest is complete. */
export const runManifest = z.object({
  version: z.literal(1),
  jobId: z.number(),
  jobName: z.string(),
  runId: z.number(),
  /** `sessions`, `views`, or another scope of the job. */
  scope: z.string(),
  /** `JSONL`, `CSV`, or another format of the job. */
  format: z.string(),
  /** Range of the data; the end is excluded. */
  from: instant,
  to: instant,
  /** Columns as the job lists them; empty where it lists none. */
  fields: z.array(field),
  /** The id of the device that the job is filtered to; left out for all, and where it is not known. */
  deviceId: z.number().exactOptional(),
  /** The segment that the job is filtered to, where that is known. */
  segmentId: z.union([z.number(), z.string()]).exactOptional(),
  /** When the platform finished the run: of two runs with the same session the later one wins. */
  exportedAt: instant,
  downloadedAt: instant,
  /** As they were downloaded; no longer on the disk where `sourceDropped` is set. */
  files: z.array(runFile),
  table: runTable.exactOptional(),
  sourceDropped: z.literal(true).exactOptional(),
});

/** One complete downloaded run. */
export type RunManifest = z.output<typeof runManifest>;
/** One file of a run. */
export type RunFile = z.output<typeof runFile>;

/** Whether a run has rows that can become a table. */
export function isConvertible({ format, files }: Pick<RunManifest, 'format' | 'files'>): boolean {
  return /^(jsonl|csv)$/i.test(format) && files.some(({ bytes }) => bytes > 0);
}

/** Whether a run can be queried: as a table, or because it has no rows. */
export function isReady(run: RunManifest): boolean {
  return run.table !== undefined || run.files.every(({ bytes }) => bytes === 0);
}

/** Records in the files of a run as they were downloaded; undefined where those of a file are not known. */
export function rowsOf({ files }: Pick<RunManifest, 'files'>): number | undefined {
  return files.reduce<number | undefined>((sum, { rows }) => (sum !== undefined && rows !== undefined ? sum + rows : undefined), 0);
}

/** A run that has a directory, complete or not. */
export interface RunId {
  readonly jobId: number;
  readonly runId: number;
}

/** A run as one text, and its directory below that of its project. */
export const runKey = ({ jobId, runId }: RunId) => `${jobId}/${runId}`;

/** Whether two runs are the same one. */
export function isSameRun(a: RunId, b: RunId): boolean {
  return a.jobId === b.jobId && a.runId === b.runId;
}

/** By the start of the range, of one range by the time of the export. */
export function byTime(a: RunManifest, b: RunManifest): number {
  return Date.parse(a.from) - Date.parse(b.from) || Date.parse(a.exportedAt) - Date.parse(b.exportedAt);
}

/** Ids that directories are named after, in order; none where there is no such directory. */
async function idsIn(directory: string): Promise<number[]> {
  const ids = (await namesIn(directory)).filter((name) => /^\d{1,16}$/.test(name)).map(Number);
  return ids.filter(Number.isSafeInteger).toSorted((a, b) => a - b);
}

/** All runs that have a directory, complete or not, by job and run. */
export async function runsIn(projectDir: string, jobId?: number): Promise<RunId[]> {
  const found: RunId[] = [];
  for (const job of jobId === undefined ? await idsIn(projectDir) : [jobId])
    for (const runId of await idsIn(join(projectDir, String(job)))) found.push({ jobId: job, runId });
  return found;
}

/** Files of a run on the disk, with their sizes. */
export function filesOnDisk({ files, table, sourceDropped }: Pick<RunManifest, 'files' | 'table' | 'sourceDropped'>) {
  const sources = sourceDropped ? [] : files;
  const tables = table ? [table, ...(table.superseded?.file ? [table.superseded.file] : [])] : [];
  return [...sources, ...tables].map(({ name, bytes }) => ({ name, bytes }));
}

/** The manifest of a run whose files all exist with the right size; undefined where the run is not complete. */
export async function readManifest(projectDir: string, id: RunId): Promise<RunManifest | undefined> {
  const directory = runDirectory(projectDir, id);
  const manifest = await readJson(join(directory, MANIFEST), runManifest);
  if (manifest?.jobId !== id.jobId || manifest.runId !== id.runId) return undefined;
  for (const { name, bytes } of filesOnDisk(manifest)) {
    if ((await statOf(join(directory, name)))?.size !== bytes) return undefined;
  }
  return manifest;
}
