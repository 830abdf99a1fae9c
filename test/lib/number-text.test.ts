import { expect, it } from 'vitest';
import { formatBytes, formatMs, formatNumber, formatPercent } from '../../src/lib/number-text.ts';

it.each([formatNumber, formatPercent, formatBytes, formatMs])('%o shows a missing value as such, never as 0', (format) => {
  expect([null, undefined, Number.NaN, Number.POSITIVE_INFINITY].map((value) => format(value))).toEqual(['–', '–', '–', '–']);
});

it.each([
  [0, '0'],
  [-0, '0'],
  [12345678, '12345678'],
  [1234.56, '1235'],
  [931.08, '931.1'],
  [93.0079, '93.01'],
  [2.5, '2.5'],
  [99.999, '100'],
  [0.041234, '0.0412'],
  [-0.30000000000000004, '-0.3'],
])('formatNumber %d → %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

it('formatNumber keeps the digits that are asked for', () => {
  expect([formatNumber(2.5, { digits: 2 }), formatNumber(2.5, { digits: 0 }), formatNumber(-0.001, { digits: 2 })]).toEqual([
    '2.50',
    '3',
    '0.00',
  ]);
});

it('formatNumber groups thousands on request, before the point only', () => {
  const style = { group: true };
  const texts = [
    formatNumber(1234567, style),
    formatNumber(999, style),
    formatNumber(1000, style),
    formatNumber(-123456.78901, { group: true, digits: 4 }),
  ];
  expect(texts).toEqual(['1,234,567', '999', '1,000', '-123,456.7890']);
});

it('formatNumber signs a change, but not one that rounds to nothing', () => {
  expect([3.21, -3.21, 0.001].map((value) => formatPercent(value, { sign: true, digits: 1 }))).toEqual(['+3.2%', '-3.2%', '0.0%']);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [999.7, '1 kB'],
  [2612345, '2.61 MB'],
  [261234, '261 kB'],
  [999_950, '1 MB'],
  [-52_300, '-52.3 kB'],
  [84e9, '84 GB'],
  [2.5e15, '2500 TB'],
])('%d bytes → %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [0, '0 ms'],
  [0.25, '0.25 ms'],
  [312.4, '312 ms'],
  [999.6, '1 s'],
  [2431, '2.43 s'],
  [59_960, '1 min'],
  [125_000, '2 min 5 s'],
  [3_599_700, '1 h'],
  [36_000_000, '10 h'],
  [9_000_000, '2 h 30 min'],
  [-2431, '-2.43 s'],
])('%d ms → %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
