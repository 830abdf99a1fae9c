import type { StrataSums } from '../../../../src/domain/journeys/impact/effect.ts';
import { grouped } from '../../../../src/lib/grouped.ts';

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
  const ofFair = (of: (stratum: Stratum & { w: number; v: number; rv: number }) => number) =>
    total(({ one, other }) => {
      const [hits, cents] = [one.y + other.y, one.r + other.r];
      const [v, rv] = [varianceOf(one, other, hits, hits), varianceOf(one, other, cents, one.q + other.q)];
      return of({ one, other, w: one.n / other.n, v, rv });
    }, fair);
  return {
    sessions: total(({ one }) => one.n),
    conversions: total(({ one }) => one.y),
    others: total(({ other }) => other.n),
    otherConversions: total(({ other }) => other.y),
    comparable: ofFair(({ one }) => one.n),
    observed: ofFair(({ one }) => one.y),
    expected: ofFair(({ other, w }) => w * other.y),
    squares: ofFair(({ other, w }) => w ** 2 * other.n),
    variance: ofFair(({ one, v }) => one.n * v),
    expectedVariance: ofFair(({ other, w, v }) => w ** 2 * other.n * v),
    revenue: ofFair(({ one }) => one.r),
    expectedRevenue: ofFair(({ other, w }) => w * other.r),
    revenueVariance: ofFair(({ one, rv }) => one.n * rv),
    expectedRevenueVariance: ofFair(({ other, w, rv }) => w ** 2 * other.n * rv),
    allRevenue: total(({ one, other }) => one.r + other.r),
    allRevenueSquares: total(({ one, other }) => one.q + other.q),
    met: (units[0]?.met ?? []).map((_, at) => ofFair(({ one, other, w }) => one.met(at) - w * other.met(at))),
  };
}
