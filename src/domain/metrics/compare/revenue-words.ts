import { formatMoney, formatNumber } from '../../../lib/number-text.ts';
import { capital } from '../../../lib/sentences.ts';
import { unitOf } from '../metric-definitions.ts';
import { isBeyond, shareOf } from './cause-words.ts';
import type { RevenueSplit } from './contributions.ts';

const LEAST_WHOLE = 1_000;

/** A factor of revenue. */
export type RevenueFactor = keyof RevenueSplit;

/** The metric that each factor is. */
export const METRIC_OF: Readonly<Record<RevenueFactor, string>> = { visits: 'visits', conversion: 'conversionRate', basket: 'cartAverage' };

/** The factors in the order in which a visit meets them. */
export const REVENUE_FACTORS: readonly RevenueFactor[] = ['visits', 'conversion', 'basket'];

/** `visits and basket lie`, of what the change does not come from. */
function calmText(calm: readonly RevenueFactor[]): string {
  const names = calm.join(' and ');
  return `${names} ${calm.length > 1 || calm[0] === 'visits' ? 'lie' : 'lies'} within noise`;
}

/** The same where some factors lie within noise: these have no part of it. */
function sentenceBeside(clear: readonly RevenueFactor[], calm: readonly RevenueFactor[]): string {
  if (clear.length === 0)
    return 'Neither visits nor conversion nor basket moved beyond noise alone: revenue moved by all of them together.';
  const names = clear.join(' and ');
  return `Revenue moved with ${names}; ${calmText(calm)}.`;
}

/**
 * One sentence: which factor moved revenue, the strongest first; in money where parts cancel each other. A factor that lies within noise
 * has no part of the change.
 */
export function revenueSentence(
  split: RevenueSplit,
  change: number,
  currency: string | undefined,
  isCalm: (factor: RevenueFactor) => boolean = () => false,
  { headline, isPerDay = false }: { readonly headline?: string; readonly isPerDay?: boolean } = {},
): string {
  if (change === 0) return '';
  const calm = REVENUE_FACTORS.filter(isCalm);
  // What was said first needs no second sentence.
  if (
    calm.length === 2 &&
    headline !== undefined &&
    REVENUE_FACTORS.some((factor) => METRIC_OF[factor] === headline && !calm.includes(factor))
  )
    return '';
  if (calm.length > 0)
    return sentenceBeside(
      REVENUE_FACTORS.filter((factor) => !calm.includes(factor)),
      calm,
    );
  const parts = [
    ['visits', split.visits],
    ['conversion', split.conversion],
    ['basket', split.basket],
  ] as const;
  const [first, ...others] = parts.toSorted(([, a], [, b]) => Math.sign(change) * (b - a));
  if (!first) return '';
  if (parts.some(([, effect]) => isBeyond(Math.abs(effect), Math.abs(change)))) {
    // Cents of thousands say nothing.
    const isWhole = Math.abs(change) >= LEAST_WHOLE;
    const amount = (value: number) => {
      const money = isWhole ? formatNumber(value, { group: true, digits: 0 }) : formatMoney(value, { group: true });
      return `${value > 0 ? '+' : ''}${money}`;
    };
    const unit = unitOf('revenueSum', currency);
    const of = `${unit === undefined ? '' : ` ${unit}`}${isPerDay ? ' a day' : ''}`;
    const rest = others.map(([name, effect]) => `, ${name} ${amount(effect)}`).join('');
    const makes = first[0] === 'visits' ? 'make' : 'makes';
    return `Of the revenue change of ${amount(change)}${of}, ${first[0]} ${makes} ${amount(first[1])}${rest}${of}.`;
  }
  const verb = (name: string) => (name === 'visits' ? 'account' : 'accounts');
  const rest = others.map(([name, effect]) => `${name} for ${shareOf(effect, change)}`).join(', ');
  return `${capital(first[0])} ${verb(first[0])} for ${shareOf(first[1], change)} of the revenue change, ${rest}.`;
}
