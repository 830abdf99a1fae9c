import * as z from 'zod';

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
});

export type Comparison = z.input<typeof comparisonShape>;
