import * as z from 'zod';
import { tenth } from '../analyse/request-rows.ts';
import type { HarStudy } from '../analyse/study-har.ts';
import { middleOf } from './compare-runs.ts';

const number = z.number().nullable();
const request = z.object({
  index: z.number(),
  url: z.string(),
  type: z.string(),
  durationMs: number,
  transferBytes: number,
  contentBytes: number,
  blocksRendering: z.boolean(),
});
const sized = z.object({ index: z.number(), url: z.string(), beforeBytes: z.number(), afterBytes: z.number() });
const timed = z.object({ index: z.number(), url: z.string(), beforeMs: z.number(), afterMs: z.number() });
const group = z.object({
  name: z.string(),
  requestsBefore: z.number(),
  requestsAfter: z.number(),
  transferBytesBefore: number,
  transferBytesAfter: number,
  contentBytesBefore: number,
  contentBytesAfter: number,
});

/** What changed between two HAR files: `index` is that of the later file, for removed requests that of the earlier one. */
export const comparisonShape = z.object({
  verdict: z.string(),
  samePage: z.boolean(),
  net: z.array(z.object({ measure: z.string(), before: number, after: number, change: number })),
  counts: z.object({
    added: z.number(),
    removed: z.number(),
    grown: z.number(),
    shrunk: z.number(),
    slower: z.number(),
    faster: z.number(),
    matched: z.number(),
  }),
  added: z.array(request),
  removed: z.array(request),
  grown: z.array(sized),
  shrunk: z.array(sized),
  slower: z.array(timed),
  faster: z.array(timed),
  byParty: z.array(group),
  byType: z.array(group),
  hosts: z
    .array(
      z.object({
        host: z.string(),
        presence: z.enum(['new', 'gone', 'comes and goes']),
        party: z.string().nullable(),
        runsBefore: z.number(),
        runsAfter: z.number(),
        requests: z.number(),
        transferBytes: z.number(),
        blocksRendering: z.boolean(),
      }),
    )
    .optional(),
});

export type Comparison = z.input<typeof comparisonShape>;

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

/** Median of each measure over the runs that know it. */
function medianMeasures(runs: readonly HarStudy[]): Record<string, number | null> {
  const measured = runs.map(measuresOf);
  const names = Object.keys(measured[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, middleOf(measured.map((run) => run[name] ?? null).filter((value) => value !== null)) ?? null]),
  );
}

/** The median measures of both sides with their change; those that neither side knows, or that are 0 on both, are left out. */
export function netEffect(was: readonly HarStudy[], is: readonly HarStudy[]): NetEffect {
  const after = medianMeasures(is);
  return Object.entries(medianMeasures(was)).flatMap(([measure, before]) => {
    const now = after[measure] ?? null;
    if (!before && !now) return [];
    const change = before === null || now === null ? null : tenth(now - before);
    return [{ measure, before: tenth(before), after: tenth(now), change }];
  });
}
