import * as z from 'zod';
import { complain, device as deviceName, ids, order, pageSize, period as periodName, exportScope as scopeName } from '../api/params.ts';
import { EACH, type NameKind, type SegmentChoice } from '../names/match-name.ts';
import { type MetricFamily, surelyUnknownWords, unknownMetricWords } from './metric-words.ts';

/** The treatment of a value by the boundary before a handler sees it. */
export type ParamFact =
  /** An id or a name, which becomes the id; with `orAll` words for all (`ALL_VISITORS`, `EACH`), `orWithin` a container. */
  | { readonly ref: NameKind; readonly orAll?: 'visitors' | 'each'; readonly orWithin?: true }
  /** A date of the grammar, which becomes an ISO date-time, or ms where `as` says so. */
  | {
      readonly date: 'start' | 'end' | 'exportEnd' | 'moment';
      readonly as?: 'ms';
      /** The parameter with which, where it is true, the date may lie in the future. */
      readonly ahead?: string;
    }
  /**
   * The name of a metric; everyday names become that of the platform. With `exact` no other metric answers in its place: a limit of one is
   * not a limit of the other.
   */
  | { readonly metric: MetricFamily; readonly exact?: true }
  /** A number of which a larger one than the schema takes means the largest. */
  | { readonly most: number }
  /** The meanings of everyday words, by the word in lower case without spaces and hyphens; one may stand for several values of a list. */
  | { readonly words: Readonly<Record<string, readonly string[]>> };

/** Facts by schema; a schema made from another (`describe`) inherits them. */
export const paramFacts = z.registry<ParamFact>();

const listedSchemas = new WeakMap<z.core.$ZodType, z.ZodType>();

/** A parameter that hosts see, and the boundary reads, as `listed`, while `schema` checks it: for what the handler words itself. */
export function listedAs<Schema extends z.ZodType>(listed: z.ZodType, schema: Schema): Schema {
  listedSchemas.set(schema, listed);
  return schema;
}

/** The schema that hosts see in place of this one; undefined where they see the schema itself. */
export function listedSchemaOf(schema: z.core.$ZodType): z.ZodType | undefined {
  return listedSchemas.get(schema);
}

const someText = z.string().trim().min(1);

/** A text that the boundary reads as the fact says and replaces by its meaning. A string for every host: numbers are made texts first. */
function readAs<Meaning>(fact: ParamFact, words = ''): z.ZodType<Meaning, number | string> {
  return someText.describe(words).register(paramFacts, fact) as unknown as z.ZodType<Meaning, number | string>; // once it is replaced
}

/** An id or a name of one `kind`; the handler receives the id, because the boundary looks names up. */
export function ref(kind: NameKind, words = `${kind[0]?.toUpperCase()}${kind.slice(1)} id or name`) {
  return readAs<number>({ ref: kind }, words);
}

/** Several ids or names. */
export function refs(kind: NameKind, words: string) {
  return z.array(ref(kind, '')).min(1).describe(words);
}

/** Several ids or names, or "all"; see `idsOf`. */
export function refsOrAll(kind: NameKind, words: string) {
  return z
    .array(readAs<number | typeof EACH>({ ref: kind, orAll: 'each' }))
    .min(1)
    .describe(words);
}

/** The ids that `refsOrAll` names, each once; all that `list` gives where there are none or "all" is among them. */
export async function idsOf(chosen: readonly (number | typeof EACH)[] | undefined, list: () => Promise<readonly { id: number }[]>) {
  const named = chosen?.flatMap((choice) => (choice === EACH ? [] : [choice])) ?? [];
  const isAll = named.length === 0 || named.length < (chosen?.length ?? 0);
  return [...new Set(isAll ? (await list()).map(({ id }) => id) : named)];
}

/** Segments side by side, all visitors among them where they are named. */
export const compareSegments = z
  .array(readAs<SegmentChoice>({ ref: 'segment', orAll: 'visitors' }))
  .min(1)
  .describe('Side by side, or all visitors')
  .optional();

function date(fact: ParamFact, words: string): z.ZodType<string, string> {
  return someText.describe(words).register(paramFacts, fact);
}

/** A date that begins a range; the handler receives its first instant as ISO date-time. `ahead` names what lets it lie in the future. */
export const startOf = (words: string, ahead?: string) => date({ date: 'start', ...(ahead !== undefined && { ahead }) }, words);
/** A date that ends a range; the handler receives its last instant as ISO date-time. `ahead` as in `startOf`. */
export const endOf = (words: string, ahead?: string) => date({ date: 'end', ...(ahead !== undefined && { ahead }) }, words);
/** A date that ends an export; the handler receives the midnight after it. */
export const exportEndOf = (words: string) => date({ date: 'exportEnd' }, words);
/** A single instant, which may lie in the future; the handler receives an ISO date-time. */
export const momentOf = (words: string) => date({ date: 'moment' }, words);

/** A single instant as ms timestamp or date; the handler receives ms. */
export const timestampOf = (words: string) => readAs<number>({ date: 'moment', as: 'ms' }, words);

export const startDate = startOf('First day');
export const endDate = endOf('Last day');
export const devices = z.array(deviceName).min(1).describe('Default all').optional();
/** One device; all where it is left out. */
export const device = deviceName.optional();
export const segmentIds = refs('segment', 'Ids or names; intersection').optional();
export const period = periodName.optional();
export const goalId = ref('goal', 'Id or name').optional();
export const zoneId = ref('zone', 'Id or path Screen / Zoning / Zone');
/** Ids only, for filters of lists. */
export const idList = ids.describe('Default all');

/** A filter of a list by one of its members, applied by this server. */
export const onlyThis = someText.describe('Default all').optional();

/** A filter that the reference writes in lower case: frequencies, scopes, and the states of jobs. */
export function lowerCased(words: string) {
  return z.string().trim().toLowerCase().min(1).describe(words).optional();
}

/** A filter that the reference writes in upper case: formats, and the states of runs. */
export function upperCased(words: string) {
  return z.string().trim().toUpperCase().min(1).describe(words).optional();
}

/** The scope of an export: the scopes of the reference in lower case, those of other deployments as they are typed. */
export const exportScope = scopeName.overwrite((text) => (/^(sessions|views)$/i.test(text) ? text.toLowerCase() : text));

/** Refuses a value that there are words against. */
function unless<Value>(wordsAgainst: (value: Value) => string | undefined, ...path: readonly string[]) {
  return (value: Value, context: z.RefinementCtx) => {
    const message = wordsAgainst(value);
    if (message !== undefined) complain(context, message, ...path);
  };
}

/** The name of one metric. */
const metricName = (family: MetricFamily) => z.string().register(paramFacts, { metric: family });

/** Several names of metrics, or `["all"]`. */
function metricNames(family: MetricFamily, wrong = (names: readonly string[]) => unknownMetricWords(family, names)) {
  return z.array(metricName(family)).min(1).superRefine(unless(wrong));
}

/** Names of speed metrics, or `["all"]`; the eight usual ones when left out. */
export const speedMetrics = metricNames('speed').describe('Metric names or ["all"]; default: the 8 usual').optional();

/** The same, with custom timings by their names. */
export const speedMetricsAndTimings = metricNames('speed', surelyUnknownWords)
  .describe('Web vitals, e.g. LCP, time to first byte, custom timings, or all; default: the 8 usual')
  .optional();

/** The name of one speed metric, or `failedPercent` for the share of failed runs. */
export function speedMetric(words: string) {
  return metricName('speed')
    .superRefine(unless((name) => (name === 'failedPercent' ? undefined : unknownMetricWords('speed', [name]))))
    .describe(words);
}

/** Names of site and zone metrics, or `["all"]`. */
export const rangeMetrics = metricNames('range').describe('E.g. conversionRate, tapRate, or all');

const SUBJECT_WORDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['website', 'metrics', 'traffic', 'conversion', 'conversions', 'revenue'].map((word) => [word, ['site']])),
  ...Object.fromEntries(['zone', 'zoning', 'zonings', 'taps', 'clicks'].map((word) => [word, ['zones']])),
  ...Object.fromEntries(
    ['performance', 'webperformance', 'sitespeed', 'pagespeed', 'speedanalysis', 'loadtime', 'loadtimes', 'loadingtime', 'webvitals']
      .concat('corewebvitals', 'scenario', 'scenarios', 'speedscenarios', 'synthetic', 'lighthouse')
      .map((word) => [word, ['speed']]),
  ),
  ...Object.fromEntries(['all', 'everything'].map((word) => [word, ['site', 'zones', 'speed']])),
};

/** The subjects to look at, by their names or everyday words for them. */
export function subjects<const Subjects extends readonly [string, ...string[]]>(names: Subjects) {
  return z.array(z.enum(names).register(paramFacts, { words: SUBJECT_WORDS })).min(1);
}

const unfitForBudget: Readonly<Record<string, string>> = {
  all: 'name a single metric',
  navigationStart: 'navigationStart is an instant, not a duration: the timings count from it; name a timing such as firstByte or loadTime',
};

const speedBudget = z
  .strictObject({
    metric: z.string().describe('Metric or custom timing').register(paramFacts, { metric: 'speed', exact: true }),
    limit: z.number().min(0).describe('Its unit'),
  })
  .superRefine(
    unless(({ metric }) => (Object.hasOwn(unfitForBudget, metric) ? unfitForBudget[metric] : surelyUnknownWords([metric])), 'metric'),
  );

/** Limits of speed metrics, at least one. */
export const speedBudgets = z
  .array(speedBudget)
  .min(1)
  .describe('Limits, e.g. {"metric": "largestContentfulPaint", "limit": 2500}; default: good')
  .optional();

/** Which rows of a long list of jobs or runs. */
export const paging = {
  limit: pageSize.describe('Rows, default 25').optional(),
  order: order.describe('By jobId, default DESC').optional(),
  page: z.int().min(0).describe('Page number').optional(),
};
/** The jobs that a tool over downloads is about. */
export const jobIds = refs('export job', 'Ids or names; default all').optional();
export const projectId = someText.describe('Id or name').optional();
/** Seconds that a call waits at most: hosts give it up after a minute. */
const LONGEST_WAIT = 40;
export const confirm = z.boolean().describe('true goes ahead; else a preview').optional();
export const waitSeconds = z
  .int()
  .min(0)
  .max(LONGEST_WAIT)
  .describe('Longest wait, default 20')
  .register(paramFacts, { most: LONGEST_WAIT })
  .optional();
export const chart = z.boolean().describe('Adds a chart').optional();

/** Zones, or a zoning or screen for all of its zones. */
export const zoneIds = z
  .array(readAs<number>({ ref: 'zone', orWithin: true }))
  .min(1)
  .describe('Zones, paths, screens')
  .optional();

/** Several texts of the caller's own. */
export const texts = (words: string) => z.array(someText).min(1).describe(words).optional();

/** Several projects, or all of the credential, in one table; the boundary asks each. */
export const projectIds = texts('Or all');

/** The members of an answer that is one table, or holds one; null where there is no value. */
export const table = { columns: z.array(z.string()), rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))) };
