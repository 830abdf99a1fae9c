import * as z from 'zod';

const maybe = z.number().nullable();
const runs = z.object({ start: z.string(), end: z.string(), runs: z.number(), failed: z.number(), failurePercent: maybe });

/** The structured answer to "is this scenario slower?"; values in the unit of their metric, shares in percent, null where there is no value. */
export const scenarioAnswerShape = z.object({
  answer: z.string(),
  verdict: z.enum(['slower', 'faster', 'within noise', 'not enough data']),
  scenarioId: z.number(),
  name: z.string().optional(),
  uri: z.string(),
  baseline: runs,
  period: runs,
  comparisons: z.object({ slower: z.number(), faster: z.number(), withinNoise: z.number(), notEnoughData: z.number() }),
  /** The first report from which the change holds, and the levels on both sides of it. */
  since: z
    .object({
      date: z.number(),
      time: z.string(),
      step: z.string(),
      metric: z.string(),
      levelBefore: z.number(),
      level: z.number(),
      until: z.string().optional(),
    })
    .optional(),
  events: z.array(z.object({ key: z.string(), text: z.string(), time: z.string(), minutesBefore: z.number() })).optional(),
  serverShare: z
    .object({
      step: z.string(),
      side: z.enum(['server', 'front end']),
      ttfbOfLcpPercentBefore: maybe,
      ttfbOfLcpPercent: maybe,
      ttfbOfChangePercent: maybe.optional(),
    })
    .optional(),
  failureVerdict: z.enum(['more failures', 'fewer failures', 'within noise', 'not enough data']),
  failedSteps: z.array(z.object({ step: z.string(), runs: z.number(), runsBefore: z.number() })).optional(),
  failedActions: z.array(z.object({ step: z.string(), message: z.string().nullable(), runs: z.number() })).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});
