import { formatMoney } from '../../../lib/number-text.ts';
import { unitOf } from '../metric-definitions.ts';
import { MOST_PART, shareOf } from './cause-words.ts';
import { capital } from './comparison-words.ts';
import type { RevenueSplit } from './contributions.ts';

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
    const money = (value: number) =>
      `${value > 0 ? '+' : ''}${formatMoney(value, { group: true })} ${unitOf('revenueSum', currency) ?? ''}`.trim();
    const texts = parts.map(([name, effect]) => `${name} ${name === 'visits' ? 'make' : 'makes'} ${money(effect)}`);
    return `Of the revenue change of ${money(change)}, ${texts.join(', ')}.`;
  }
  const verb = (name: string) => (name === 'visits' ? 'account' : 'accounts');
  const rest = others.map(([name, effect]) => `${name} for ${shareOf(effect, change)}`).join(', ');
  return `${capital(first[0])} ${verb(first[0])} for ${shareOf(first[1], change)} of the revenue change, ${rest}.`;
}
