import { tenth } from '../har-analysis/rows.ts';
import type { HarStudy } from '../har-analysis/study.ts';
import type { Comparison } from './shape.ts';

export type NetEffect = Comparison['net'];

/** What each side says of the page as a whole. */
function measuresOf({ summary: { totals, document, errors }, blocking }: HarStudy): Record<string, number | null> {
  return {
    requests: totals.requests,
    transferBytes: totals.transferBytes,
    contentBytes: totals.contentBytes,
    redirectMs: document?.redirectMs ?? null,
    ttfbMs: document?.ttfbMs ?? null,
    renderBlockedUntilMs: blocking.untilMs,
    onLoadMs: totals.onLoadMs,
    durationMs: totals.durationMs,
    errors: errors.requests,
  };
}

/** The measures of both sides with their change; those that neither side knows, or that are 0 on both, are left out. */
export function netEffect(was: HarStudy, is: HarStudy): NetEffect {
  const after = measuresOf(is);
  return Object.entries(measuresOf(was)).flatMap(([measure, before]) => {
    const now = after[measure] ?? null;
    if (!before && !now) return [];
    const change = before === null || now === null ? null : tenth(now - before);
    return [{ measure, before: tenth(before), after: tenth(now), change }];
  });
}
