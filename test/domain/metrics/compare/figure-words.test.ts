import { expect, test } from 'vitest';
import { countedText } from '../../../../src/domain/metrics/compare/cause-words.ts';
import { rateSentence, splitSentence, withRates } from '../../../../src/domain/metrics/compare/figure-words.ts';

const group = (before: number | null, after: number | null) => ({ name: 'mobile', before, after, contribution: 0 });

test('the change as counted stands behind that of a level where they differ by more than rounding', () => {
  expect(countedText(-0.829, group(25_322, 6_510))).toBe(', -74.3% as counted');
  expect(countedText(-0.745, group(25_322, 6_510))).toBe('');
  for (const unknown of [group(null, 1), group(1, null), group(0, 1), undefined]) expect(countedText(-0.5, unknown)).toBe('');
  expect(countedText(null, group(2, 1))).toBe('');
});

test('factors of revenue are said in money, with cents where it is little', () => {
  const split = { visits: 7_165.46, conversion: -2_572.41, basket: -4_959.02 };
  expect(splitSentence(split, -365.97, 'EUR', { isCalm: true, isPerDay: false })).toBe(
    'Revenue -366 EUR: visits +7,165, conversion -2,572, average order -4,959, none beyond noise.',
  );
  expect(splitSentence({ visits: 7.5, conversion: 0.25, basket: -2 }, 5.75, undefined, { isCalm: false, isPerDay: true })).toBe(
    'Revenue +5.75 a day: visits +7.50, conversion +0.25, average order -2.00.',
  );
});

test('a change of a rate is divided into the mix of devices and the rates within them', () => {
  const of = (metric: string, mix: number, rate: number) => ({
    metric,
    change: mix + rate,
    groups: [{ ...group(1, 1), mix, rate }],
    remainder: 0,
  });
  expect(rateSentence(of('conversionRate', 0.02, -0.27))).toBe('Conversion rate -0.25 pp: mix of devices +0.02, rates within them -0.27.');
  expect(rateSentence(of('cartAverage', 0.02, -0.27))).toBe('');
  expect(rateSentence(of('conversionRate', -0.27, 0.02))).toBe('');
  expect(rateSentence(of('conversionRate', 0.001, 0.001))).toBe('');
});

test('mix and rate of a dated change are those between the ranges, in its sentence', () => {
  const explained = { metric: 'conversionRate', change: -0.94, groups: [{ ...group(1, 1), mix: -0.01, rate: -0.93 }], remainder: 0 };
  expect(withRates('The change is on mobile. Between the ranges it accounts for 81% of the change.', explained)).toBe(
    'The change is on mobile. Between the ranges it accounts for 81% of the change; mix of devices -0.01 pp, rates -0.93.',
  );
  expect(withRates('The change is on mobile.', explained)).toBe(
    'The change is on mobile. Between the ranges: mix of devices -0.01 pp, rates -0.93.',
  );
  expect(withRates('The change is on mobile.', { ...explained, metric: 'visits' })).toBe('The change is on mobile.');
  expect(withRates('', explained)).toBe('');
});
