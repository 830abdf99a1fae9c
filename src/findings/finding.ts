import * as z from 'zod';

/** Selections that narrow a finding, by the names that people use; none of them is all of it. */
const placeShape = z
  .object({
    project: z.string(),
    device: z.string(),
    segment: z.string(),
    goal: z.string(),
    zone: z.string(),
    browser: z.string(),
    country: z.string(),
    scenario: z.string(),
    step: z.string(),
    page: z.string(),
    host: z.string(),
    job: z.string(),
    variant: z.string(),
  })
  .partial();

/** The place of a finding. */
export type FindingPlace = z.output<typeof placeShape>;

/**
 * One thing that an answer found, the same in every tool that finds it. Dates are days (2026-09-04) or, of runs, instants with their zone.
 */
export const findingShape = z.object({
  /** As the surface spells it: conversionRate, largestContentfulPaint, failedRuns. */
  subject: z.string(),
  /** Of `now`, `against` and `change.points`: %, ms, bytes, EUR, sessions. */
  unit: z.string(),
  place: placeShape,
  when: z.object({
    shape: z.enum(['step', 'episode', 'day', 'drift', 'range']),
    from: z.string().optional(),
    to: z.string().optional(),
    /** First and last day on which it may have begun as well, at 95 %. */
    earliest: z.string().optional(),
    latest: z.string().optional(),
    ongoing: z.boolean(),
  }),
  now: z.number().nullable(),
  against: z
    .object({
      what: z.enum(['before', 'expected', 'others', 'limit', 'variant']),
      name: z.string().optional(),
      value: z.number().nullable(),
      low: z.number().optional(),
      high: z.number().optional(),
    })
    .optional(),
  /** The one size of this change over all days of `when`, bounds at 95 % in the unit of the first member that is there. */
  change: z.object({ percent: z.number().optional(), points: z.number().optional(), low: z.number(), high: z.number() }).optional(),
  verdict: z.enum(['higher', 'lower', 'unchanged', 'uncertain', 'too few data', 'measurement']),
  /** Probability of it where nothing happened; a false discovery rate where many were looked at. */
  chance: z.number().optional(),
  /** Percent: the smallest change that would have shown in four of five cases. */
  detectable: z.number().optional(),
  causes: z.array(
    z.object({
      kind: z.enum(['place', 'factor', 'mix', 'event', 'request', 'special day', 'season', 'measurement']),
      name: z.string(),
      /** Part of the change, 1 for all of it. */
      share: z.number().optional(),
      basis: z.enum(['measured', 'same time', 'inferred']),
    }),
  ),
  /** Amount that the change adds (above 0) or takes over the days from `from` to `to`, of conversions those of a goal, bounds at 95 %. */
  cost: z
    .object({
      of: z.string(),
      goal: z.string().optional(),
      value: z.number(),
      low: z.number(),
      high: z.number(),
      unit: z.string(),
      from: z.string(),
      to: z.string(),
    })
    .optional(),
  /** The call that looks closer. */
  more: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }).optional(),
  sentence: z.string(),
});

/** A finding as answers hold it. */
export type Finding = z.output<typeof findingShape>;

/** A finding before the grammar has made its sentence. */
export type Facts = Omit<Finding, 'sentence'>;

/** The names of the selections that narrow a finding. */
export function placesOf({ place }: Pick<Finding, 'place'>): string[] {
  return Object.values(place).filter((name) => name !== undefined);
}

/** Whether the season alone may be what a change is. */
export const mayBeSeason = ({ causes }: Pick<Facts, 'causes'>) =>
  causes.some(({ kind, basis }) => kind === 'season' && basis === 'inferred');
