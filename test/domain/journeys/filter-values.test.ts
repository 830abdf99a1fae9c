import { describe, expect, it } from 'vitest';
import { meantValues } from '../../../src/domain/journeys/filter-values.ts';

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
