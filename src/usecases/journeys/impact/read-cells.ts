import { type Cells, holds } from '../../../domain/journeys/impact/cells.ts';
import { nth } from '../../../lib/nth.ts';
import type { VisitRow } from '../visits.ts';
import { type CellPlan, COVARIATES, SETS_OF_PAGES } from './cell-plan.ts';
import { textOf } from './profile.ts';
import { type Sampling, standsFor } from './sampling.ts';

/** Levels of an integer whose mixed digits hold one of each covariate, the last one lowest. */
function levelsOf(cell: number, into: Uint8Array, from: number): void {
  let left = Math.floor(cell / SETS_OF_PAGES);
  for (let at = COVARIATES.length - 1; at >= 0; at -= 1) {
    const levels = COVARIATES[at]?.[1] ?? 1;
    into[from + at] = left % levels;
    left = Math.floor(left / levels);
  }
}

/**
 * Calls back with the numbers of each line of texts, `;` between lines and blanks between numbers; the same array every time, with what is
 * `usual` where the line is shorter.
 */
function eachLine(texts: readonly string[], usual: Float64Array, use: (numbers: Float64Array, at: number) => void): void {
  const numbers = usual.slice();
  let line = 0;
  for (const text of texts) {
    let [start, column] = [0, 0];
    while (start <= text.length) {
      let [end, value] = [start, 0];
      // Digits by hand: there are millions of them, nearly all of whole numbers.
      for (let code = text.charCodeAt(end); code >= 48 && code <= 57; code = text.charCodeAt(end)) {
        value = value * 10 + code - 48;
        end += 1;
      }
      if (end < text.length && text[end] !== ' ' && text[end] !== ';') {
        end = text.slice(start).search(/[ ;]|$/) + start;
        value = Number(text.slice(start, end));
      }
      numbers[column] = value;
      column += 1;
      if (end === text.length || text[end] === ';') {
        use(numbers, line);
        numbers.set(usual);
        line += 1;
        column = 0;
      }
      start = end + 1;
    }
  }
}

/** The cells of one page from the texts of its rows. */
function cellsOf(texts: readonly string[], { pages, met }: CellPlan, sampling: Sampling): Cells {
  const count = texts.reduce((sum, text) => sum + text.split(';').length, 0);
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
  const factors = new Map<number, number>();
  // A session of its own cell that bought nothing.
  eachLine(texts, Float64Array.from([0, 0, 1, 0, 0, 0, ...met.map(() => 0)]), (numbers, at) => {
    const [cell = 0, exposure = 0, sessions = 0, conversions = 0, cents = 0, squares = 0] = numbers;
    levelsOf(cell, levels, at * width);
    for (let page = 0, seen = cell % SETS_OF_PAGES; page < pages.length; page += 1, seen >>= 1)
      levels[at * width + COVARIATES.length + page] = seen & 1;
    const factor = factors.get(exposure) ?? standsFor(sampling, (bit) => holds(exposure, bit));
    factors.set(exposure, factor);
    columns.exposure[at] = exposure;
    columns.factor[at] = factor;
    columns.sessions[at] = factor * sessions;
    columns.conversions[at] = factor * conversions;
    columns.revenue[at] = factor * cents;
    columns.revenueSquares[at] = factor * squares;
    for (const [index, other] of others.entries()) other[at] = factor * nth(numbers, 6 + index);
  });
  return { covariates, count, levels, ...columns, met: others };
}

/** The cells of each page, by its index. */
export function readCells(rows: readonly VisitRow[], plan: CellPlan): Map<number, Cells> {
  const texts = new Map<number, string[]>();
  for (const row of rows) {
    const at = Number(row['here']);
    texts.set(at, [...(texts.get(at) ?? []), textOf(row['cells'])]);
  }
  return new Map([...texts].map(([at, own]) => [at, cellsOf(own, plan, plan.samplings[at] ?? { oneOf: 1, met: [] })]));
}
