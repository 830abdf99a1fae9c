import { relative, sep } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import type { RunManifest } from '../store/manifest.ts';
import { type Batch, batchesOf, type Look, overlappingGroups, type TablePart } from './batches.ts';
import { mayBeNumbers } from './column-types.ts';
import { type Column, columnsOf, folded, promisedLayout, timeColumn } from './columns.ts';
import { type RunTraits, type Share, shareNotes, sharesOf } from './shares.ts';
import { identifier, type Overlap, type Source, viewSql } from './view-sql.ts';

/** Fields that identify a row, beside the project; views have a number in their session. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['session_id'],
  views: ['session_id', 'view_number'],
};

/** Said where runs share time and their rows are matched. */
export const ONCE = 'Some runs overlap: each row counts once, as the last export has it.';

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
  /** Runs whose lines hold halves of characters. */
  readonly mended?: ReadonlySet<RunManifest>;
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
  const wanted = KEYS[scope.toLowerCase()] ?? ['session_id', 'view_number'];
  const columnFor = (field: string) => columns.find(({ name, field: renamed = name }) => renamed === field);
  const names = ['project_id', ...wanted].flatMap((field) => folded(columnFor(field)?.name ?? '') || []);
  return { names, missing: wanted.filter((field) => !columnFor(field)) };
}

function isLater(a: RunManifest, b: RunManifest): boolean {
  const difference = Date.parse(a.exportedAt) - Date.parse(b.exportedAt);
  return difference > 0 || (difference === 0 && a.runId > b.runId);
}

/**
 * For each run those of its job that were exported later and may hold rows of it: their ranges share an instant, or meet, because a day may
 * deliver rows of the day before again.
 */
export function laterRuns(runs: readonly RunManifest[]): ReadonlyMap<RunManifest, readonly RunManifest[]> {
  const later = new Map<RunManifest, RunManifest[]>(runs.map((run) => [run, []]));
  for (const own of grouped(runs, ({ jobId }) => jobId).values()) {
    const sorted = own.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from));
    for (const [index, run] of sorted.entries()) {
      for (let at = index + 1; at < sorted.length; at += 1) {
        const other = sorted[at];
        // The platform may end a range on its last millisecond.
        if (!other || Date.parse(other.from) > Date.parse(run.to) + 1) break;
        const [early, late] = isLater(other, run) ? [run, other] : [other, run];
        later.get(early)?.push(late);
      }
    }
  }
  return later;
}

/** Whether it is known which rows of a run these later ones hold too. */
export function isResolved({ table }: RunManifest, later: readonly RunManifest[]): boolean {
  if (!table) return false;
  return (table.superseded?.by ?? []).join() === idsOf(later).join();
}

/** Ids of runs, as a list that is the same for the same runs. */
export function idsOf(runs: readonly RunManifest[]): number[] {
  return runs.map(({ runId }) => runId).toSorted((a, b) => a - b);
}

interface ColumnPlace {
  readonly nameOf: (run: RunManifest, file: { readonly name: string }) => string;
  readonly mended?: ReadonlySet<RunManifest> | undefined;
}

/** The column that tells an instant or a day of each row. */
function timeOf({ layout }: Batch, columns: readonly Column[]): string | undefined {
  const own = columns.filter(({ name }) => layout.names.includes(name));
  return (timeColumn(own) ?? own.find(({ field, name }) => /^(session|view)_date$/.test(field ?? name)))?.name;
}

interface SourceRuns {
  readonly runs: ReadonlySet<RunManifest>;
  /** Of them those whose rows in later runs are known. */
  readonly resolved: ReadonlySet<RunManifest>;
  readonly taken: Share['taken'];
  readonly columns: readonly Column[];
}

/** The sources of some runs: a call for each batch, compressed and plain apart, and for each converted run that others replace in part. */
function sourcesOf(batches: readonly Batch[], { runs, resolved, taken, columns }: SourceRuns, { nameOf, mended }: ColumnPlace): Source[] {
  return batches.flatMap((batch): Source[] => {
    const { format, header, layout, parts } = batch;
    const by = taken.length > 0 ? timeOf(batch, columns) : undefined;
    const own = parts.filter(({ run }) => runs.has(run));
    const types = layout.stored && new Map<string, string>(layout.stored.map(({ name, type, heldAs = type }) => [name, heldAs]));
    const common = {
      format,
      ...(header === false && { header }),
      names: layout.names,
      ...(layout.inFile && { inFile: layout.inFile }),
      ...(types && { types }),
      ...(by && { taken: { by, intervals: taken } }),
    };
    const isWhole = ({ run }: TablePart) => !resolved.has(run) || (run.table?.superseded?.rows ?? 0) === 0;
    const isMended = ({ run }: TablePart) => format === 'JSONL' && mended?.has(run) === true;
    const alike = grouped(own.filter(isWhole), (part) => `${part.file.gzip} ${isMended(part)}`).values();
    const whole = [...alike].map((members) => ({
      ...common,
      gzip: members[0]?.file.gzip ?? false,
      ...(members.some(isMended) && { isMended: true as const }),
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

/** Groups of runs that share time, joined where a day delivers rows of the day before again, or may do. */
function groupsOf(runs: readonly RunManifest[], later: ReturnType<typeof laterRuns>): RunManifest[][] {
  const mayRepeat = (run: RunManifest) => !isResolved(run, later.get(run) ?? []) || (run.table?.superseded?.rows ?? 0) > 0;
  const groups: RunManifest[][] = [];
  for (const group of overlappingGroups(runs)) {
    const last = groups.at(-1);
    const inLast = new Set(last);
    const isJoined = (run: RunManifest) => later.get(run)?.some((other) => inLast.has(other)) && mayRepeat(run);
    const joins = (run: RunManifest) => later.get(run)?.some((other) => group.includes(other)) && mayRepeat(run);
    if (last && (group.some(isJoined) || last.some(joins))) last.push(...group);
    else groups.push(group);
  }
  return groups;
}

/** Batches and keys by run. */
function knownRuns(batches: readonly Batch[], columns: readonly Column[]) {
  const batchesOfRun = new Map<RunManifest, Set<Batch>>();
  for (const batch of batches) for (const { run } of batch.parts) batchesOfRun.set(run, (batchesOfRun.get(run) ?? new Set()).add(batch));
  const runs = [...batchesOfRun.keys()];
  const batchesOfRuns = (some: readonly RunManifest[]) => [...new Set(some.flatMap((run) => [...(batchesOfRun.get(run) ?? [])]))];
  const keysIn = (own: readonly Batch[]) => {
    const inAll = columns.filter(({ name }) => own.every(({ layout }) => layout.names.includes(name)));
    return keysOf(runs[0]?.scope ?? '', inAll);
  };
  const traitsOf = (run: RunManifest): RunTraits => {
    const own = batchesOfRuns([run]);
    return {
      isKeyed: keysIn(own).missing.length === 0,
      hasTime: own.every((batch) => timeOf(batch, columns) !== undefined),
      columns: own[0]?.layout.names.length ?? 0,
    };
  };
  return { runs, batchesOfRuns, keysIn, traitsOf };
}

/** How the rows of runs come together: as they are, or one for each key. */
function arrange(batches: readonly Batch[], columns: readonly Column[], place: ColumnPlace) {
  const { runs, batchesOfRuns, keysIn, traitsOf } = knownRuns(batches, columns);
  const later = laterRuns(runs);
  const resolved = new Set(runs.filter((run) => isResolved(run, later.get(run) ?? [])));
  const all = groupsOf(runs, later).map((group) => sharesOf(group, traitsOf));
  const plain = new Set<RunManifest>();
  const [sources, overlaps]: [Source[], Overlap[]] = [[], []];
  let isOnce = false;
  for (const { runs: own, isKeyed, taken } of all.flatMap(({ shares }) => shares)) {
    const severalJobs = new Set(own.map(({ jobId }) => jobId)).size > 1;
    const isMatched = !isKeyed || (!severalJobs && own.every((run) => resolved.has(run)));
    isOnce ||= isKeyed && overlappingGroups(own).length < own.length;
    // All that needs no care is read by one call.
    if (isMatched && taken.length === 0) for (const run of own) plain.add(run);
    else {
      const ownBatches = batchesOfRuns(own);
      const found = sourcesOf(ownBatches, { runs: new Set(own), resolved, taken, columns }, place);
      if (isMatched) sources.push(...found);
      else overlaps.push({ sources: found, keys: keysIn(ownBatches).names, ranks: ranksOf(ownBatches, own), severalJobs });
    }
  }
  return {
    sources: [...sourcesOf(batches, { runs: plain, resolved, taken: [], columns }, place), ...sources],
    overlaps,
    resolved,
    isWhole: all.every(({ reduced }) => reduced.length === 0),
    notes: [...(isOnce ? [ONCE] : []), ...shareNotes(all, keysOf(runs[0]?.scope ?? '', []).missing)],
  };
}

/** Describes runs of one scope as one view: one row for each key, the last export winning. */
export async function dataViewOf(runs: readonly RunManifest[], options: DataViewOptions): Promise<DataView> {
  const { directory, pathOf, look, mended, name = 'data' } = options;
  const place: ColumnPlace = { nameOf: (run, file) => relative(directory, pathOf(run, file)).split(sep).join('/'), mended };
  const batches = await batchesOf(
    runs.flatMap((run) => partsOf(run, place)),
    look,
  );
  const columns = columnsOf(batches.length > 0 ? batches.map(({ layout }) => layout) : runs.map(({ fields }) => promisedLayout(fields)));
  if (columns.length === 0) throw new ApiError('missing', 'The downloaded runs of this job name no columns and hold no rows.');

  const parts = batches.flatMap((batch) => batch.parts);
  const { sources, overlaps, resolved, notes, isWhole } = arrange(batches, columns, place);
  const cut = runs.flatMap((run) => (run.table?.isMended || mended?.has(run) ? [run.runId] : []));
  if (cut.length > 0) notes.push(`In run ${cut.join(', ')} some values end in half a character, which is shown as \uFFFD.`);
  notes.push(...textNotes(name, columns, batches));
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
    files: [
      ...parts.map(({ path }) => path),
      ...[...sources, ...overlaps.flatMap((overlap) => overlap.sources)].flatMap(({ without }) => without ?? []),
    ],
    columns,
    rowCount: overlaps.length > 0 || !isWhole ? undefined : countOf(parts, resolved),
    notes,
    runsWith: runsWithColumns(batches),
  };
}
