import { expect, test } from 'vitest';
import { someOf } from '../../support/sample-size.ts';
import { freshBundle } from '../../support/stdio.ts';
import { HELD, heldRows } from './index.ts';
import landed from './landed.json' with { type: 'json' };

test.each(someOf(Object.keys(HELD) as (keyof typeof HELD)[], 1))(
  'one planted change, asked in every way, is told no worse than when its figures landed: %s',
  async (name) => {
    const rows = await heldRows(await freshBundle(), name);
    const figures: Readonly<Record<string, number>> = landed[name];
    expect(rows.map(({ what }) => what)).toEqual(Object.keys(figures));
    const worse = rows.filter(({ what, value, better }) =>
      better === 'higher' ? value < (figures[what] ?? 0) : value > (figures[what] ?? 0),
    );
    expect(worse).toEqual([]);
  },
  600_000,
);
