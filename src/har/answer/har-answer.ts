import * as z from 'zod';
import { members } from '../../lib/members.ts';

const count = z.number();
const known = count.nullable();
const text = z.string().nullable();
const amounts = { requests: count, ...members(known, 'transferBytes', 'contentBytes') };
const groupedBy = <Name extends string>(name: Name) => z.array(z.object({ ...members(z.string(), name), ...amounts }));
const cell = z.union([z.string(), count, z.boolean(), z.null()]);
const requestFacts = { index: count, url: z.string(), ...members(known, 'status', 'durationMs', 'transferBytes', 'contentBytes') };
const requests = z.array(z.object(requestFacts));
const loadFacts = { ...members(known, 'durationMs', 'onContentLoadMs', 'onLoadMs'), ...members(count, 'hosts', 'domains', 'fromCache') };
const documentFacts = {
  url: z.string(),
  status: known,
  protocol: text,
  ...members(known, 'redirectMs', 'ttfbMs', 'blockedMs', 'dnsMs', 'connectMs', 'sslMs', 'sendMs', 'waitMs', 'receiveMs'),
};

/** The views of a HAR file, the default one first. */
export const HAR_VIEWS = ['summary', 'waterfall', 'third_parties', 'problems', 'requests'] as const;

/** A HAR file in one view; times in ms from the first request, sizes in bytes, null where the file does not say. */
export const harAnswerShape = z.object({
  /** The main finding, in a sentence or two. */
  answer: z.string().optional(),
  view: z.enum(HAR_VIEWS),
  findings: z
    .array(
      z.object({
        problem: z.string(),
        requests: count,
        ...members(known, 'costMs', 'costBytes'),
        ...members(z.string(), 'basis', 'when'),
        /** At most; left out where the paint is unknown. */
        wins: z.object(members(count.optional(), 'fcpMs', 'lcpMs')).optional(),
        says: z.string(),
      }),
    )
    .optional(),
  /** As the report of the step says, ms after navigation. */
  paints: z.object(members(known, 'fcpMs', 'lcpMs', 'tbtMs')).optional(),
  /** The likely LCP element, an inference; its phases add up to LCP. */
  likelyLcp: z
    .object({
      ...members(z.string(), 'kind', 'certainty'),
      url: z.string().optional(),
      format: text.optional(),
      ...members(known.optional(), 'width', 'height', 'transferBytes'),
      ...members(text.optional(), 'protocol', 'priority'),
      ...members(known.optional(), 'startMs', 'endMs'),
      phases: z.object(members(known, 'serverMs', 'loadDelayMs', 'loadTimeMs', 'renderDelayMs')).optional(),
    })
    .optional(),
  document: z.object(documentFacts).nullable().optional(),
  redirects: requests.optional(),
  totals: z.object({ ...amounts, ...z.object({ ...loadFacts, connectionsOpened: count }).partial().shape }).optional(),
  ...members(z.record(z.string(), count).optional(), 'byStatus', 'byProtocol'),
  byType: groupedBy('type').optional(),
  /** All third parties together. */
  thirdParties: z.object({ parties: count, ...amounts, blocking: count }).optional(),
  byParty: groupedBy('party').optional(),
  parties: z.array(z.object({ name: z.string(), party: text, blocking: count, ...amounts })).optional(),
  ...members(requests.optional(), 'largest', 'slowest'),
  /** The only request that matches, in full. */
  request: z.record(z.string(), cell).optional(),
  page: z.object({ ...members(count, 'matched', 'from', 'to'), cursor: z.string().optional() }).optional(),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(cell)).optional(),
});

/** The answer of `analyze_har` before defaults. */
export type HarAnswer = z.input<typeof harAnswerShape>;

const typedRequests = z.array(z.object({ ...requestFacts, type: z.string() }));
const groups = members(z.object(amounts), 'uncompressedText', 'uncompressedAnswers', 'missingCache', 'shortCache');

/** A HAR file in the size of an answer; times in ms, sizes in bytes, null where the file does not say. */
export const harDigest = z.object({
  document: z
    .object({ ...documentFacts, redirects: count })
    .omit({ blockedMs: true, sendMs: true, receiveMs: true })
    .nullable(),
  totals: z.object({ ...amounts, ...loadFacts }),
  byType: groupedBy('type'),
  byDomain: z.array(z.object({ domain: z.string(), party: text, ...amounts })),
  byStatus: z.record(z.string(), count),
  ...members(typedRequests, 'errors', 'largest', 'slowest'),
  findings: z.object({ ...groups, duplicates: z.object({ ...members(count, 'addresses', 'repeats'), transferBytes: known }) }),
});

/** The digest of a HAR file. */
export type HarDigest = z.input<typeof harDigest>;
