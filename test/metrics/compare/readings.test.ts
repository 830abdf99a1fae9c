import { expect, it } from 'vitest';
import { toldVerdict } from '../../../src/metrics/compare/readings.ts';

const judged = { changes: [], score: -5 };

it.each([
  [1.2, 1, 'cannot be judged'],
  [1.2, 0.99, 'within noise'],
  [-0.3, 0.5, 'cannot be judged'],
  [-0.3, 0.49, 'within noise'],
])('a level of %f beside noise of %f, which may double or halve it or may not: %s', (relative, noise, told) => {
  expect(toldVerdict({ ...judged, verdict: 'within noise', relative, noise })).toBe(told);
  expect(toldVerdict({ ...judged, verdict: 'up', relative, noise })).toBe('up');
});
