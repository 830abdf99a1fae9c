const SIZE = 1_024;

/** Size of the range of `draw24`. */
export const DRAWS = 2 ** 24;

/** The hash `mix` as a signed integer: an unsigned one beyond 2^31 is slow until a loop is optimised, and a day is mostly hashing. */
export function scramble(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Uniform integer in [0, `DRAWS`), to be compared with a chance times `DRAWS`. */
export function draw24(value: number): number {
  return scramble(value) >>> 8;
}

/** A table that turns the lowest ten bits of a hash into an index of `shares`, each as often as its share of 1; what is left goes to the last. */
export function shareTable(shares: readonly number[]): Uint8Array {
  const table = new Uint8Array(SIZE).fill(shares.length - 1);
  let end = 0;
  for (const [index, share] of shares.entries()) {
    const start = Math.round(end * SIZE);
    end += share;
    table.fill(index, start, Math.round(end * SIZE));
  }
  return table;
}

/** Index that the lowest ten bits of `bits` stand for. */
export function pick(table: Uint8Array, bits: number): number {
  return table[bits & (SIZE - 1)] ?? 0;
}
