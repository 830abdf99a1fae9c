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

function exposedSessions(cells: Cells, bit: number): number {
  return cells.sessions.reduce((sum, sessions, cell) => sum + (holds(cells.exposure[cell] ?? 0, bit) ? sessions : 0), 0);
}

/** An effect with what a plain comparison of all sessions on both sides says, shares from 0 to 1. */
export interface Measured extends ConditionEffect {
  readonly plain: number;
}

function plainOf(cells: Cells, bit: number): number {
  const sums = [0, 0, 0, 0];
  for (let cell = 0; cell < cells.count; cell += 1) {
    const side = holds(cells.exposure[cell] ?? 0, bit) ? 0 : 2;
    sums[side] = (sums[side] ?? 0) + (cells.sessions[cell] ?? 0);
    sums[side + 1] = (sums[side + 1] ?? 0) + (cells.conversions[cell] ?? 0);
  }
  const [exposed = 0, own = 0, others = 0, theirs = 0] = sums;
  return own / Math.max(exposed, 1) - theirs / Math.max(others, 1);
}

const prepared = (cells: Cells) => {
  const design = designOf(cells);
  return { cells, design, chances: chancesOf(cells, design) };
};

/** Measures each question on the cells of its page; undefined where no session of the page met the condition, or too few. */
export function measureEffects(byPage: ReadonlyMap<number, Cells>, questions: readonly ConditionQuestion[]): (Measured | undefined)[] {
  const models = new Map<string, ReturnType<typeof prepared>>();
  return questions.map(({ page, probe, without, least = 1 }) => {
    const all = byPage.get(page);
    const key = `${page}/${without ?? ''}`;
    if (!all || exposedSessions(all, probe) < least) return undefined;
    const model = models.get(key) ?? prepared(without === undefined ? all : cellsWithout(all, without));
    models.set(key, model);
    const { cells, design, chances } = model;
    const effect = effectOf(cells, design, chances, (cell) => holds(cells.exposure[cell] ?? 0, probe));
    return { ...effect, plain: plainOf(cells, probe) };
  });
}
