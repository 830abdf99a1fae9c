import pLimit from 'p-limit';
import { ApiError } from '../../api/errors.ts';
import type { GapStudy } from '../../domain/exports/gaps/find-gaps.ts';
import { allGapsAnswer, gapCounts } from '../../domain/exports/gaps/gap-words.ts';
import { type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { hint } from '../../lib/hint.ts';
import { firstOf } from '../../lib/sentences.ts';
import { openPlansOf, readJobs } from './export-lists.ts';
import { type AskedDays, type GapsContext, studyJob } from './find-export-gaps.ts';

/** Jobs that are studied at once. */
const AT_ONCE = 4;
/** After this no further job is begun, so that the call can end in its time. */
const PATIENCE_MS = 25_000;
/** Rows that an answer holds, and jobs that a note names. */
const MOST_ROWS = 40;
const MOST_NAMED = 10;

interface Studied {
  readonly job: JobRecord;
  readonly found: GapStudy;
}

const RUNNING: ReadonlySet<string> = new Set(['active', 'computing']);
const isRecurring = ({ frequency }: JobRecord) => lower(frequency) === 'daily' || lower(frequency) === 'hourly';

const named = (jobs: readonly JobRecord[]) =>
  firstOf(
    jobs.map(({ jobId }) => jobId),
    MOST_NAMED,
  );

/** Reports what each recurring job that runs has not delivered: a line a job, those that lack most first. */
export async function findAllGaps(asked: AskedDays, context: GapsContext) {
  const { ask, clock, note, progress, whole } = context;
  const store = await openPlansOf(context);
  const [jobs, plans] = await Promise.all([readJobs(ask), store.all()]);
  const recurring = jobs.filter(isRecurring);
  const due = recurring.filter(({ state }) => RUNNING.has(lower(state)));
  const untilMs = clock.now() + PATIENCE_MS;
  const [left, unread]: [JobRecord[], JobRecord[]] = [[], []];
  let [done, reason] = [0, ''];
  // One note for all instead of one a job.
  const quiet = { ...context, note: () => undefined, progress: () => undefined };
  const studied = await pLimit(AT_ONCE).map(due, async (job): Promise<Studied[]> => {
    if (clock.now() >= untilMs) {
      left.push(job);
      return [];
    }
    try {
      const { found } = await studyJob(job, { jobs, plans }, asked, quiet);
      progress((done += 1), due.length, `${done} of ${due.length} jobs looked at`);
      return [{ job, found }];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      reason ||= error.message;
      unread.push(job);
      return [];
    }
  });
  const counted = studied.flat().map(({ job, found }) => ({ job, name: job.name ?? String(job.jobId), ...gapCounts(found) }));
  const inOrder = counted.toSorted((a, b) => b.lost / b.total - a.lost / a.total);
  const rows = whole ? inOrder : inOrder.slice(0, MOST_ROWS);
  if (rows.length < inOrder.length) note(`${rows.length} of ${inOrder.length} jobs, those that lack most first.`);
  if (left.length > 0) note(`Not looked at for lack of time: ${left.length} jobs (${named(left)}). Name one by jobId.`);
  if (unread.length > 0) note(`Not read: ${unread.length} jobs (${named(unread)}): ${reason}`);
  const resting = recurring.filter((job) => !due.includes(job));
  if (resting.length > 0) note(`Not looked at: ${resting.length} recurring jobs that do not run (${named(resting)}). Name one by jobId.`);
  const one = hint('find_export_gaps', ' With jobId: causes, and a plan that fills the gaps.');
  note(`Without startDate: the last 92 days of daily jobs, 14 of hourly ones.${one}`);
  return {
    answer: allGapsAnswer(counted),
    columns: ['jobId', 'job', 'since', 'lacks', 'of', 'unit', 'ranges', 'expired'],
    rows: rows.map(({ job, name, since, lost, total, unit, ranges, expired }) => {
      return [job.jobId, name, since, lost, total, `${unit}s`, ranges, expired];
    }),
  };
}
