import { mean, standardDeviation } from 'simple-statistics';
import { type TableColumn, tableOf } from '../../../lib/columns.ts';
import { studentOf, Z_99 } from '../../../statistics/tails.ts';
import { nameOf, unitOf } from '../metric-definitions.ts';
import type { MetricValues } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Cell, Comparison } from './comparison-rows.ts';
import { changeText, valueText } from './comparison-words.ts';
import { fixed } from './contributions.ts';

/** One side of a comparison, read at the same time. */
export interface Side {
  readonly name: string;
  readonly values: MetricValues;
  readonly days: readonly MetricRow[];
}

type SideVerdict = 'higher' | 'lower' | 'within noise' | 'not enough data';

/** Sides that a sentence names. */
const MOST_SAID = 4;
/** Days that both sides need. */
const LEAST_DAYS = 5;

/** Differences of the days on which both sides have a value. */
function dailyDifferences(metric: string, reference: Side, other: Side): number[] {
  return other.days.flatMap((row) => {
    const twin = reference.days.find(({ interval }) => interval.startMs === row.interval.startMs);
    const [a, b] = [twin?.values[metric], row.values[metric]];
    return row.interval.isPart || typeof a !== 'number' || typeof b !== 'number' ? [] : [b - a];
  });
}

/** Judges how the second side differs from the first by its days (paired t-test at 1 %), which holds for groups that overlap too. */
export function judgeSides(metric: string, reference: Side, other: Side): SideVerdict {
  const differences = dailyDifferences(metric, reference, other);
  if (differences.length < LEAST_DAYS) return 'not enough data';
  // Over n − 1, because the days are a sample.
  const error = (standardDeviation(differences) / Math.sqrt(differences.length - 1)) * studentOf(Z_99, differences.length - 1);
  const middle = mean(differences);
  if (Math.abs(middle) <= error) return 'within noise';
  return middle > 0 ? 'higher' : 'lower';
}

function sentence(
  metric: string,
  sides: readonly Side[],
  verdicts: readonly (SideVerdict | undefined)[],
  currency: string | undefined,
): string {
  const [reference] = sides;
  const first = reference?.values[metric] ?? null;
  const shown = sides.length > MOST_SAID + 1 ? sides.slice(0, MOST_SAID) : sides;
  const phrases = shown.map(({ name, values }, index) => {
    const value = values[metric] ?? null;
    const verdict = verdicts[index];
    const difference =
      verdict === undefined || value === null || first === null ? '' : ` (${changeText(metric, first, value)}: ${verdict})`;
    return `${name} ${valueText(metric, value, currency)}${difference}`;
  });
  const more = shown.length < sides.length ? `; ${sides.length - shown.length} more in the table` : '';
  return `${nameOf(metric)}: ${phrases.join(', ')}${more}.`;
}

/** One metric of one side, beside the value of the first side. */
interface SideValue {
  readonly metric: string;
  readonly name: string;
  readonly value: number | null;
  /** Of the side that the others are compared with; undefined for that side itself. */
  readonly reference: number | null | undefined;
  readonly verdict: SideVerdict | undefined;
}

const short = (number: number) => Number(number.toPrecision(Math.abs(number) >= 1000 ? 8 : 4));

const hasDifference = (side: SideValue): side is SideValue & { readonly value: number; readonly reference: number } =>
  typeof side.reference === 'number' && side.value !== null;

/** The columns of a side. */
const sideColumns = (kind: string, currency: string | undefined): readonly TableColumn<SideValue, Cell>[] => [
  ['metric', ({ metric }) => metric],
  ['unit', ({ metric }) => unitOf(metric, currency) ?? null],
  [kind, ({ name }) => name],
  ['value', ({ value }) => value],
  // Binary fractions add to cents and to the four decimals of rates.
  ['difference', (side) => (hasDifference(side) ? fixed(side.value - side.reference) : null)],
  [
    'differencePercent',
    (side) => (hasDifference(side) && side.reference !== 0 ? short((100 * (side.value - side.reference)) / side.reference) : null),
  ],
  ['verdict', ({ verdict }) => verdict ?? null],
];

/** Puts sides next to each other: a row for each metric and side, each against the first. */
export function compareSides(
  metrics: readonly string[],
  sides: readonly Side[],
  kind: string,
  currency: string | undefined,
): Pick<Comparison, 'answer' | 'columns' | 'rows'> {
  const [reference] = sides;
  const verdicts = metrics.map((metric) =>
    sides.map((side) => (reference && side !== reference ? judgeSides(metric, reference, side) : undefined)),
  );
  const values = metrics.flatMap((metric, at) =>
    sides.map((side, index): SideValue => {
      const first = side === reference ? undefined : (reference?.values[metric] ?? null);
      return { metric, name: side.name, value: side.values[metric] ?? null, reference: first, verdict: verdicts[at]?.[index] };
    }),
  );
  return {
    answer: metrics.map((metric, at) => sentence(metric, sides, verdicts[at] ?? [], currency)).join(' '),
    ...tableOf(sideColumns(kind, currency), values),
  };
}
