import * as z from 'zod';
import { device as deviceName, ids, order as orderName, pageSize, period as periodName } from '../api/params.ts';
import { siteMetricDefinitions, zoneMetricDefinitions } from '../domain/metrics/metric-definitions.ts';
import type { NameKind } from '../domain/names/match-name.ts';
import { speedMetricNames } from '../domain/speed/speed-metrics.ts';

/** What the boundary does with a value before a handler sees it. */
export type ParamFact =
  /** An id or a name, which becomes the id. */
  | { readonly ref: NameKind }
  /** A date of the grammar, which becomes an ISO date-time, or ms where `as` says so. */
  | { readonly date: 'start' | 'end' | 'exportEnd' | 'moment'; readonly as?: 'ms' };

/** Facts by schema; a schema made from another (`describe`) inherits them. */
export const paramFacts = z.registry<ParamFact>();

const refText = z.union([z.int().positive(), z.string().trim().min(1)]);

/** An id or a name of one `kind`; the handler receives the id, because the boundary looks names up. */
export function ref(kind: NameKind, words = `${kind[0]?.toUpperCase()}${kind.slice(1)} id or name`): z.ZodType<number, number | string> {
  const schema = refText.describe(words).register(paramFacts, { ref: kind });
  return schema as unknown as z.ZodType<number, number | string>; // the boundary replaces the name by its id
}

/** Several ids or names. */
export function refs(kind: NameKind, words: string) {
  return z.array(ref(kind, '')).min(1).describe(words);
}

function date(fact: ParamFact, words: string): z.ZodType<string, string> {
  return z.string().trim().min(1).describe(words).register(paramFacts, fact);
}

/** A date that begins a range; the handler receives its first instant as ISO date-time. */
export const startOf = (words: string) => date({ date: 'start' }, words);
/** A date that ends a range; the handler receives its last instant as ISO date-time. */
export const endOf = (words: string) => date({ date: 'end' }, words);
/** A date that ends an export; the handler receives the midnight after it. */
export const exportEndOf = (words: string) => date({ date: 'exportEnd' }, words);
/** A single instant, which may lie in the future; the handler receives an ISO date-time. */
export const momentOf = (words: string) => date({ date: 'moment' }, words);

/** A single instant as ms timestamp or date; the handler receives ms. */
export function timestampOf(words: string): z.ZodType<number, number | string> {
  const schema = refText.describe(words).register(paramFacts, { date: 'moment', as: 'ms' });
  return schema as unknown as z.ZodType<number, number | string>; // the boundary replaces the date by its timestamp
}

export const startDate = startOf('First day, e.g. 2026-11-01, -7d, last_week');
export const endDate = endOf('Last day, e.g. yesterday');
export const devices = z.array(deviceName).min(1).describe('Default all').optional();
export const device = deviceName.describe('Default all').optional();
export const segmentIds = refs('segment', 'Segment ids or names; visitors in all of them').optional();
export const period = periodName.describe('daily: one value per day').optional();
export const goalId = ref('goal', 'Goal id or name').optional();
export const zoneId = ref('zone', 'Zone id, name or path "Screen / Zoning / Zone"');
/** Ids only, for filters of lists. */
export const idList = ids.describe('Only these ids');

/** A state filter, sent in lower case as the service wants it. */
export function stateOf(states: string) {
  return z.string().trim().toLowerCase().min(1).describe(states).optional();
}

/** Adds an issue that lists the metrics where one of the names is none. */
function requireSpeedMetrics(names: readonly string[], more: readonly string[], context: z.RefinementCtx): void {
  const known = [...more, ...speedMetricNames];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    context.addIssue({ code: 'custom', message: `no such metric: ${unknown.join(', ')}; there are ${known.join(', ')}` });
}

/** Names of speed metrics, or `["all"]`; the eight usual ones when left out. */
export const speedMetrics = z
  .array(z.string())
  .min(1)
  .superRefine((names, context) => requireSpeedMetrics(names, ['all'], context))
  .describe('Metric names or ["all"]; default 8 usual ones')
  .optional();

const rangeMetricNames = [...Object.keys(siteMetricDefinitions), ...Object.keys(zoneMetricDefinitions)];

/** Names of site and zone metrics, or `["all"]`. */
export const rangeMetrics = z
  .array(z.string())
  .min(1)
  .superRefine((names, context) => {
    const unknown = names.filter((name) => name !== 'all' && !rangeMetricNames.includes(name));
    if (unknown.length > 0)
      context.addIssue({ code: 'custom', message: `no such metric: ${unknown.join(', ')}; there are all, ${rangeMetricNames.join(', ')}` });
  })
  .describe('Names such as visits, conversionRate, revenueSum, tapRate, or ["all"]');

/** Limits by speed metric, at least one. */
export const speedBudgets = z
  .record(z.string(), z.number().nonnegative())
  .superRefine((limits, context) => {
    const names = Object.keys(limits);
    if (names.length === 0)
      context.addIssue({ code: 'custom', message: 'name at least one metric, or leave it out for the default limits' });
    requireSpeedMetrics(names, [], context);
  })
  .describe('Limits, e.g. {"largestContentfulPaint": 2500}; default good thresholds')
  .optional();

export const limit = pageSize.describe('Page size, default 25').optional();
export const order = orderName.describe('By id, default DESC').optional();
export const page = z.int().min(0).describe('Page of results').optional();
export const projectId = z.int().positive().describe('If the credential has several').optional();
export const confirm = z.boolean().describe('true sends it; else a preview').optional();
export const waitSeconds = z.int().min(0).max(40).describe('Longest wait, default 20').optional();
export const chart = z.boolean().describe('true adds a picture').optional();
