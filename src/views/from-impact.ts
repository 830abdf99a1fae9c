import type { ImpactAnswer } from '../domain/journeys/impact/impact-answer.ts';
import { formatValue } from './charts/values.ts';
import type { BarsSpec } from './spec.ts';

/** More bars cannot be read. */
const MOST_BARS = 12;
const LONGEST_LABEL = 60;

/** A condition with its page, whose message is cut where it is long. */
function short(condition: string): string {
  const place = / on \S+$/.exec(condition)?.[0] ?? '';
  const room = LONGEST_LABEL - place.length;
  const words = condition.slice(0, condition.length - place.length);
  return words.length > room ? `${words.slice(0, Math.max(room, 10))}…${words.endsWith('"') ? '"' : ''}${place}` : condition;
}

/** The cost of each condition as bars with the ends of its interval; undefined where nothing could be measured. */
export function chartOfImpact({ conditions, days, outcome, currency }: ImpactAnswer): BarsSpec | undefined {
  const isRevenue = outcome === 'revenue';
  const drawn = conditions
    .filter((row) => row.lostConversions !== undefined && (!isRevenue || row.lostRevenue !== undefined))
    .slice(0, MOST_BARS);
  if (drawn.length === 0) return undefined;
  const many = outcome === 'purchase' ? 'purchases' : outcome;
  const lost = isRevenue ? ['revenue lost', ...(currency === undefined ? [] : [currency])].join(', ') : `lost ${many}`;
  const of = (value: number | undefined) => value ?? null;
  const [first] = drawn;
  const amount = isRevenue
    ? `${formatValue(first?.lostRevenue, 'none')} ${currency ?? ''}`.trim()
    : formatValue(first?.lostConversions, 'none');
  const isClaim = first?.verdict === 'lowers';
  return {
    kind: 'bars',
    title: isClaim
      ? `${short(first.condition)} costs most in ${days} days: ${isRevenue ? amount : `${amount} ${many}`}`
      : `No condition stands out as lowering ${isRevenue ? 'revenue' : many} in ${days} days`,
    subtitle: `${lost}; 95% interval beside each estimate; an interval across 0 is within noise`,
    unit: 'none',
    labels: drawn.map(({ condition }) => short(condition)),
    series: [
      { name: 'low', values: drawn.map((row) => of(isRevenue ? row.lostRevenueLow : row.lostConversionsLow)) },
      { name: 'estimate', values: drawn.map((row) => of(isRevenue ? row.lostRevenue : row.lostConversions)) },
      { name: 'high', values: drawn.map((row) => of(isRevenue ? row.lostRevenueHigh : row.lostConversionsHigh)) },
    ],
  };
}
