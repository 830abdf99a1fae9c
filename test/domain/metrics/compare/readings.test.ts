import { describe, expect, it } from 'vitest';
import type { Windows } from '../../../../src/domain/metrics/compare/comparison-windows.ts';
import { type Judged, type Reading, sinceOf, toldVerdict } from '../../../../src/domain/metrics/compare/readings.ts';
import type { DatedChange } from '../../../../src/domain/metrics/engine/changes.ts';
import { readingWith } from '../points.ts';

const windows = { isAdjacent: true } as Windows; // the rest of it is not read
/** A step that goes on, of a selection with so many visits before. */
function judgedOf(device: Reading['device'], visits: number, step: Partial<DatedChange>): Judged {
  const { from = '2025-11-25' } = step;
  const main: DatedChange = {
    shape: 'step',
    days: 4,
    earliest: from,
    latest: from,
    relative: -0.3,
    low: -0.4,
    high: -0.2,
    pValue: 1e-6,
    ...step,
    from,
  };
  const reading = readingWith([], { device, before: { visits } });
  return { reading, metric: 'visits', verdict: 'down', main, changes: [main], relative: -0.3, noise: 0.1, score: -5 };
}

const all = judgedOf('all', 1_000, { earliest: '2025-11-24' });
const since = (device: Judged) => sinceOf(all, [all, device], windows);

describe('the first day of a change', () => {
  it('is that of the device that shows it most clearly, within the days that all visits allow', () => {
    const desktop = judgedOf('desktop', 500, { from: '2025-11-24', relative: -0.6, pValue: 1e-7 });
    expect(since(desktop)).toMatchObject({ from: '2025-11-24', earliest: '2025-11-24', latest: '2025-11-25', days: 5, relative: -0.3 });
  });

  it('is that of a device beyond these where it is far clearer there and most of the change', () => {
    const desktop = judgedOf('desktop', 500, { from: '2025-11-22', relative: -0.6, pValue: 1e-12, days: 7 });
    expect(since(desktop)).toMatchObject({ from: '2025-11-22', earliest: '2025-11-22', latest: '2025-11-22', days: 7, relative: -0.3 });
  });

  it.each<[string, number, Partial<DatedChange>]>([
    ['shows it hardly more clearly', 500, { from: '2025-11-22', relative: -0.6, pValue: 1e-8 }],
    ['makes little of it', 60, { from: '2025-11-22', relative: -0.9, pValue: 1e-30 }],
    ['changed weeks before', 500, { from: '2025-11-10', relative: -0.6, pValue: 1e-30 }],
    ['has an episode there', 500, { from: '2025-11-22', to: '2025-11-27', shape: 'episode', relative: -0.6, pValue: 1e-30 }],
  ])('is that of all visits where a device %s', (_, visits, step) => {
    expect(since(judgedOf('tablet', visits, step))).toMatchObject({ from: '2025-11-25', earliest: '2025-11-24' });
  });
});

it.each([
  [1.2, 1, 'cannot be judged'],
  [1.2, 0.99, 'within noise'],
  [-0.3, 0.5, 'cannot be judged'],
  [-0.3, 0.49, 'within noise'],
])('a level of %f beside noise of %f, which may double or halve it or may not: %s', (relative, noise, told) => {
  expect(toldVerdict({ ...all, verdict: 'within noise', relative, noise })).toBe(told);
  expect(toldVerdict({ ...all, verdict: 'up', relative, noise })).toBe('up');
});
