import { expect, it } from 'vitest';
import { generationText, readGeneration, removingText } from '../../../src/exports/warehouse/ledger.ts';

it('a generation is read as it was written, each attempt with a text of its own', () => {
  for (const table of ['table-1.parquet', 'odd/loading/name', ''])
    expect(readGeneration(generationText('a1', table))).toEqual({ load: 'a1', table, isRemoving: false });
  expect(generationText('a1', '')).not.toBe(generationText('a1', ''));
  expect(readGeneration(removingText())).toEqual({ isRemoving: true });
  // The instant of a removed run, and anything else, is no attempt.
  for (const text of ['1764032400000', '', 'a/b', 'a/b/waiting/c']) expect(readGeneration(text)).toEqual({ isRemoving: false });
});
