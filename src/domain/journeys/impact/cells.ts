import { nth, nthDouble, nthUnsigned } from '../../../lib/nth.ts';
/** A trait of a session before the exposure, in levels; `2` of device may be mobile. */
export interface Covariate {
  readonly name: string;
  /** How many levels it has; a cell holds one of 0 … levels − 1. */
  readonly levels: number;
}

/** Sessions counted by their traits when they reached a page, and by the conditions met there: never a row of a session. */
export interface Cells {
  readonly covariates: readonly Covariate[];
  readonly count: number;
  /** A level for each covariate, cell after cell. */
  readonly levels: Uint8Array;
  /** Bit by bit, the conditions met at the first view of the page. */
  readonly exposure: Float64Array;
  /** How many sessions each counted one stands for: 1 where all were read. The sums below are of all of them. */
  readonly factor: Float64Array;
  readonly sessions: Float64Array;
  readonly conversions: Float64Array;
  /** Cents. */
  readonly revenue: Float64Array;
  /** Sum of the squares of each session's revenue, cents². */
  readonly revenueSquares: Float64Array;
  /** For each other finding, how many of the sessions met it anywhere. */
  readonly met: readonly Float64Array[];
}

/** Whether a cell has the condition with this bit; bits beyond 31 are no integers of JavaScript's operators. */
export function holds(exposure: number, bit: number): boolean {
  return Math.floor(exposure / 2 ** bit) % 2 === 1;
}

/** The numbers of all cells. */
export function everyCell({ count }: Pick<Cells, 'count'>): Int32Array {
  const all = new Int32Array(count);
  for (let cell = 0; cell < count; cell += 1) all[cell] = cell;
  return all;
}

/** Where the levels of each covariate begin in one list of those of all, and the end of the last one. */
export function offsetsOf(covariates: readonly Covariate[]): Int32Array {
  const offsets = new Int32Array(covariates.length + 1);
  for (const [at, { levels }] of covariates.entries()) offsets[at + 1] = nth(offsets, at) + levels;
  return offsets;
}

/** Sessions of some cells at each level of each covariate. */
export function sessionsByLevel({ covariates, levels, sessions }: Cells, some: Int32Array): Float64Array[] {
  const width = covariates.length;
  const offsets = offsetsOf(covariates);
  const all = new Float64Array(nth(offsets, width));
  for (let index = 0; index < some.length; index += 1) {
    const cell = nth(some, index);
    const own = nthDouble(sessions, cell);
    for (let at = 0; at < width; at += 1) {
      const level = nth(offsets, at) + nthUnsigned(levels, cell * width + at);
      all[level] = nthDouble(all, level) + own;
    }
  }
  return covariates.map((_, at) => all.subarray(offsets[at], offsets[at + 1]));
}

/** The bits of a number, the lowest first. */
function bitsOf(value: number): number[] {
  const bits: number[] = [];
  for (let [left, bit] = [value, 0]; left > 0; left = Math.floor(left / 2), bit += 1) if (left % 2 === 1) bits.push(bit);
  return bits;
}

/** The cells that met each condition, by its bit; of a condition that none met there is no list. */
export function cellsByBit({ exposure, count }: Cells): Int32Array[] {
  const lists: number[][] = [];
  // Few of the sets of conditions that there could be occur.
  const known = new Map<number, readonly number[][]>();
  for (let cell = 0; cell < count; cell += 1) {
    const conditions = nthDouble(exposure, cell);
    if (conditions === 0) continue;
    let own = known.get(conditions);
    if (!own) {
      own = bitsOf(conditions).map((bit) => (lists[bit] ??= []));
      known.set(conditions, own);
    }
    for (const list of own) list.push(cell);
  }
  return lists.map((list) => Int32Array.from(list));
}
