import type { GapStudy } from '../../domain/exports/gaps/find-gaps.ts';
import { GAPS } from '../../domain/exports/gaps/gap-words.ts';
import { firstAfter, type Status } from '../../domain/exports/gaps/run-coverage.ts';
import { joinedRanges, rangeName, sharedRanges } from '../../domain/exports/plan/job-bodies.ts';
import { deviceOf, type JobRecord, jobsWithContent, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { firstOf } from '../../lib/sentences.ts';
import type { FileLife } from '../../workspace/download/file-life.ts';
import { successfulRunsOf } from '../../workspace/download/sync-plan.ts';
import type { Context } from '../context.ts';
import { msOf } from './export-history.ts';
import { ranSince } from './recent-runs.ts';

/** Statuses of days of which another job may have files. */
const LACKING: ReadonlySet<Status> = new Set([...GAPS, 'expired']);
/** Jobs that are named, the newest first, and ranges of each. */
const MOST_JOBS = 3;
const MOST_RANGES = 6;
/** Jobs whose runs are looked for, those with the highest ids: they lie on few pages of the list. */
const MOST_SEARCHED = 20;

type HoldersContext = Pick<Context, 'ask' | 'nowMs' | 'workspace'>;

/** Which other jobs with all columns of a job have files, here or on the platform, of what it lacks: a sentence each. */
export async function otherHolders(
  job: JobRecord,
  { intervals, timeZone }: GapStudy,
  { jobs, life }: { jobs: readonly JobRecord[]; life: FileLife },
  { ask, nowMs, workspace }: HoldersContext,
): Promise<string[]> {
  const lost = joinedRanges(intervals.filter(({ status }) => LACKING.has(status)));
  const [first] = lost;
  const [device, columns] = [deviceOf(job), job.fields ?? []];
  // A record does not show which variable a column without a name of its own holds.
  const isUnknown = columns.some(({ fieldName, aliasName }) => (fieldName ?? '').endsWith('_var') && !aliasName);
  if (!first || !device || columns.length === 0 || isUnknown) return [];
  const others = jobsWithContent(jobs, { scope: job.scope ?? '', device, columns }).filter(({ jobId }) => jobId !== job.jobId);
  if (others.length === 0) return [];
  const kept = await workspace().then((opened) => opened.runs());
  const onDisk = new Set(kept.map(({ runId }) => runId));
  const keptJobs = new Set(kept.map(({ jobId }) => jobId));
  const isKept = ({ jobId }: JobRecord) => typeof jobId === 'number' && keptJobs.has(jobId);
  // Older runs have no files left, and a recurring job exports the days right before its runs.
  const oldestMs = nowMs - life.ms;
  const isLate = (lost.at(-1)?.toMs ?? 0) > oldestMs;
  // Expired files were delivered once, so only copies that are kept here can replace them.
  const hasGap = intervals.some(({ status }) => GAPS.includes(status));
  const likely = others.filter(({ frequency }) => hasGap && (isLate || lower(frequency) === 'once'));
  const recent = ranSince(likely, Math.max(first.fromMs, oldestMs)).slice(0, MOST_SEARCHED);
  const runs = await successfulRunsOf([...recent, ...others.filter(isKept).map(({ jobId }) => Number(jobId))], ask);
  const there = runs.filter(({ runId, completedAt }) => onDisk.has(runId) || Date.parse(completedAt) + life.ms > nowMs);
  const sentences = others.flatMap(({ jobId, name }) => {
    const covered = there.flatMap((run) => {
      const [fromMs, toMs] = [msOf(run.from), msOf(run.to)];
      return run.jobId === jobId && fromMs !== undefined && toMs !== undefined ? [{ fromMs, toMs: firstAfter(toMs) }] : [];
    });
    const held = sharedRanges(lost, joinedRanges(covered)).map((range) => rangeName(range, timeZone));
    if (held.length === 0) return [];
    return [`Job ${jobId} "${name ?? ''}" has all these columns and files of ${firstOf(held, MOST_RANGES)}.`];
  });
  if (sentences.length === 0) return [];
  return [...sentences.slice(0, MOST_JOBS), 'Whether another job has the same segment is not shown by the interface.'];
}
