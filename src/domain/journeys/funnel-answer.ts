import * as z from 'zod';

/** The answer of `analyze_funnel`. */
export const funnelShape = z.object({
  answer: z.string(),
  /** The counted unit. */
  counts: z.enum(['sessions', 'visitors']),
  steps: z.array(
    z.object({
      step: z.string(),
      sessions: z.number(),
      ofFirstPercent: z.number().optional(),
      ofPreviousPercent: z.number().optional(),
      lowPercent: z.number().optional(),
      highPercent: z.number().optional(),
      medianSeconds: z.number().optional(),
      /** The middle half of the times. */
      middleSeconds: z.tuple([z.number(), z.number()]).optional(),
      /** Did this step and not the next. */
      left: z.number().optional(),
      /** Of these, how many ended the visit there. */
      ended: z.number().optional(),
      /** The page right after, of those who went on elsewhere. */
      next: z.array(z.object({ page: z.string(), sessions: z.number() })).optional(),
    }),
  ),
  groups: z.array(z.object({ group: z.string(), steps: z.array(z.number()), verdict: z.string() })).optional(),
  changes: z
    .array(
      z.object({
        step: z.string(),
        beforePercent: z.number().optional(),
        afterPercent: z.number().optional(),
        verdict: z.string(),
        since: z.string().optional(),
        group: z.string().optional(),
      }),
    )
    .optional(),
  immature: z.number().optional(),
  covered: z.array(z.string()),
  baselineCovered: z.array(z.string()).optional(),
  /** The statement by which `query_export` selects the sessions that left at the largest loss. */
  sql: z.string().optional(),
});
/** The answer of `analyze_funnel`. */
export type FunnelAnswer = z.input<typeof funnelShape>;
