import { nth } from '../../../lib/nth.ts';
import { type Cells, designOf, holds } from './cells.ts';
import { type ConditionEffect, effectOf } from './effect.ts';
import { chancesOf } from './outcome-model.ts';

/** A condition at a page: bits of the exposure of its cells. */
export interface ConditionQuestion {
  readonly page: number;
  readonly probe: number;
  /** Sessions for which this bit holds stand on neither side. */
  readonly without?: number | undefined;
  /** With fewer sessions than this nothing is measured. */
  readonly least?: number | undefined;
}

/** The cells for which a bit does not hold. */
function cellsWithout(cells: Cells, bit: number): Cells {
  const kept = Array.from({ length: cells.count }, (_, cell) => cell).filter((cell) => !holds(cells.exposure[cell] ?? 0, bit));
  const width = cells.covariates.length;
  const part = (column: Float64Array) => Float64Array.from(kept, (cell) => column[cell] ?? 0);
  const levels = new Uint8Array(kept.length * width);
  for (const [at, cell] of kept.entries()) levels.set(cells.levels.subarray(cell * width, (cell + 1) * width), at * width);
  return {
    covariates: cells.covariates,
    count: kept.length,
    levels,
    exposure: part(cells.exposure),
    factor: part(cells.factor),
    sessions: part(cells.sessions),
    conversions: part(cells.conversions),
    revenue: part(cells.revenue),
    revenueSquares: part(cells.revenueSquares),
    met: cells.met.map(part),
  };
}

/** Sessions that met each condition, by its bit. */
function sessionsByBit({ exposure, sessions }: Cells): number[] {
  const sums: number[] = [];
  for (const [cell, conditions] of exposure.entries())
    for (let [left, bit] = [conditions, 0]; left > 0; left = Math.floor(left / 2), bit += 1)
      if (left % 2 === 1) sums[bit] = (sums[bit] ?? 0) + nth(sessions, cell);
  return sums;
}

/** An effect with what a plain comparison of all sessions on both sides says, shares from 0 to 1. */
export interface Measured extends ConditionEffect {
  readonly plain: number;
}

/** Which cells met a condition, as 1. */
function exposedCells({ exposure }: Cells, bit: number): Uint8Array {
  return Uint8Array.from(exposure, (conditions) => Number(holds(conditions, bit)));
}

function plainOf(cells: Cells, isExposed: Uint8Array): number {
  const sums = [0, 0, 0, 0];
  for (let cell = 0; cell < cells.count; cell += 1) {
    const side = 2 - 2 * nth(isExposed, cell);
    sums[side] = nth(sums, side) + nth(cells.sessions, cell);
    sums[side + 1] = nth(sums, side + 1) + nth(cells.conversions, cell);
  }
  const [exposed = 0, own = 0, others = 0, theirs = 0] = sums;
  return own / Math.max(exposed, 1) - theirs / Math.max(others, 1);
}

/** Cells with what all conditions at their page share. */
function prepared(cells: Cells) {
  const design = designOf(cells);
  return { cells, design, chances: chancesOf(cells, design) };
}

/** Measures each question on the cells of its page; undefined where no session of the page met the condition, or too few. */
export function measureEffects(byPage: ReadonlyMap<number, Cells>, questions: readonly ConditionQuestion[]): (Measured | undefined)[] {
  const models = new Map<string, ReturnType<typeof prepared>>();
  const sessions = new Map([...byPage].map(([page, cells]) => [page, sessionsByBit(cells)]));
  return questions.map(({ page, probe, without, least = 1 }) => {
    const all = byPage.get(page);
    const key = `${page}/${without ?? ''}`;
    if (!all || (sessions.get(page)?.[probe] ?? 0) < least) return undefined;
    const model = models.get(key) ?? prepared(without === undefined ? all : cellsWithout(all, without));
    models.set(key, model);
    const { cells, design, chances } = model;
    const isExposed = exposedCells(cells, probe);
    const effect = effectOf(cells, design, chances, isExposed);
    return { ...effect, plain: plainOf(cells, isExposed) };
  });
}
