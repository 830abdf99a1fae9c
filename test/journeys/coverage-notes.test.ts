import { expect, it } from 'vitest';
import { coverageOf, timeOfDays } from '../../src/exports/coverage.ts';
import type { ScopeFiles } from '../../src/journeys/covered-days.ts';
import { sqlWords } from '../../src/journeys/sql-words.ts';
import { type Covered, noteCoverage } from '../../src/journeys/visit-relation.ts';

const DAYS = [1, 2, 3, 4, 5];
/** A scope whose rows, and of them those with a device, are of these days. */
function files(name: string, rows: readonly number[], devices = rows): ScopeFiles {
  const over: ScopeFiles['over'] = (asked) =>
    coverageOf(asked, ['device_id'], (column) => timeOfDays(column === undefined ? rows : devices));
  return { name, over, soon: over };
}

/** The notes where sessions of day 3 of 5 are here without a field, and `views` on the days given. */
async function notesOf(viewDays: readonly number[], reading: readonly number[] = []): Promise<string> {
  const notes: string[] = [];
  const covered = viewDays.filter((day) => day !== 3);
  const missing = DAYS.filter((day) => !covered.includes(day));
  const coverage: Covered = {
    sql: sqlWords('DuckDB'),
    filters: {},
    days: { first: 1, last: 5, covered, missing, reading, ofFiles: new Set(covered), words: [], lead: '' },
    files: [files('sessions', DAYS, [1, 2, 4, 5]), files('views', viewDays)],
    knowsAutomated: false,
    column: (_, field) => `"${field}"`,
    select: async () => [{ kind: 'sessions', n: 4070, part: 0 }],
  };
  await noteCoverage(coverage, { note: (sentence) => void notes.push(sentence) });
  return notes.join(' ');
}

it('each day is said with what it lacks: a column, rows, or both', async () => {
  const [column, rows] = ['the downloaded sessions lack the column device_id', 'no whole day of views is downloaded'];
  expect(await notesOf([1, 2, 4, 5])).toContain(`1970-01-04 (1 day, UTC): ${rows}, and ${column};`);
  expect(await notesOf([1, 2, 3, 5])).toContain(
    `1970-01-04 (1 day, UTC): ${column}; 1970-01-05 (1 day, UTC): ${rows}; 4,070 rows of sessions of those days`,
  );
});

it('a day that is still being read is said as that, without a plan for it', async () => {
  const words = await notesOf([1, 2, 4, 5], [3]);
  expect(words).toContain('left out: 1970-01-04 (1 day, UTC): still being read;');
  expect(words).not.toContain('find_export_gaps');
});
