import { formatNumber, formatPercent, NO_VALUE } from '../../../lib/number-text.ts';
import type { DatedChange } from '../engine/dated.ts';
import type { Judgement } from '../engine/judge.ts';
import { definitionOf, unitOf } from '../metric-definitions.ts';
import { type Contribution, type Explained, fixed, type RevenueSplit } from './contributions.ts';
import { isRateOfCounts } from './days.ts';
import { isChanged, noisePercentOf } from './readings.ts';

/** One metric of one selection on both sides. */
export interface Change {
  readonly metric: string;
  /** As the platform gives it for exactly the baseline and the period. */
  readonly before: number | null;
  readonly after: number | null;
  /** What is compared: the same, or of counts over ranges of different length the figure for a day. */
  readonly compared: { readonly before: number | null; readonly after: number | null };
  readonly isPerDay: boolean;
  readonly judgement: Judgement;
  /** When and by how much it changed; undefined where no day can be named. */
  readonly since: DatedChange | undefined;
  /** First and last whole day of the period. */
  readonly days: { readonly first: string; readonly last: string };
  /** What it is of, where that is not all visits: `mobile`, `Germany`. */
  readonly of: string;
}

const NAMES: Readonly<Record<string, string>> = {
  bounceRate: 'Bounce rate',
  cartAverage: 'Average cart',
  conversionCount: 'Conversions',
  conversionRate: 'Conversion rate',
  pageviewAverage: 'Page views per visit',
  revenueSum: 'Revenue',
  sessionTimeAverage: 'Session time',
  visits: 'Visits',
};

/** What a person calls a metric. */
export const nameOf = (metric: string) => NAMES[metric] ?? metric;
/** Begins a sentence. */
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** True for metrics in percent, whose changes are points. */
export const isPercent = (metric: string) => definitionOf(metric)?.unit === '%';

/** A value with its unit: `2.41%`, `61,234 EUR`, `27,934`. */
export function valueText(metric: string, value: number | null, currency: string | undefined): string {
  if (value === null) return NO_VALUE;
  if (isPercent(metric)) return formatPercent(value);
  const text = formatNumber(value, { group: true });
  return definitionOf(metric)?.unit === 'currency' ? `${text} ${unitOf(metric, currency) ?? ''}` : text;
}

/** A change in points or percent: `−0.48 pp, −20%`. */
export function changeText(metric: string, before: number | null, after: number | null): string {
  if (before === null || after === null) return NO_VALUE;
  const relative =
    before === 0 ? (after === 0 ? 'unchanged' : 'from 0') : formatPercent((100 * (after - before)) / before, { sign: true, digits: 1 });
  if (!isPercent(metric)) return relative;
  return `${formatNumber(after - before, { sign: true, digits: 2 })} pp, ${relative}`;
}

const signed = (share: number) => formatPercent(100 * share, { sign: true, digits: 1 });
const sizeOf = (share: number) => formatPercent(Math.abs(100 * share), { digits: 1 });
const lowerOrHigher = (share: number) => (share < 0 ? 'lower' : 'higher');

/** `25% lower (20% to 30%)`: against the days before, with its interval at 95 %. */
function levelText({ relative, low, high }: DatedChange): string {
  const [least, most] = [Math.abs(low), Math.abs(high)].toSorted((a, b) => a - b);
  const range = low * high > 0 ? `${sizeOf(least ?? 0)} to ${sizeOf(most ?? 0)}` : `${signed(low)} to ${signed(high)}`;
  return `${sizeOf(relative)} ${lowerOrHigher(relative)} (${range})`;
}

function possibleText({ from, earliest, latest }: DatedChange): string {
  return earliest === from && latest === from ? '' : ` (${earliest} to ${latest} are possible)`;
}

/** `343,567 → 318,948 (−7%)`, of ranges that differ in length with the figures for a day. */
function figuresText({ metric, before, after, compared, isPerDay }: Change, currency: string | undefined): string {
  const values = `${valueText(metric, before, currency)} → ${valueText(metric, after, currency)}`;
  const change = changeText(metric, compared.before, compared.after);
  if (!isPerDay) return `${values} (${change})`;
  return `${values}, for a day ${valueText(metric, compared.before, currency)} → ${valueText(metric, compared.after, currency)} (${change})`;
}

/** The change without the days that stand out, where these make a difference that a reader would stumble over. */
function withoutOutliersText({ compared: { before, after }, judgement: { changes, relative, noise } }: Change): string {
  if (relative === null || noise === null || before === null || after === null || before === 0) return '';
  if (!changes.some(({ shape }) => shape === 'outlier')) return '';
  return Math.abs((after - before) / before - relative) < noise / 4 ? '' : `; ${signed(relative)} without the days that stand out`;
}

function daysText(days: number): string {
  return days === 1 ? '1 day so far' : `${days} days so far`;
}

/** One sentence: what changed, by how much, whether it stands out, since when. */
export function changeSentence(change: Change, currency: string | undefined): string {
  const { metric, before, after, judgement, since, of, days } = change;
  const name = of === '' ? nameOf(metric) : `${nameOf(metric)} (${of})`;
  if (before === null || after === null)
    return `${name} has no value in ${before !== null ? 'the period' : after === null ? 'either range' : 'the baseline'}: nothing can be compared.`;
  const { verdict } = judgement;
  const noise = noisePercentOf(judgement);
  const figures = `${figuresText(change, currency)}${withoutOutliersText(change)}`;
  const usual = noise === null ? '' : `±${formatNumber(noise, { digits: 1 })}%`;
  if (verdict === 'not enough data') return `${name} went ${figures}: not enough data to distinguish a change from noise.`;
  if (verdict === 'within noise') return `${name} went ${figures}: within noise (up to ${usual} is chance).`;
  if (verdict === 'drift') return `${name} went ${figures}, beyond noise (${usual}): it drifted slowly, so no day is its start.`;
  const moved = verdict === 'up' ? 'rose' : 'fell';
  if (!since) return `${name} ${moved} ${figures}, beyond noise (${usual}).`;
  // From the first day on the figures of the ranges are those of the change.
  if (since.from <= days.first && since.to === undefined)
    return `${name} ${moved} ${figures}, beyond noise (${usual}), since ${since.from}${possibleText(since)}.`;
  const whole = `over the whole period ${figures}`;
  if (since.to !== undefined) return `${name} was ${levelText(since)} from ${since.from} to ${since.to} and is back; ${whole}.`;
  return `${name} is ${levelText(since)} since ${since.from}${possibleText(since)}, ${daysText(since.days)}; ${whole}.`;
}

/** A part whose level changed although that of the whole did not: by its own change where that has a date, else by the ranges. */
export function aloneSentence(name: string, { verdict }: Judgement, since: DatedChange | undefined, change: string): string {
  if (since && since.to === undefined) return `${capital(name)} alone is ${levelText(since)} since ${since.from}, ${daysText(since.days)}.`;
  if (since) return `${capital(name)} alone was ${levelText(since)} from ${since.from} to ${since.to ?? ''} and is back.`;
  const moved = verdict === 'up' ? 'rose' : verdict === 'down' ? 'fell' : 'drifted';
  return `${capital(name)} alone ${moved} beyond noise (${change}).`;
}

/** A change that began before the period, which a comparison with the baseline alone would not show; empty where there is none. */
export function earlierSentence({ metric, judgement, since, days, of }: Change): string {
  const earlier = judgement.changes.findLast(
    ({ shape, from, to }) => shape === 'step' && to === undefined && from < days.first && from !== since?.from,
  );
  if (!earlier) return '';
  const name = of === '' ? nameOf(metric) : `${nameOf(metric)} (${of})`;
  return `${isChanged(judgement) ? 'Before that' : 'But'} ${name.charAt(0).toLowerCase()}${name.slice(1)} is ${levelText(earlier)} since ${earlier.from} than before that day.`;
}

/** Days that stand out by themselves, and whether the verdict depends on them; undefined where there are none. */
export function outlierNote({ metric, judgement, of }: Change): string | undefined {
  const outliers = judgement.changes.filter(({ shape }) => shape === 'outlier');
  if (outliers.length === 0) return undefined;
  const name = of === '' ? nameOf(metric) : `${nameOf(metric)} (${of})`;
  const listed = outliers.map(({ from, relative }) => `${from} (${signed(relative)})`).join(', ');
  const { withOutliers } = judgement;
  const matters = withOutliers === undefined ? 'the verdict is the same with them' : `with them the verdict would be "${withOutliers}"`;
  return `${name}: ${listed} ${outliers.length === 1 ? 'stands' : 'stand'} out, such as holidays and outages do, and ${outliers.length === 1 ? 'is' : 'are'} left out of the verdict; ${matters}.`;
}

const rounded = (value: number) => formatPercent(value, { digits: 0 });
const shareOf = (part: number, change: number) => rounded((100 * part) / change);

function ratesText({ before, after }: Contribution): string {
  return `${formatPercent(before)} → ${formatPercent(after)}`;
}

/** The largest of some groups by what it adds to a change. */
function leading(groups: readonly Contribution[], change: number, of: (group: Contribution) => number): Contribution | undefined {
  const sign = Math.sign(change);
  return groups.toSorted((a, b) => sign * (of(b) - of(a)))[0];
}

/** What of a change comes from moved traffic, and what from rates that moved. */
export function effectsOf({ groups }: Explained): { mix: number; rate: number } {
  const sum = (of: (group: Contribution) => number) => groups.reduce((total, group) => total + of(group), 0);
  return { mix: fixed(sum(({ mix = 0 }) => mix)), rate: fixed(sum(({ rate = 0 }) => rate)) };
}

/** The segment whose share of the visits moved most, and by how much. */
function movedSegment(segments: readonly Contribution[]): string {
  const moved = (group: Contribution) => Math.abs((group.shareAfter ?? 0) - (group.shareBefore ?? 0));
  const [most] = segments.toSorted((a, b) => moved(b) - moved(a));
  if (!most || moved(most) < 3) return '';
  return ` Most moved segment: "${most.name}", ${rounded(most.shareBefore ?? 0)} → ${rounded(most.shareAfter ?? 0)} of the visits.`;
}

/** The group whose own rate explains a change of a rate best; undefined where moved traffic explains more, or it is none of counts. */
export function leadOf(explained: Explained): Contribution | undefined {
  const { mix, rate } = effectsOf(explained);
  if (!isRateOfCounts(explained.metric) || Math.abs(mix) > Math.abs(rate)) return undefined;
  return leading(explained.groups, explained.change, (group) => group.rate ?? 0);
}

/** A device that is half of all makes half of any change: it explains one only beyond its size. */
const BEYOND_SIZE = 0.2;

function countSentence({ change, groups }: Explained): string {
  const first = leading(groups, change, ({ contribution }) => contribution);
  if (!first) return '';
  const all = groups.reduce((sum, { before }) => sum + (before ?? 0), 0);
  const size = all > 0 ? (first.before ?? 0) / all : 0;
  if (first.contribution / change - size >= BEYOND_SIZE)
    return `${capital(first.name)} explains ${shareOf(first.contribution, change)} of it.`;
  return `Devices moved alike: ${first.name}, ${rounded(100 * size)} of the whole before, makes ${shareOf(first.contribution, change)} of it.`;
}

/** One sentence: which device explains a change, and whether by its own rate or by moved traffic; `ratesMoved`: that of a device is beyond noise. */
export function deviceSentence(explained: Explained, segments: readonly Contribution[], ratesMoved: boolean): string {
  const { metric, change, groups } = explained;
  if (change === 0) return '';
  if (!isRateOfCounts(metric)) return countSentence(explained);
  const { mix, rate } = effectsOf(explained);
  if (Math.abs(mix) > Math.abs(rate)) {
    const moved = leading(groups, 1, ({ shareAfter = 0, shareBefore = 0 }) => shareAfter - shareBefore);
    const share = moved ? `: the share of ${moved.name} rose ${rounded(moved.shareBefore ?? 0)} → ${rounded(moved.shareAfter ?? 0)}` : '';
    return `Traffic mix explains ${shareOf(mix, change)}${share}; rates within devices ${shareOf(rate, change)}${ratesMoved ? '' : ' (each within noise)'}.${movedSegment(segments)}`;
  }
  const first = leadOf(explained);
  if (!first) return '';
  const direction = (first.after ?? 0) < (first.before ?? 0) ? 'fell' : 'rose';
  return `${capital(first.name)} explains ${shareOf(first.contribution, change)}: its own rate ${direction} (${ratesText(first)}); traffic mix ${shareOf(mix, change)}.`;
}

/** One sentence: which factor moved revenue, the strongest first. */
export function revenueSentence(split: RevenueSplit, change: number): string {
  if (change === 0) return '';
  const parts = [
    ['visits', split.visits],
    ['conversion', split.conversion],
    ['basket', split.basket],
  ] as const;
  const sorted = parts.toSorted(([, a], [, b]) => Math.sign(change) * (b - a));
  return `Of the change of revenue, ${sorted.map(([name, effect]) => `${name} make${name === 'visits' ? '' : 's'} ${shareOf(effect, change)}`).join(', ')}.`;
}

/** The other metrics in a few words. */
export function othersSentence(changes: readonly Change[]): string {
  const phrases = changes
    .filter(({ before, after }) => before !== null && after !== null)
    .map(({ metric, compared, judgement, since, days, of }) => {
      const { verdict } = judgement;
      const stands = verdict === 'up' || verdict === 'down' ? 'beyond noise' : verdict === 'drift' ? 'drifting' : verdict;
      const when = since && since.to === undefined && since.from > days.first ? ` (${signed(since.relative)} since ${since.from})` : '';
      return `${nameOf(metric).toLowerCase()}${of === '' ? '' : ` (${of})`} ${changeText(metric, compared.before, compared.after)} ${stands}${when}`;
    });
  return phrases.length === 0 ? '' : `${capital(phrases.join('; '))}.`;
}
