import * as z from 'zod';

const number = z.number().nullable();
const count = z.number();
const sides = ['before', 'after'] as const;
const request = z.object({
  index: count,
  url: z.string(),
  type: z.string(),
  durationMs: number,
  transferBytes: number,
  contentBytes: number,
  blocksRendering: z.boolean(),
});
const sized = z.object({ index: count, url: z.string(), beforeBytes: count, afterBytes: count });
const timed = z.object({
  index: count,
  url: z.string(),
  beforeMs: count,
  afterMs: count,
  fcpMs: count.optional(),
  lcpMs: count.optional(),
  loadMs: count.optional(),
});
const group = z.object({
  name: z.string(),
  requestsBefore: count,
  requestsAfter: count,
  transferBytesBefore: number,
  transferBytesAfter: number,
  contentBytesBefore: number,
  contentBytesAfter: number,
});

/** Changes between two HAR files: `index` is that of the later file, for removed requests that of the earlier one. */
export const comparisonShape = z.object({
  answer: z.string(),
  samePage: z.boolean(),
  /** Of two given runs: what made one of them slower. */
  culprit: z
    .object({
      kind: z.enum(['whole run', 'document', 'host', 'request', 'page', 'nothing']),
      name: z.string().nullable(),
      slower: z.enum(sides).nullable(),
      times: number,
      says: z.string(),
    })
    .optional(),
  sides: z.array(
    z.object({
      side: z.enum(sides),
      fcpMs: number,
      lcpMs: number,
      tbtMs: number,
      onLoadMs: number,
      unusual: z.string().optional(),
      runs: count.optional().describe('Runs that these are medians of'),
    }),
  ),
  net: z.array(z.object({ measure: z.string(), before: number, after: number, change: number })),
  counts: z.object({
    added: count,
    removed: count,
    grown: count,
    shrunk: count,
    slower: count,
    faster: count,
    matched: count,
    onlyBefore: count.describe('Come and go from run to run: in before only, not gone'),
    onlyAfter: count.describe('Come and go: in after only, not new'),
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
        runsBefore: count,
        runsAfter: count,
        requests: count,
        transferBytes: count,
        blocksRendering: z.boolean(),
      }),
    )
    .optional(),
});

/** The answer of a comparison of two files. */
export type Comparison = z.input<typeof comparisonShape>;
