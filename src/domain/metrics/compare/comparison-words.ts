import { formatNumber, formatPercent, NO_VALUE } from '../../../lib/number-text.ts';
import { definitionOf, unitOf } from '../metric-definitions.ts';
import { type Contribution, type Explained, fixed, type RevenueSplit } from './contributions.ts';
import { isRateOfCounts } from './days.ts';
import type { Judgement, StartDay, Verdict } from './noise.ts';
import { noisePercentOf } from './readings.ts';

/** One metric of one selection on both sides. */
export interface Change {
  readonly metric: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly judgement: Judgement;
  readonly since: StartDay | undefined;
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
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
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

const wordOf: Readonly<Record<Verdict, string>> = { up: 'rose', down: 'fell', 'within noise': 'went', 'not enough data': 'went' };

function sinceText(since: StartDay | undefined): string {
  if (!since) return '';
  const { day, earliest, latest } = since;
  return `, since ${day}${earliest === latest ? '' : ` (${earliest} to ${latest} are possible)`}`;
}

/** One sentence: what changed, by how much, whether it stands out, since when. */
export function changeSentence({ metric, before, after, judgement, since, of }: Change, currency: string | undefined): string {
  const name = of === '' ? nameOf(metric) : `${nameOf(metric)} (${of})`;
  if (before === null || after === null)
    return `${name} has no value in ${before !== null ? 'the period' : after === null ? 'either range' : 'the baseline'}: nothing can be compared.`;
  const { verdict } = judgement;
  const noise = noisePercentOf(judgement);
  const numbers = `${name} ${wordOf[verdict]} ${valueText(metric, before, currency)} → ${valueText(metric, after, currency)} (${changeText(metric, before, after)})`;
  const usual = noise === null ? '' : `±${formatNumber(noise, { digits: 1 })}%`;
  if (verdict === 'not enough data') return `${numbers}: not enough data to tell it from noise.`;
  if (verdict === 'within noise') return `${numbers}: within noise (up to ${usual} is chance).`;
  return `${numbers}, beyond noise (${usual})${sinceText(since)}.`;
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
  const told = changes
    .filter(({ before, after }) => before !== null && after !== null)
    .map(({ metric, before, after, judgement, of }) => {
      const stands = judgement.verdict === 'up' || judgement.verdict === 'down' ? 'beyond noise' : judgement.verdict;
      return `${nameOf(metric).toLowerCase()}${of === '' ? '' : ` (${of})`} ${changeText(metric, before, after)} ${stands}`;
    });
  return told.length === 0 ? '' : `${capital(told.join('; '))}.`;
}
