import type { ImpactAnswer, ImpactRow } from '../domain/journeys/impact/impact-answer.ts';
import { formatValue } from './charts/values.ts';
import { daysIn } from './from-journeys.ts';
import type { BarsSpec } from './spec.ts';

/** More bars cannot be read. */
const MOST_BARS = 12;
const LONGEST_LABEL = 60;
/** A title wraps. */
const LONGEST_TITLE = 120;

/** A condition with its page, whose message is cut where it is long. */
function short(condition: string, longest = LONGEST_LABEL): string {
  const place = / on \S+$/.exec(condition)?.[0] ?? '';
  const room = longest - place.length;
  const words = condition.slice(0, condition.length - place.length);
  return words.length > room ? `${words.slice(0, Math.max(room, 10))}…${words.endsWith('"') ? '"' : ''}${place}` : condition;
}

/** An estimate with the ends of its interval at 95 %; undefined where there is none. */
interface Estimate {
  readonly value: number | undefined;
  readonly ends: readonly [number | undefined, number | undefined];
}

const minus = (value: number | undefined) => (value === undefined ? undefined : -value);

/** What a condition costs: revenue, conversions, or (more of them is a loss) visits that end on its page. */
function costOf(row: ImpactRow, outcome: string): Estimate {
  if (outcome === 'revenue') return { value: row.lostRevenue, ends: [row.lostRevenueLow, row.lostRevenueHigh] };
  const { lostConversions: value, lostConversionsLow: low, lostConversionsHigh: high } = row;
  return outcome === 'bounce' ? { value: minus(value), ends: [minus(high), minus(low)] } : { value, ends: [low, high] };
}

/** The interval of an estimate where there is one, and the verdict where it is no claim. */
function noteOf({ ends }: Estimate, verdict: ImpactRow['verdict']): string {
  const isKnown = ends.every((end) => end !== undefined);
  const interval = isKnown ? [`(${ends.map((end) => formatValue(end, 'none')).join(' to ')})`] : [];
  return [...interval, ...(verdict === 'lowers' || verdict === 'raises' ? [] : [verdict])].join(' ');
}

/** Of what the bars are, and the finding of the first one as a title. */
function wordsOf({ days, outcome, currency }: ImpactAnswer, first: ImpactRow | undefined, amount: string) {
  const name = first === undefined ? '' : short(first.condition, LONGEST_TITLE);
  if (outcome === 'bounce') {
    const none = `No condition stands out as ending visits in ${days} days`;
    const title = first?.verdict === 'raises' ? `${name} goes with most visits that end there in ${days} days: ${amount}` : none;
    return { what: 'more visits that end on that page', title };
  }
  const isRevenue = outcome === 'revenue';
  const many = outcome === 'purchase' ? 'purchases' : outcome;
  const none = `No condition stands out as lowering ${many} in ${days} days`;
  const cost = isRevenue ? `${amount} ${currency ?? ''}`.trim() : `${amount} ${many}`;
  return {
    what: isRevenue ? ['revenue lost', ...(currency === undefined ? [] : [currency])].join(', ') : `lost ${many}`,
    title: first?.verdict === 'lowers' ? `${name} costs most in ${days} days: ${cost}` : none,
  };
}

/** The cost of each condition as a bar, its interval behind it; undefined where nothing could be measured. */
export function chartOfImpact(answer: ImpactAnswer, covered: readonly string[]): BarsSpec | undefined {
  const { conditions, days, outcome } = answer;
  const drawn = conditions
    .map((row) => ({ row, cost: costOf(row, outcome) }))
    .filter(({ cost }) => cost.value !== undefined)
    .slice(0, MOST_BARS);
  const [first] = drawn;
  if (!first) return undefined;
  const { what, title } = wordsOf(answer, first.row, formatValue(first.cost.value, 'none'));
  return {
    kind: 'bars',
    title,
    subtitle: `${what} in ${days} days, ${daysIn(covered)}: estimate and 95% interval`,
    unit: 'none',
    labels: drawn.map(({ row }) => short(row.condition)),
    series: [{ name: 'estimate', values: drawn.map(({ cost }) => cost.value ?? null) }],
    notes: drawn.map(({ row, cost }) => noteOf(cost, row.verdict)),
  };
}
