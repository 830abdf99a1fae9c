import { ApiError, orUndefined } from '../api/errors.ts';
import { listExportRuns } from '../api/operations/data-export.ts';
import { instantOf } from '../api/params.ts';
import { isoTime } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { daysIn } from '../lib/intervals.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted, formatBytes } from '../lib/number-text.ts';
import { present } from '../lib/sentences.ts';
import { sumOfKnown } from '../lib/tally.ts';
import type { Context } from '../names/context.ts';
import { daysText } from './coverage.ts';
import { computingWords, deliveriesAmong, type ListedDelivery, readRunRows, withoutFilesWords } from './deliveries.ts';
import type { ChosenRun, Download } from './download/download-run.ts';
import { asSuccessful, lifeWords } from './download/run-rows.ts';
import { type ExportContext, readJobs } from './export-lists.ts';
import { isCompleted, isOnce, lower } from './plan/similar-jobs.ts';
import type { ExportPlan, PlanPart } from './plans.ts';
import type { ProjectWorkspace } from './project-workspace.ts';
import { messageOf, WorkspaceError } from './store/disk.ts';
import { type RunManifest, rowsOf } from './store/manifest.ts';
import { loadsWords } from './warehouse/loaded-table.ts';

/** Seconds that a call waits for a download when the caller names none. */
export const USUAL_WAIT_SECONDS = 20;

/** Smallest step of progress, which must grow (protocol), where only the message is new. */
const STEP = 0.01;

/** The reference does not say whether the rate is a share or a percentage. */
const percentDone = (completionRate: number) => (completionRate <= 1 ? 100 * completionRate : completionRate);

/** How far a download is, in percent: half for the platform that computes, half for the files. */
function percentOf({ progress: { phase, completionRate = 0, bytes = 0, totalBytes } }: Download): number {
  if (phase === 'fetching') return 50 + (totalBytes ? (50 * bytes) / totalBytes : 0);
  return phase === 'computing' ? Math.min(50, percentDone(completionRate) / 2) : 0;
}

/** Bytes that have arrived, of how many where that is known; empty where there are none. */
function bytesWords(bytes: number, totalBytes: number | undefined): string {
  if (bytes === 0) return '';
  return `, ${formatBytes(bytes)}${totalBytes === undefined ? '' : ` of ${formatBytes(totalBytes)}`}`;
}

/** Where a download stands at an instant, as a person would say it. */
export function progressWords({ progress }: Download, nowMs: number): string {
  const { phase, bytes = 0, totalBytes, endsMs = nowMs } = progress;
  if (phase === 'fetching') return phaseWords(progress) + bytesWords(bytes, totalBytes);
  const left = Math.round((endsMs - nowMs) / 1_000);
  return phaseWords(progress) + (phase === 'computing' && left > 0 ? `, about ${left} s left` : '');
}

function phaseWords({ phase, runState, completionRate, files = 0, filesDone = 0 }: Download['progress']): string {
  if (phase === 'waiting') return 'is about to begin';
  if (phase === 'elsewhere') return 'another server that shares the data directory fetches it';
  if (phase === 'fetching') return `${filesDone} of ${files} files fetched`;
  if (/^(created|runnable)$/i.test(runState ?? '')) return 'it waits in the queue of the platform';
  return `the platform computes it${completionRate === undefined ? '' : `, ${Math.round(percentDone(completionRate))} % done`}`;
}

interface Waiting extends ExportContext {
  /** The wait ends then, by the clock. */
  readonly untilMs: number;
}

/** Waits for a single download and reports its progress to the host; returns its manifest, or undefined while it is still running. */
export async function followDownload(workspace: ProjectWorkspace, download: Download, waiting: Waiting) {
  const [outcome] = (await followAll(workspace, [download], waiting)).outcomes;
  if (outcome?.status === 'rejected') throw outcome.reason;
  return outcome?.value;
}

type Outcome = PromiseSettledResult<RunManifest> | undefined;

/** Failures that are written out; the table counts all. */
const MOST_FAILURES = 5;
/** Rows of jobs that nothing can be fetched of, unless they were asked for by name. */
const LOST_JOBS_SHOWN = 5;

/** The fates of runs by the end of a call, in the order in which the table counts them. */
const OUTCOMES = ['fetched', 'under way', 'failed', 'here before', 'expired'] as const;

/** A run with what became of it. */
interface Synced {
  readonly run: ListedDelivery;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly message?: string;
}

/**
 * Waits for downloads and reports their progress together, so that large ones are seen to move between two that end; gives the results so
 * far in their order, undefined for those that are still running.
 */
async function followAll(
  workspace: ProjectWorkspace,
  downloads: readonly Download[],
  { progress, clock, signal, untilMs }: Waiting,
): Promise<{ outcomes: Outcome[]; arriving: number }> {
  const ended = new Map<Download, Outcome>();
  const running = () => downloads.filter((download) => !ended.has(download));
  const only = downloads.length === 1 ? downloads[0] : undefined;
  let [reported, words] = [-1, ''];
  const bytesOf = (some: Iterable<Download>) => sumOfKnown(some, (download) => download.progress.bytes);
  const report = () => {
    const left = running();
    const share = sumOfKnown(left, percentOf) / 100 / Math.max(1, left.length);
    const done = only ? Math.floor(percentOf(only)) : ended.size + Math.min(share, 1 - STEP);
    const now = only ? phaseWords(only.progress) : `${ended.size} of ${downloads.length} runs fetched`;
    // Of one only whole percents and new phases are reported, not every chunk of a file.
    if (signal.aborted || (done < reported + STEP && now === words)) return;
    [reported, words] = [Math.max(done, reported + STEP), now];
    progress(
      reported,
      only ? 100 : downloads.length,
      only ? progressWords(only, clock.now()) : now + bytesWords(bytesOf(downloads), undefined),
    );
  };
  for (const download of downloads) {
    const end = (outcome: Outcome) => {
      ended.set(download, outcome);
      report();
    };
    download.result.then(
      (value) => end({ status: 'fulfilled', value }),
      (reason: unknown) => end({ status: 'rejected', reason }),
    );
  }
  if (downloads.length > 0) report();
  const stops = downloads.map((download) => download.onChange(report));
  try {
    await workspace.settled(downloads, untilMs, signal);
  } finally {
    for (const stop of stops) stop();
  }
  return { outcomes: downloads.map((download) => ended.get(download)), arriving: bytesOf(running()) };
}

/** Starts or joins the download of runs, and waits for them; those that are still under way then go on. */
export async function fetchRuns(workspace: ProjectWorkspace, runs: readonly ListedDelivery[], waiting: Waiting) {
  if (runs.length > 0) await workspace.checkWritable();
  const downloads = runs.map((run) => workspace.downloadInTurn({ jobId: run.jobId, runId: run.runId }, run));
  return followAll(workspace, downloads, waiting);
}

function syncedOf(run: ListedDelivery, outcome: Outcome): Synced {
  if (run.state !== 'available') return { run, outcome: run.state === 'expired' ? 'expired' : 'here before' };
  if (outcome === undefined) return { run, outcome: 'under way' };
  if (outcome.status === 'fulfilled') return { run, outcome: 'fetched' };
  return { run, outcome: 'failed', message: messageOf(outcome.reason) };
}

const isGone = ({ outcome }: Synced) => outcome === 'expired';
const WANTED = ['fetched', 'under way', 'failed'] as const;
/** Counts the runs of some fates. */
const counterOf =
  (all: readonly Synced[]) =>
  (...outcomes: readonly Synced['outcome'][]) =>
    all.filter(({ outcome }) => outcomes.includes(outcome)).length;

/** One row a job: those with something to fetch first, then those that lost most; of those that lost all only the first few. */
function syncTable(all: readonly Synced[], lostShown: number) {
  const jobs = [...grouped(all, ({ run }) => run.jobId).values()].map((own) => {
    const count = counterOf(own);
    const gone = own.filter(isGone).map(({ run }) => run.range);
    const at = (ms: number) => (Number.isFinite(ms) ? isoTime(ms) : null);
    return {
      wanted: count(...WANTED),
      gone: gone.length,
      isLost: gone.length === own.length,
      row: [
        own[0]?.run.jobId ?? 0,
        own[0]?.run.name ?? '',
        ...OUTCOMES.map((outcome) => count(outcome)),
        at(Math.min(...gone.map(({ startMs }) => startMs))),
        at(Math.max(...gone.map(({ endMs }) => endMs))),
      ],
    };
  });
  const inOrder = jobs.toSorted((a, b) => b.wanted - a.wanted || b.gone - a.gone);
  const left = inOrder.filter(({ isLost }) => isLost).slice(lostShown);
  return {
    columns: ['jobId', 'job', ...OUTCOMES, 'expired from', 'expired to'],
    rows: inOrder.filter((job) => !left.includes(job)).map(({ row }) => row),
    more: left.length,
  };
}

function answerOf(all: readonly Synced[], since: string | undefined): string {
  const count = counterOf(all);
  const wanted = count(...WANTED);
  const some = (outcome: Synced['outcome'], words: string = outcome) => count(outcome) > 0 && `${count(outcome)} ${words}`;
  const done = count('fetched') === wanted ? '' : `${count('fetched')} of `;
  const parts = present(
    wanted === 0 ? 'No new runs' : `${done}${counted(wanted, 'new run')} downloaded`,
    some('under way'),
    some('failed'),
    some('here before'),
    some('expired', 'had expired'),
  );
  // When a run completed does not tell of which days it is.
  const days = since === undefined ? undefined : daysText(daysIn(all.filter((each) => !isGone(each)).map(({ run }) => run.range)));
  return `${parts.join(', ')}${days === undefined ? '' : `; the data are ${days}`}.`;
}

function nextOf(all: readonly Synced[]): string {
  const count = counterOf(all);
  if (count('under way') > 0) return hint('sync_exports', 'Call sync_exports again with the same arguments; the work goes on meanwhile.');
  const lost = new Set(all.filter(isGone).map(({ run }) => run.jobId));
  const which = lost.size > 1 ? 'the jobId of each' : `jobId ${[...lost].join('')}`;
  const backfill = lost.size > 0 ? hint('find_export_gaps', ` find_export_gaps with ${which} plans the backfill of what had expired.`) : '';
  const next = count('failed')
    ? hint('sync_exports', 'Call sync_exports again: what has arrived is kept, the rest is tried once more.')
    : hint('query_export', 'query_export with a jobId describes and queries the data.', 'The files are in the workspace.');
  return `${next}${backfill}`;
}

/** The runs that a sync was asked for. */
interface SyncAsked {
  readonly jobIds?: readonly number[] | undefined;
  /** Only runs that completed since, as the caller wrote it. */
  readonly since?: string | undefined;
  readonly waitSeconds: number;
}

/** Jobs that were asked for by name and have no successful run. */
function idleWords({ jobIds = [], since }: SyncAsked, all: readonly Synced[]): string[] {
  const idle = jobIds.filter((jobId) => !all.some(({ run }) => run.jobId === jobId));
  if (idle.length === 0) return [];
  const period = since === undefined ? '' : ` since ${since}`;
  return [`No successful run${period} of job ${idle.join(', ')}${hint('list_export_runs', '; list_export_runs lists all its runs')}.`];
}

/** Starts or joins the download of every run that is wanted, and waits for them as long as is wished; what is under way goes on. */
export async function syncExports(asked: SyncAsked, context: ExportContext) {
  const { ask, nowMs, note } = context;
  const { jobIds, since, waitSeconds } = asked;
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  const workspace = await context.workspace();
  const rows = await readRunRows(jobIds, sinceMs, ask);
  const { runs, life } = await deliveriesAmong(rows, context);
  const meant = runs.filter(({ completedAt }) => sinceMs === undefined || Date.parse(completedAt) >= sinceMs);
  // Oldest first, because they expire first.
  const wanted: ListedDelivery[] = meant.filter(({ state }) => state === 'available').toReversed();
  const { outcomes, arriving } = await fetchRuns(workspace, wanted, { ...context, untilMs: nowMs + waitSeconds * 1_000 });
  const others = meant.filter(({ state }) => state !== 'available');
  const all = [...wanted, ...others].map((run, at) => syncedOf(run, outcomes[at]));
  const isUnderWay = all.some(({ outcome }) => outcome === 'under way');
  const { more, ...table } = syncTable(all, jobIds ? jobIds.length : LOST_JOBS_SHOWN);
  const loads = workspace.warehouse?.underWay() ?? [];
  const notes = [
    ...idleWords(asked, all),
    ...(await withoutFilesWords(asSuccessful(rows), { jobIds, sinceMs }, { ask, nowMs })),
    ...(await computingWords(jobIds, ask)),
    ...present(
      all.some(isGone) && `Expired: the platform deletes files ${lifeWords(life)}.`,
      isUnderWay && arriving > 0 && `${formatBytes(arriving)} of what is under way are here.`,
      loads.length > 0 && `${loadsWords(loads)}${hint('query_export', '; query_export waits for them')}.`,
      more > 0 && `${more} more jobs have nothing but expired runs; jobIds shows them.`,
    ),
  ];
  for (const sentence of notes) note(sentence);
  const failures = all.flatMap(({ run: { jobId, runId }, message }) => (message === undefined ? [] : { jobId, runId, message }));
  return {
    answer: answerOf(all, since),
    state: isUnderWay ? ('under way' as const) : ('complete' as const),
    ...table,
    ...(failures.length > 0 && { failures: failures.slice(0, MOST_FAILURES) }),
    directory: workspace.dir,
    next: nextOf(all),
  };
}

/** Pause before a job that has not run yet is looked at again. */
const LOOK_AGAIN_MS = 2_000;
/** A question waits so long for files, so that its call has time left for the answer. */
const QUESTION_MS = 34_000;
/** A question that only tells how long it takes may delay an answer by this long. */
const LOOK_MS = 3_000;

/** How the run of a planned job stands, with words for the caller. */
interface Arrival {
  readonly state: 'here' | 'under way' | 'failed';
  readonly words: string;
  /** Of a run that the platform computes, as it states it. */
  readonly completionRate?: number | undefined;
}

/** Starts or joins the download of a run, else of the latest one of its job; none where its files are here. */
export async function beginDownload(jobId: number, runId: number | undefined, { ask, workspace: open }: ExportContext) {
  const [workspace, { latestRun }] = await Promise.all([open(), import('./download/download-run.ts')]);
  const chosen: ChosenRun = runId === undefined ? await latestRun(jobId, ask) : { runId };
  const id = { jobId, runId: chosen.runId };
  const known = await workspace.find(id);
  if (!known) await workspace.checkWritable();
  return { workspace, id, chosen, known, download: known ? undefined : workspace.download(id, chosen.listed) };
}

/** The same of the only run of a job, which is waited for where the platform has not begun it. */
async function beginPlanned(jobId: number, untilMs: number, context: ExportContext): ReturnType<typeof beginDownload> {
  const { clock, signal } = context;
  try {
    return await beginDownload(jobId, undefined, context);
  } catch (error) {
    const mayBegin = error instanceof WorkspaceError && error.kind === 'pending' && clock.now() + LOOK_AGAIN_MS < untilMs;
    if (!mayBegin) throw error;
    await clock.sleep(LOOK_AGAIN_MS, signal);
    return beginPlanned(jobId, untilMs, context);
  }
}

async function fetchOne({ jobId, body }: PlanPart, untilMs: number, context: ExportContext): Promise<Arrival> {
  const here: Arrival = { state: 'here', words: `The files of "${body.name}" are here` };
  const underWay = (words: string): Arrival => ({ state: 'under way', words: `"${body.name}": ${words}` });
  try {
    const { workspace, download } = await beginPlanned(Number(jobId), untilMs, context);
    if (!download || (await followDownload(workspace, download, { ...context, untilMs }))) return here;
    return { ...underWay(progressWords(download, context.clock.now())), completionRate: download.progress.completionRate };
  } catch (error) {
    if (error instanceof WorkspaceError && error.kind === 'pending') return underWay('the platform has not begun it');
    if (!(error instanceof ApiError || error instanceof WorkspaceError)) throw error;
    return { state: 'failed', words: `The files of "${body.name}" are not here yet: ${error.message}` };
  }
}

/** Fetches the runs of jobs that plans made, as far as they come in time; those under way go on. */
function fetchParts(parts: readonly PlanPart[], untilMs: number, context: ExportContext): Promise<Arrival[]> {
  const percents = new Map<PlanPart, number>();
  let told = -1;
  return Promise.all(
    parts.map((part) => {
      // Several at once are told as one.
      const progress: Context['progress'] = (done, total, message) => {
        percents.set(part, done);
        const sum = sumOfKnown(percents.values(), (each) => each);
        // Progress must grow.
        if (sum <= told) return;
        told = sum;
        context.progress(sum / parts.length, total, parts.length > 1 ? `"${part.body.name}": ${message}` : message);
      };
      return fetchOne(part, untilMs, { ...context, progress });
    }),
  );
}

/** How long the once export that completed last took from its creation, in words; undefined where it was not seen. */
async function usualWords({ ask }: ExportContext): Promise<string | undefined> {
  const jobs = (await readJobs(ask)).filter((job) => isOnce(job) && isCompleted(job));
  const [latest] = jobs.toSorted((a, b) => instantOf(b.lastRunTime ?? '') - instantOf(a.lastRunTime ?? ''));
  if (!latest || typeof latest.jobId !== 'number') return undefined;
  const runs = await ask(listExportRuns, { jobId: latest.jobId }, { withinMs: LOOK_MS });
  const endMs = Math.max(...runs.filter(({ state }) => lower(state) === 'success').map(({ endDate }) => instantOf(endDate ?? '')));
  const seconds = (endMs - instantOf(latest.createdAt ?? '')) / 1_000;
  if (!(seconds > 0 && Number.isFinite(seconds))) return undefined;
  const took = seconds < 90 ? `${Math.round(seconds)} s` : counted(Math.round(seconds / 60), 'minute');
  return `The last export of the kind was ready ${took} after its creation.`;
}

/** Fetches the runs of a plan that was made for a question, and says how far that is, also of each job under way, and how it goes on. */
export async function fetchPlanned({ parts }: ExportPlan, untilMs: number, context: ExportContext) {
  const arrivals = await fetchParts(parts, untilMs, context);
  const words = arrivals.map(({ state, words: own }, at) => {
    const jobId = parts[at]?.jobId;
    return state === 'failed'
      ? `${own}${hint('download_export_run', `; download_export_run {"jobId":"${jobId}"} tries again`)}.`
      : `${own}.`;
  });
  const underWay = new Map(
    arrivals.flatMap(({ state, completionRate }, at) =>
      state === 'under way' ? [[parts[at]?.jobId ?? '', { completionRate }] as const] : [],
    ),
  );
  if (arrivals.every(({ state }) => state === 'here')) return { words: [...words, 'Ask the question again.'], underWay };
  if (underWay.size === 0) return { words, underWay };
  const usual = await usualWords(context).catch(orUndefined);
  const next =
    'The files are fetched by themselves. To go on, ask the question again in a minute or two: it waits up to ' +
    `${QUESTION_MS / 1_000} s for them and says how far they are.`;
  return { words: [...words, ...present(usual), next], underWay };
}

/**
 * Fetches files that applied plans are about to bring; gives words on those that are still to come. `waits`: for as long as a question has,
 * else only what is there by now.
 */
export async function awaitPlanned(parts: readonly PlanPart[], waits: boolean, context: ExportContext): Promise<string[]> {
  if (parts.length === 0) return [];
  const { nowMs, clock } = context;
  const arrivals = await fetchParts(parts, waits ? nowMs + QUESTION_MS : clock.now(), context);
  context.signal.throwIfAborted();
  return arrivals.flatMap(({ state, words }) => (state === 'under way' ? words : []));
}

/** The files of a run that is in the workspace, with a note where they hold nothing. */
export function wordDownload(run: RunManifest) {
  const { jobId, jobName: job, from, to, scope, format } = run;
  const files = run.files.map(({ name, bytes, rows }) => ({ name, bytes, rows }));
  const rowCount = rowsOf(run);
  const holds = files.length === 0 ? 'it has no files' : 'its files hold no rows';
  return {
    data: {
      job,
      from,
      to,
      scope,
      format,
      rowCount,
      bytes: sumOfKnown(files, (file) => file.bytes),
    },
    files,
    notes: rowCount === 0 ? [ofAnswer(`The run found nothing in its range: ${holds}.`)] : [],
    next: hint(
      'query_export',
      `query_export with jobId ${jobId} describes and queries the data.`,
      `The files of job ${jobId} are in the workspace.`,
    ),
  };
}
