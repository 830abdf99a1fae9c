import type { Reasons } from '../engine/reasons.ts';
import { nameOf } from '../metric-definitions.ts';
import { levelText } from './comparison-words.ts';
import { changeDays, type MeasuredChange, measuredCostText } from './measured-change.ts';
import type { OtherPlace } from './measured-headline.ts';

/** Sentences on the place and the cost of a change. */
export function measuredSentences(headline: string, measured: MeasuredChange, currency: string | undefined): string {
  return [factorSentence(headline, measured), costSentence(measured, currency)].filter((sentence) => sentence !== '').join(' ');
}

/** A sentence for each other change that lies on one device. */
export function otherPlaceSentences(places: readonly OtherPlace[]): string {
  return places
    .map(({ metric, reasons }) => otherPlaceSentence(metric, reasons))
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function otherPlaceSentence(metric: string, { groups, named }: Reasons): string {
  const { relative = null, low = null, high = null } = groups.find(({ name }) => name === named) ?? {};
  if (named === undefined || relative === null || low === null || high === null) return '';
  return `${nameOf(metric)} changed on ${named}: ${levelText({ relative, low, high })}.`;
}

/** One sentence: the factor that a product follows from, where it changed; empty for a headline that is a factor itself. */
function factorSentence(headline: string, { metric, device, change }: MeasuredChange): string {
  const where = device === 'all' ? '' : ` on ${device}`;
  return metric === headline ? '' : `It follows from ${nameOf(metric).toLowerCase()}${where}: ${levelText(change)} ${changeDays(change)}.`;
}

/** One sentence: what the change adds or takes over its days, and how that is counted; empty where nothing is known of it. */
function costSentence(measured: MeasuredChange, currency: string | undefined): string {
  const text = measuredCostText(measured, currency);
  return text === '' ? '' : `That is ${text} against days without it.`;
}
