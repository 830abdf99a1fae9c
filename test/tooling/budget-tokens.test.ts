import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, fitToBudget } from '../../src/tooling/results.ts';

const reports = Array.from({ length: 312 }, (_, index) => ({ resultId: 880_000 + index, loadTime: 2400 + index }));
const data = { scenario: { id: 7, reports }, notes: ['times in ms'] };

it('counts four characters as a token', () => {
  expect(['', 'a', 'abcd', 'abcde'].map(countTokens)).toEqual([0, 1, 1, 2]);
});

describe('fitToBudget', () => {
  it('leaves alone what fits', () => {
    expect(fitToBudget(data, 'scenario.reports', 20_000)).toEqual({ fits: true, data, shown: 312, total: 312 });
    expect(fitToBudget(data, 'scenario.reports', 20_000).data).toBe(data);
  });

  it('drops trailing items until the JSON fits, and touches nothing else', () => {
    const cut = fitToBudget(data, 'scenario.reports', 500);
    expect(cut).toMatchObject({ fits: true, total: 312 });
    expect(cut.data).toEqual({ scenario: { id: 7, reports: reports.slice(0, cut.shown) }, notes: ['times in ms'] });
    // 57 characters around the list, 35 for an item and a comma between two: 57 + 36 n - 1 <= 2000.
    expect(cut.shown).toBe(53);
    expect(data.scenario.reports).toHaveLength(312);
  });

  it('shows as much as possible', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 1 })), fc.nat({ max: 200 }), (items, budget) => {
        const tokens = (count: number) => countTokens(JSON.stringify({ items: items.slice(0, count) }));
        const { fits, data: cut, shown, total } = fitToBudget({ items }, 'items', budget);
        expect([total, cut.items]).toEqual([items.length, items.slice(0, shown)]);
        const most = items.findLastIndex((_, index) => tokens(index + 1) <= budget) + 1;
        expect({ fits, shown }).toEqual(
          most > 0 || (total === 0 && tokens(0) <= budget) ? { fits: true, shown: most } : { fits: false, shown: total },
        );
      }),
    );
  });

  it('measures what it is told to, a few times only', () => {
    let measured = 0;
    const cut = fitToBudget(data, 'scenario.reports', 100, ({ scenario }) => {
      measured += 1;
      return scenario.reports.length;
    });
    expect(cut.shown).toBe(100);
    expect(measured).toBeLessThanOrEqual(10);
  });

  it.each([
    ['not even one item fits', { items: ['x'.repeat(4000), 'y'] }, 'items', 2],
    ['the rest alone is too large', { items: [], text: 'x'.repeat(4000) }, 'items', 0],
    ['there is no list at the path', { text: 'x'.repeat(4000) }, 'text', 0],
    ['the path leads nowhere', { text: 'x'.repeat(4000) }, 'a.b', 0],
    ['the path leads through a list', { runs: [{ files: ['x'.repeat(2000), 'y'.repeat(2000)] }] }, 'runs.0.files', 0],
  ])('says that it cannot cut when %s', (_, tooLarge, path, total) => {
    const result = fitToBudget<object>(tooLarge, path, 500);
    expect(result).toEqual({ fits: false, data: tooLarge, shown: total, total });
    expect(result.data).toBe(tooLarge);
  });
});
