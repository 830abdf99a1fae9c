import type { Facts, FindingPlace } from '../../findings/finding.ts';
import { paragraphOf } from '../../findings/paragraph.ts';
import type { Grammar } from '../../findings/sentence.ts';
import { type TableColumn, tableOf } from '../../lib/columns.ts';
import { nth } from '../../lib/nth.ts';
import { present } from '../../lib/sentences.ts';
import { ALL_VISITORS } from '../../names/match-name.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import { meanOf } from '../../statistics/order.ts';
import { normalOf, studentOf, tailOf, Z_95 } from '../../statistics/tails.ts';
import { sumOf, valueOf } from '../engine/series.ts';
import { wordedAll } from '../findings.ts';
import { isCount, unitOf } from '../metric-definitions.ts';
import type { MetricValues } from '../read/combine.ts';
import { dayPoints, kindOf, rounded } from '../read/day-points.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Cell, Comparison } from './comparison-rows.ts';
import { fixed } from './contributions.ts';

/** One side of a comparison, read at the same time. */
export interface Side {
  readonly name: string;
  readonly values: MetricValues;
  readonly days: readonly MetricRow[];
}

/** Whether a side has no visits, so that it is neither compared nor what others are compared with. */
export const isEmpty = ({ values }: Pick<Side, 'values'>) => values['visits'] === 0;

/** Days that both sides need. */
const LEAST_DAYS = 5;

/** A difference of two sides: its p-value, half of its interval (95 %), and the rate of the first where the other lacks days. */
interface Difference {
  readonly pValue: number;
  readonly half: number;
  readonly sameDays: number | undefined;
}

/**
 * The difference of two sides by the days of both, paired, each with the weight of its counts (ratio estimator, Cochran 1977, 6.4), which
 * holds for groups that overlap too; undefined of too few days. Its error is that of neighbouring days (von Neumann 1941), so that a change
 * of one side within the range is no scatter; two thirds as many degrees of freedom are left.
 */
function differenceOf(metric: string, reference: Side, other: Side): Difference | undefined {
  const twins = new Map(dayPoints(other.days, metric).map((point) => [point.label, point]));
  const all = dayPoints(reference.days, metric);
  const shared = all.filter(({ label }) => twins.has(label));
  if (shared.length < LEAST_DAYS) return undefined;
  const freedom = (2 / 3) * (shared.length - 1);
  const [first, second] = [shared, shared.flatMap(({ label }) => twins.get(label) ?? [])].map((points) => {
    const [level, weight] = [valueOf(points), sumOf(points, 'denominator')];
    return { level, residuals: points.map(({ numerator, denominator }) => (numerator - level * denominator) / weight) };
  });
  if (!first || !second) return undefined;
  const gaps = shared.map((_, day) => nth(second.residuals, day) - nth(first.residuals, day));
  const squares = gaps.slice(1).map((gap, day) => (gap - nth(gaps, day)) ** 2 / 2);
  const error = Math.sqrt(shared.length * meanOf(squares));
  const difference = second.level - first.level;
  // Sides that are the same on all days do not scatter.
  const score = difference === 0 ? 0 : difference / error;
  const times = kindOf(metric) === 'share' ? 100 : 1;
  const sameDays = shared.length < all.length && !isCount(metric) ? rounded(metric, times * first.level) : undefined;
  return { pValue: tailOf(normalOf(score, freedom)), half: times * error * studentOf(Z_95, freedom), sameDays };
}

const VERDICTS = { higher: 'higher', lower: 'lower', 'within noise': 'unchanged', 'not enough data': 'too few data' } as const;
type SideVerdict = keyof typeof VERDICTS;

/** Of what the sides are, and the place of a metric that they share. */
interface SidesScene {
  readonly kind: 'device' | 'segment';
  readonly currency: string | undefined;
  readonly placeOf: (metric: string) => FindingPlace;
}

/** The record of a side that is held against the first one. */
function factsOf(side: SideValue, first: string, { kind, currency, placeOf }: SidesScene): Facts[] {
  const { metric, name, value, reference, verdict, half, isOfSameDays } = side;
  // That a part holds less than the whole, or that nothing was counted on either side, is no finding.
  if (verdict === undefined || reference === undefined || !(value || reference) || (first === ALL_VISITORS && isCount(metric))) return [];
  const whole = placeOf(metric);
  const isMoved = isApart(side) && value !== null && reference !== null && reference !== 0;
  const percentOf = (difference: number) => (reference ? short((100 * difference) / Math.abs(reference)) : 0);
  const difference = isMoved ? value - reference : 0;
  return [
    {
      subject: metric,
      unit: unitOf(metric, currency) ?? '',
      place: { ...whole, [kind]: present(whole[kind], name).join(' and ') },
      when: { shape: 'range', ongoing: false },
      now: value,
      against: { what: 'others', name: isOfSameDays ? `${first} on the same days` : first, value: reference },
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
  /** The reference is that of the days on which the side has visits, not of all. */
  readonly isOfSameDays?: boolean;
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

/** How far a side lies from the first; without a value last. */
const distanceOf = (side: SideValue) => (hasDifference(side) ? Math.abs(side.value - side.reference) : -1);
const isApart = ({ verdict }: SideValue) => verdict === 'higher' || verdict === 'lower';

/** The verdicts on differences of all metrics and sides together. */
function verdictsOf(differences: readonly (Difference | undefined)[]) {
  const limit = discoveryLimit(
    differences.flatMap((own) => own?.pValue ?? []),
    FALSE_DISCOVERY_RATES.sides,
  );
  return (own: Difference | undefined, isHigher: boolean): SideVerdict => {
    if (!own) return 'not enough data';
    if (own.pValue > limit) return 'within noise';
    return isHigher ? 'higher' : 'lower';
  };
}

/** Puts sides next to each other: a row for each metric and side, each against the first, the clearest first, and what differs. */
export function compareSides(
  metrics: readonly string[],
  [reference, ...others]: readonly Side[],
  scene: SidesScene & { readonly grammar: Grammar },
): Pick<Comparison, 'answer' | 'findings' | 'columns' | 'rows'> {
  if (!reference) throw new RangeError('there is no side');
  const judged = metrics.map((metric) => others.map((side) => ({ metric, side, difference: differenceOf(metric, reference, side) })));
  const verdictOf = verdictsOf(judged.flat().map(({ difference }) => difference));
  const values = judged.flatMap((own, at) => {
    const metric = metrics[at] ?? '';
    const ofAll = reference.values[metric] ?? null;
    const sides = own.map(({ side, difference }): SideValue => {
      const value = side.values[metric] ?? null;
      const first = difference?.sameDays ?? ofAll;
      const half = (difference?.half ?? 0) * (isCount(metric) ? side.days.length : 1);
      const verdict = isEmpty(side) ? undefined : verdictOf(difference, (value ?? 0) > (first ?? 0));
      return { metric, name: side.name, value, reference: first, verdict, half, isOfSameDays: first !== ofAll };
    });
    const whole = { metric, name: reference.name, value: ofAll, reference: undefined, verdict: undefined, half: 0 };
    return [whole, ...sides.toSorted((a, b) => Number(isApart(b)) - Number(isApart(a)) || distanceOf(b) - distanceOf(a))];
  });
  const first = scene.kind === 'segment' && reference.name !== ALL_VISITORS ? `"${reference.name}"` : reference.name;
  const findings = wordedAll(
    values.flatMap((value) => factsOf(value, first, scene)),
    scene.grammar,
  );
  const { answer } = paragraphOf(findings.map(({ sentence }) => sentence));
  return { answer, findings, ...tableOf(sideColumns(scene.kind, scene.currency), values) };
}
