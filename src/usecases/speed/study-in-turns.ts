import { createHash } from 'node:crypto';
import { fitAhead } from '../../domain/speed/engine/judge-series.ts';
import type { Report } from '../../domain/speed/runs.ts';
import { draftStudy, judgeDraft, type Study, type StudyDraft, type StudyOptions, studyFrom } from '../../domain/speed/scenario-study.ts';
import { yieldTurn } from '../../lib/concurrency.ts';
import type { Context } from '../context.ts';

/** Names all that the verdicts on a draft depend on. */
function digestOf({ tracked, judging }: StudyDraft): string {
  const hash = createHash('sha256').update(JSON.stringify(judging));
  for (const { group, rank, effect, series } of tracked) {
    hash.update(JSON.stringify([group, rank, effect, series.values.length]));
    hash.update(Float64Array.from(series.dates)).update(Float64Array.from(series.values));
  }
  return hash.digest('base64url');
}

/**
 * Studies a scenario without keeping other calls waiting: series by series, these in between. The same runs are judged once for all calls
 * of a principal.
 */
export async function studyInTurns(
  reports: readonly Report[],
  options: StudyOptions,
  { remember, signal }: Pick<Context, 'remember' | 'signal'>,
): Promise<Study> {
  await yieldTurn(signal);
  const draft = draftStudy(reports, options);
  const judged = await remember(['study', digestOf(draft)], async (shared) => {
    for (const { series, effect } of draft.tracked) {
      await yieldTurn(shared);
      fitAhead(series, { effect, ...draft.judging });
    }
    await yieldTurn(shared);
    return judgeDraft(draft);
  });
  return studyFrom(draft, judged);
}
