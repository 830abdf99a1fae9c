import * as z from 'zod';
import type { Place } from './planted.ts';

const cell = z.union([z.string(), z.number(), z.null()]);
const dimensions = z.looseObject({ device: z.string().optional(), segment: z.string().optional() });
const amount = z.object({ value: z.number(), low: z.number().optional(), high: z.number().optional() });
const dated = z.object({
  shape: z.string(),
  from: z.string(),
  to: z.string().optional(),
  earliest: z.string().optional(),
  latest: z.string().optional(),
});
const finding = z.object({
  subject: z.string(),
  place: dimensions,
  when: dated.partial({ from: true }),
  change: z.object({ percent: z.number().optional(), low: z.number(), high: z.number() }).optional(),
  verdict: z.string(),
  cost: amount.extend({ of: z.string(), from: z.string().optional(), to: z.string().optional() }).optional(),
});

/** The members of an answer that tell of changes. */
export const answerShape = z.looseObject({
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(cell)).optional(),
  baseline: z.object({ start: z.string(), end: z.string() }).optional(),
  /** The metric of devices and segments. */
  explained: z.string().optional(),
  devices: z.array(z.record(z.string(), cell)).optional(),
  segments: z.array(z.record(z.string(), cell)).optional(),
  quality: z.array(z.unknown()).optional(),
  findings: z.array(finding).optional(),
});

/** The structured content of an answer. */
export type Said = z.output<typeof answerShape>;

/** A size or an amount, with the bounds that the answer gives. */
export interface Bounded {
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** One change as an answer tells it: percent, and an amount of `of` that it costs. */
export interface Claim {
  readonly metric: string;
  readonly place: Place;
  /** step, episode, day, drift or range. */
  readonly shape: string;
  readonly from: string;
  readonly to?: string | undefined;
  readonly earliest?: string | undefined;
  readonly latest?: string | undefined;
  readonly percent?: Bounded | undefined;
  readonly cost?: (Bounded & { readonly of: string; readonly from?: string | undefined; readonly to?: string | undefined }) | undefined;
}

const WHOLE = new Set(['all', 'all visitors']);
/** A place without the names for all of it. */
export function placeOf({ device, segment }: Readonly<Record<string, unknown>>): Place {
  const isNarrow = (name: unknown): name is string => typeof name === 'string' && !WHOLE.has(name);
  return { ...(isNarrow(device) && { device }), ...(isNarrow(segment) && { segment }) };
}

/** Whether two places hold the same visits. */
export function isSamePlace(one: Place, other: Place): boolean {
  return one.device === other.device && one.segment === other.segment;
}

function ofFinding({ subject, place, when: { from, ...when }, change, verdict, cost }: z.output<typeof finding>): Claim[] {
  if (from === undefined || (verdict !== 'higher' && verdict !== 'lower')) return [];
  const percent = change?.percent === undefined ? undefined : { ...change, value: change.percent };
  return [{ ...when, from, metric: subject, place: placeOf(place), percent, cost }];
}

/** The changes that an answer tells with their days. */
export function claimsOf({ findings = [] }: Said): readonly Claim[] {
  return findings.flatMap(ofFinding);
}

/** Rows of the answer by the names of their columns. */
export function rowsOf({ columns = [], rows = [] }: Said): readonly Readonly<Record<string, z.output<typeof cell>>>[] {
  return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));
}
