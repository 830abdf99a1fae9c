import { describe, expect, it } from 'vitest';
import { csvRecords, headersOf } from '../../../src/exports/convert/csv-headers.ts';

/** For each first line: its columns, marked where the line is a row itself. */
function read(lines: readonly string[], expected: readonly string[]): string[] {
  const firstLines = lines.map((line, index) => ({
    file: `File ${index + 1}`,
    cells: csvRecords(line, 1)[0] ?? [],
  }));
  return headersOf(
    firstLines,
    expected.map((fieldName) => ({ fieldName })),
  ).map(({ names, isRow }) => `${isRow ? 'row of ' : ''}${names.join(',')}`);
}

describe('the first line of a file', () => {
  const fields = ['session_id', 'city', 'visits'];

  it.each<[string, string[], string[], string[]]>([
    ['a header with a column that came late', ['session_id,city,visits,plan'], fields, ['session_id,city,visits,plan']],
    ['a row of words, by the fields', ['a7,Ulm,three'], fields, ['row of session_id,city,visits']],
    [
      'a row with equal and empty cells',
      ['session_id,city,visits', '0,,0'],
      fields,
      ['session_id,city,visits', 'row of session_id,city,visits'],
    ],
    ['a header of names that no field has, in all files', ['a,b,c', 'a,b,c'], fields, ['a,b,c', 'a,b,c']],
    ['a header where the fields are not known', ['a,b'], [], ['a,b']],
    ['a row where the fields are not known, by the other files', ['a,b', '1,2026-11-19'], [], ['a,b', 'row of a,b']],
  ])('is %s', (_, lines, expected, found) => {
    expect(read(lines, expected)).toEqual(found);
  });

  it('that is neither is an error that names the file and shows the line', () => {
    const words =
      /^File 2: its first line \("1,2"\) is no header, and as no header has as many columns, .* 2 cells are\. Download it again/;
    expect(() => read(['session_id,city,visits', '1,2'], fields)).toThrow(words);
    expect(() => read(['1,2', '3,4'], [])).toThrow('no header has as many columns');
    expect(() => read(['visits,city,session_id', '1,Ulm,2'], fields)).toThrow('the columns stand in more than one order');
  });
});
