import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import type { RunFile, RunManifest } from '../store/manifest.ts';
import { type Layout, namesInFile } from './columns.ts';
import { type Beginning, sniff } from './sniff.ts';
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

/** Stretches of time in ms, in order; the end is excluded. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** What the runs cover together, and what lies between without data. */
export function coverageOf(runs: readonly Ranged[]): { covered: Stretch[]; gaps: Stretch[] } {
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

/** Files that are looked at together. */
const FILES_AT_ONCE = 16;

/** A file of a run that has bytes. */
export interface Part {
  readonly run: RunManifest;
  readonly file: RunFile;
  readonly path: string;
}

/** Parts that are read alike: the same format, the same fields, and in CSV the same header. */
export interface Batch {
  readonly format: Source['format'];
  readonly layout: Layout;
  readonly parts: readonly Part[];
}

/** The format of a run; throws where SQL cannot read it. */
function formatOf({ format, jobId }: RunManifest): Source['format'] {
  const name = format.toUpperCase();
  if (name === 'JSONL' || name === 'CSV') return name;
  throw new ApiError('invalid', `Job ${jobId} exports ${format}, which cannot be queried; JSONL and CSV can.`);
}

function sniffPart({ run, file, path }: Part): Promise<Beginning> {
  return sniff(path, { gzip: file.gzip, format: formatOf(run) });
}

/** What the beginnings of the parts say, for each of the parts; throws what the first failure was. */
async function sniffAll(parts: readonly Part[]): Promise<Beginning[]> {
  const looks = await mapConcurrent(parts, FILES_AT_ONCE, sniffPart);
  return looks.map((look) => {
    if (look.status === 'rejected') throw look.reason;
    return look.value;
  });
}

function layoutOf(names: readonly string[], parts: readonly Part[], seen: readonly Beginning[]): Layout {
  const samples = new Map(names.map((name) => [name, seen.flatMap((each) => each.samples.get(name) ?? [])]));
  return { names, samples, fields: parts[0]?.run.fields ?? [] };
}

/** A part from the first, the middle and the last run. */
function spread(parts: readonly Part[]): Part[] {
  const firsts = [...grouped(parts, ({ run }) => run.runId).values()].flatMap(([first]) => first ?? []);
  return [...new Set([0, firsts.length >> 1, firsts.length - 1])].flatMap((at) => firsts[at] ?? []);
}

/** Lines name their members: three files tell which the fields do not tell. */
async function jsonBatch(parts: readonly Part[]): Promise<Batch[]> {
  const seen = await sniffAll(spread(parts));
  const expected = namesInFile(parts[0]?.run.fields ?? []);
  const names = [...new Set([...expected, ...seen.flatMap((each) => each.names)])];
  return [{ format: 'JSONL', layout: layoutOf(names, parts, seen), parts }];
}

/** The order of the columns counts, so that each header is read; a file without a row is left out. */
async function csvBatches(parts: readonly Part[]): Promise<Batch[]> {
  const seen = await sniffAll(parts);
  const looks = parts.flatMap((part, index) => {
    const look = seen[index];
    return look && look.names.length > 0 ? [{ part, look }] : [];
  });
  return [...grouped(looks, ({ look }) => JSON.stringify(look.names)).values()].map((alike) => {
    const filled = alike.filter(({ look }) => !look.isEmpty).map(({ part }) => part);
    const [first] = alike;
    return {
      format: 'CSV',
      layout: layoutOf(
        first?.look.names ?? [],
        parts,
        alike.map(({ look }) => look),
      ),
      parts: filled,
    };
  });
}

/** Sorts the files of runs by how they are read, after a look into them. */
export async function batchesOf(parts: readonly Part[]): Promise<Batch[]> {
  const alike = grouped(parts, ({ run }) => JSON.stringify([formatOf(run), run.fields]));
  const batches = [...alike.values()].map((group) => (group[0] && formatOf(group[0].run) === 'CSV' ? csvBatches(group) : jsonBatch(group)));
  return (await Promise.all(batches)).flat();
}
