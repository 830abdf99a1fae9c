import { mean, standardDeviation } from 'simple-statistics';
import { studentOf } from '../engine/significance.ts';
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

/** Two-sided 1 % of the normal distribution. */
const Z_OF_ONE_PERCENT = 2.5758;
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

/** Judges a difference at the same time by its days (paired t-test at 1 %), which holds for groups that overlap too. */
function judgeSides(metric: string, reference: Side, other: Side): SideVerdict {
  const differences = dailyDifferences(metric, reference, other);
  if (differences.length < LEAST_DAYS) return 'not enough data';
  // Over n − 1, because the days are a sample.
  const error = (standardDeviation(differences) / Math.sqrt(differences.length - 1)) * studentOf(Z_OF_ONE_PERCENT, differences.length - 1);
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
  const rows = metrics.flatMap((metric, at) =>
    sides.map(({ name, values }, index): Cell[] => {
      const [first, value] = [reference?.values[metric] ?? null, values[metric] ?? null];
      const difference = index === 0 || first === null || value === null ? null : value - first;
      const percent = difference === null || !first ? null : (100 * difference) / first;
      const short = (number: number | null) => (number === null ? null : Number(number.toPrecision(Math.abs(number) >= 1000 ? 8 : 4)));
      // Binary fractions add to cents and to the four decimals of rates.
      const exact = difference === null ? null : fixed(difference);
      return [metric, unitOf(metric, currency) ?? null, name, value, exact, short(percent), verdicts[at]?.[index] ?? null];
    }),
  );
  return {
    answer: metrics.map((metric, at) => sentence(metric, sides, verdicts[at] ?? [], currency)).join(' '),
    columns: ['metric', 'unit', kind, 'value', 'difference', 'differencePercent', 'verdict'],
    rows,
  };
}
