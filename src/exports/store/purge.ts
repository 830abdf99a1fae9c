import { FILE_LIFE_MS } from '../../api/params.ts';
import { counted, formatBytes } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { plainText } from '../../lib/strangers-text.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { ProjectWorkspace, UnfinishedRun } from '../project-workspace.ts';
import { messageOf } from './disk.ts';
import { isSameRun, type RunId, type RunManifest, rowsOf } from './manifest.ts';

/** Columns of the table, one row for each job; ranges are those of the data. */
export const WORKSPACE_COLUMNS = ['jobId', 'job', 'scope', 'format', 'runs', 'from', 'to', 'rows', 'bytes', 'unfinished'];

type PurgeRow = (string | number | null)[];

/** Jobs that a question shows. */
const SHOWN_JOBS = 20;

/** An unfinished run with the name of its job, where that is known. */
interface NamedRun extends UnfinishedRun {
  readonly jobName?: string | undefined;
}

/** The local files of each job: complete runs, what is unfinished, the last instant of the data, and the bytes of all. */
function byJob(runs: readonly RunManifest[], unfinished: readonly NamedRun[]) {
  return [...new Set([...runs, ...unfinished].map(({ jobId }) => jobId))].map((jobId) => {
    const own = runs.filter((run) => run.jobId === jobId);
    const parts = unfinished.filter((run) => run.jobId === jobId);
    const ends = own.map(({ to }) => to).toSorted();
    const bytes = sumOfKnown([...own.flatMap(({ files }) => files), ...parts], (file) => file.bytes);
    return { jobId, job: own.at(-1)?.jobName ?? parts[0]?.jobName, own, parts, until: ends.at(-1), bytes };
  });
}

/** One row a job, the largest first. */
export function workspaceTable(runs: readonly RunManifest[], unfinished: readonly NamedRun[]): PurgeRow[] {
  const jobs = byJob(runs, unfinished).toSorted((a, b) => b.bytes - a.bytes);
  return jobs.map(({ jobId, job = null, own, parts, until, bytes }): PurgeRow => {
    const latest = own.at(-1);
    const facts = [job, latest?.scope ?? null, latest?.format ?? null];
    const rows = own.length > 0 ? rowsOf({ files: own.flatMap(({ files }) => files) }) : undefined;
    return [jobId, ...facts, own.length, own[0]?.from ?? null, until ?? null, rows ?? null, bytes, parts.length];
  });
}

interface PurgeAsked {
  readonly jobIds?: readonly number[] | undefined;
  /** Only runs whose data end by then; what is unfinished has no data yet and stays. */
  readonly beforeMs?: number | undefined;
}

/** Whether a removal means a run, here or in the warehouse. */
export function isChosen({ jobId, to }: Pick<RunManifest, 'jobId' | 'to'>, { jobIds, beforeMs }: PurgeAsked): boolean {
  return (jobIds?.includes(jobId) ?? true) && (beforeMs === undefined || Date.parse(to) <= beforeMs);
}

interface PurgeSelection extends PurgeAsked {
  readonly nowMs: number;
  /** Of runs that are meant, which stay all the same. */
  readonly isKept?: (run: RunId) => boolean;
}

/** Which runs go, in words for a person, and how many of them the platform cannot give again. */
export function purgePlan(
  { runs, unfinished }: { runs: readonly RunManifest[]; unfinished: readonly NamedRun[] },
  { nowMs, isKept = () => false, ...asked }: PurgeSelection,
) {
  const going = runs.filter((run) => isChosen(run, asked) && !isKept(run));
  const parts = asked.beforeMs === undefined ? unfinished.filter((run) => isChosen({ ...run, to: '' }, asked) && !isKept(run)) : [];
  const jobs = byJob(going, parts).map(({ jobId, job, own, parts: rest, until, bytes }) => ({
    jobId,
    ...(job !== undefined && { job }),
    ...(own[0] && { runs: own.length, from: own[0].from, to: until }),
    ...(rest.length > 0 && { unfinished: rest.length }),
    bytes,
  }));
  return {
    complete: going,
    unfinished: parts,
    body: {
      runs: going.length,
      ...(parts.length > 0 && { unfinished: parts.length }),
      bytes: sumOfKnown(jobs, ({ bytes }) => bytes),
      jobs,
    },
    unrecoverable: going.filter(({ exportedAt }) => Date.parse(exportedAt) + FILE_LIFE_MS <= nowMs).length,
  };
}

/** Runs that go, here and from the warehouse. */
type PurgedParts = ReturnType<typeof purgePlan>['body'] & {
  readonly warehouse?: { readonly place: string; readonly runs: number; readonly rows: number; readonly lostBy: string };
};

/** The question before these runs are removed. */
export function purgeQuestion({ runs, unfinished: begun = 0, bytes, jobs, warehouse: loaded }: PurgedParts): string {
  const shown = jobs.slice(0, SHOWN_JOBS).map(({ jobId, job, runs: own, from, to, unfinished, bytes: size }) => {
    const whole = own !== undefined && `${counted(own, 'run')}, ${from} to ${to}`;
    const parts = present(whole, unfinished !== undefined && counted(unfinished, 'unfinished run'), formatBytes(size));
    return `${job === undefined ? `Job ${jobId}` : `"${plainText(job)}" (${jobId})`}: ${parts.join(', ')}`;
  });
  const more = jobs.length - SHOWN_JOBS;
  const all = present((runs > 0 || begun === 0) && counted(runs, 'downloaded run'), begun > 0 && counted(begun, 'unfinished run'));
  return present(
    `Remove ${all.join(' and ')} (${formatBytes(bytes)}) from this machine for good? The platform keeps what it has.`,
    ...shown,
    more > 0 && `and ${counted(more, 'more job', 'more jobs')}`,
    loaded &&
      loaded.runs > 0 &&
      `Also ${counted(loaded.runs, 'run')} with ${counted(loaded.rows, 'row')} from the warehouse ${loaded.place}, for ${loaded.lostBy}.`,
  ).join('\n');
}

/** Removes runs one after the other; what cannot be removed stays, with the reason. */
export async function removeRuns(
  workspace: ProjectWorkspace,
  { complete, unfinished }: Readonly<Record<'complete' | 'unfinished', readonly RunId[]>>,
) {
  let freedBytes = 0;
  const kept: (RunId & { readonly message: string })[] = [];
  for (const { jobId, runId } of [...complete, ...unfinished]) {
    try {
      freedBytes += await workspace.remove({ jobId, runId });
    } catch (error) {
      kept.push({ jobId, runId, message: messageOf(error) });
    }
  }
  const goneOf = (ids: readonly RunId[]) => ids.filter((id) => !kept.some((each) => isSameRun(each, id))).length;
  return {
    removedRuns: goneOf(complete),
    ...(unfinished.length > 0 && { removedUnfinished: goneOf(unfinished) }),
    freedBytes,
    ...(kept.length > 0 && { kept }),
  };
}
