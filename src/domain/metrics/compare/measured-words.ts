import type { Reasons } from '../engine/reasons.ts';
import { nameOf } from '../metric-definitions.ts';
import type { Change } from './comparison-words.ts';
import { isBackForOneDay, levelText, MOVED_BY_ORDERS } from './level-words.ts';
import { changeDays, type MeasuredChange, measuredCostText } from './measured-change.ts';
import type { OtherPlace } from './measured-headline.ts';

/** Sentences on the place, the first day and the cost of a change. */
export function measuredSentences(headline: Change, measured: MeasuredChange, currency: string | undefined): string {
  const sentences = [
    factorSentence(headline.metric, measured),
    ownDaySentence(headline, measured),
    costSentence(measured, currency),
    oneDaySentence(measured),
    endSentence(headline, measured),
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

interface OneDay {
  readonly change: Pick<MeasuredChange['change'], 'days' | 'to'>;
}

/** One sentence: the first day on the device that changed, where all devices together show another; the cost counts from it. */
function ownDaySentence({ metric, since }: Change, { metric: own, device, change }: MeasuredChange): string {
  const isOther = own === metric && device !== 'all' && since !== undefined && since.from !== change.from;
  return isOther ? `On ${device} by itself it began on ${change.from}.` : '';
}

/** Days at the end of what was read that may be low or high by themselves, as those of a weekend, and no level that lasts. */
export const FEW_DAYS = 2;

/** One sentence: how little a day or two say; empty where a change has lasted for more. */
export function oneDaySentence({ metric, change: { days, to } }: Pick<MeasuredChange, 'metric'> & OneDay): string {
  if (days > FEW_DAYS || to !== undefined) return '';
  if (days > 1) return `It rests on ${days} days: whether it lasts is open.`;
  const doubt = MOVED_BY_ORDERS.has(metric) ? 'a single large order may be all there is' : 'whether it lasts is open';
  return `It rests on one day: ${doubt}.`;
}

/**
 * One sentence: how little the one day says behind a fall or a rise of a sum or an average of orders; empty where more days show its end.
 * Where it follows from a rate, of which a day holds many visits, that shows it.
 */
export function endSentence({ metric, since, days }: Pick<Change, 'metric' | 'since' | 'days'>, measured?: MeasuredChange): string {
  const { metric: own = metric, change: { to } = { to: since?.to } } = measured ?? {};
  if (!isBackForOneDay(metric, to, days.last)) return '';
  const back = `On ${days.last} it was back`;
  const doubt = 'one day of orders, which a single large one can make, so whether it is over is open';
  return `${back}${MOVED_BY_ORDERS.has(own) ? `: ${doubt}` : ''}.`;
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
