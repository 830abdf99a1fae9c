import { relative, sep } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import type { RunFile, RunManifest } from '../store/manifest.ts';
import { type Batch, batchesOf, overlappingGroups, type Part } from './batches.ts';
import { type Column, columnsOf, folded, namesInFile } from './columns.ts';
import { type Overlap, type Source, viewSql } from './view-sql.ts';

/** Fields that tell rows apart, beside the project; views have a number in their session. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['user_id', 'session_id'],
  views: ['user_id', 'session_id', 'view_number'],
};

/** The downloaded runs of one job as one table. */
export interface DataView {
  /** Creates the view `data`; paths are relative to the directory. */
  readonly viewSql: string;
  readonly files: readonly string[];
  readonly columns: readonly Column[];
  /** Rows of all runs, where the manifests tell and none can be there twice. */
  readonly rowCount: number | undefined;
  /** What a reader must know of the rows. */
  readonly notes: readonly string[];
}

export interface DataViewOptions {
  /** Directory that the query will run in. */
  readonly directory: string;
  readonly pathOf: (run: RunManifest, file: RunFile) => string;
}

/** The names of the columns that tell rows apart, or the fields that are missing for that. */
function keysOf(batches: readonly Batch[], scope: string, columns: readonly Column[]): { names: string[]; missing: string[] } {
  const wanted = KEYS[scope.toLowerCase()] ?? ['user_id', 'session_id', 'view_number'];
  const inAll = columns.filter(({ name }) => batches.every(({ layout }) => layout.names.includes(name)));
  const columnFor = (field: string) => inAll.find(({ name, field: renamed = name }) => renamed === field);
  const names = ['project_id', ...wanted].flatMap((field) => folded(columnFor(field)?.name ?? '') || []);
  return { names, missing: wanted.filter((field) => !columnFor(field)) };
}

/** The sources of some runs: a call for each batch, packed and plain apart. */
function sourcesOf(batches: readonly Batch[], runs: ReadonlySet<RunManifest>, nameOf: (part: Part) => string): Source[] {
  return batches.flatMap(({ format, layout, parts }) => {
    const own = parts.filter(({ run }) => runs.has(run));
    return [...grouped(own, ({ file }) => file.gzip)].map(([gzip, members]) => ({
      format,
      gzip,
      names: layout.names,
      files: members.map(nameOf),
    }));
  });
}

function ranksOf(batches: readonly Batch[], group: readonly RunManifest[], nameOf: (part: Part) => string): Map<string, number> {
  const byExport = group.toSorted((a, b) => Date.parse(a.exportedAt) - Date.parse(b.exportedAt) || a.runId - b.runId);
  const parts = batches.flatMap((batch) => batch.parts).filter(({ run }) => group.includes(run));
  return new Map(parts.map((part) => [nameOf(part), byExport.indexOf(part.run)]));
}

function repeatWords(group: readonly RunManifest[], missing: readonly string[]): string {
  const runs = group.map(({ runId }) => runId).join(', ');
  return `Rows may repeat: runs ${runs} overlap, and without ${missing.join(', ')} in the export a row cannot be told from its later version.`;
}

/** Rows as the manifests count them; undefined where one does not. */
function countOf(parts: readonly Part[]): number | undefined {
  return parts.reduce<number | undefined>(
    (sum, { file: { rows } }) => (sum === undefined || rows === undefined ? undefined : sum + rows),
    0,
  );
}

/** Describes runs of one job as one view: overlapping ones by key, the last export winning, all others as they are. */
export async function dataViewOf(runs: readonly RunManifest[], { directory, pathOf }: DataViewOptions): Promise<DataView> {
  const nameOf = ({ path }: Part): string => relative(directory, path).split(sep).join('/');
  const found = runs.flatMap((run) => run.files.filter(({ bytes }) => bytes > 0).map((file) => ({ run, file, path: pathOf(run, file) })));
  const batches = await batchesOf(found);
  const promised = runs.map(({ fields }) => ({ names: namesInFile(fields), fields, samples: new Map<string, unknown[]>() }));
  const columns = columnsOf(batches.length > 0 ? batches.map(({ layout }) => layout) : promised);
  if (columns.length === 0) throw new ApiError('missing', 'The downloaded runs of this job name no columns and hold no rows.');

  const parts = batches.flatMap((batch) => batch.parts);
  const filled = new Set(parts.map(({ run }) => run));
  const single = new Set<RunManifest>();
  const overlaps: Overlap[] = [];
  const notes: string[] = [];
  for (const group of overlappingGroups([...filled])) {
    const members = new Set(group);
    const own = batches.filter((batch) => batch.parts.some(({ run }) => members.has(run)));
    const { names, missing } = keysOf(own, group[0]?.scope ?? '', columns);
    if (group.length > 1 && missing.length === 0) {
      overlaps.push({ sources: sourcesOf(batches, members, nameOf), keys: names, ranks: ranksOf(batches, group, nameOf) });
      continue;
    }
    for (const run of group) single.add(run);
    if (group.length > 1) notes.push(repeatWords(group, missing));
  }
  if (overlaps.length > 0) notes.push('Some runs overlap: each row counts once, as the last export has it.');
  return {
    viewSql: viewSql(columns, sourcesOf(batches, single, nameOf), overlaps),
    files: parts.map(nameOf),
    columns,
    rowCount: overlaps.length > 0 ? undefined : countOf(parts),
    notes,
  };
}
