import { ApiError, onApiError } from '../../api/errors.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { instantOf } from '../../api/params.ts';
import { lower } from '../../domain/exports/plan/similar-jobs.ts';
import { hint } from '../../lib/hint.ts';
import { counted } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import type { ExportPlan, PlanPart } from '../../workspace/plans.ts';
import { WorkspaceError } from '../../workspace/store/disk.ts';
import type { Context } from '../context.ts';
import { type ExportContext, readJobs } from './export-lists.ts';
import { followDownload, progressWords } from './sync-exports.ts';

/** Pause before a job that has not run yet is looked at again. */
const LOOK_AGAIN_MS = 2_000;
/** A question waits so long for files, so that its call has time left for the answer; for a run that is almost over a bit longer. */
const QUESTION_MS = 34_000;
const LONGEST_QUESTION_MS = 36_500;
/** A question that only tells how long it takes may delay an answer by this long. */
const LOOK_MS = 3_000;

/** How the run of a planned job stands, with words for the caller. */
interface Arrival {
  readonly state: 'here' | 'under way' | 'failed';
  readonly words: string;
  /** Of a run that the platform computes, as it states it. */
  readonly completionRate?: number | undefined;
}

/** The download of the job's run, which is waited for where the platform has not begun it; undefined where the files are here. */
async function downloadOf(jobId: number, untilMs: number, { ask, workspace: open, clock, signal }: ExportContext) {
  const [workspace, { latestRun }] = await Promise.all([open(), import('../../workspace/download/downloads.ts')]);
  for (;;) {
    try {
      const { runId, listed } = await latestRun(jobId, ask);
      if (await workspace.find({ jobId, runId })) return undefined;
      await workspace.checkWritable();
      return { workspace, download: workspace.download({ jobId, runId }, listed) };
    } catch (error) {
      const mayBegin = error instanceof WorkspaceError && error.kind === 'pending' && clock.now() + LOOK_AGAIN_MS < untilMs;
      if (!mayBegin) throw error;
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }
}

/** A wait for files: as long as this by the clock, and up to `lastMs` where the run should be over by then. */
interface Wait {
  readonly untilMs: number;
  readonly lastMs?: number;
}

async function fetchOne({ jobId, body }: PlanPart, { untilMs, lastMs = untilMs }: Wait, context: ExportContext): Promise<Arrival> {
  const here: Arrival = { state: 'here', words: `The files of "${body.name}" are here` };
  const underWay = (words: string): Arrival => ({ state: 'under way', words: `"${body.name}": ${words}` });
  try {
    const found = await downloadOf(Number(jobId), untilMs, context);
    if (!found) return here;
    const { workspace, download } = found;
    const first = await followDownload(workspace, download, { ...context, untilMs });
    const { phase, endsMs = lastMs } = download.progress;
    const isNear = !first && (phase === 'fetching' || endsMs < lastMs);
    const manifest = isNear ? await followDownload(workspace, download, { ...context, untilMs: lastMs }) : first;
    if (manifest) return here;
    return { ...underWay(progressWords(download, context.clock.now())), completionRate: download.progress.completionRate };
  } catch (error) {
    if (error instanceof WorkspaceError && error.kind === 'pending') return underWay('the platform has not begun it');
    if (!(error instanceof ApiError || error instanceof WorkspaceError)) throw error;
    return { state: 'failed', words: `The files of "${body.name}" are not here yet: ${error.message}` };
  }
}

/** Fetches the runs of jobs that plans made, as far as they come in time; those under way go on. */
function fetchParts(parts: readonly PlanPart[], wait: Wait, context: ExportContext): Promise<Arrival[]> {
  const percents = new Map<PlanPart, number>();
  let told = -1;
  return Promise.all(
    parts.map((part) => {
      // Several at once are told as one.
      const progress: Context['progress'] = (done, total, message) => {
        percents.set(part, done);
        const sum = [...percents.values()].reduce((all, each) => all + each, 0);
        // Progress must grow, also where a wait is prolonged.
        if (sum <= told) return;
        told = sum;
        context.progress(sum / parts.length, total, parts.length > 1 ? `"${part.body.name}": ${message}` : message);
      };
      return fetchOne(part, wait, { ...context, progress });
    }),
  );
}

/** How long the once export that completed last took from its creation, in words; undefined where it was not seen. */
async function usualWords({ ask }: ExportContext): Promise<string | undefined> {
  const jobs = (await readJobs(ask)).filter(({ frequency, state }) => lower(frequency) === 'once' && lower(state) === 'completed');
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
  const arrivals = await fetchParts(parts, { untilMs }, context);
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
  const usual = await usualWords(context).catch(onApiError(() => undefined));
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
  const nowMs = context.clock.now();
  const wait = waits ? { untilMs: nowMs + QUESTION_MS, lastMs: nowMs + LONGEST_QUESTION_MS } : { untilMs: nowMs };
  const arrivals = await fetchParts(parts, wait, context);
  context.signal.throwIfAborted();
  return arrivals.flatMap(({ state, words }) => (state === 'under way' ? words : []));
}
