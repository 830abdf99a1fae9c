import * as z from 'zod';
import { members } from '../lib/members.ts';

const known = z.number().optional();

/** The answer of `analyze_funnel`. */
export const funnelShape = z.object({
  answer: z.string(),
  /** The counted unit. */
  counts: z.enum(['sessions', 'visitors']),
  steps: z.array(
    z.object({
      step: z.string(),
      sessions: z.number(),
      ...members(known, 'ofFirstPercent', 'ofPreviousPercent', 'lowPercent', 'highPercent', 'medianSeconds'),
      /** The middle half of the times. */
      middleSeconds: z.tuple([z.number(), z.number()]).optional(),
      /** Did this step and not the next; of these, how many ended the visit there. */
      ...members(known, 'left', 'ended'),
      /** The page right after, of those who went on elsewhere. */
      next: z.array(z.object({ page: z.string(), sessions: z.number() })).optional(),
    }),
  ),
  groups: z.array(z.object({ group: z.string(), steps: z.array(z.number()), verdict: z.string() })).optional(),
  changes: z
    .array(
      z.object({
        step: z.string(),
        ...members(known, 'beforePercent', 'afterPercent'),
        verdict: z.string(),
        ...members(z.string().optional(), 'since', 'group'),
      }),
    )
    .optional(),
  immature: known,
  covered: z.array(z.string()),
  baselineCovered: z.array(z.string()).optional(),
  /** The statement by which `query_export` selects the sessions that left at the largest loss. */
  sql: z.string().optional(),
});
/** The answer of `analyze_funnel`. */
export type FunnelAnswer = z.input<typeof funnelShape>;
