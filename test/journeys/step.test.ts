import { describe, expect, it } from 'vitest';
import { meantValues } from '../../src/journeys/filter-values.ts';
import { isPageOf, pageStep, parseStep, readAsWords } from '../../src/journeys/step.ts';

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

it.each([
  ['product', ['/p/tent', '/product/5', '/fr/products/tent', '/screen/product', 'product'], ['/', '/pricing', '/api/p/1']],
  ['Product page', ['/p/tent', 'Product page'], ['/page']],
  ['cart', ['/cart', '/basket', '/checkout/bag', '/cart/items'], ['/cartoons', '/c/shoes']],
  ['basket', ['/cart', '/basket'], ['/checkout']],
  ['order history', ['/account/order-history'], ['/order']],
  ['homepage | /cart', ['/', '/cart', '/home'], ['/c']],
])('words are pages too: %s', (words, yes, no) => {
  const step = parseStep(words, 'steps');
  expect(yes.filter((path) => !isPageOf(step, path))).toEqual([]);
  expect(no.filter((path) => isPageOf(step, path))).toEqual([]);
});

it('says as which pages words are read, and nothing of paths, events and purchases', () => {
  const steps = ['cart', '/cart', 'event:add', 'purchase', '/p/* | checkout'].map((text) => parseStep(text, 'steps'));
  expect(readAsWords(steps)).toEqual([
    '"cart" is read as the pages */cart, */cart/*, */basket, */basket/*, */bag, */bag/*; a path is exact.',
    '"/p/* | checkout" is read as the pages */checkout, */checkout/*; a path is exact.',
  ]);
});

it('where only a page can be, a purchase is the page that confirms it', () => {
  expect(isPageOf(pageStep('purchase', 'from'), '/checkout/confirmation')).toBe(true);
  expect(isPageOf(pageStep('order', 'from'), '/thank-you')).toBe(true);
  expect(() => pageStep('event:add', 'from')).toThrow('from: "event:add" is no page');
});

describe('a filter means values of the files', () => {
  const codes = ['DE', 'FR', 'GB', 'US', 'CZ', 'TR', 'CI', 'BA', 'XX'];

  it.each([
    ['de', ['DE']],
    ['Germany', ['DE']],
    ['france', ['FR']],
    ['UK', ['GB']],
    ['Great Britain', ['GB']],
    ['the United States', ['US']],
    ['USA', ['US']],
    ['Czech Republic', ['CZ']],
    ['Czechia', ['CZ']],
    ['Turkey', ['TR']],
    ["Cote d'Ivoire", ['CI']],
    ['Bosnia and Herzegovina', ['BA']],
    ['Spain', []],
    ['xx', ['XX']],
    ['Atlantis', []],
  ])('country %s', (text, values) => {
    expect(meantValues('countries', text, codes)).toEqual(values);
  });

  it('countries that the files hold by name are found by code', () => {
    expect(meantValues('countries', 'DE', ['Germany', 'United Kingdom'])).toEqual(['Germany']);
    expect(meantValues('countries', 'uk', ['Germany', 'United Kingdom'])).toEqual(['United Kingdom']);
  });

  it.each([
    ['IE', ['Internet Explorer']],
    ['Google Chrome', ['Chrome']],
    ['chrome', ['Chrome']],
    ['Samsung', ['Samsung Internet']],
    ['Opera', []],
    ['Netscape', []],
  ])('browser %s', (text, values) => {
    const held = ['Chrome', 'Chrome Mobile', 'Internet Explorer', 'Samsung Internet', 'Opera Mini', 'Opera Touch'];
    expect(meantValues('browsers', text, held)).toEqual(values);
  });
});
