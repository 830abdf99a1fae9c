import * as z from 'zod';
import type { Verdict } from '../engine/judge.ts';
import { unitOf } from '../metric-definitions.ts';
import type { Factors } from './comparison-windows.ts';
import { type Change, effectsOf } from './comparison-words.ts';
import { type Contribution, type Explained, explain, fixed, type GroupValues, type RevenueSplit } from './contributions.ts';
import { noisePercentOf } from './readings.ts';

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

function round(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : fixed(value);
}

/** Percents are read, not added. */
function percent(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Math.round(value * 100) / 100;
}

/** After minus before, for a day where the ranges of a count differ in length; null where one has no value. */
export function differenceOf({ compared: { before, after } }: Change): number | null {
  return before === null || after === null ? null : after - before;
}

/** One metric of one selection. */
export function rowOf(change: Change, isLabelled: boolean, currency: string | undefined): Cell[] {
  const { metric, before, after, compared, judgement, since, of } = change;
  const difference = differenceOf(change);
  return [
    ...(isLabelled ? [of] : []),
    metric,
    unitOf(metric, currency) ?? null,
    round(before),
    round(after),
    round(difference),
    percent(difference === null || !compared.before ? null : (100 * difference) / compared.before),
    percent(noisePercentOf(judgement)),
    judgement.verdict,
    since?.from ?? null,
    percent(since ? 100 * since.relative : null),
  ];
}

/** One device of one metric; without a change that stands out there is nothing that it could be a share of. */
export function deviceRecord(
  metric: string,
  group: Contribution,
  change: number | undefined,
  verdict: Verdict | undefined,
): Record<string, Cell> {
  const { name, before, after, shareBefore, shareAfter, mix, rate, contribution } = group;
  const shares = shareBefore === undefined ? {} : { shareBefore: percent(shareBefore), shareAfter: percent(shareAfter ?? null) };
  const effects = mix === undefined ? {} : { mix: mix, rate: rate ?? null };
  const explains = change === undefined ? {} : { explainsPercent: change === 0 ? null : percent((100 * contribution) / change) };
  return {
    device: name,
    metric,
    before: round(before),
    after: round(after),
    ...shares,
    ...effects,
    contribution,
    ...explains,
    verdict: verdict ?? null,
  };
}

/** Mix and rate of all groups together, and what is left. */
export function sumsOf(explained: Explained): Record<string, Cell> {
  const { metric, change, groups, remainder } = explained;
  return { metric, change, ...(groups.some(({ mix }) => mix !== undefined) && effectsOf(explained)), remainder };
}

/** One segment against all other visits. */
export function segmentRecord(change: Change, pair: { segment: GroupValues; complement: GroupValues }, factors: Factors) {
  const total = differenceOf(change) ?? 0;
  const explained = explain(change.metric, total, [pair.segment, pair.complement], factors);
  const [own, others] = explained?.groups ?? [];
  if (!explained || !own || !others) return undefined;
  const { shareBefore, shareAfter } = own;
  const mix = own.mix === undefined ? {} : { mix: effectsOf(explained).mix, rate: own.rate ?? null, rateOfOthers: others.rate ?? null };
  const shares = shareBefore === undefined ? {} : { shareBefore: percent(shareBefore), shareAfter: percent(shareAfter ?? null) };
  const counts = own.mix === undefined ? { contribution: own.contribution, ofOthers: others.contribution } : {};
  return {
    own,
    explained,
    record: {
      segment: own.name,
      before: round(own.before),
      after: round(own.after),
      ...shares,
      ...mix,
      ...counts,
      remainder: explained.remainder,
    },
  };
}

/** The factors of revenue to the cent, with what rounding leaves. */
export function revenueRecord({ visits, conversion, basket }: RevenueSplit, change: number) {
  const cents = (value: number) => Math.round(value * 100) / 100;
  const shown = { visits: cents(visits), conversion: cents(conversion), basket: cents(basket) };
  return { change: cents(change), ...shown, remainder: cents(cents(change) - shown.visits - shown.conversion - shown.basket) };
}
