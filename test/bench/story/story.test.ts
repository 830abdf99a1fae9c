import { beforeAll, describe, expect, test } from 'vitest';
import { freshBundle } from '../../support/stdio.ts';
import type { GateRow } from '../gate-row.ts';
import { heldRows } from './index.ts';
import figures from './landed.json' with { type: 'json' };
import { claimsOf } from './said.ts';

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

test('changes are read from the findings, and what did not change is none', () => {
  const finding = {
    subject: 'conversionRate',
    place: { device: 'desktop' },
    when: { shape: 'step', from: '2026-05-04' },
    change: { percent: -40, low: -44, high: -36 },
    verdict: 'lower',
    cost: { of: 'revenueSum', value: -900, from: '2026-05-04', to: '2026-05-09' },
  };
  const unchanged = { ...finding, verdict: 'unchanged' };
  expect(claimsOf({ findings: [finding, unchanged] })).toEqual([
    {
      metric: 'conversionRate',
      place: { device: 'desktop' },
      shape: 'step',
      from: '2026-05-04',
      percent: { value: -40, percent: -40, low: -44, high: -36 },
      cost: finding.cost,
    },
  ]);
});
