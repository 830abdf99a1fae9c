import * as z from 'zod';
import { findingShape } from '../../findings/finding.ts';
import { type TableColumn, tableOf } from '../../lib/columns.ts';
import type { Judgement } from '../engine/judge.ts';
import { unitOf } from '../metric-definitions.ts';
import { qualityShape } from '../quality/counting.ts';
import { type Change, differenceOf } from './change.ts';
import { type Contribution, type Explained, effectsOf, fixed, type RevenueSplit } from './contributions.ts';
import { toldVerdict } from './readings.ts';

const cell = z.union([z.string(), z.number(), z.null()]);
/** Rows of a table of its own; members without a value are left out. */
const records = z.array(z.record(z.string(), cell)).optional();

/** The answer of a comparison; parts that do not apply are left out. */
export const comparisonShape = z.object({
  answer: z.string(),
  findings: z.array(findingShape),
  baseline: z.object({ start: z.string(), end: z.string(), days: z.number() }).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  /** The metric whose change devices, sums and segments explain. */
  explained: z.string().optional(),
  /** Each device's own change of that metric, and its part of the whole change. */
  devices: records,
  /** Mix and rate of all devices together, and what is left. */
  sums: records,
  /** Each segment's own change, and the parts of the change by it and by all other visits. */
  segments: records,
  revenue: z
    .object({
      change: z.number(),
      visits: z.number(),
      conversion: z.number(),
      basket: z.number(),
      remainder: z.number(),
      unit: z.string().optional(),
    })
    .optional(),
  events: records,
  /** Days until a lasting change of this size in percent would show in four of five cases; null: longer than 92. */
  detect: z.array(z.object({ metric: z.string(), percent: z.number(), days: z.number().nullable() })).optional(),
  /** Days on which the counting looks broken. */
  quality: qualityShape,
  /** Intervals, and what the first paragraph had no room for. */
  details: z.array(z.string()).optional(),
});

/** The answer of `compare_metrics`. */
export type Comparison = z.output<typeof comparisonShape>;
/** A cell of its tables; null means no value. */
export type Cell = z.output<typeof cell>;

function round(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : fixed(value);
}

/** Percents are read, not added. */
function percent(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Math.round(value * 100) / 100;
}

/** The verdict of a row; `mixed` where the days moved beyond noise and the totals of the two ranges went the other way. */
function shownVerdict(judgement: Judgement, difference: number | null): string {
  const { verdict, relative } = judgement;
  if (verdict !== 'up' && verdict !== 'down') return toldVerdict(judgement);
  const sign = verdict === 'up' ? 1 : -1;
  return sign * (difference ?? 0) < 0 || sign * (relative ?? 0) < 0 ? 'mixed' : verdict;
}

function unitText(metric: string, isPerDay: boolean, currency: string | undefined): string | null {
  const unit = unitOf(metric, currency);
  if (unit === undefined) return null;
  return isPerDay ? `${unit} a day` : unit;
}

/** Nothing falls by more than all of it. */
const ALL_GONE = -100;

/** The change of two figures in percent, with what chance makes of such ranges on both sides, at 99 %; undefined of none. */
export function sizeOfFigures(now: number | null, before: number | null, noise: number | null) {
  if (now === null || !before) return undefined;
  const [share, half] = [(now - before) / before, noise ?? 0];
  const shown = (value: number) => Number(Math.max(ALL_GONE, 100 * value).toFixed(2));
  return { percent: shown(share), low: shown(share - half), high: shown(share + half) };
}

/** The same of a row of the table. */
export const sizeOf = ({ compared, judgement }: Change) => sizeOfFigures(compared.after, compared.before, judgement.noise);
const boundOf = (side: 'low' | 'high') => (change: Change) => (change.judgement.noise === null ? null : (sizeOf(change)?.[side] ?? null));

const TOTALS: readonly TableColumn<Change, Cell>[] = [
  ['beforeTotal', ({ before }) => round(before)],
  ['afterTotal', ({ after }) => round(after)],
];

/** The columns of a change; of ranges that differ in length counts are those of a day, with their totals beside them. */
const changeColumns = (currency: string | undefined, withTotals: boolean): readonly TableColumn<Change, Cell>[] => [
  ['metric', ({ metric }) => metric],
  ['unit', ({ metric, isPerDay }) => unitText(metric, isPerDay, currency)],
  // Where the ranges differ in length, all three are those of a day: a total beside a change for a day would not add up.
  ['before', ({ before, compared, isPerDay }) => round(isPerDay ? compared.before : before)],
  ['after', ({ after, compared, isPerDay }) => round(isPerDay ? compared.after : after)],
  ...(withTotals ? TOTALS : []),
  ['change', (change) => round(differenceOf(change))],
  ['changePercent', (change) => sizeOf(change)?.percent ?? null],
  ['verdict', (change) => shownVerdict(change.judgement, differenceOf(change))],
  ['since', ({ since }) => since?.from ?? null],
  ['low', boundOf('low')],
  ['high', boundOf('high')],
];

/** A row for each metric of each selection, which a column names where there are several. */
export function changeTable(changes: readonly Change[], isLabelled: boolean, currency: string | undefined) {
  const label: TableColumn<Change, Cell> = ['of', ({ of }) => of];
  return tableOf(
    [
      ...(isLabelled ? [label] : []),
      ...changeColumns(
        currency,
        changes.some(({ isPerDay }) => isPerDay),
      ),
    ],
    changes,
  );
}

const changePercentOf = ({ before, after }: Contribution) =>
  before === null || after === null || before === 0 ? null : percent((100 * (after - before)) / before);

/** Its change in percent and its verdict. */
function verdictCells(group: Contribution, judged: Judgement | undefined): Record<string, Cell> {
  const changePercent = changePercentOf(group);
  return { changePercent, verdict: judged ? shownVerdict(judged, changePercent) : null };
}

/** One device with its part of the change, in the unit of the metric. */
export function deviceRecord(group: Contribution, judged: Judgement | undefined): Record<string, Cell> {
  const { name, before, after, shareBefore, shareAfter, mix, rate, contribution } = group;
  return {
    device: name,
    before: round(before),
    after: round(after),
    ...verdictCells(group, judged),
    ...(shareBefore !== undefined && { shareBefore: percent(shareBefore), shareAfter: percent(shareAfter ?? null) }),
    ...(mix !== undefined && { mix, rate: rate ?? null }),
    contribution,
  };
}

/** Mix and rate of all devices together, and what is left. */
export function sumsOf(explained: Explained): Record<string, Cell> {
  const { change, groups, remainder } = explained;
  return {
    of: 'devices',
    change,
    ...(groups.some(({ mix }) => mix !== undefined) && effectsOf(explained)),
    ...(remainder !== 0 && { remainder }),
  };
}

/** One segment; its contribution and that of all other visits make the change. */
export function segmentRecord({ groups: [own] }: Explained, judged: Judgement): Record<string, Cell> {
  if (!own) return {};
  const { name, before, after, contribution } = own;
  return {
    segment: name,
    before: round(before),
    after: round(after),
    ...verdictCells(own, judged),
    contribution,
  };
}

/** The factors of revenue to the cent, with what rounding leaves. */
export function revenueRecord({ visits, conversion, basket }: RevenueSplit, change: number, currency: string | undefined) {
  const cents = (value: number) => Math.round(value * 100) / 100;
  const shown = { visits: cents(visits), conversion: cents(conversion), basket: cents(basket) };
  return {
    change: cents(change),
    ...shown,
    remainder: cents(cents(change) - shown.visits - shown.conversion - shown.basket),
    ...(currency !== undefined && { unit: currency }),
  };
}
