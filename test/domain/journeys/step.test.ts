import { expect, it } from 'vitest';
import { isPageOf, parseStep } from '../../../src/domain/journeys/step.ts';

it.each([
  ['/checkout/*', '/checkout/payment', true],
  ['/checkout/*', '/checkout', false],
  ['/cart', '/cart', true],
  ['/cart', '/cart/', false],
  ['*/p/*.html', '/fr/p/tent.html', true],
  ['*/p/*.html', '/fr/p/tent.htm', false],
  ['/a*a', '/a', false],
  ['/cart | /checkout/*', '/checkout/address', true],
  ['purchase', '/purchase', false],
])('the step %s is fulfilled by the page %s: %s', (step, path, expected) => {
  expect(isPageOf(parseStep(step, 'steps'), path)).toBe(expected);
});
