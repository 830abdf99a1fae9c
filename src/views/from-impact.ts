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

/** The ends of the interval of an estimate where there is one, and the verdict where it is no claim. */
function intervalOf(row: ImpactRow, isRevenue: boolean): string {
  const ends = isRevenue ? [row.lostRevenueLow, row.lostRevenueHigh] : [row.lostConversionsLow, row.lostConversionsHigh];
  const isKnown = ends.every((end) => end !== undefined);
  const interval = isKnown ? [`(${ends.map((end) => formatValue(end, 'none')).join(' to ')})`] : [];
  return [...interval, ...(row.verdict === 'lowers' || row.verdict === 'raises' ? [] : [row.verdict])].join(' ');
}

/** The cost of each condition as a bar, its interval behind it; undefined where nothing could be measured. */
export function chartOfImpact({ conditions, days, outcome, currency }: ImpactAnswer, covered: readonly string[]): BarsSpec | undefined {
  const isRevenue = outcome === 'revenue';
  const drawn = conditions
    .filter((row) => row.lostConversions !== undefined && (!isRevenue || row.lostRevenue !== undefined))
    .slice(0, MOST_BARS);
  if (drawn.length === 0) return undefined;
  const many = outcome === 'purchase' ? 'purchases' : outcome;
  const lost = isRevenue ? ['revenue lost', ...(currency === undefined ? [] : [currency])].join(', ') : `lost ${many}`;
  const of = (value: number | undefined) => value ?? null;
  // Of visits that end more is a loss, and nothing is lost.
  if (outcome === 'bounce') return chartOfBounces({ drawn, days }, covered);
  const [first] = drawn;
  const amount = isRevenue
    ? `${formatValue(first?.lostRevenue, 'none')} ${currency ?? ''}`.trim()
    : formatValue(first?.lostConversions, 'none');
  const isClaim = first?.verdict === 'lowers';
  return {
    kind: 'bars',
    title: isClaim
      ? `${short(first.condition, LONGEST_TITLE)} costs most in ${days} days: ${isRevenue ? amount : `${amount} ${many}`}`
      : `No condition stands out as lowering ${isRevenue ? 'revenue' : many} in ${days} days`,
    subtitle: `${lost} in ${days} days, ${daysIn(covered)}: estimate and 95% interval`,
    unit: 'none',
    labels: drawn.map(({ condition }) => short(condition)),
    series: [{ name: 'estimate', values: drawn.map((row) => of(isRevenue ? row.lostRevenue : row.lostConversions)) }],
    notes: drawn.map((row) => intervalOf(row, isRevenue)),
  };
}

function chartOfBounces(
  { drawn, days }: { readonly drawn: readonly ImpactRow[]; readonly days: number },
  covered: readonly string[],
): BarsSpec {
  const [first] = drawn;
  const ends = (end: number | undefined) => formatValue(end === undefined ? end : -end, 'none');
  const note = ({ lostConversionsLow, lostConversionsHigh, verdict }: ImpactRow) =>
    `(${ends(lostConversionsHigh)} to ${ends(lostConversionsLow)})${verdict === 'raises' || verdict === 'lowers' ? '' : ` ${verdict}`}`;
  return {
    kind: 'bars',
    title:
      first?.verdict === 'raises'
        ? `${short(first.condition, LONGEST_TITLE)} goes with most visits that end there in ${days} days`
        : `No condition stands out as ending visits in ${days} days`,
    subtitle: `more visits that end on that page in ${days} days, ${daysIn(covered)}: estimate and 95% interval`,
    unit: 'none',
    labels: drawn.map(({ condition }) => short(condition)),
    series: [{ name: 'estimate', values: drawn.map(({ lostConversions }) => (lostConversions === undefined ? null : -lostConversions)) }],
    notes: drawn.map(note),
  };
}
