import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Lists } from '../../src/names/context.ts';
import { findObjects, type ObjectKind } from '../../src/names/find-objects.ts';

const KINDS: readonly ObjectKind[] = ['segment', 'goal', 'mapping', 'scenario'];

/** What is found where this kind is listed after all others. */
async function foundWhereLast(last: ObjectKind): Promise<string[]> {
  const lists: Lists = {
    of: async (kind) => {
      for (let turn = 0; turn < (kind === last ? 3 : 0); turn += 1) await nextTurn();
      return [{ id: KINDS.indexOf(kind), path: ['Checkout'] }];
    },
    nameOf: String,
    ask: () => Promise.reject(new Error('nothing is asked')),
  };
  const context = {
    lists: () => Promise.resolve(lists),
    note: () => undefined,
    zonesElsewhere: async () => '',
    progress: () => undefined,
    signal: new AbortController().signal,
    nowMs: 0,
    fieldWords: () => [],
  };
  const { found } = await findObjects('checkout', KINDS, context);
  return found.map(({ kind }) => kind);
}

it.each(KINDS)('objects of one name come in the order of their kinds, also where those of %s are listed last', async (last) => {
  expect(await foundWhereLast(last)).toEqual(KINDS);
});
