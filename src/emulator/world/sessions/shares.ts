const SIZE = 1024;

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

/** Index that the ten bits of `bits` stand for. */
export function pick(table: Uint8Array, bits: number): number {
  return table[bits & (SIZE - 1)] ?? 0;
}
