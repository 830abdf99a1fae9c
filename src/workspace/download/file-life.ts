import type { Ask } from '../../api/client.ts';
import { onApiError } from '../../api/errors.ts';
import { getExportRun } from '../../api/operations/data-export.ts';
import { FILE_LIFE_MS } from '../../api/params.ts';
import { expiriesOf } from '../../domain/exports/files-until.ts';
import { DAY_MS } from '../../lib/clock.ts';
import type { SuccessfulRun } from './run-rows.ts';

/** How long the platform keeps the files of a run. */
export interface FileLife {
  readonly ms: number;
  /** True where a run said it by its `expirationDate`; else it is what deployments usually keep. */
  readonly isKnown: boolean;
}

/** A question that only improves a guess may delay an answer by this long. */
const LONGEST_MS = 3_000;
const USUAL: FileLife = { ms: FILE_LIFE_MS, isKnown: false };

/** The life of files by the `expirationDate` of the run that completed last: one request decides for all older ones. */
export async function learnFileLife(ask: Ask, runs: readonly SuccessfulRun[]): Promise<FileLife> {
  const [latest] = runs.filter(({ completedAt }) => completedAt !== '').toSorted((a, b) => (a.completedAt < b.completedAt ? 1 : -1));
  if (!latest) return USUAL;
  const { jobId, runId } = latest;
  const run = await ask(getExportRun, { jobId, runId }, { withinMs: LONGEST_MS }).catch(onApiError(() => undefined));
  const ends = expiriesOf(run ?? {});
  const ms = Math.min(...ends) - Date.parse(latest.completedAt);
  return ends.length > 0 && ms > 0 ? { ms, isKnown: true } : USUAL;
}

/** How long files are kept and how that is known: `3 days after completion (expirationDate of the latest run)`. */
export function lifeWords({ ms, isKnown }: FileLife): string {
  const days = Math.round((10 * ms) / DAY_MS) / 10;
  const source = isKnown ? 'expirationDate of the latest run' : 'inferred: no run says it';
  return `${days} ${days === 1 ? 'day' : 'days'} after completion (${source})`;
}
