import { formatNumber } from '../../../lib/number-text.ts';
import { definitionOf, nameOf } from '../metric-definitions.ts';
import { effectsOf, isMix } from './cause-words.ts';
import type { Explained, RevenueSplit } from './contributions.ts';

const money = (value: number, isWhole: boolean) => formatNumber(value, { group: true, sign: true, digits: isWhole ? 0 : 2 });
/** From here on cents say nothing. */
const LEAST_WHOLE = 1_000;

/** One sentence: what each factor makes of a change of revenue, in money; `isCalm` where none lies beyond noise. */
export function splitSentence(
  split: RevenueSplit,
  change: number,
  currency: string | undefined,
  { isCalm, isPerDay }: { readonly isCalm: boolean; readonly isPerDay: boolean },
): string {
  const isWhole = Math.max(Math.abs(split.visits), Math.abs(split.conversion), Math.abs(split.basket)) >= LEAST_WHOLE;
  const of = currency === undefined ? '' : ` ${currency}`;
  const [whole, visits, conversion, basket] = [change, split.visits, split.conversion, split.basket].map((each) => money(each, isWhole));
  const calm = isCalm ? ', none beyond noise' : '';
  return `Revenue ${whole}${of}${isPerDay ? ' a day' : ''}: visits ${visits}, conversion ${conversion}, average order ${basket}${calm}.`;
}

/** Points of a rate below which there is nothing to divide. */
const LEAST_POINTS = 0.005;

/** Whether mix and rate of the devices are worth a word, and are not what the sentence on devices says. */
const isDivided = (explained: Explained) =>
  definitionOf(explained.metric)?.unit === '%' && Math.abs(explained.change) >= LEAST_POINTS && !isMix(explained);

/** The sentence on a device whose change has a date, with mix and rate between the ranges, which is another change. */
export function withRates(sentence: string, explained: Explained): string {
  if (sentence === '' || !isDivided(explained)) return sentence;
  const { mix, rate } = effectsOf(explained);
  const points = (value: number) => formatNumber(value, { sign: true, digits: 2 });
  const said = `mix of devices ${points(mix)} pp, rates ${points(rate)}.`;
  return sentence.includes(' Between the ranges ') ? `${sentence.slice(0, -1)}; ${said}` : `${sentence} Between the ranges: ${said}`;
}

/** One sentence: how much of a change of a rate is traffic mix of devices; empty where the sentence on devices says it. */
export function rateSentence(explained: Explained): string {
  const { metric, change } = explained;
  if (!isDivided(explained)) return '';
  const { mix, rate } = effectsOf(explained);
  const points = (value: number) => formatNumber(value, { sign: true, digits: 2 });
  return `${nameOf(metric)} ${points(change)} pp: mix of devices ${points(mix)}, rates within them ${points(rate)}.`;
}
