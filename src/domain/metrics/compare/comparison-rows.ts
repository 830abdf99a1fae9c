import * as z from 'zod';
import { type TableColumn, tableOf } from '../../../lib/columns.ts';
import type { Judgement } from '../engine/judge.ts';
import type { GroupChange } from '../engine/reasons.ts';
import { unitOf } from '../metric-definitions.ts';
import { qualityShape } from '../quality/counting.ts';
import { effectsOf, MOST_PART } from './cause-words.ts';
import { type Change, differenceOf } from './comparison-words.ts';
import { type Contribution, type Explained, fixed, type RevenueSplit } from './contributions.ts';
import { measuredChangeShape } from './measured-change.ts';
import { isChanged, noisePercentOf, toldVerdict } from './readings.ts';

const cell = z.union([z.string(), z.number(), z.null()]);
/** Rows of a table of its own; members without a value are left out. */
const records = z.array(z.record(z.string(), cell)).optional();

/** The answer of a comparison; parts that do not apply are left out. */
export const comparisonShape = z.object({
  answer: z.string(),
  baseline: z.object({ start: z.string(), end: z.string(), days: z.number() }).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
  /** Each device's own change of the headline's metric, and its part of the whole change. */
  devices: records,
  /** Mix and rate of all groups of a division together (`of`: devices, or segments that divide the visits), and what is left. */
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
  /** The change of the headline where and since when it happened, and what it costs over its days; `low` and `high` at 95 %. */
  change: measuredChangeShape.optional(),
  events: records,
  /** Days until a lasting change of this size in percent would show in four of five cases; null: longer than 92. */
  detect: z.array(z.object({ metric: z.string(), percent: z.number(), days: z.number().nullable() })).optional(),
  /** Days on which the counting looks broken. */
  quality: qualityShape,
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
function shownVerdict({ judgement }: Change, difference: number | null): string {
  const { verdict, relative } = judgement;
  if (verdict !== 'up' && verdict !== 'down') return toldVerdict(judgement);
  const sign = verdict === 'up' ? 1 : -1;
  return sign * (difference ?? 0) < 0 || sign * (relative ?? 0) < 0 ? 'mixed' : verdict;
}

/** A percentage of a share, rounded; null where there is no share. */
const percentOf = (share: number | null | undefined) => percent(share === null || share === undefined ? null : 100 * share);

function changePercent(change: Change): number | null {
  const difference = differenceOf(change);
  const { before } = change.compared;
  return percent(difference === null || !before ? null : (100 * difference) / before);
}

function unitText(metric: string, isPerDay: boolean, currency: string | undefined): string | null {
  const unit = unitOf(metric, currency);
  if (unit === undefined) return null;
  return isPerDay ? `${unit} a day` : unit;
}

/** The columns of a change; docs/statistics.md explains those of the verdict. */
const changeColumns = (currency: string | undefined): readonly TableColumn<Change, Cell>[] => [
  ['metric', ({ metric }) => metric],
  ['unit', ({ metric, isPerDay }) => unitText(metric, isPerDay, currency)],
  // Where the ranges differ in length, all three are those of a day: a total beside a change for a day would not add up.
  ['before', ({ before, compared, isPerDay }) => round(isPerDay ? compared.before : before)],
  ['after', ({ after, compared, isPerDay }) => round(isPerDay ? compared.after : after)],
  ['change', (change) => round(differenceOf(change))],
  ['changePercent', changePercent],
  ['levelPercent', ({ judgement }) => percentOf(judgement.otherwise ?? judgement.relative)],
  ['noisePercent', ({ judgement }) => percent(noisePercentOf(judgement))],
  ['detectablePercent', ({ detectable }) => percentOf(detectable === null || detectable <= -1 ? null : Math.abs(detectable))],
  ['verdict', (change) => shownVerdict(change, differenceOf(change))],
  ['since', ({ since }) => since?.from ?? null],
  ['sinceChangePercent', ({ since }) => percentOf(since?.relative)],
];

/** A row for each metric of each selection, which a column names where there are several. */
export function changeTable(changes: readonly Change[], isLabelled: boolean, currency: string | undefined) {
  const label: TableColumn<Change, Cell> = ['of', ({ of }) => of];
  return tableOf([...(isLabelled ? [label] : []), ...changeColumns(currency)], changes);
}

/** A group's own change, and its change beside all other visits. */
export interface GroupVerdict {
  readonly judged: Judgement;
  readonly change: GroupChange | undefined;
}

const changePercentOf = ({ before, after }: Contribution) =>
  before === null || after === null || before === 0 ? null : percent((100 * (after - before)) / before);

/** Whether change and level, which decided, lie on different sides of the bound: the verdict would contradict it. */
function isOtherSide(moved: number | null, noise: number | null, { relative, verdict }: Judgement): boolean {
  if (moved === null || noise === null || relative === null) return false;
  return Math.abs(moved) > noise !== isChanged({ verdict });
}

/** Its change and noise in percent, its verdict, and whether it moved like all other visits. */
function verdictCells(group: Contribution, verdict: GroupVerdict | undefined): Record<string, Cell> {
  const moved = changePercentOf(group);
  if (!verdict) return { changePercent: moved, noisePercent: null, verdict: null };
  const { judged, change } = verdict;
  // What began within the period makes the verdict, and may go another way than the whole period did: its first day and size say so.
  const isOtherWay = moved !== null && judged.verdict === (moved > 0 ? 'down' : 'up');
  const noise = percent(noisePercentOf(judged));
  return {
    changePercent: moved,
    ...((isOtherSide(moved, noise, judged) || (isOtherWay && !judged.main)) && { levelPercent: percentOf(judged.relative) }),
    noisePercent: noise,
    verdict: isOtherWay ? 'mixed' : toldVerdict(judged),
    ...(judged.main && (isOtherWay || noise === null) && { since: judged.main.from }),
    ...(judged.main && isOtherWay && { sinceChangePercent: percentOf(judged.main.relative) }),
    ...(change && { againstOthers: change.verdict }),
  };
}

/** One device; `change` is undefined where nothing stands out that it could be a share of. */
export function deviceRecord(group: Contribution, change: number | undefined, verdict: GroupVerdict | undefined): Record<string, Cell> {
  const { name, before, after, shareBefore, shareAfter, mix, rate, contribution } = group;
  const shares = shareBefore === undefined ? {} : { shareBefore: percent(shareBefore), shareAfter: percent(shareAfter ?? null) };
  const effects = mix === undefined ? {} : { mix, rate: rate ?? null };
  const share = change ? (100 * contribution) / change : null;
  // Parts that cancel each other are no shares.
  const isShare = share !== null && Math.abs(share) <= MOST_PART;
  const part = change === undefined ? {} : { shareOfChangePercent: isShare ? percent(share) : null };
  return {
    device: name,
    before: round(before),
    after: round(after),
    ...verdictCells(group, verdict),
    ...shares,
    ...effects,
    contribution,
    ...part,
  };
}

/** Mix and rate of all groups together, and what is left. */
export function sumsOf(of: string, explained: Explained): Record<string, Cell> {
  const { metric, change, groups, remainder } = explained;
  return { metric, of, change, ...(groups.some(({ mix }) => mix !== undefined) && effectsOf(explained)), remainder };
}

/** One segment; its contribution and that of all other visits are the change. */
export function segmentRecord({ groups: [own], change }: Explained, verdict: GroupVerdict): Record<string, Cell> {
  if (!own) return {};
  const { name, before, after, contribution } = own;
  return {
    segment: name,
    before: round(before),
    after: round(after),
    ...verdictCells(own, verdict),
    contribution,
    ofOthers: fixed(change - contribution),
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
