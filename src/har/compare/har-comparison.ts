import * as z from 'zod';
import { members } from '../../lib/members.ts';

const count = z.number();
const known = count.nullable();
const sides = z.enum(['before', 'after']);
const named = { index: count, url: z.string() };
const requests = z.array(
  z.object({
    ...named,
    type: z.string(),
    ...members(known, 'durationMs', 'transferBytes', 'contentBytes'),
    blocksRendering: z.boolean(),
  }),
);
const sized = z.array(z.object({ ...named, ...members(count, 'beforeBytes', 'afterBytes') }));
const timed = z.array(
  z.object({ ...named, ...members(count, 'beforeMs', 'afterMs'), ...members(count.optional(), 'fcpMs', 'lcpMs', 'loadMs') }),
);
const groups = z.array(
  z.object({
    name: z.string(),
    ...members(count, 'requestsBefore', 'requestsAfter'),
    ...members(known, 'transferBytesBefore', 'transferBytesAfter', 'contentBytesBefore', 'contentBytesAfter'),
  }),
);

/** Changes between two HAR files: `index` is that of the later file, for removed requests that of the earlier one. */
export const comparisonShape = z.object({
  answer: z.string(),
  samePage: z.boolean(),
  /** Of two given runs: what made one of them slower. */
  culprit: z
    .object({
      kind: z.enum(['whole run', 'document', 'host', 'request', 'page', 'nothing']),
      name: z.string().nullable(),
      slower: sides.nullable(),
      times: known,
      says: z.string(),
    })
    .optional(),
  sides: z.array(
    z.object({
      side: sides,
      ...members(known, 'fcpMs', 'lcpMs', 'tbtMs', 'onLoadMs'),
      unusual: z.string().optional(),
      runs: count.optional().describe('Runs that these are medians of'),
    }),
  ),
  net: z.array(z.object({ measure: z.string(), ...members(known, 'before', 'after', 'change') })),
  counts: z.object({
    ...members(count, 'added', 'removed', 'grown', 'shrunk', 'slower', 'faster', 'matched'),
    onlyBefore: count.describe('Come and go from run to run: in before only, not gone'),
    onlyAfter: count.describe('Come and go: in after only, not new'),
  }),
  ...members(requests, 'added', 'removed'),
  ...members(sized, 'grown', 'shrunk'),
  ...members(timed, 'slower', 'faster'),
  ...members(groups, 'byParty', 'byType'),
  hosts: z
    .array(
      z.object({
        host: z.string(),
        presence: z.enum(['new', 'gone', 'comes and goes']),
        party: z.string().nullable(),
        ...members(count, 'runsBefore', 'runsAfter', 'requests', 'transferBytes'),
        blocksRendering: z.boolean(),
      }),
    )
    .optional(),
});

/** The answer of a comparison of two files. */
export type Comparison = z.input<typeof comparisonShape>;
