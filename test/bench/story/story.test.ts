import { beforeAll, describe, expect, test } from 'vitest';
import { freshBundle } from '../../support/stdio.ts';
import type { GateRow } from '../gate-row.ts';
import { heldRows } from './index.ts';
import figures from './landed.json' with { type: 'json' };

describe('one planted change, asked in every way', () => {
  let rows: readonly GateRow[] = [];
  beforeAll(async () => {
    rows = await heldRows(await freshBundle());
  }, 600_000);

  test('is told no worse than when its figures landed', () => {
    const landed: Readonly<Record<string, number>> = figures;
    expect(rows.map(({ what }) => what)).toEqual(Object.keys(landed));
    const worse = rows.filter(({ what, value, better }) =>
      better === 'higher' ? value < (landed[what] ?? 0) : value > (landed[what] ?? 0),
    );
    expect(worse).toEqual([]);
  });
});
