import { expect, it } from 'vitest';
import { mainChange } from '../../../../src/domain/metrics/engine/inner-changes.ts';

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

it('a change that may be chance is no story beside a clearer one of the same direction that goes on from the baseline', () => {
  const bounds = { early: 10, start: 20 };
  const going = found(14, -0.4);
  const doubtful = { ...found(28, -0.2), logP: Math.log(0.01) };
  expect(mainChange([going, doubtful], bounds)).toBeUndefined();
  // One beyond doubt, of a step that is over, or without any is told.
  expect(mainChange([going, { ...doubtful, logP: -20 }], bounds)).toMatchObject({ from: 28 });
  expect(mainChange([{ ...going, to: 24 }, doubtful], bounds)).toBe(doubtful);
  expect(mainChange([doubtful], bounds)).toBe(doubtful);
});
