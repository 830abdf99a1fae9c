import * as z from 'zod';

const ms = z.number().nullable();
const size = z.number().nullable();
const text = z.string().nullable();
const amounts = { requests: z.number(), transferBytes: size, contentBytes: size };
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const requestFacts = { index: z.number(), url: z.string(), status: size, durationMs: ms, transferBytes: size, contentBytes: size };
const request = z.object(requestFacts);
const pageTimes = { durationMs: ms, onContentLoadMs: ms, onLoadMs: ms };
const pageCounts = { hosts: z.number(), domains: z.number(), fromCache: z.number() };
const documentFacts = {
  url: z.string(),
  status: size,
  protocol: text,
  redirectMs: ms,
  ttfbMs: ms,
  blockedMs: ms,
  dnsMs: ms,
  connectMs: ms,
  sslMs: ms,
  sendMs: ms,
  waitMs: ms,
  receiveMs: ms,
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
        requests: z.number(),
        costMs: ms,
        costBytes: size,
        basis: z.string(),
        when: z.string(),
        /** At most; left out where the paint is unknown. */
        wins: z.object({ fcpMs: z.number().optional(), lcpMs: z.number().optional() }).optional(),
        says: z.string(),
      }),
    )
    .optional(),
  /** As the report of the step says, ms after navigation. */
  paints: z.object({ fcpMs: ms, lcpMs: ms, tbtMs: ms }).optional(),
  /** The likely LCP element, an inference; its phases add up to LCP. */
  likelyLcp: z
    .object({
      kind: z.string(),
      certainty: z.string(),
      url: z.string().optional(),
      format: text.optional(),
      width: size.optional(),
      height: size.optional(),
      transferBytes: size.optional(),
      protocol: text.optional(),
      priority: text.optional(),
      startMs: ms.optional(),
      endMs: ms.optional(),
      phases: z.object({ serverMs: ms, loadDelayMs: ms, loadTimeMs: ms, renderDelayMs: ms }).optional(),
    })
    .optional(),
  document: z.object(documentFacts).nullable().optional(),
  redirects: z.array(request).optional(),
  totals: z.object({ ...amounts, ...z.object({ ...pageTimes, ...pageCounts, connectionsOpened: z.number() }).partial().shape }).optional(),
  byStatus: z.record(z.string(), z.number()).optional(),
  byProtocol: z.record(z.string(), z.number()).optional(),
  byType: z.array(z.object({ type: z.string(), ...amounts })).optional(),
  /** All third parties together. */
  thirdParties: z.object({ parties: z.number(), ...amounts, blocking: z.number() }).optional(),
  byParty: z.array(z.object({ party: z.string(), ...amounts })).optional(),
  parties: z.array(z.object({ name: z.string(), party: text, blocking: z.number(), ...amounts })).optional(),
  largest: z.array(request).optional(),
  slowest: z.array(request).optional(),
  criticalChain: z.array(z.object({ index: z.number(), url: z.string(), startMs: ms, endMs: ms, follows: z.string() })).optional(),
  /** The only request that matches, in full. */
  request: z.record(z.string(), cell).optional(),
  page: z.object({ matched: z.number(), from: z.number(), to: z.number(), cursor: z.string().optional() }).optional(),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(cell)).optional(),
});

/** The answer of `analyze_har` before defaults. */
export type HarAnswer = z.input<typeof harAnswerShape>;

const typedRequest = z.object({ ...requestFacts, type: z.string() });
const group = z.object(amounts);

/** A HAR file in the size of an answer; times in ms, sizes in bytes, null where the file does not say. */
export const harDigest = z.object({
  document: z
    .object({ ...documentFacts, redirects: z.number() })
    .omit({ blockedMs: true, sendMs: true, receiveMs: true })
    .nullable(),
  totals: z.object({ ...amounts, ...pageTimes, ...pageCounts }),
  byType: z.array(z.object({ type: z.string(), ...amounts })),
  byDomain: z.array(z.object({ domain: z.string(), party: text, ...amounts })),
  byStatus: z.record(z.string(), z.number()),
  errors: z.array(typedRequest),
  largest: z.array(typedRequest),
  slowest: z.array(typedRequest),
  findings: z.object({
    uncompressedText: group,
    uncompressedAnswers: group,
    missingCache: group,
    shortCache: group,
    duplicates: z.object({ addresses: z.number(), repeats: z.number(), transferBytes: size }),
  }),
});

/** The digest of a HAR file. */
export type HarDigest = z.input<typeof harDigest>;
