import { relative, sep } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import type { RunManifest } from '../store/manifest.ts';
import { type Batch, batchesOf, type Look, overlappingGroups, type TablePart } from './batches.ts';
import { mayBeNumbers } from './column-types.ts';
import { type Column, columnsOf, folded, namesInFile } from './columns.ts';
import { identifier, type Overlap, type Source, viewSql } from './view-sql.ts';

/** Fields that identify a row, beside the project; views have a number in their session. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['user_id', 'session_id'],
  views: ['user_id', 'session_id', 'view_number'],
};

/** Downloaded runs as one table. */
export interface DataView {
  readonly name: string;
  /** Creates the view; paths are relative to the directory. */
  readonly setup: string;
  /** The same where some columns of `heldAs` keep the type in which the files hold them: quicker to compare, no text for a reader. */
  readonly setupAsHeld: (names: ReadonlySet<string>) => string;
  /** Columns that all files hold in one other type than the view shows, with that type. */
  readonly heldAs: ReadonlyMap<string, string>;
  readonly files: readonly string[];
  readonly columns: readonly Column[];
  /** Rows of all runs, where the manifests give them and none can be there twice. */
  readonly rowCount: number | undefined;
  /** Facts that a reader must know about the rows. */
  readonly notes: readonly string[];
  /** The runs that hold a column of the files, by its name in lower case. */
  readonly runsWith: ReadonlyMap<string, readonly RunManifest[]>;
}

/** The files of a view, and how they are looked into. */
export interface DataViewOptions {
  /** Directory that the query will run in. */
  readonly directory: string;
  readonly pathOf: (run: RunManifest, file: { readonly name: string }) => string;
  readonly look: Look;
  /** Name of the view, default `data`. */
  readonly name?: string;
}

/** The view that shows the runs of a scope. */
export function viewName(scope: string): string {
  const name = scope.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return /^[a-z]/.test(name) ? name : `scope_${name}`;
}

/** The names of the columns that identify a row, in lower case, or the fields that are missing for that. */
export function keysOf(scope: string, columns: readonly Column[]): { names: string[]; missing: string[] } {
  const wanted = KEYS[scope.toLowerCase()] ?? ['user_id', 'session_id', 'view_number'];
  const columnFor = (field: string) => columns.find(({ name, field: renamed = name }) => renamed === field);
  const names = ['project_id', ...wanted].flatMap((field) => folded(columnFor(field)?.name ?? '') || []);
  return { names, missing: wanted.filter((field) => !columnFor(field)) };
}

function isLater(a: RunManifest, b: RunManifest): boolean {
  const difference = Date.parse(a.exportedAt) - Date.parse(b.exportedAt);
  return difference > 0 || (difference === 0 && a.runId > b.runId);
}

/** Ids of the runs of an overlapping group that were exported after one of them. */
export function laterRuns(run: RunManifest, group: readonly RunManifest[]): number[] {
  return group.flatMap((other) => (isLater(other, run) ? [other.runId] : [])).toSorted((a, b) => a - b);
}

/** Whether it is known which rows of a run the later ones of its group hold too. */
export function isResolved({ table, ...run }: RunManifest, group: readonly RunManifest[]): boolean {
  if (!table || group.some((other) => other.jobId !== run.jobId)) return false;
  return (table.superseded?.by ?? []).join() === laterRuns({ ...run, table }, group).join();
}

interface ColumnPlace {
  readonly nameOf: (run: RunManifest, file: { readonly name: string }) => string;
}

/** The sources of some runs: a call for each batch, compressed and plain apart, and for each converted run that others replace in part. */
function sourcesOf(batches: readonly Batch[], runs: ReadonlySet<RunManifest>, { nameOf }: ColumnPlace, resolved = false): Source[] {
  return batches.flatMap(({ format, header, layout, parts }): Source[] => {
    const own = parts.filter(({ run }) => runs.has(run));
    const types = layout.stored && new Map<string, string>(layout.stored.map(({ name, type, heldAs = type }) => [name, heldAs]));
    const common = { format, ...(header === false && { header }), names: layout.names, ...(types && { types }) };
    const isWhole = ({ run }: TablePart) => !resolved || (run.table?.superseded?.rows ?? 0) === 0;
    const whole = [...grouped(own.filter(isWhole), ({ file }) => file.gzip)].map(([gzip, members]) => ({
      ...common,
      gzip,
      files: members.map(({ path }) => path),
    }));
    const partial = own.flatMap((part): Source[] => {
      const { superseded, rows = 0 } = part.run.table ?? {};
      if (isWhole(part) || !superseded?.file || superseded.rows >= rows) return [];
      return [{ ...common, gzip: false, files: [part.path], without: nameOf(part.run, superseded.file) }];
    });
    return [...whole, ...partial];
  });
}

function ranksOf(batches: readonly Batch[], group: readonly RunManifest[]): Map<string, number> {
  const byExport = group.toSorted((a, b) => (isLater(a, b) ? 1 : -1));
  const parts = batches.flatMap((batch) => batch.parts).filter(({ run }) => group.includes(run));
  return new Map(parts.map((part) => [part.path, byExport.indexOf(part.run)]));
}

/** Says that rows of overlapping runs could not be matched. */
export function repeatWords(group: readonly RunManifest[], missing: readonly string[]): string {
  const runs = group.map(({ runId }) => runId).join(', ');
  return (
    `Rows may repeat: runs ${runs} overlap, and without ${missing.join(', ')} in the export, a row and its later version cannot be ` +
    'matched.'
  );
}

/** Rows as the manifests count them; undefined where one does not. */
function countOf(parts: readonly TablePart[], resolved: ReadonlySet<RunManifest>): number | undefined {
  return parts.reduce<number | undefined>((sum, { file: { rows }, run }) => {
    if (sum === undefined || rows === undefined) return undefined;
    return sum + rows - (resolved.has(run) ? (run.table?.superseded?.rows ?? 0) : 0);
  }, 0);
}

/** The files of a run that a query reads. */
function partsOf(run: RunManifest, { nameOf }: ColumnPlace): TablePart[] {
  const { table, files } = run;
  if (table) return [{ run, file: { gzip: false, rows: table.rows }, path: nameOf(run, table) }];
  return files.filter(({ bytes }) => bytes > 0).map((file) => ({ run, file, path: nameOf(run, file) }));
}

function runsWithColumns(batches: readonly Batch[]): Map<string, RunManifest[]> {
  const found = new Map<string, RunManifest[]>();
  for (const { layout, parts } of batches) {
    for (const name of layout.names) {
      const known = found.get(folded(name)) ?? [];
      found.set(folded(name), [...known, ...new Set(parts.map(({ run }) => run))]);
    }
  }
  return found;
}

/** Columns that one note names. */
const MAX_NAMED = 6;

/** Says which columns are text although values of them are numbers, because a comparison of them goes by letters. */
function textNotes(view: string, columns: readonly Column[], batches: readonly Batch[]): string[] {
  const isNumeric =
    ({ name }: Column) =>
    ({ layout: { stored, samples } }: Batch) => {
      const column = stored?.find((each) => each.name === name);
      if (column) return column.type === 'BIGINT' || column.type === 'DOUBLE';
      const values = samples.get(name) ?? [];
      return values.some((value) => value !== null && value !== undefined && value !== '') && mayBeNumbers(name, values);
    };
  const names = columns.flatMap((column) => (column.type === 'VARCHAR' && batches.some(isNumeric(column)) ? [column.name] : []));
  if (names.length === 0) return [];
  const cast = `TRY_CAST(${identifier(names[0] ?? '')} AS DOUBLE)`;
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return [`In ${view} ${shown}${more} ${names.length === 1 ? 'is' : 'are'} text: order and compare as numbers with ${cast}.`];
}

/** A source of which some columns are shown as it holds them. */
function uncast({ types, ...source }: Source, columns: readonly Column[], names: ReadonlySet<string>): Source {
  const shown = columns.filter(({ name }) => names.has(name)).map(({ name, type }) => [name, type] as const);
  return { ...source, ...(types && { types: new Map([...types, ...shown]) }) };
}

function heldTypes(columns: readonly Column[], sources: readonly Source[]): Map<string, string> {
  return new Map(
    columns.flatMap(({ name, type }) => {
      const [held, ...others] = new Set(sources.map(({ types }) => types?.get(name)));
      return held === undefined || others.length > 0 || held === type ? [] : [[name, held] as const];
    }),
  );
}

/** Describes runs of one scope as one view: overlapping ones by key, the last export winning, all others as they are. */
export async function dataViewOf(runs: readonly RunManifest[], options: DataViewOptions): Promise<DataView> {
  const { directory, pathOf, look, name = 'data' } = options;
  const place: ColumnPlace = { nameOf: (run, file) => relative(directory, pathOf(run, file)).split(sep).join('/') };
  const batches = await batchesOf(
    runs.flatMap((run) => partsOf(run, place)),
    look,
  );
  const promised = runs.map(({ fields }) => ({ names: namesInFile(fields), fields, samples: new Map<string, unknown[]>() }));
  const columns = columnsOf(batches.length > 0 ? batches.map(({ layout }) => layout) : promised);
  if (columns.length === 0) throw new ApiError('missing', 'The downloaded runs of this job name no columns and hold no rows.');

  const parts = batches.flatMap((batch) => batch.parts);
  const [single, resolved] = [new Set<RunManifest>(), new Set<RunManifest>()];
  const overlaps: Overlap[] = [];
  const notes: string[] = [];
  for (const group of overlappingGroups([...new Set(parts.map(({ run }) => run))])) {
    const members = new Set(group);
    const own = batches.filter((batch) => batch.parts.some(({ run }) => members.has(run)));
    const inAll = columns.filter((column) => own.every(({ layout }) => layout.names.includes(column.name)));
    const { names, missing } = keysOf(group[0]?.scope ?? '', inAll);
    if (group.length > 1 && missing.length === 0) {
      const isKnown = group.every((run) => isResolved(run, group));
      if (isKnown) for (const run of group) resolved.add(run);
      else
        overlaps.push({
          sources: sourcesOf(batches, members, place),
          keys: names,
          ranks: ranksOf(batches, group),
          severalJobs: new Set(group.map(({ jobId }) => jobId)).size > 1,
        });
      continue;
    }
    for (const run of group) single.add(run);
    if (group.length > 1) notes.push(repeatWords(group, missing));
  }
  if (overlaps.length + resolved.size > 0) notes.push('Some runs overlap: each row counts once, as the last export has it.');
  notes.push(...textNotes(name, columns, batches));
  const sources = [...sourcesOf(batches, single, place), ...sourcesOf(batches, resolved, place, true)];
  return {
    name,
    setup: viewSql(name, columns, sources, overlaps),
    setupAsHeld: (names) => {
      const held = (some: readonly Source[]) => some.map((source) => uncast(source, columns, names));
      return viewSql(
        name,
        columns,
        held(sources),
        overlaps.map((overlap) => ({ ...overlap, sources: held(overlap.sources) })),
      );
    },
    heldAs: heldTypes(columns, [...sources, ...overlaps.flatMap((overlap) => overlap.sources)]),
    files: [...parts.map(({ path }) => path), ...sources.flatMap(({ without }) => without ?? [])],
    columns,
    rowCount: overlaps.length > 0 ? undefined : countOf(parts, resolved),
    notes,
    runsWith: runsWithColumns(batches),
  };
}
