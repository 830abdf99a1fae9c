import { expect, it } from 'vitest';
import { touchesPage } from '../../../../src/domain/journeys/impact/scenario-pages.ts';

it.each([
  ['/checkout/payment', 'Payment', true],
  ['/checkout/payment', 'Cart', false],
  ['/checkout/payment', 'Checkout', false],
  ['/cart', 'Open the basket', true],
  ['/p/*', 'Product page', true],
  ['/', 'Home', true],
  ['/c/*', 'Category', true],
  ['/search', 'Search results', true],
  ['/guide/*', 'Product page', false],
])('a slow-down of %s and the step "%s" are of one page: %s', (pattern, step, isOne) => {
  expect(touchesPage(pattern, step)).toBe(isOne);
});
