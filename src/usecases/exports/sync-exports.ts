import { formatBytes } from '../../lib/number-text.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { Download } from '../../workspace/download/downloads.ts';
import { type FileLife, learnFileLife } from '../../workspace/download/file-life.ts';
import {
  asSuccessful,
  planSync,
  type SuccessfulRun,
  type SyncOutcome,
  type SyncPlan,
  successfulRuns,
  successfulRunsOf,
} from '../../workspace/download/sync-plan.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import type { Context } from '../context.ts';
import { runRowsSince } from './recent-runs.ts';
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

interface Waiting extends Pick<Context, 'progress' | 'clock' | 'signal'> {
  /** The wait ends then, by the clock. */
  readonly untilMs: number;
}

/** Waits for a single download and reports its progress to the host; returns its manifest, or undefined while it is still running. */
export async function followDownload(workspace: ProjectWorkspace, download: Download, { progress, clock, signal, untilMs }: Waiting) {
  let reported = -1;
  let words = '';
  const report = () => {
    const percent = Math.floor(percentOf(download));
    const now = phaseWords(download.progress);
    // Only whole percents and new phases are reported, not every chunk of a file.
    if (percent <= reported && now === words) return;
    [reported, words] = [Math.max(percent, reported + STEP), now];
    progress(reported, 100, progressWords(download, clock.now()));
  };
  report();
  const stop = download.onChange(report);
  try {
    await workspace.settled([download], untilMs, signal);
  } finally {
    stop();
  }
  const [outcome] = await outcomesOf([download]);
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

interface SyncOptions {
  readonly jobIds: readonly number[] | undefined;
  /** Only runs that completed since, ms since 1970. */
  readonly sinceMs: number | undefined;
  readonly waitSeconds: number;
}

/** Where a sync stands when the call ends; what is under way goes on. */
export interface SyncState {
  readonly plan: SyncPlan;
  readonly life: FileLife;
  /** One for each wanted run of the plan. */
  readonly outcomes: readonly SyncOutcome[];
  readonly failures: readonly { readonly jobId: number; readonly runId: number; readonly message: string }[];
  readonly count: (outcome: SyncOutcome) => number;
  /** Where the downloads that are under way stand together; undefined where no byte has arrived. */
  readonly arriving: string | undefined;
  /** On runs that succeeded without files, and on jobs whose run is under way. */
  readonly runWords: readonly string[];
}

/** The successful runs among which the wanted ones are. */
async function listRuns({ jobIds, sinceMs }: SyncOptions, ask: Context['ask']): Promise<SuccessfulRun[]> {
  if (jobIds) return successfulRunsOf(jobIds, ask);
  return sinceMs === undefined ? successfulRuns(ask) : asSuccessful(await runRowsSince(sinceMs, ask));
}

type SyncContext = Pick<Context, 'ask' | 'progress' | 'nowMs' | 'signal'>;

/** Starts or joins the download of every run that is wanted, and waits for them as long as is wished. */
export async function syncExports(
  workspace: ProjectWorkspace,
  options: SyncOptions,
  { ask, progress, nowMs, signal }: SyncContext,
): Promise<SyncState> {
  const [listed, here] = await Promise.all([listRuns(options, ask), workspace.runs()]);
  const life = await learnFileLife(ask, listed);
  const plan = planSync(listed, here, { ...options, nowMs, fileLifeMs: life.ms });
  if (plan.wanted.length > 0) await workspace.checkWritable();
  const downloads = plan.wanted.map((run) => workspace.downloadInTurn({ jobId: run.jobId, runId: run.runId }, run));
  let [ended, reported] = [0, -1];
  const bytesOf = (some: readonly Download[]) => sumOfKnown(some, (download) => download.progress.bytes);
  const report = () => {
    // Between two runs by the share of those that are fetched, so that large ones are seen to move.
    const share = [...running].reduce((sum, download) => sum + percentOf(download) / 100, 0) / Math.max(1, running.size);
    const done = ended + Math.min(share, 1 - STEP);
    if (signal.aborted || (done < reported + STEP && ended <= reported)) return;
    reported = ended > reported ? ended : done;
    progress(reported, downloads.length, `${ended} of ${downloads.length} runs fetched${bytesWords(bytesOf(downloads), undefined)}`);
  };
  const running = new Set(downloads);
  for (const download of downloads) {
    const end = () => {
      running.delete(download);
      ended += 1;
      report();
    };
    download.result.then(end, end);
  }
  if (downloads.length > 0) report();
  const stops = downloads.map((download) => download.onChange(report));
  try {
    await workspace.settled(downloads, nowMs + options.waitSeconds * 1_000, signal);
  } finally {
    for (const stop of stops) stop();
  }
  const ends = await outcomesOf(downloads);
  const outcomes = ends.map((end): SyncOutcome => {
    if (end === undefined) return 'under way';
    return end.status === 'fulfilled' ? 'fetched' : 'failed';
  });
  const failures = plan.wanted.flatMap(({ jobId, runId }, index) => {
    const end = ends[index];
    return end?.status === 'rejected'
      ? [{ jobId, runId, message: end.reason instanceof Error ? end.reason.message : String(end.reason) }]
      : [];
  });
  const runWords = [...(await withoutFilesWords(listed, options, { ask, nowMs })), ...(await computingWords(options, ask))];
  const bytes = bytesOf([...running]);
  const arriving = bytes === 0 ? undefined : `${formatBytes(bytes)} of what is under way are here`;
  return { plan, life, outcomes, failures, count: (outcome) => outcomes.filter((each) => each === outcome).length, arriving, runWords };
}
