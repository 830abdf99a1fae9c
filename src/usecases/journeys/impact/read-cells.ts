import { type Cells, holds } from '../../../domain/journeys/impact/cells.ts';
import { nth } from '../../../lib/nth.ts';
import type { VisitRow } from '../visits.ts';
import { type CellPlan, COVARIATES, SETS_OF_PAGES } from './cells-sql.ts';
import { textOf } from './profile.ts';
import type { Sampling } from './sampling.ts';

/** Levels of an integer whose mixed digits hold one of each covariate, the last one lowest. */
function levelsOf(cell: number, into: Uint8Array, from: number): void {
  let left = Math.floor(cell / SETS_OF_PAGES);
  for (let at = COVARIATES.length - 1; at >= 0; at -= 1) {
    const levels = COVARIATES[at]?.[1] ?? 1;
    into[from + at] = left % levels;
    left = Math.floor(left / levels);
  }
}

/** How many sessions one with these conditions stands for. */
function factorOf({ oneOf, kept }: Sampling, exposure: number): number {
  return oneOf === 1 || kept.some((bit) => holds(exposure, bit)) ? 1 : oneOf;
}

/** The cells of one page from the texts of its rows. */
function cellsOf(texts: readonly string[], { pages, met }: CellPlan, sampling: Sampling): Cells {
  const lines = texts.flatMap((text) => text.split(';'));
  const count = lines.length;
  const covariates = [
    ...COVARIATES.map(([name, levels]) => ({ name, levels })),
    ...pages.map(({ pattern }) => ({ name: `seen ${pattern}`, levels: 2 })),
  ];
  const width = covariates.length;
  const levels = new Uint8Array(count * width);
  const column = () => new Float64Array(count);
  const sums = { sessions: column(), conversions: column(), revenue: column(), revenueSquares: column() };
  const columns = { exposure: column(), factor: column(), ...sums };
  const others = met.map(column);
  for (const [at, line] of lines.entries()) {
    const [cell = 0, exposure = 0, sessions = 0, conversions = 0, cents = 0, squares = 0, ...meets] = line.split(' ').map(Number);
    levelsOf(cell, levels, at * width);
    for (let page = 0; page < pages.length; page += 1)
      levels[at * width + COVARIATES.length + page] = Math.floor((cell % SETS_OF_PAGES) / 2 ** page) % 2;
    const factor = factorOf(sampling, exposure);
    columns.exposure[at] = exposure;
    columns.factor[at] = factor;
    columns.sessions[at] = factor * sessions;
    columns.conversions[at] = factor * conversions;
    columns.revenue[at] = factor * cents;
    columns.revenueSquares[at] = factor * squares;
    for (const [index, other] of others.entries()) other[at] = factor * nth(meets, index);
  }
  return { covariates, count, levels, ...columns, met: others };
}

/** The cells of each page, by its index. */
export function readCells(rows: readonly VisitRow[], plan: CellPlan): Map<number, Cells> {
  const texts = new Map<number, string[]>();
  for (const row of rows) {
    const at = Number(row['here']);
    texts.set(at, [...(texts.get(at) ?? []), textOf(row['cells'])]);
  }
  return new Map([...texts].map(([at, own]) => [at, cellsOf(own, plan, plan.samplings[at] ?? { oneOf: 1, kept: [] })]));
}
