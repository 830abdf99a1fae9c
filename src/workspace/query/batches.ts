import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import type { RunFile, RunManifest } from '../store/manifest.ts';
import { type Layout, layoutOf, namesInFile, storedLayout } from './columns.ts';
import { headersOf } from './csv-headers.ts';
import type { Beginning, SourceFile } from './protocol.ts';
import type { Source } from './view-sql.ts';

/** A run with its range; the end is excluded. */
interface Ranged {
  readonly from: string;
  readonly to: string;
}

/** Groups runs so that only those of one group share an instant; most groups have one run. */
export function overlappingGroups<Run extends Ranged>(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const run of runs.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
    if (Date.parse(run.from) < endMs) groups.at(-1)?.push(run);
    else groups.push([run]);
    endMs = Math.max(endMs, Date.parse(run.to));
  }
  return groups;
}

/** An interval of time in ms; the end is excluded. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** The intervals that the runs cover together, and the gaps between them. */
export function coverageOf(runs: readonly Ranged[]): { covered: Interval[]; gaps: Interval[] } {
  const covered: { startMs: number; endMs: number }[] = [];
  for (const run of runs.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
    const [startMs, endMs] = [Date.parse(run.from), Date.parse(run.to)];
    const last = covered.at(-1);
    // The platform may end a range on its last millisecond.
    if (last && startMs <= last.endMs + 1) last.endMs = Math.max(last.endMs, endMs);
    else covered.push({ startMs, endMs });
  }
  const gaps = covered.slice(1).map(({ startMs }, index) => ({ startMs: covered[index]?.endMs ?? startMs, endMs: startMs }));
  return { covered, gaps };
}

/** A file of a run that has bytes. */
export interface TablePart {
  readonly run: RunManifest;
  readonly file: Pick<RunFile, 'gzip' | 'rows' | 'header'>;
  /** Relative to the directory of the query. */
  readonly path: string;
}

/** Parts that are read alike: the same format, the same fields, and in CSV the same header. */
export interface Batch {
  readonly format: Source['format'];
  /** False for CSV that begins with a row. */
  readonly header?: false;
  readonly layout: Layout;
  readonly parts: readonly TablePart[];
}

/** Looks at the beginnings of files, in their order. */
export type Look = (files: readonly SourceFile[]) => Promise<readonly Beginning[]>;

/** The format of a run; throws where SQL cannot read it. */
export function formatOf({ format, jobId }: Pick<RunManifest, 'format' | 'jobId'>): SourceFile['format'] {
  const name = format.toUpperCase();
  if (name === 'JSONL' || name === 'CSV') return name;
  throw new ApiError('invalid', `Job ${jobId} exports ${format}, which cannot be queried; JSONL and CSV can.`);
}

function sourceOf({ run, file, path }: TablePart): SourceFile {
  return { path, gzip: file.gzip, format: formatOf(run) };
}

function layoutSeen(names: readonly string[], parts: readonly TablePart[], seen: readonly Beginning[]): Layout {
  const valuesOf = (name: string) => seen.flatMap((each) => each.samples[each.names.indexOf(name)] ?? []);
  return layoutOf(names, parts[0]?.run.fields ?? [], valuesOf);
}

/** A part from the first, the middle and the last run. */
function spread(parts: readonly TablePart[]): TablePart[] {
  const firsts = [...grouped(parts, ({ run }) => run.runId).values()].flatMap(([first]) => first ?? []);
  return [...new Set([0, firsts.length >> 1, firsts.length - 1])].flatMap((at) => firsts[at] ?? []);
}

type Seen = ReadonlyMap<TablePart, Beginning>;

/** Lines name their members: three files show those that the list of fields does not have. */
function jsonBatch(parts: readonly TablePart[], looks: Seen): Batch[] {
  const seen = parts.flatMap((part) => looks.get(part) ?? []);
  const expected = namesInFile(parts[0]?.run.fields ?? []);
  const names = [...new Set([...expected, ...seen.flatMap((each) => each.names)])];
  return [{ format: 'JSONL', layout: layoutSeen(names, parts, seen), parts }];
}

interface SeenPart {
  readonly part: TablePart;
  readonly look: Beginning;
  readonly isHeaderless: boolean;
}

/** A file that begins with a row: under the names that it has by its place, the first row counted where the manifest did not. */
function withoutHeader({ part, look }: Omit<SeenPart, 'isHeaderless'>, names: readonly string[]): SeenPart {
  const { rows, header } = part.file;
  const file = { ...part.file, ...(rows !== undefined && header === undefined && { rows: rows + 1 }) };
  const samples = names.map((_, index) => [look.names[index], ...(look.samples[index] ?? [])]);
  return { part: { ...part, file }, look: { ...look, names, samples, isEmpty: false }, isHeaderless: true };
}

/** The order of the columns matters, so the first line of each is read; a file without rows is left out. */
function csvBatches(parts: readonly TablePart[], seen: Seen): Batch[] {
  const looks = parts.flatMap((part) => {
    const look = seen.get(part);
    return look && look.names.length > 0 ? [{ part, look }] : [];
  });
  const lines = looks.map(({ part: { run, path }, look }) => ({ cells: look.names, file: `File ${path} of run ${run.runId}` }));
  const headers = headersOf(lines, namesInFile(parts[0]?.run.fields ?? []));
  const all = looks.map((each, index): SeenPart => {
    const { names = [], isRow = false } = headers[index] ?? {};
    return isRow ? withoutHeader(each, names) : { ...each, isHeaderless: false };
  });
  return [...grouped(all, ({ look, isHeaderless }) => JSON.stringify([look.names, isHeaderless])).values()].map((alike) => {
    const filled = alike.filter(({ look }) => !look.isEmpty).map(({ part }) => part);
    const own = alike.map(({ look }) => look);
    const header = alike[0]?.isHeaderless ? { header: false as const } : {};
    return { format: 'CSV', ...header, layout: layoutSeen(own[0]?.names ?? [], parts, own), parts: filled };
  });
}

/** Runs that were converted, by their columns. */
function parquetBatches(parts: readonly TablePart[]): Batch[] {
  return [...grouped(parts, ({ run }) => JSON.stringify(run.table?.columns)).values()].map((alike) => ({
    format: 'PARQUET',
    layout: storedLayout(alike[0]?.run.table?.columns ?? []),
    parts: alike,
  }));
}

/** Groups the files of runs by how they are read; files that are not converted are sampled first. */
export async function batchesOf(parts: readonly TablePart[], look: Look): Promise<Batch[]> {
  const sources = parts.filter(({ run }) => run.table === undefined);
  const groups = [...grouped(sources, ({ run }) => JSON.stringify([formatOf(run), run.fields])).values()];
  const isCsv = (group: readonly TablePart[]) => group[0] !== undefined && formatOf(group[0].run) === 'CSV';
  const wanted = groups.flatMap((group) => (isCsv(group) ? group : spread(group)));
  const found = wanted.length > 0 ? await look(wanted.map(sourceOf)) : [];
  const seen: Seen = new Map(wanted.flatMap((part, index) => (found[index] ? [[part, found[index]] as const] : [])));
  const converted = parts.filter(({ run }) => run.table !== undefined);
  return [...parquetBatches(converted), ...groups.flatMap((group) => (isCsv(group) ? csvBatches(group, seen) : jsonBatch(group, seen)))];
}
