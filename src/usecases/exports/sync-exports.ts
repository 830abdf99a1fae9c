import { daysText } from '../../domain/exports/coverage.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import { daysIn } from '../../lib/intervals.ts';
import { counted, formatBytes } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { Download } from '../../workspace/download/downloads.ts';
import { lifeWords } from '../../workspace/download/file-life.ts';
import { asSuccessful } from '../../workspace/download/run-rows.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import { loadsWords } from '../../workspace/warehouse/loaded-table.ts';
import { deliveriesAmong, type ListedDelivery, readRunRows } from './deliveries.ts';
import type { ExportContext } from './export-lists.ts';
import { computingWords, withoutFilesWords } from './runs-without-files.ts';

/** Seconds that a call waits for a download when the caller names none. */
export const USUAL_WAIT_SECONDS = 20;

/** Smallest step of progress, which must grow (protocol), where only the message is new. */
const STEP = 0.01;

/** How far a download is, in percent: half for the platform that computes, half for the files. */
function percentOf({ progress: { phase, completionRate = 0, bytes = 0, totalBytes } }: Download): number {
  if (phase === 'fetching') return 50 + (totalBytes ? (50 * bytes) / totalBytes : 0);
  // The reference does not say whether the rate is a share or a percentage.
  return phase === 'computing' ? Math.min(50, (completionRate <= 1 ? 100 * completionRate : completionRate) / 2) : 0;
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
  return (
    'the platform computes it: ' +
    `${runState ?? 'state unknown'}${completionRate === undefined ? '' : `, completionRate ${completionRate}`}`
  );
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

/** Results of the downloads so far, in their order; undefined for those that are still running. */
async function outcomesOf(downloads: readonly Download[]): Promise<Outcome[]> {
  const goesOn = Promise.resolve(undefined);
  const outcomes = await Promise.allSettled(downloads.map(({ result }) => Promise.race([result, goesOn])));
  return outcomes.map((outcome) =>
    outcome.status === 'rejected' ? outcome : outcome.value && { status: outcome.status, value: outcome.value },
  );
}

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

/** Waits for downloads and reports their progress together, so that large ones are seen to move between two that end. */
async function followAll(
  workspace: ProjectWorkspace,
  downloads: readonly Download[],
  { progress, clock, signal, untilMs }: Waiting,
): Promise<{ outcomes: Outcome[]; arriving: number }> {
  const running = new Set(downloads);
  const only = downloads.length === 1 ? downloads[0] : undefined;
  let [reported, words] = [-1, ''];
  const bytesOf = (some: Iterable<Download>) => sumOfKnown(some, (download) => download.progress.bytes);
  const report = () => {
    const ended = downloads.length - running.size;
    const share = sumOfKnown(running, percentOf) / 100 / Math.max(1, running.size);
    const done = only ? Math.floor(percentOf(only)) : ended + Math.min(share, 1 - STEP);
    const now = only ? phaseWords(only.progress) : `${ended} of ${downloads.length} runs fetched`;
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
    const end = () => {
      running.delete(download);
      report();
    };
    download.result.then(end, end);
  }
  if (downloads.length > 0) report();
  const stops = downloads.map((download) => download.onChange(report));
  try {
    await workspace.settled(downloads, untilMs, signal);
  } finally {
    for (const stop of stops) stop();
  }
  return { outcomes: await outcomesOf(downloads), arriving: bytesOf(running) };
}

function syncedOf(run: ListedDelivery, outcome: Outcome): Synced {
  if (outcome === undefined) return { run, outcome: 'under way' };
  if (outcome.status === 'fulfilled') return { run, outcome: 'fetched' };
  const { reason } = outcome;
  return { run, outcome: 'failed', message: reason instanceof Error ? reason.message : String(reason) };
}

const isGone = ({ outcome }: Synced) => outcome === 'expired';
const isKept = ({ outcome }: Synced) => outcome === 'expired' || outcome === 'here before';

/** One row a job: those with something to fetch first, then those that lost most; of those that lost all only the first few. */
function syncTable(all: readonly Synced[], lostShown: number) {
  const jobs = [...grouped(all, ({ run }) => run.jobId).values()].map((own) => {
    const gone = own.filter(isGone).map(({ run }) => run.range);
    const at = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);
    return {
      wanted: own.filter((each) => !isKept(each)).length,
      gone: gone.length,
      isLost: own.every(isGone),
      row: [
        own[0]?.run.jobId ?? 0,
        own[0]?.run.name ?? '',
        ...OUTCOMES.map((outcome) => own.filter((each) => each.outcome === outcome).length),
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
  const count = (outcome: Synced['outcome']) => all.filter((each) => each.outcome === outcome).length;
  const wanted = all.filter((each) => !isKept(each)).length;
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
  const has = (outcome: Synced['outcome']) => all.some((each) => each.outcome === outcome);
  if (has('under way')) return hint('sync_exports', 'Call sync_exports again with the same arguments; the work goes on meanwhile.');
  const lost = new Set(all.filter(isGone).map(({ run }) => run.jobId));
  const which = lost.size > 1 ? 'the jobId of each' : `jobId ${[...lost].join('')}`;
  const backfill = lost.size > 0 ? hint('find_export_gaps', ` find_export_gaps with ${which} plans the backfill of what had expired.`) : '';
  const next = has('failed')
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
  if (wanted.length > 0) await workspace.checkWritable();
  const downloads = wanted.map((run) => workspace.downloadInTurn({ jobId: run.jobId, runId: run.runId }, run));
  const { outcomes, arriving } = await followAll(workspace, downloads, { ...context, untilMs: nowMs + waitSeconds * 1_000 });
  const others = meant.filter(({ state }) => state !== 'available');
  const all = [
    ...wanted.map((run, at) => syncedOf(run, outcomes[at])),
    ...others.map((run): Synced => ({ run, outcome: run.state === 'expired' ? 'expired' : 'here before' })),
  ];
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
