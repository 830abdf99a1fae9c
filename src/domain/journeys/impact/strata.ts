import { nth, nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { type Cells, sessionsByLevel } from './cells.ts';
import { LEAST_OF_LEVEL } from './design.ts';
import type { PageModel } from './page-model.ts';

/** Exposed and other sessions of a page that can be compared. */
export interface Comparison {
  /** Cells of exposed sessions that have comparable ones. */
  readonly exposed: Int32Array;
  /** Cells without the condition that they are compared with. */
  readonly controls: Int32Array;
  /** Weight of a session of each of the controls; those of all sessions add up to the number of exposed ones. */
  readonly weights: Float64Array;
  /** Exposed sessions that have comparable ones. */
  readonly comparable: number;
  /** As many equally weighted sessions would say as much. */
  readonly effectiveControls: number;
}

/** Fewer sessions without the condition than this at a level say nothing about those with it, nor do they in a stratum. */
const LEAST_CONTROLS = 10;
/** At a level where more than this share has the condition nobody else is left to compare with. */
const MOST_EXPOSED = 0.95;

/** Levels of a covariate at which there is nobody, or hardly anybody, to compare with, as 1; undefined where there is none. */
function lostLevels(treated: Float64Array, others: (level: number) => number): Uint8Array | undefined {
  const isLost = Uint8Array.from(treated, (own, level) => {
    const without = others(level);
    return Number(own > 0 && own + without >= LEAST_OF_LEVEL && (without < LEAST_CONTROLS || own / (own + without) > MOST_EXPOSED));
  });
  return isLost.includes(1) ? isLost : undefined;
}

/** Takes out the cells that have a level without peers, of one covariate after the other; how many there were. */
function withoutPeers(cells: Cells, isExposed: Uint8Array, left: Uint8Array): number {
  const width = cells.covariates.length;
  let removed = 0;
  for (const [at, { levels }] of cells.covariates.entries()) {
    const [treated, others] = [new Float64Array(levels), new Float64Array(levels)];
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (left[cell] === 0) continue;
      const level = nthUnsigned(cells.levels, cell * width + at);
      const side = isExposed[cell] === 1 ? treated : others;
      side[level] = nthDouble(side, level) + nthDouble(cells.sessions, cell);
    }
    const isLost = lostLevels(treated, (level) => nth(others, level));
    if (!isLost) continue;
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (left[cell] === 0 || isLost[nthUnsigned(cells.levels, cell * width + at)] === 0) continue;
      left[cell] = 0;
      removed += 1;
    }
  }
  return removed;
}

/** Cells that are left, as 1, once those without peers are taken out, again and again until there are none. */
function cellsWithPeers({ cells, byLevel }: PageModel, exposed: Int32Array, isExposed: Uint8Array): Uint8Array {
  const left = new Uint8Array(cells.count).fill(1);
  // Mostly there are none, and the sums of all cells say so without a look at each.
  const isAny = sessionsByLevel(cells, exposed).some((treated, at) =>
    lostLevels(treated, (level) => nth(byLevel[at] ?? treated, level) - nth(treated, level)),
  );
  if (isAny) while (withoutPeers(cells, isExposed, left) > 0);
  return left;
}

/**
 * Compares the sessions with the condition, the cells of a list, with those without it in the same stratum: the same chance of the outcome
 * by all that was known before (Hansen 2008), so that sessions of one stratum may differ in traits that say nothing of the outcome.
 */
export function compareInStrata(model: PageModel, met: Int32Array): Comparison {
  const { cells, stratum, strata } = model;
  const isExposed = new Uint8Array(cells.count);
  for (const cell of met) isExposed[cell] = 1;
  const left = cellsWithPeers(model, met, isExposed);
  const [own, others] = [new Float64Array(strata), new Float64Array(strata)];
  for (let cell = 0; cell < cells.count; cell += 1) {
    const [side, at] = [isExposed[cell] === 1 ? own : others, nth(stratum, cell)];
    if (left[cell] === 1) side[at] = nthDouble(side, at) + nthDouble(cells.sessions, cell);
  }
  const exposed: number[] = [];
  const controls: number[] = [];
  const weights: number[] = [];
  const sums = { comparable: 0, squares: 0 };
  for (let cell = 0; cell < cells.count; cell += 1) {
    const [mine, theirs] = [nthDouble(own, nth(stratum, cell)), nthDouble(others, nth(stratum, cell))];
    if (left[cell] === 0 || mine === 0 || theirs < LEAST_CONTROLS) continue;
    const sessions = nthDouble(cells.sessions, cell);
    if (isExposed[cell] === 1) {
      exposed.push(cell);
      sums.comparable += sessions;
    } else {
      controls.push(cell);
      weights.push(mine / theirs);
      sums.squares += (mine / theirs) ** 2 * sessions * nthDouble(cells.factor, cell);
    }
  }
  const { comparable, squares } = sums;
  return {
    exposed: Int32Array.from(exposed),
    controls: Int32Array.from(controls),
    weights: Float64Array.from(weights),
    comparable,
    effectiveControls: squares > 0 ? comparable ** 2 / squares : 0,
  };
}
