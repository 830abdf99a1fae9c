import * as z from 'zod';

const cell = z.union([z.string(), z.number(), z.null()]);
/** Rows of a table of its own; members without a value are left out. */
const records = z.array(z.record(z.string(), cell)).optional();

/** The answer of a comparison; parts that do not apply are left out. */
export const comparisonShape = z.object({
  answer: z.string(),
  baseline: z.object({ start: z.string(), end: z.string(), days: z.number() }).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  /** What of each change comes from which device. */
  devices: records,
  /** Mix and rate of all devices together, and what is left. */
  sums: records,
  /** Each segment against all other visits. */
  segments: records,
  revenue: z
    .object({ change: z.number(), visits: z.number(), conversion: z.number(), basket: z.number(), remainder: z.number() })
    .optional(),
  events: records,
});

export type Comparison = z.output<typeof comparisonShape>;
export type Cell = z.output<typeof cell>;
