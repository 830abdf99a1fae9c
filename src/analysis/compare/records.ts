import { unitOf } from '../metric-units.ts';
import { type Contribution, type Explained, explain, type GroupValues } from './contributions.ts';
import type { Verdict } from './judge.ts';
import { noisePercentOf } from './readings.ts';
import type { Cell } from './shape.ts';
import { fixed, type RevenueSplit } from './split.ts';
import { type Change, effectsOf } from './words.ts';

function round(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : fixed(value);
}

/** Percents are read, not added. */
function percent(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Math.round(value * 100) / 100;
}

/** After minus before; null where one has no value. */
export function differenceOf({ before, after }: Change): number | null {
  return before === null || after === null ? null : after - before;
}

/** One metric of one selection. */
export function rowOf(change: Change, isLabelled: boolean, currency: string | undefined): Cell[] {
  const { metric, before, after, judgement, since, of } = change;
  const difference = differenceOf(change);
  return [
    ...(isLabelled ? [of] : []),
    metric,
    unitOf(metric, currency) ?? null,
    round(before),
    round(after),
    round(difference),
    percent(difference === null || !before ? null : (100 * difference) / before),
    percent(noisePercentOf(judgement)),
    judgement.verdict,
    since?.day ?? null,
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
  return { device: name, metric, before: round(before), after: round(after), ...shares, ...effects, contribution, ...explains, verdict: verdict ?? null }; // biome-ignore format: one thought
}

/** Mix and rate of all groups together, and what is left. */
export function sumsOf(explained: Explained): Record<string, Cell> {
  const { metric, change, groups, remainder } = explained;
  return { metric, change, ...(groups.some(({ mix }) => mix !== undefined) && effectsOf(explained)), remainder };
}

/** One segment against all other visits. */
export function segmentRecord(change: Change, pair: { segment: GroupValues; complement: GroupValues }, scale: number) {
  const total = differenceOf(change) ?? 0;
  const explained = explain(change.metric, total, [pair.segment, pair.complement], scale);
  const [own, others] = explained?.groups ?? [];
  if (!explained || !own || !others) return undefined;
  const { shareBefore, shareAfter } = own;
  const mix = own.mix === undefined ? {} : { mix: effectsOf(explained).mix, rate: own.rate ?? null, rateOfOthers: others.rate ?? null }; // biome-ignore format: one thought
  const shares = shareBefore === undefined ? {} : { shareBefore: percent(shareBefore), shareAfter: percent(shareAfter ?? null) };
  const counts = own.mix === undefined ? { contribution: own.contribution, ofOthers: others.contribution } : {};
  return { own, explained, record: { segment: own.name, before: round(own.before), after: round(own.after), ...shares, ...mix, ...counts, remainder: explained.remainder } }; // biome-ignore format: one thought
}

/** The factors of revenue to the cent, with what rounding leaves. */
export function revenueRecord({ visits, conversion, basket }: RevenueSplit, change: number) {
  const cents = (value: number) => Math.round(value * 100) / 100;
  const shown = { visits: cents(visits), conversion: cents(conversion), basket: cents(basket) };
  return { change: cents(change), ...shown, remainder: cents(cents(change) - shown.visits - shown.conversion - shown.basket) };
}
