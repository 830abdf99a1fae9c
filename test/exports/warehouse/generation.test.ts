import { expect, it } from 'vitest';
import { generationText, readGeneration, removingText } from '../../../src/exports/warehouse/ledger.ts';

it('a generation is read as it was written, each attempt with a text of its own', () => {
  for (const [load, table] of [
    ['a1', 'table-1.parquet'],
    ['a1', 'odd/loading/name'],
    ['b2', ''],
  ] as const) {
    expect(readGeneration(generationText(load, table))).toEqual({ load, table, isRemoving: false });
    expect(generationText(load, table)).not.toBe(generationText(load, table));
  }
  expect(readGeneration(removingText())).toEqual({ isRemoving: true });
});

it('the instant of a removed run, and anything else, is no attempt', () => {
  for (const text of ['1764032400000', '', 'a/b', 'a/b/waiting/c']) expect(readGeneration(text)).toEqual({ isRemoving: false });
});
