import { ApiError } from '../../api/errors.ts';
import { grouped, runsOf } from '../../lib/grouped.ts';
import { daysIn, type Interval, intersect, subtract, union } from '../../lib/intervals.ts';
import { counted } from '../../lib/number-text.ts';
import { firstOf } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { type Held, rangeOf } from '../coverage.ts';
import { type RunManifest, runKey, type StoredColumn } from '../store/manifest.ts';
import { type Column, columnOf, columnsOf, folded, foldedNames, keysOf, promisedColumns, timeColumn, variableNames } from './columns.ts';
import { identifier, type Overlap, type Source, viewSql } from './view-sql.ts';

/** A run as far as it says what its files hold: one that is here, or that a plan will bring. */
export type HoldingRun = Pick<RunManifest, 'scope' | 'from' | 'to' | 'fields'> & {
  readonly [Name in 'table' | 'deviceId' | 'segmentId' | 'exportedAt' | 'jobId' | 'runId']?: RunManifest[Name] | undefined;
};

/** Groups runs so that only those of one group share an instant; most groups have one run. */
export function overlappingGroups<Run extends Pick<RunManifest, 'from' | 'to'>>(runs: readonly Run[]): Run[][] {
  const ranged = runs.map((run) => ({ run, ...rangeOf(run) })).toSorted((a, b) => a.startMs - b.startMs);
  const groups = runsOf(ranged, (open, { startMs }) => open.some(({ endMs }) => startMs < endMs));
  return groups.map((group) => group.map(({ run }) => run));
}

/** The columns of a run: of its table, else those that its job promises; none where it lists none. */
export function columnsIn({ table, fields }: Pick<HoldingRun, 'table' | 'fields'>): readonly Column[] {
  return table ? table.columns : promisedColumns(fields).map(columnOf);
}

/** The columns that identify a row of each of these runs of a scope. */
export function commonKeys([first, ...others]: readonly HoldingRun[]) {
  const names = others.map((run) => foldedNames(columnsIn(run)));
  const common = first ? columnsIn(first).filter(({ name }) => names.every((each) => each.has(folded(name)))) : [];
  return keysOf(first?.scope ?? '', common);
}

/** The facts that tell the part of runs in the answer for their time. */
interface RunTraits<Run> {
  readonly columns: ReadonlyMap<Run, readonly Column[]>;
  /** Whether one of its columns says when each row happened. */
  readonly hasTime?: (columns: readonly Column[]) => boolean;
  /** It is being loaded: its rows do not count yet, and others answer for its time. */
  readonly isComing?: (run: Run) => boolean;
}

/** Runs that together answer for a time: one whose rows cannot be matched stands alone. */
export interface Share<Run = RunManifest> {
  readonly runs: readonly Run[];
  readonly isKeyed: boolean;
  /** The parts of its time that better shares hold: rows of it are not added to theirs. */
  readonly taken: readonly Interval[];
}

/** The earlier export first. */
function byExport(a: Pick<HoldingRun, 'exportedAt' | 'runId'>, b: typeof a): number {
  return Date.parse(a.exportedAt ?? '') - Date.parse(b.exportedAt ?? '') || (a.runId ?? 0) - (b.runId ?? 0);
}

function isFiltered({ deviceId, segmentId }: HoldingRun): boolean {
  return deviceId !== undefined || segmentId !== undefined;
}

function jobsOf(runs: readonly HoldingRun[]): string {
  return [...new Set(runs.map(({ jobId = 0 }) => jobId))].toSorted((a, b) => a - b).join(', ');
}

/** Notes for a reader on how rows come together; `unmatched` are runs whose rows cannot be matched with better ones. */
function notesOn(shares: readonly Share<HoldingRun>[], unmatched: readonly HoldingRun[], runs: readonly HoldingRun[]): string[] {
  const isOnce = shares.some((share) => share.isKeyed && overlappingGroups(share.runs).length < share.runs.length);
  const keys = keysOf(runs[0]?.scope ?? '', []).missing.join(', ');
  const [behind, filtered] = [unmatched, runs.filter(isFiltered)].map(jobsOf);
  return [
    isOnce && 'Some runs overlap: each row counts once, as the last export has it.',
    behind && `Rows of job ${behind} do not count on days that other runs hold: without ${keys} they cannot be matched.`,
    filtered &&
      `Job ${filtered} holds the visits of one device or segment alone: it adds nothing to days that ` +
        'exports of all visits hold, and days that it alone holds answer only questions about those visits.',
  ].flatMap((note) => note || []);
}

/** The time that shares of these runs answer for. */
function heldBy<Run extends HoldingRun>(
  shares: readonly Share<Run>[],
  runs: readonly Run[],
  { columns, isComing = () => false }: RunTraits<Run>,
): Held {
  const names = new Map([...columns].map(([run, own]) => [run, foldedNames(own)]));
  const areParts = runs.every(isFiltered);
  return (column, deviceIds) => {
    const counts = (run: Run) => {
      const isOfDevice = run.segmentId === undefined && deviceIds?.every((id) => id === run.deviceId) === true;
      const own = names.get(run);
      return (
        !isComing(run) && (areParts || isOfDevice || !isFiltered(run)) && (column === undefined || !own?.size || own.has(folded(column)))
      );
    };
    return union(shares.flatMap((share) => subtract(share.runs.filter(counts).map(rangeOf), share.taken)));
  };
}

/**
 * The shares that answer for the time of runs of a scope, in groups that share some. All visits come before some, rows that can be matched
 * before others, many columns before few, late before early; what is of one device or segment counts with the rest only where all is.
 */
export function sharesOf<Run extends HoldingRun>(groups: readonly (readonly Run[])[], traits: RunTraits<Run>) {
  const { columns, hasTime = (own) => timeColumn(own) !== undefined, isComing = () => false } = traits;
  const runs = groups.flat();
  const ownOf = (run: Run) => columns.get(run) ?? [];
  // A run that lists no column may have all.
  const isKeyed = (run: Run) => ownOf(run).length === 0 || keysOf(run.scope, ownOf(run)).missing.length === 0;
  const byWorth = (a: Run, b: Run) => ownOf(b).length - ownOf(a).length || byExport(b, a);
  /** Rows of them do not count, because better shares hold their time. */
  const reduced: Run[] = [];
  const shares = groups.flatMap((group): Share<Run>[] => {
    const better: Run[] = [];
    const candidates = [false, true].flatMap((filtered) => {
      const own = group.filter((run) => isFiltered(run) === filtered);
      const others = own.filter((run) => !isKeyed(run)).toSorted(byWorth);
      return [{ runs: own.filter(isKeyed), isKeyed: true }, ...others.map((run) => ({ runs: [run], isKeyed: false }))];
    });
    return candidates.map((each) => {
      const taken = union(better.map(rangeOf));
      const kept = each.runs.filter((run) => {
        const own = [rangeOf(run)];
        if (intersect(own, taken).length === 0) return true;
        reduced.push(run);
        return hasTime(ownOf(run)) && subtract(own, taken).length > 0;
      });
      better.push(...kept.filter((run) => !isComing(run)));
      return { ...each, runs: kept, taken };
    });
  });
  const unmatched = reduced.filter((run) => !isKeyed(run));
  return { shares, reduced, held: heldBy(shares, runs, traits), notes: notesOn(shares, unmatched, runs) };
}

/** The time that runs of a scope answer for, as far as their tables and jobs say what they hold. */
export function heldIn(runs: readonly HoldingRun[], scope: string): Held {
  const own = runs.filter((run) => run.scope.toLowerCase() === scope.toLowerCase());
  return sharesOf(overlappingGroups(own), { columns: new Map(own.map((run) => [run, columnsIn(run)])) }).held;
}

/** The view that shows the runs of a scope. */
export function viewName(scope: string): string {
  const name = scope.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  return /^[a-z]/.test(name) ? name : `scope_${name}`;
}

/**
 * For each run those of its job that were exported later and may hold rows of it: their ranges share an instant, or meet, because a day may
 * deliver rows of the day before again.
 */
export function laterRuns(runs: readonly RunManifest[]): ReadonlyMap<RunManifest, readonly RunManifest[]> {
  const later = new Map<RunManifest, RunManifest[]>(runs.map((run) => [run, []]));
  for (const own of grouped(runs, ({ jobId }) => jobId).values()) {
    let open: RunManifest[] = [];
    for (const run of own.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
      // The platform may end a range on its last millisecond.
      open = open.filter(({ to }) => Date.parse(run.from) <= Date.parse(to) + 1);
      for (const other of open) {
        const [early, late] = byExport(run, other) < 0 ? [run, other] : [other, run];
        later.get(early)?.push(late);
      }
      open.push(run);
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

/** A run that is a table. */
type Stored = ReturnType<typeof storedIn>[number];

/** The column that tells an instant or a day of each row. */
function timeOf(columns: readonly Column[]): string | undefined {
  return (timeColumn(columns) ?? columns.find(({ field, name }) => /^(session|view)_date$/.test(field ?? name)))?.name;
}

/** The sources of some tables: one for those of the same columns, and one for each table that others replace in part. */
function sourcesOf(tables: readonly Stored[], taken: Share['taken']): Source[] {
  const filled = tables.filter(({ rows }) => rows > 0);
  const alike = grouped(filled, ({ table, without, path }) => JSON.stringify([table.columns, without && path]));
  return [...alike.values()].flatMap((members): Source[] => {
    const [first] = members;
    if (!first) return [];
    const by = taken.length > 0 ? timeOf(first.table.columns) : undefined;
    return [
      {
        columns: new Map(first.table.columns.map(({ name, type, heldAs = type }) => [folded(name), { name, heldAs }])),
        files: members.map(({ path }) => path),
        ...(first.without !== undefined && { without: first.without }),
        ...(by && { taken: { by, intervals: taken } }),
      },
    ];
  });
}

/** Columns that one note names. */
const MAX_NAMED = 6;

/** Says which columns are text although values of them are numbers, because a comparison of them goes by letters. */
function textNotes(view: string, columns: readonly Column[], tables: readonly Stored[]): string[] {
  const numeric = new Set(
    tables.flatMap(({ table }) => table.columns.flatMap(({ name, type }) => (type === 'BIGINT' || type === 'DOUBLE' ? folded(name) : []))),
  );
  const names = columns.flatMap(({ name, type }) => (type === 'VARCHAR' && numeric.has(folded(name)) ? name : []));
  if (names.length === 0) return [];
  const cast = `TRY_CAST(${identifier(names[0] ?? '')} AS DOUBLE)`;
  return [`In ${view} ${firstOf(names, MAX_NAMED)} ${names.length === 1 ? 'is' : 'are'} text: order and compare as numbers with ${cast}.`];
}

/** Says which values of the files could not be read as what they are. */
function valueNotes(tables: readonly Stored[]): string[] {
  const cut = tables.flatMap(({ run, table }) => (table.isMended ? run.runId : []));
  const unread = tables.flatMap(({ run, table }) => (table.unread ?? []).map((each) => ({ ...each, runId: run.runId })));
  const byColumn = [...grouped(unread, ({ column }) => column)].map(([column, own]) => {
    const values = sumOfKnown(own, (each) => each.values);
    const runs = own.map(({ runId }) => runId).join(', ');
    return `${counted(values, 'value')} of ${column} in run ${runs} ${values === 1 ? 'is' : 'are'} not of its type and left empty.`;
  });
  return [
    ...(cut.length > 0 ? [`In run ${cut.join(', ')} some values end in half a character, which is shown as \uFFFD.`] : []),
    ...byColumn,
  ];
}

function heldTypes(columns: readonly Column[], sources: readonly Source[]): Map<string, string> {
  return new Map(
    columns.flatMap(({ name, type }) => {
      const [held, ...others] = new Set(sources.map((source) => source.columns.get(folded(name))?.heldAs));
      return held === undefined || others.length > 0 || held === type ? [] : [[name, held] as const];
    }),
  );
}

/** Groups of runs that share time, joined where a day delivers rows of the day before again, or may do. */
function groupsOf(runs: readonly RunManifest[], later: ReturnType<typeof laterRuns>): RunManifest[][] {
  const mayRepeat = (run: RunManifest) => !isResolved(run, later.get(run) ?? []) || (run.table?.superseded?.rows ?? 0) > 0;
  const reach = (some: readonly RunManifest[], others: ReadonlySet<RunManifest>) =>
    some.some((run) => later.get(run)?.some((other) => others.has(other)) && mayRepeat(run));
  const joined = runsOf(overlappingGroups(runs), (open, group) => {
    const own = open.flat();
    return reach(group, new Set(own)) || reach(own, new Set(group));
  });
  return joined.map((groups) => groups.flat());
}

/** The columns of a view: those of its tables, or where there is none those that the jobs promise. */
export function viewColumns(tables: readonly { readonly columns: readonly StoredColumn[] }[], runs: readonly RunManifest[]): Column[] {
  if (tables.length === 0) return columnsOf(runs.map(({ fields }) => columnsIn({ fields })));
  // How a table holds a column is not shown.
  const shown = ({ name, type, unit, field }: StoredColumn): Column => ({ name, type, ...(unit && { unit }), ...(field && { field }) });
  return columnsOf(tables.map(({ columns }) => columns.map(shown)));
}

/** How the rows of runs come together, as they are or one for each key, and the time that they answer for. */
function arrange(runs: readonly RunManifest[], tables: readonly Stored[], later: ReturnType<typeof laterRuns>) {
  const byRun = new Map(tables.map((each) => [each.run, each]));
  const tablesOf = (some: readonly RunManifest[]) => some.flatMap((run) => byRun.get(run) ?? []);
  const columns = new Map(runs.map((run) => [run, columnsIn(run)]));
  const { shares, reduced, held, notes } = sharesOf(groupsOf(runs, later), { columns, hasTime: (own) => timeOf(own) !== undefined });
  const plain: Stored[] = [];
  const [sources, overlaps]: [Source[], Overlap[]] = [[], []];
  for (const { runs: own, isKeyed, taken } of shares) {
    const ownTables = tablesOf(own);
    const isOfOneJob = new Set(ownTables.map(({ run }) => run.jobId)).size <= 1;
    const isMatched = !isKeyed || (isOfOneJob && ownTables.every(({ run }) => isResolved(run, later.get(run) ?? [])));
    // All that needs no care is read by one call.
    if (isMatched && taken.length === 0) plain.push(...ownTables);
    else if (isMatched) sources.push(...sourcesOf(ownTables, taken));
    else
      overlaps.push({
        sources: sourcesOf(ownTables, taken),
        keys: commonKeys(ownTables.map(({ run }) => run)).names,
        ranked: ownTables.toSorted((a, b) => byExport(a.run, b.run)).map(({ path }) => path),
      });
  }
  return {
    sources: [...sourcesOf(plain, []), ...sources],
    overlaps,
    isWhole: reduced.length === 0,
    notes,
    held,
  };
}

/**
 * The runs that are tables, each with its path relative to the directory of the query, the file of the rows that later runs hold too,
 * undefined where there are none or it is not known which, and how many rows no later run holds, as far as that is known.
 */
function storedIn(runs: readonly RunManifest[], later: ReturnType<typeof laterRuns>) {
  return runs.flatMap((run) => {
    const { table } = run;
    if (!table) return [];
    const { rows = 0, file } = (isResolved(run, later.get(run) ?? []) ? table.superseded : undefined) ?? {};
    const pathOf = (of: { readonly name: string }) => `${runKey(run)}/${of.name}`;
    return [{ run, table, path: pathOf(table), without: file && pathOf(file), rows: table.rows - rows }];
  });
}

/** Whether a question reads a variable, by its name in the files; all where it is left out. */
export type ReadsVariable = (name: string) => boolean;

/**
 * The runs without those that add nothing: later exports hold their whole time with all their columns and no fewer rows. The time before it
 * counts too, because a run may deliver rows of it again.
 */
export function neededOf(all: readonly RunManifest[], readsVariable: ReadsVariable = () => true): RunManifest[] {
  const kept = new Set<RunManifest>();
  const byDay = new Map<number, (Interval & { readonly run: RunManifest; readonly names: ReadonlySet<string>; readonly rows: number })[]>();
  for (const run of all.toSorted((a, b) => byExport(b, a))) {
    const { startMs, endMs } = rangeOf(run);
    const time = [{ startMs: 2 * startMs - endMs, endMs }];
    const days = daysIn(time, 'touched');
    const idle = new Set(variableNames(run.fields).filter((name) => !readsVariable(name)));
    const names = new Set(columnsIn(run).flatMap(({ name }) => (idle.has(name) ? [] : folded(name))));
    const rows = run.table?.rows ?? 0;
    const wider = [...days]
      .flatMap((day) => byDay.get(day) ?? [])
      .filter(
        (other) =>
          other.rows >= rows &&
          (['scope', 'deviceId', 'segmentId'] as const).every((part) => other.run[part] === run[part]) &&
          [...names].every((name) => other.names.has(name)),
      );
    if (wider.length > 0 && subtract(time, wider).length === 0) continue;
    kept.add(run);
    for (const day of days) byDay.set(day, [...(byDay.get(day) ?? []), { run, startMs, endMs, names, rows }]);
  }
  return all.filter((run) => kept.has(run));
}

/** Describes runs of one scope, all of which are tables or without rows, as one view: one row for each key, the last export winning. */
export function dataViewOf(all: readonly RunManifest[], name = 'data', readsVariable?: ReadsVariable) {
  const runs = neededOf(all, readsVariable);
  const later = laterRuns(runs.filter(({ table }) => table));
  const tables = storedIn(runs, later);
  const columns = viewColumns(
    tables.map(({ table }) => table),
    runs,
  );
  if (columns.length === 0) throw new ApiError('missing', 'The downloaded runs of this job name no columns and hold no rows.');
  const { sources, overlaps, notes, isWhole, held } = arrange(runs, tables, later);
  const read = [...sources, ...overlaps.flatMap((overlap) => overlap.sources)];
  const heldAs = heldTypes(columns, read);
  return {
    name,
    /**
     * Creates the view; paths are relative to the directory. Some columns of `heldAs` may keep the type in which the files hold them, which
     * is quicker to compare, and no text for a reader.
     */
    setup: (names: ReadonlySet<string> = new Set()): string => {
      const typeOf = (column: Column) => (names.has(column.name) && heldAs.get(column.name)) || column.type;
      const uncast = columns.map((column): Column => ({ ...column, type: typeOf(column) as Column['type'] })); // as the engine calls it
      return viewSql(name, uncast, sources, overlaps);
    },
    /** Columns that all files hold in one other type than the view shows, with that type. */
    heldAs,
    files: [...tables.map(({ path }) => path), ...read.flatMap(({ without }) => without ?? [])],
    columns,
    /** Rows of all runs, where the manifests give them and none can be there twice. */
    rowCount: overlaps.length > 0 || !isWhole ? undefined : sumOfKnown(tables, ({ rows }) => rows),
    /** Facts that a reader must know about the rows. */
    notes: [...notes, ...valueNotes(tables), ...textNotes(name, columns, tables)],
    held,
  };
}

/** Downloaded runs as one table. */
export type DataView = ReturnType<typeof dataViewOf>;
/** The part of such a table that a reader sees, whichever engine holds it. */
export type ShownView = Omit<DataView, 'setup' | 'heldAs' | 'files'>;
