import { expect, it } from 'vitest';
import { generationText, readGeneration } from '../../../src/exports/warehouse/ledger.ts';

it('a generation is read as it was written, each attempt with a text of its own', () => {
  const generations = [
    { phase: 'loading', load: 'a1', table: 'table-1.parquet' },
    { phase: 'deleting', load: 'a1', table: 'odd/deleting/name' },
    { phase: 'loading', load: 'b2', table: '' },
    { phase: 'removing' },
  ] as const;
  for (const generation of generations) {
    expect(readGeneration(generationText(generation))).toEqual(generation);
    expect(generationText(generation)).not.toBe(generationText(generation));
  }
});

it('the instant of a removed run, and anything else, is no attempt', () => {
  for (const text of ['1764032400000', '', 'a/b', 'a/b/waiting/c']) expect(readGeneration(text)).toEqual({ phase: 'none' });
});
