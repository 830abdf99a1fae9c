import type { ToolContext } from '../../mcp/tool.ts';
import type { Download } from '../../workspace/downloads.ts';
import type { RunManifest } from '../../workspace/manifest.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';

/** Seconds that a call waits for a download when the caller names none. */
export const USUAL_WAIT_SECONDS = 20;

/** The least by which progress grows (protocol), where only the words are new. */
const STEP = 0.01;

/** How far a download is, in percent: half for the platform that computes, half for the files. */
function percentOf({ progress: { phase, completionRate = 0, bytes = 0, totalBytes } }: Download): number {
  if (phase === 'fetching') return 50 + (totalBytes ? (50 * bytes) / totalBytes : 0);
  // The reference does not say whether the rate is a share or a percentage.
  return phase === 'computing' ? Math.min(50, (completionRate <= 1 ? 100 * completionRate : completionRate) / 2) : 0;
}

/** Where a download stands, as a person would say it. */
export function progressWords({ progress }: Download): string {
  const { phase, runState, completionRate, files = 0, filesDone = 0 } = progress;
  if (phase === 'waiting') return 'is about to begin';
  if (phase === 'elsewhere') return 'another server that shares the data directory fetches it';
  if (phase === 'fetching') return `${filesDone} of ${files} files fetched`;
  return `the platform computes it: ${runState ?? 'state unknown'}${completionRate === undefined ? '' : `, completionRate ${completionRate}`}`;
}

interface Waiting {
  readonly progress: ToolContext['progress'];
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly waitSeconds: number;
}

/** Waits for a single download and tells the host each time it gets further; then gives what it is, undefined while it goes on. */
export async function followDownload(workspace: ProjectWorkspace, download: Download, { progress, nowMs, signal, waitSeconds }: Waiting) {
  let told = -1;
  let words = '';
  const tell = () => {
    const percent = Math.floor(percentOf(download));
    const now = progressWords(download);
    // Nobody wants to hear of every piece of a file.
    if (percent <= told && now === words) return;
    [told, words] = [Math.max(percent, told + STEP), now];
    progress(told, 100, now);
  };
  tell();
  const stop = download.onChange(tell);
  try {
    await workspace.settled([download], nowMs + waitSeconds * 1_000, signal);
  } finally {
    stop();
  }
  const [outcome] = await outcomesOf([download]);
  if (outcome?.status === 'rejected') throw outcome.reason;
  return outcome?.value;
}

type Outcome = PromiseSettledResult<RunManifest> | undefined;

/** How downloads have ended so far, in their order; undefined for those that go on. */
export async function outcomesOf(downloads: readonly Download[]): Promise<Outcome[]> {
  const goesOn = Promise.resolve(undefined);
  const outcomes = await Promise.allSettled(downloads.map(({ result }) => Promise.race([result, goesOn])));
  return outcomes.map((outcome) =>
    outcome.status === 'rejected' ? outcome : outcome.value && { status: outcome.status, value: outcome.value },
  );
}
