import { errorFunction } from 'simple-statistics';
import { times } from '../../support/times.ts';
import type { Page, Session } from './world.ts';

/** Solves a linear system by elimination with pivots. */
function solve(matrix: number[][], right: number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  for (let column = 0; column < size; column += 1) {
    const pivot = rows
      .slice(column)
      .reduce((best, row, at) => (Math.abs(row[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0) ? column + at : best), column);
    [rows[column], rows[pivot]] = [rows[pivot] ?? [], rows[column] ?? []];
    const own = rows[column] ?? [];
    for (const [at, row] of rows.entries()) {
      if (at === column) continue;
      const factor = (row[column] ?? 0) / (own[column] ?? 1);
      for (let member = column; member <= size; member += 1) row[member] = (row[member] ?? 0) - factor * (own[member] ?? 0);
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}

const STEPS = 12;
/** A flat prior would let a column without any sale run away. */
const PRECISION = 0.01;

/** What a regression says of an exposure. */
export interface Oracle {
  /** Coefficient over standard error; negative: sales are lost. */
  readonly score: number;
  /** Sales that those exposed would have made without it, less those that they made. */
  readonly lost: number;
}

const chanceOf = (row: readonly number[], coefficients: readonly number[], from = 0) =>
  1 / (1 + Math.exp(-row.reduce((sum, value, column) => sum + (column < from ? 0 : value * (coefficients[column] ?? 0)), 0)));

/** The first column in a logistic regression. */
function regression(rows: readonly (readonly number[])[], outcomes: readonly number[]): Oracle {
  const size = rows[0]?.length ?? 0;
  let coefficients = times(size, () => 0);
  let information: number[][] = [];
  for (let step = 0; step < STEPS; step += 1) {
    information = times(size, (at) => times(size, (other) => (at === other ? PRECISION : 0)));
    const gradient = coefficients.map((value) => -PRECISION * value);
    for (const [at, row] of rows.entries()) {
      const chance = chanceOf(row, coefficients);
      const weight = chance * (1 - chance);
      for (let one = 0; one < size; one += 1) {
        const value = row[one] ?? 0;
        if (value === 0) continue;
        gradient[one] = (gradient[one] ?? 0) + value * ((outcomes[at] ?? 0) - chance);
        const line = information[one] ?? [];
        for (let other = 0; other < size; other += 1) line[other] = (line[other] ?? 0) + weight * value * (row[other] ?? 0);
      }
    }
    const change = solve(information, gradient);
    coefficients = coefficients.map((value, at) => value + Math.max(-3, Math.min(3, change[at] ?? 0)));
    if (Math.max(...change.map(Math.abs)) < 1e-6) break;
  }
  const variance =
    solve(
      information,
      coefficients.map((_, at) => (at === 0 ? 1 : 0)),
    )[0] ?? Number.NaN;
  const lost = rows.reduce((sum, row, at) => sum + (row[0] === 1 ? chanceOf(row, coefficients, 1) - (outcomes[at] ?? 0) : 0), 0);
  return { score: (coefficients[0] ?? 0) / Math.sqrt(variance), lost };
}

/** A session at its first view of a page, with all that is hidden from the product. */
export interface Unit {
  readonly session: Session;
  readonly at: number;
}

/** The sessions that reached a page, at their first view of it. */
export function unitsOf(sessions: readonly Session[], page: Page): Unit[] {
  return sessions.flatMap((session) => {
    const at = session.views.findIndex((view) => view.page === page);
    return at < 0 ? [] : [{ session, at }];
  });
}

/** What a regression which knows intent and network says of an exposure at the first view of a page. */
export function oracleOf(units: readonly Unit[], isExposed: (unit: Unit) => boolean): Oracle {
  const rows = units.map(({ session: { visitor, views }, at }, index) => {
    const before = new Set(views.slice(0, at).map(({ page }) => page));
    const exposure = isExposed({ session: (units[index] as Unit).session, at }) ? 1 : 0; // within the list
    const flags = [
      visitor.device === 2,
      visitor.isOld,
      visitor.isReturning,
      visitor.country === 'DE',
      before.has('product'),
      before.has('cart'),
      before.has('search'),
    ];
    return [exposure, 1, visitor.intent, visitor.intent ** 2, Math.log(visitor.network), Math.log1p(at), ...flags.map(Number)];
  });
  return regression(
    rows,
    units.map(({ session }) => Number(session.revenueCents > 0)),
  );
}

/** The largest one-sided probability of a loss that counts as found, of all that is looked at (Benjamini and Hochberg). */
const FALSE_DISCOVERIES = 0.05;

/** The exposures that the regression calls costly, found among all of them at that rate of false discoveries. */
export function claimedLosses<T extends Pick<Oracle, 'score'>>(all: readonly T[]): T[] {
  const lossOf = ({ score }: Pick<Oracle, 'score'>) => (1 + errorFunction(score / Math.SQRT2)) / 2;
  const probabilities = all.map(lossOf).toSorted((a, b) => a - b);
  const last = probabilities.findLastIndex((probability, at) => probability <= (FALSE_DISCOVERIES * (at + 1)) / all.length);
  return all.filter((each) => lossOf(each) <= (probabilities[last] ?? -1));
}
