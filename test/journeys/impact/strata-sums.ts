import type { StrataSums } from '../../../src/journeys/impact/effect.ts';
import { grouped } from '../../../src/lib/grouped.ts';

/** Sessions of a stratum that are alike in all else. */
export interface Unit {
  readonly stratum: string;
  readonly isExposed: boolean;
  readonly sessions: number;
  readonly conversions: number;
  /** Of each session that converts. */
  readonly cents: number;
  readonly met?: readonly number[];
}

type Side = ReturnType<typeof sideOf>;

function sideOf(units: readonly Unit[]) {
  const sum = (of: (unit: Unit) => number) => units.reduce((total, unit) => total + of(unit), 0);
  return {
    n: sum(({ sessions }) => sessions),
    y: sum(({ conversions }) => conversions),
    r: sum(({ conversions, cents }) => conversions * cents),
    q: sum(({ conversions, cents }) => conversions * cents ** 2),
    met: (at: number) => sum(({ met }) => met?.[at] ?? 0),
  };
}

/** Variance of a value of a session within a stratum, by its sum and the sum of its squares on both sides. */
const varianceOf = (one: Side, other: Side, sum: number, squares: number) => {
  const n = one.n + other.n;
  return n > 1 ? (squares - sum ** 2 / n) / (n - 1) : 0;
};

/** The sums over strata that the statement makes, in plain code. */
export function strataSums(units: readonly Unit[]): StrataSums {
  const all = [...grouped(units, ({ stratum }) => stratum).values()].map((own) => ({
    one: sideOf(own.filter(({ isExposed }) => isExposed)),
    other: sideOf(own.filter(({ isExposed }) => !isExposed)),
  }));
  type Stratum = (typeof all)[number];
  const total = (of: (stratum: Stratum) => number, some = all) => some.reduce((sum, stratum) => sum + of(stratum), 0);
  const fair = all.filter(({ other }) => other.n > 0);
  const ofFair = (of: (stratum: Stratum & { w: number }) => number) =>
    total(({ one, other }) => of({ one, other, w: one.n / other.n }), fair);
  const figure = (sum: (side: Side) => number, squares: (side: Side) => number) => {
    const variance = ({ one, other }: Stratum) => varianceOf(one, other, sum(one) + sum(other), squares(one) + squares(other));
    return {
      plain: total(({ one }) => sum(one)),
      otherPlain: total(({ other }) => sum(other)),
      squares: total(({ one, other }) => squares(one) + squares(other)),
      observed: ofFair(({ one }) => sum(one)),
      expected: ofFair(({ other, w }) => w * sum(other)),
      variance: ofFair((each) => each.one.n * variance(each)),
      expectedVariance: ofFair((each) => each.w ** 2 * each.other.n * variance(each)),
    };
  };
  return {
    sessions: total(({ one }) => one.n),
    others: total(({ other }) => other.n),
    comparable: ofFair(({ one }) => one.n),
    squares: ofFair(({ other, w }) => w ** 2 * other.n),
    converts: figure(
      ({ y }) => y,
      ({ y }) => y,
    ),
    cents: figure(
      ({ r }) => r,
      ({ q }) => q,
    ),
    met: (units[0]?.met ?? []).map((_, at) => ofFair(({ one, other, w }) => one.met(at) - w * other.met(at))),
  };
}
