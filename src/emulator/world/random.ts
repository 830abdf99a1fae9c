import { nth, nthUnsigned } from '../../lib/nth.ts';
/** The inputs of the world, which is a pure function of them. */
export interface Origin {
  readonly seed: number;
  /** The clock at start, ms since 1970: stories are placed relative to it. */
  readonly startMs: number;
}

/** Integer hash (murmur3 finaliser) of a 32-bit counter: the same input always gives the same 32 bits. */
export function mix(value: number): number {
  return scramble(value) >>> 0;
}

/** The hash `mix` as a signed integer: an unsigned one beyond 2^31 is slow until a loop is optimised, and a day is mostly hashing. */
export function scramble(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Hash of several integers, order significant. */
export function hash(...values: number[]): number {
  let h = 0x9e3779b9;
  for (const value of values) h = mix(Math.imul(h, 31) + value);
  return h >>> 0;
}

/** Hash of a text, for keys such as a scenario's name. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) h = Math.imul(h ^ text.charCodeAt(index), 0x01000193);
  return mix(h);
}

/** An element of a list that is not empty, by a hash or a place that may lie beyond it. */
export function oneOf<T>(list: readonly T[], at: number): T {
  const chosen = list[at % list.length];
  if (chosen === undefined) throw new RangeError('Nothing to choose from.');
  return chosen;
}

/** Uniform number in [0, 1) from a hash. */
export function unit(h: number): number {
  return h / 0x1_0000_0000;
}

/** Uniform number between two bounds from a hash, to two decimals. */
export function hundredths(h: number, from: number, to: number): number {
  return Math.round((from + unit(h) * (to - from)) * 100) / 100;
}

/** Standard normal number from a hash (Box and Muller). */
export function normal(h: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - unit(mix(h))));
  return radius * Math.cos(2 * Math.PI * unit(mix(h ^ 0x68bc21eb)));
}

/** Log-normal factor with mean 1; `sigma` is the standard deviation of its logarithm. */
export function shock(h: number, sigma: number): number {
  return Math.exp(sigma * normal(h) - sigma ** 2 / 2);
}

/** Size of the range of `draw24`. */
export const DRAWS = 2 ** 24;

/** Uniform integer in [0, `DRAWS`), to be compared with a chance times `DRAWS`. */
export function draw24(value: number): number {
  return scramble(value) >>> 8;
}

const TABLE_SIZE = 1_024;

/**
 * A table that turns the lowest ten bits of a hash into an index of `shares`, each as often as its share of 1; what is left goes to the
 * last.
 */
export function shareTable(shares: readonly number[]): Uint8Array {
  const table = new Uint8Array(TABLE_SIZE).fill(shares.length - 1);
  let end = 0;
  for (const [index, share] of shares.entries()) {
    const start = Math.round(end * TABLE_SIZE);
    end += share;
    table.fill(index, start, Math.round(end * TABLE_SIZE));
  }
  return table;
}

/** Index that the lowest ten bits of `bits` stand for. */
export function pick(table: Uint8Array, bits: number): number {
  return nthUnsigned(table, bits & (TABLE_SIZE - 1));
}

/** Exponential distribution with mean 1 by twelve bits of a hash: a logarithm for each session would take longer than all the rest. */
const exponentials = Float32Array.from({ length: 4_096 }, (_, index) => -Math.log(1 - (index + 0.5) / 4_096));

/** Exponentially distributed number with mean 1 from the lowest twelve bits. */
export function exponential(bits: number): number {
  return nth(exponentials, bits & 4_095);
}
