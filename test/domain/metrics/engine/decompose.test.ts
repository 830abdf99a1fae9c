import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decompose, type GroupSums, type Sums } from '../../../../src/domain/metrics/engine/decompose.ts';
import { sampleSize } from '../../../support/sample-size.ts';

const sums = (numerator: number, denominator: number): Sums => ({ numerator, denominator });
const valueOf = (groups: readonly GroupSums[], side: 'before' | 'after') =>
  groups.reduce((sum, group) => sum + group[side].numerator, 0) / groups.reduce((sum, group) => sum + group[side].denominator, 0);

it('tells moved shares from moved values', () => {
  const moved = [
    { name: 'desktop', before: sums(40, 1_000), after: sums(20, 500) },
    { name: 'mobile', before: sums(20, 1_000), after: sums(30, 1_500) },
  ];
  const [desktop, mobile] = decompose(moved) ?? [];
  expect([desktop?.rate, mobile?.rate]).toEqual([0, 0]);
  expect((desktop?.mix ?? 0) + (mobile?.mix ?? 0)).toBeCloseTo(-0.005, 12);
  expect(desktop).toMatchObject({ shareBefore: 0.5, shareAfter: 0.25 });
  const fallen = decompose([{ name: 'desktop', before: sums(40, 1_000), after: sums(20, 1_000) }]);
  expect(fallen).toMatchObject([{ mix: 0, rate: -0.02 }]);
});

it('adds up exactly, also with groups that come or go', () => {
  const side = fc
    .record({ numerator: fc.nat({ max: 10_000 }), denominator: fc.nat({ max: 100_000 }) })
    .map(({ numerator, denominator }) => ({ numerator: denominator === 0 ? 0 : numerator, denominator }));
  const group = fc.record({ name: fc.string(), before: side, after: side });
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 8 }), (groups) => {
      const parts = decompose(groups);
      if (!parts) return;
      const change = valueOf(groups, 'after') - valueOf(groups, 'before');
      const explained = parts.reduce((sum, { mix, rate }) => sum + mix + rate, 0);
      expect(Math.abs(explained - change)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(change)));
    }),
    { numRuns: sampleSize({ full: 100, short: 20 }) },
  );
});

it('is nothing where the whole has no members on a side', () => {
  expect(decompose([{ name: 'new', before: sums(1, 2), after: sums(0, 0) }])).toBeUndefined();
});
