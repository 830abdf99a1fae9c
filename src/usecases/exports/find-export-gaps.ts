import pLimit from 'p-limit';
import { checkInput } from '../../api/check-input.ts';
import { ApiError, onApiError } from '../../api/errors.ts';
import { createExportJob } from '../../api/operations/data-export.ts';
import { type BackfillContent, backfillName } from '../../domain/exports/gaps/backfill.ts';
import type { GapStudy, Status } from '../../domain/exports/gaps/find-gaps.ts';
import { allGapsAnswer, GAPS, gapAnswer, gapCounts, gapRows, mostTelling, OUTSIDE } from '../../domain/exports/gaps/gap-words.ts';
import { bodiesOf, splitRange } from '../../domain/exports/plan/job-bodies.ts';
import { deviceOf, idsOfEqual, isRunning, type JobRecord, jobsWithContent, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { rangeName } from '../../lib/dates.ts';
import { hint } from '../../lib/hint.ts';
import { intersect, union } from '../../lib/intervals.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { firstOf } from '../../lib/sentences.ts';
import { type FileLife, lifeWords } from '../../workspace/download/file-life.ts';
import { availableRuns } from './deliveries.ts';
import type { ExportContext } from './export-lists.ts';
import { type AskedDays, contentFor, type Exports, readExports, studyJob } from './gap-study.ts';

const partsOf = ({ intervals }: GapStudy, statuses: readonly Status[]) => intervals.filter(({ status }) => statuses.includes(status));

/** Jobs that are named, the newest first, and ranges of each. */
const MOST_HOLDERS = 3;
const MOST_RANGES = 6;
/** Jobs whose runs are looked for, those with the highest ids: they lie on few pages of the list. */
const MOST_SEARCHED = 20;

/** Which other jobs with all columns of a job have files, here or on the platform, of what it lacks: a sentence each. */
async function otherHolders(job: JobRecord, found: GapStudy, jobs: readonly JobRecord[], context: ExportContext) {
  const lost = union(partsOf(found, [...GAPS, 'expired']));
  const [first] = lost;
  const [device, columns] = [deviceOf(job), job.fields ?? []];
  // A record does not show which variable a column without a name of its own holds.
  const isUnknown = columns.some(({ fieldName, aliasName }) => (fieldName ?? '').endsWith('_var') && !aliasName);
  if (!first || !device || columns.length === 0 || isUnknown) return [];
  const alike = jobsWithContent(jobs, { scope: job.scope ?? '', device, columns }).filter(({ jobId }) => jobId !== job.jobId);
  const others = alike.slice(0, MOST_SEARCHED);
  const there = await availableRuns(others, first.startMs, context);
  const sentences = others.flatMap(({ jobId, name }) => {
    const ranges = there.flatMap((run) => (run.jobId === jobId ? [run.range] : []));
    const held = intersect(lost, ranges).map((range) => rangeName(range, found.timeZone));
    return held.length === 0 ? [] : [`Job ${jobId} "${name ?? ''}" has all these columns and files of ${firstOf(held, MOST_RANGES)}.`];
  });
  if (sentences.length === 0) return [];
  return [...sentences.slice(0, MOST_HOLDERS), 'Whether another job has the same segment is not shown by the interface.'];
}

/** How far the rows can be relied on. */
function gapNotes(found: GapStudy, life: FileLife): string[] {
  const has = (status: Status) => partsOf(found, [status]).length > 0;
  const notes: readonly (readonly [boolean, string])[] = [
    [found.isInferred, 'Inferred: which range a run without files was for (from its start time; the interface does not show the range).'],
    [
      has('suspicious'),
      'Suspicious: the run succeeded without rows although the visits metric counts visits there (a segment of the job is not shown).',
    ],
    [has('expired'), `Expired: the platform deletes files ${lifeWords(life)}.`],
    [found.cutToDays !== undefined, `The job has run longer; these are the last ${found.cutToDays} days. Pass startDate for more.`],
  ];
  return notes.flatMap(([isSo, sentence]) => (isSo ? [sentence] : []));
}

/** Keeps a plan that fills all intervals of these statuses; undefined where there is none. */
async function planBackfill(
  job: JobRecord,
  found: GapStudy,
  statuses: readonly Status[],
  { content, jobs, store, note, nowMs }: Pick<Exports, 'jobs' | 'store'> & ExportContext & { content: BackfillContent },
) {
  const { timeZone } = found;
  // Neighbours together, none longer than a job takes.
  const ranges = union(partsOf(found, statuses)).flatMap((range) => splitRange(range, timeZone));
  if (ranges.length === 0 || content.columns.length === 0) return undefined;
  const taken = new Set(jobs.map(({ name }) => name ?? ''));
  const bodies = bodiesOf({ ...content, frequency: 'once', ranges }, { timeZone, taken, base: backfillName(job) });
  try {
    for (const body of bodies) checkInput(createExportJob, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(
      `No backfill can be planned from what the job shows: ${error.message}` +
        hint('plan_export', ' plan_export with fields of your choice makes one.'),
    );
    return undefined;
  }
  const { planId } = await store.add({ bodies, known: idsOfEqual(jobs, bodies), fills: job.jobId, nowMs });
  return { planId, words: `${bodies.length} once ${bodies.length === 1 ? 'job' : 'jobs'}` };
}

/** Plans the jobs that fill what is missing, and apart from them those that export again what expired. */
async function planGaps(job: JobRecord, found: GapStudy, toFill: readonly Status[], exports: Exports, context: ExportContext) {
  const { note } = context;
  const content = await contentFor(job, exports.plans, context);
  const parts = { ...exports, ...context, content };
  const backfill = await planBackfill(job, found, toFill, parts);
  const expired = await planBackfill(job, found, ['expired'], parts);
  for (const sentence of content.doubts) note(sentence);
  if (backfill)
    note(
      ofAnswer(
        `planId ${partsOf(found, GAPS).length > 0 ? 'fills what is missing' : 'exports what the job did not'} with ${backfill.words}` +
          `${hint('apply_export_plan', `: apply_export_plan {"planId":"${backfill.planId}"} shows them first`)}.`,
      ),
    );
  if (expired)
    note(
      ofAnswer(`expiredPlanId exports again what expired, with ${expired.words}; not needed where the files were fetched by other means.`),
    );
  return { ...(backfill && { planId: backfill.planId }), ...(expired && { expiredPlanId: expired.planId }) };
}

/** Rows that an answer holds. */
const MOST_ROWS = 40;

/** Reports what a job has delivered and why the rest is missing, and plans the jobs that fill the gaps. */
export async function findExportGaps(asked: AskedDays & { readonly jobId: number }, context: ExportContext) {
  const { note } = context;
  const exports = await readExports(context);
  const { jobs } = exports;
  const job = jobs.find(({ jobId }) => jobId === asked.jobId);
  if (!job) throw new ApiError('missing', `There is no export job ${asked.jobId} in this project.`);
  const { found, life } = await studyJob(job, exports, asked, context);
  const { range, unit } = found;
  if (range.startMs < range.endMs) context.covers(range.startMs, range.endMs);
  const all = gapRows(found);
  const rows = context.whole ? all : mostTelling(all, MOST_ROWS);
  if (rows.length < all.length) note(`${rows.length} of ${all.length} rows, gaps first; narrow with startDate and endDate.`);
  for (const sentence of [...(await otherHolders(job, found, jobs, context)), ...gapNotes(found, life)]) note(sentence);
  // Beside gaps of a job that ran, the time in which it did not is planned only where somebody asks for it.
  const isAsked = asked.startDate !== undefined || asked.endDate !== undefined;
  const toFill = isAsked || partsOf(found, GAPS).length === 0 ? [...GAPS, ...OUTSIDE] : GAPS;
  return {
    answer: gapAnswer(found, job.name ?? String(job.jobId)),
    columns: ['range', `${unit}s`, 'status', 'cause'],
    rows: rows.map((row) => [row.range, row.slots, row.status, row.cause]),
    ...(partsOf(found, [...toFill, 'expired']).length > 0 && (await planGaps(job, found, toFill, exports, context))),
  };
}

/** Jobs that are studied at once. */
const AT_ONCE = 4;
/** After this no further job is begun, so that the call can end in its time. */
const PATIENCE_MS = 25_000;
/** Jobs that a note names. */
const MOST_NAMED = 10;

const isRecurring = ({ frequency }: JobRecord) => lower(frequency) === 'daily' || lower(frequency) === 'hourly';

/** Reports what each recurring job that runs has not delivered: a line a job, those that lack most first. */
export async function findAllGaps(asked: AskedDays, context: ExportContext) {
  const { clock, note, progress, whole } = context;
  const exports = await readExports(context);
  const recurring = exports.jobs.filter(isRecurring);
  const due = recurring.filter(isRunning);
  const untilMs = clock.now() + PATIENCE_MS;
  const left: { readonly job: JobRecord; readonly why: string }[] = [];
  let done = 0;
  // One note for all instead of one a job.
  const quiet = { ...context, note: () => undefined, progress: () => undefined };
  const studied = await pLimit(AT_ONCE).map(due, async (job) => {
    const leave = (why: string) => void left.push({ job, why });
    const found =
      clock.now() < untilMs
        ? await studyJob(job, exports, asked, quiet).catch(onApiError(({ message }) => leave(message)))
        : leave('time ran out; name one by jobId.');
    if (!found) return [];
    progress((done += 1), due.length, `${done} of ${due.length} jobs looked at`);
    return [{ job, name: job.name ?? String(job.jobId), ...gapCounts(found.found) }];
  });
  const counts = studied.flat().toSorted((a, b) => b.lost / b.total - a.lost / a.total);
  const rows = whole ? counts : counts.slice(0, MOST_ROWS);
  if (rows.length < counts.length) note(`${rows.length} of ${counts.length} jobs, those that lack most first.`);
  const named = (jobs: readonly JobRecord[]) =>
    `${jobs.length} (${firstOf(
      jobs.map(({ jobId }) => jobId),
      MOST_NAMED,
    )})`;
  if (left.length > 0) note(`Jobs that were not looked at: ${named(left.map(({ job }) => job))}: ${left[0]?.why ?? ''}`);
  const resting = recurring.filter((job) => !due.includes(job));
  if (resting.length > 0) note(`Recurring jobs that do not run were not looked at: ${named(resting)}. Name one by jobId.`);
  const one = hint('find_export_gaps', ' With jobId: causes, and a plan that fills the gaps.');
  note(`Without startDate: the last 92 days of daily jobs, 14 of hourly ones.${one}`);
  return {
    answer: allGapsAnswer(counts),
    columns: ['jobId', 'job', 'since', 'lacks', 'of', 'unit', 'ranges', 'expired'],
    rows: rows.map(({ job, name, since, lost, total, unit, ranges, expired }) => {
      return [job.jobId, name, since, lost, total, `${unit}s`, ranges, expired];
    }),
  };
}
