import { nth, nthDouble } from '../../../lib/nth.ts';
import { type Cells, cellsByBit, holds } from './cells.ts';
import { type ConditionEffect, effectOf } from './effect.ts';
import { type PageModel, pageModelOf } from './page-model.ts';

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
  const kept = Array.from({ length: cells.count }, (_, cell) => cell).filter((cell) => !holds(nthDouble(cells.exposure, cell), bit));
  const width = cells.covariates.length;
  const part = (column: Float64Array) => Float64Array.from(kept, (cell) => nthDouble(column, cell));
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

/** Measures each question on the cells of its page; undefined where no session of the page met the condition, or too few. */
export function measureEffects(
  byPage: ReadonlyMap<number, Cells>,
  questions: readonly ConditionQuestion[],
): (ConditionEffect | undefined)[] {
  const models = new Map<string, { model: PageModel; met: Int32Array[] }>();
  const lists = new Map([...byPage].map(([page, cells]) => [page, cellsByBit(cells)]));
  return questions.map(({ page, probe, without, least = 1 }) => {
    const all = byPage.get(page);
    const met = lists.get(page)?.[probe] ?? new Int32Array();
    if (!all || met.reduce((sum, cell) => sum + nth(all.sessions, cell), 0) < least) return undefined;
    const key = `${page}/${without ?? ''}`;
    const prepare = () => {
      const cells = without === undefined ? all : cellsWithout(all, without);
      return { model: pageModelOf(cells), met: without === undefined ? (lists.get(page) ?? []) : cellsByBit(cells) };
    };
    const own = models.get(key) ?? prepare();
    models.set(key, own);
    return effectOf(own.model, own.met[probe] ?? new Int32Array());
  });
}
