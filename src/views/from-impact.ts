import type { ImpactAnswer } from '../domain/journeys/impact/impact-answer.ts';
import { formatValue } from './charts/values.ts';
import type { BarsSpec } from './spec.ts';

/** More bars cannot be read. */
const MOST_BARS = 12;
const LONGEST_LABEL = 60;

/** The cost of each condition as bars with the ends of its interval; undefined where nothing could be measured. */
export function chartOfImpact({ conditions, days, outcome, currency }: ImpactAnswer): BarsSpec | undefined {
  const isRevenue = outcome === 'revenue';
  const drawn = conditions
    .filter((row) => row.lostConversions !== undefined && (!isRevenue || row.lostRevenue !== undefined))
    .slice(0, MOST_BARS);
  if (drawn.length === 0) return undefined;
  const lost = [isRevenue ? 'revenue lost' : `lost: ${outcome}`, ...(isRevenue && currency !== undefined ? [currency] : [])].join(', ');
  const of = (value: number | undefined) => value ?? null;
  const amount = (row: (typeof drawn)[number] | undefined) =>
    `${formatValue(isRevenue ? row?.lostRevenue : row?.lostConversions, 'none')} ${isRevenue ? (currency ?? '') : outcome}`.trim();
  return {
    kind: 'bars',
    title: `${drawn[0]?.condition.slice(0, LONGEST_LABEL) ?? ''} costs most in ${days} days: ${amount(drawn[0])}`,
    subtitle: `${lost}; 95% interval beside each estimate; an interval across 0 is within noise`,
    unit: 'none',
    labels: drawn.map(({ condition }) => (condition.length > LONGEST_LABEL ? `${condition.slice(0, LONGEST_LABEL)}…` : condition)),
    series: [
      { name: 'low', values: drawn.map((row) => of(isRevenue ? row.lostRevenueLow : row.lostConversionsLow)) },
      { name: 'estimate', values: drawn.map((row) => of(isRevenue ? row.lostRevenue : row.lostConversions)) },
      { name: 'high', values: drawn.map((row) => of(isRevenue ? row.lostRevenueHigh : row.lostConversionsHigh)) },
    ],
  };
}
