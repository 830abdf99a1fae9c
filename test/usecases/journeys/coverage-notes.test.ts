import { expect, it } from 'vitest';
import { coverageOf, timeOfDays } from '../../../src/domain/exports/coverage.ts';
import { type Covered, noteCoverage } from '../../../src/usecases/journeys/coverage-notes.ts';
import { sqlWords } from '../../../src/usecases/journeys/sql-words.ts';

const DAYS = [1, 2, 3, 4, 5];
/** A scope whose rows, and of them those with a device, are of these days. */
const files = (name: string, rows: readonly number[], devices = rows) => ({
  name,
  over: (asked: Parameters<typeof coverageOf>[0]) =>
    coverageOf(asked, ['device_id'], (column) => timeOfDays(column === undefined ? rows : devices)),
});

/** The notes where sessions of day 3 of 5 are here without a field, and `views` on the days given. */
async function notesOf(viewDays: readonly number[]): Promise<string> {
  const notes: string[] = [];
  const coverage: Covered = {
    sql: sqlWords('DuckDB'),
    filters: {},
    days: { first: 1, last: 5, covered: [1, 2, 4, 5], missing: [3], ofFiles: new Set([1, 2, 4, 5]), words: [], lead: '' },
    files: [files('sessions', DAYS, [1, 2, 4, 5]), files('views', viewDays)],
    knowsAutomated: false,
    column: (_, field) => `"${field}"`,
    select: async () => [{ kind: 'sessions', n: 4070, part: 0 }],
  };
  await noteCoverage(coverage, { note: (sentence) => void notes.push(sentence) });
  return notes.join(' ');
}

it('a day of which only a column is missing is no day without rows; where another file has none of it, both are said', async () => {
  const note = await notesOf(DAYS);
  expect(note).toContain('1970-01-04 (1 day, UTC): the downloaded sessions of that day lack the column device_id; 4,070 rows of sessions');
  expect(await notesOf([1, 2, 4, 5])).toContain(
    'no whole day of views is downloaded, and the downloaded sessions of that day lack the column device_id;',
  );
});
