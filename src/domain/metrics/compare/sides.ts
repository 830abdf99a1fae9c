import { mean, standardDeviation } from 'simple-statistics';
import type { Facts, FindingPlace } from '../../../findings/finding.ts';
import { paragraphOf } from '../../../findings/paragraph.ts';
import type { Grammar } from '../../../findings/sentence.ts';
import { type TableColumn, tableOf } from '../../../lib/columns.ts';
import { present } from '../../../lib/sentences.ts';
import { studentOf, Z_95, Z_99 } from '../../../statistics/tails.ts';
import { ALL_VISITORS } from '../../names/match-name.ts';
import { wordedAll } from '../findings.ts';
import { isCount, unitOf } from '../metric-definitions.ts';
import type { MetricValues } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Cell, Comparison } from './comparison-rows.ts';
import { fixed } from './contributions.ts';

/** One side of a comparison, read at the same time. */
export interface Side {
  readonly name: string;
  readonly values: MetricValues;
  readonly days: readonly MetricRow[];
}

type SideVerdict = 'higher' | 'lower' | 'within noise' | 'not enough data';

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

/** How a side differs from the first one by its days: its verdict at 1 %, and half of the interval of the mean difference at 95 %. */
interface SideJudgement {
  readonly verdict: SideVerdict;
  readonly half: number;
}

/** Judges how the second side differs from the first by its days (paired t-test at 1 %), which holds for groups that overlap too. */
function judgeSides(metric: string, reference: Side, other: Side): SideJudgement {
  const differences = dailyDifferences(metric, reference, other);
  if (differences.length < LEAST_DAYS) return { verdict: 'not enough data', half: 0 };
  const freedom = differences.length - 1;
  // Over n − 1, because the days are a sample.
  const error = standardDeviation(differences) / Math.sqrt(freedom);
  const middle = mean(differences);
  const half = error * studentOf(Z_95, freedom);
  if (Math.abs(middle) <= error * studentOf(Z_99, freedom)) return { verdict: 'within noise', half };
  return { verdict: middle > 0 ? 'higher' : 'lower', half };
}

const VERDICTS = { higher: 'higher', lower: 'lower', 'within noise': 'unchanged', 'not enough data': 'too few data' } as const;

/** Of what the sides are, and the place of a metric that they share. */
interface SidesScene {
  readonly kind: 'device' | 'segment';
  readonly currency: string | undefined;
  readonly placeOf: (metric: string) => FindingPlace;
}

/** The record of a side that is held against the first one. */
function factsOf(
  { metric, name, value, reference, verdict, half }: SideValue,
  first: string,
  { kind, currency, placeOf }: SidesScene,
): Facts[] {
  // That a part holds less than the whole, or that nothing was counted on either side, is no finding.
  if (verdict === undefined || reference === undefined || !(value || reference) || (first === ALL_VISITORS && isCount(metric))) return [];
  const whole = placeOf(metric);
  const isMoved = (verdict === 'higher' || verdict === 'lower') && value !== null && reference !== null && reference !== 0;
  const percentOf = (difference: number) => (reference ? short((100 * difference) / Math.abs(reference)) : 0);
  const difference = isMoved ? value - reference : 0;
  return [
    {
      subject: metric,
      unit: unitOf(metric, currency) ?? '',
      place: { ...whole, [kind]: present(whole[kind], name).join(' and ') },
      when: { shape: 'range', ongoing: false },
      now: value,
      against: { what: 'others', name: first, value: reference },
      ...(isMoved && {
        change: { percent: percentOf(difference), low: Math.max(-100, percentOf(difference - half)), high: percentOf(difference + half) },
      }),
      verdict: VERDICTS[verdict],
      causes: [],
    },
  ];
}

/** One metric of one side, beside the value of the first side. */
interface SideValue {
  readonly metric: string;
  readonly name: string;
  readonly value: number | null;
  /** Of the side that the others are compared with; undefined for that side itself. */
  readonly reference: number | null | undefined;
  readonly verdict: SideVerdict | undefined;
  /** Half of the interval of the difference, of a count over all days of the range. */
  readonly half: number;
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

/** How far a side lies from the first, which comes first itself; without a value last. */
function distanceOf(side: SideValue): number {
  if (side.reference === undefined) return Number.POSITIVE_INFINITY;
  return hasDifference(side) ? Math.abs(side.value - side.reference) : -1;
}

/** Puts sides next to each other: a row for each metric and side, each against the first, the farthest from it first, and what differs. */
export function compareSides(
  metrics: readonly string[],
  sides: readonly Side[],
  scene: SidesScene & { readonly grammar: Grammar },
): Pick<Comparison, 'answer' | 'findings' | 'columns' | 'rows'> {
  const [reference] = sides;
  const values = metrics.flatMap((metric) => {
    const own = sides.map((side): SideValue => {
      const isFirst = side === reference;
      const first = isFirst ? undefined : (reference?.values[metric] ?? null);
      const judged = reference && !isFirst ? judgeSides(metric, reference, side) : undefined;
      const half = (judged?.half ?? 0) * (isCount(metric) ? side.days.length : 1);
      return { metric, name: side.name, value: side.values[metric] ?? null, reference: first, verdict: judged?.verdict, half };
    });
    return own.toSorted((a, b) => distanceOf(b) - distanceOf(a));
  });
  const findings = wordedAll(
    values.flatMap((value) => factsOf(value, reference?.name ?? '', scene)),
    scene.grammar,
  );
  const { answer } = paragraphOf(findings.map(({ sentence }) => sentence));
  return { answer, findings, ...tableOf(sideColumns(scene.kind, scene.currency), values) };
}
