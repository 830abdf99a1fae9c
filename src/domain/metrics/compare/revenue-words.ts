import { formatMoney, formatNumber } from '../../../lib/number-text.ts';
import { unitOf } from '../metric-definitions.ts';
import { MOST_PART, shareOf } from './cause-words.ts';
import { capital } from './comparison-words.ts';
import type { RevenueSplit } from './contributions.ts';

const LEAST_WHOLE = 1_000;

/** One sentence: which factor moved revenue, the strongest first; in money where parts cancel each other. */
export function revenueSentence(split: RevenueSplit, change: number, currency: string | undefined): string {
  if (change === 0) return '';
  const parts = [
    ['visits', split.visits],
    ['conversion', split.conversion],
    ['basket', split.basket],
  ] as const;
  const [first, ...others] = parts.toSorted(([, a], [, b]) => Math.sign(change) * (b - a));
  if (!first) return '';
  if (parts.some(([, effect]) => Math.abs((100 * effect) / change) > MOST_PART)) {
    // Cents of thousands say nothing.
    const isWhole = Math.abs(change) >= LEAST_WHOLE;
    const amount = (value: number) => {
      const money = isWhole ? formatNumber(value, { group: true, digits: 0 }) : formatMoney(value, { group: true });
      return `${value > 0 ? '+' : ''}${money}`;
    };
    const unit = unitOf('revenueSum', currency);
    const of = unit === undefined ? '' : ` ${unit}`;
    const rest = others.map(([name, effect]) => `, ${name} ${amount(effect)}`).join('');
    const makes = first[0] === 'visits' ? 'make' : 'makes';
    return `Of the revenue change of ${amount(change)}${of}, ${first[0]} ${makes} ${amount(first[1])}${rest}${of}.`;
  }
  const verb = (name: string) => (name === 'visits' ? 'account' : 'accounts');
  const rest = others.map(([name, effect]) => `${name} for ${shareOf(effect, change)}`).join(', ');
  return `${capital(first[0])} ${verb(first[0])} for ${shareOf(first[1], change)} of the revenue change, ${rest}.`;
}
