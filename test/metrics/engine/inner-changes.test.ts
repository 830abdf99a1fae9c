import { expect, it } from 'vitest';
import { mainChange } from '../../../src/metrics/engine/inner-changes.ts';

const found = (from: number, effect: number) => ({
  shape: 'step' as const,
  from,
  to: 30,
  earliest: from,
  latest: from,
  effect,
  error: 0.05,
  logP: -20,
});

it('the change of a period is the clearest in it, unless it only takes back a part of a step in the baseline', () => {
  const bounds = { early: 10, start: 20 };
  const rise = found(22, 0.3);
  expect(mainChange([rise, found(24, -0.1)], bounds)).toBe(rise);
  expect(mainChange([found(15, -1), rise], bounds)).toBeUndefined();
  // More than the step took, the same way, or from a step that the baseline has behind it: a change of its own.
  expect(mainChange([found(15, -0.2), rise], bounds)).toBe(rise);
  expect(mainChange([found(15, 1), rise], bounds)).toBe(rise);
  expect(mainChange([found(5, -1), rise], bounds)).toBe(rise);
});
