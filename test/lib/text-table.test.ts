import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sparkline, textTable } from '../../src/lib/text-table.ts';

it('textTable writes the header once, then the rows', () => {
  const rows = [
    { date: '2026-11-09', visits: 12345, conversionRate: 2.3456 },
    { date: '2026-11-10', visits: null, conversionRate: 0, note: 'release' },
  ];
  expect(textTable(rows, ['date', 'visits', 'conversionRate', 'note'])).toBe(
    ['date\tvisits\tconversionRate\tnote', '2026-11-09\t12345\t2.35\t–', '2026-11-10\t–\t0\trelease'].join('\n'),
  );
  expect(textTable(rows, ['visits', 'date'])).toBe('visits\tdate\n12345\t2026-11-09\n–\t2026-11-10');
});

it('textTable has as many lines and cells as rows and columns, whatever the cells hold', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('\t', 'a\r\nb', '\u2028', '\u0085', '\v'), fc.double(), fc.constant(null));
  fc.assert(
    fc.property(fc.array(fc.record({ a: cell, b: cell }), { maxLength: 5 }), (rows) => {
      const lines = textTable(rows, ['a', 'b']).split(/[\n\v\f\r\u0085\u2028\u2029]/);
      expect(lines.map((line) => line.split('\t').length)).toEqual(Array.from({ length: rows.length + 1 }, () => 2));
    }),
  );
});

it.each([
  [[1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█'],
  [[0, null, 10, Number.NaN, 5], '▁ █ ▅'],
  [[-3, -1], '▁█'],
  [[7, 7, null, 7], '▄▄ ▄'],
  [[null, null], '  '],
  [[], ''],
])('sparkline %j → "%s"', (values, text) => {
  expect(sparkline(values)).toBe(text);
});

it('sparkline has one bar for each value, higher for higher ones', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), { minLength: 2 }), (values) => {
      const bars = sparkline(values).split('');
      const order = values.map((_, index) => index).toSorted((a, b) => values[a]! - values[b]!);
      const heights = order.map((index) => bars[index]!);
      expect(bars).toHaveLength(values.length);
      expect(heights).toEqual(heights.toSorted());
    }),
  );
});
