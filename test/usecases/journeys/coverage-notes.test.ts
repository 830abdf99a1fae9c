import { expect, it } from 'vitest';
import { type Coverage, noteCoverage } from '../../../src/usecases/journeys/coverage-notes.ts';
import { sqlWords } from '../../../src/usecases/journeys/sql-words.ts';

/** The notes where sessions of day 3 of 5 are here without a field, and `views` on the days given. */
async function notesOf(lackingOn: () => string[], viewDays: readonly number[]): Promise<string> {
  const notes: string[] = [];
  const days = { first: 1, last: 5, covered: [1, 2, 4, 5], missing: [3], lastOfFiles: 5, ofFiles: new Set([1, 2, 4, 5]) };
  const coverage: Coverage = {
    sql: sqlWords('DuckDB'),
    filters: {},
    days,
    files: [
      { name: 'sessions', days: new Set([1, 2, 4, 5]), lackingOn },
      { name: 'views', days: new Set(viewDays) },
    ],
    knowsAutomated: false,
    column: (_, field) => `"${field}"`,
    select: async () => [{ kind: 'sessions', n: 4070, part: 0 }],
  };
  await noteCoverage(coverage, { note: (sentence) => void notes.push(sentence) });
  return notes.join(' ');
}

it('a day of which only a column is missing is no day without rows', async () => {
  const note = await notesOf(() => ['device_id'], [1, 2, 3, 4, 5]);
  expect(note).toContain('1970-01-04 (1 day, UTC): the downloaded sessions of that day lack the column device_id; 4,070 rows of sessions');
  expect(note).not.toContain('no whole day');
});

it('a day of which one file lacks a column and another all rows says both', async () => {
  const note = await notesOf(() => ['device_id'], [1, 2, 4, 5]);
  expect(note).toContain('no whole day of views is downloaded, and the downloaded sessions of that day lack the column device_id;');
});
