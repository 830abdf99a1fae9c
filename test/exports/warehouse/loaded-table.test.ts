import { expect, it } from 'vitest';
import { type LoadRecord } from '../../../src/exports/warehouse/ledger.ts';
import { inseparableWords } from '../../../src/exports/warehouse/loaded-table.ts';
import { inseparable } from '../../../src/exports/warehouse/project-warehouse.ts';

const key = { name: 'session_id', type: 'VARCHAR', at: 'session_id' } as const;
const time = { name: 'session_time', type: 'TIMESTAMP', at: 'session_time' } as const;

/** A loaded run of these days of November. */
function loaded(runId: number, [from, to]: [number, number], exportedDay: number, columns: LoadRecord['columns'] = [key]): LoadRecord {
  const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`;
  const about = { version: 1 as const, jobId: 31, jobName: 'Sessions', scope: 'sessions', format: 'JSONL', fields: [], files: [] };
  const run = { ...about, runId, from: day(from), to: day(to), exportedAt: day(exportedDay), downloadedAt: day(exportedDay) };
  return { state: 'loaded', run, columns, rows: 10, generation: `of ${runId}`, written: '2026-11-20 10:00:00.000000', ageMs: 0 };
}

const stuck = (going: LoadRecord[], all: LoadRecord[]) =>
  [...inseparable(going, all)].map(([record, other]) => [record.run.runId, other.run.runId]);
const [early, late] = [loaded(501, [1, 12], 13), loaded(502, [5, 8], 14)];
const timed = loaded(502, [5, 8], 14, [key, time]);
const next = loaded(503, [12, 13], 15);
const elsewhere = { ...late, run: { ...late.run, jobId: 41 } };
const chain = [loaded(501, [1, 6], 13), loaded(502, [5, 8], 14), loaded(503, [7, 10], 15)];

it.each<[string, LoadRecord[], LoadRecord[], number[][]]>([
  ['whose rows took the place of those of a run that stays cannot go alone', [late], [early, late], [[502, 501]]],
  ['that another one has the rows of goes', [early], [early, late], []],
  ['goes with the run that it overlaps', [early, late], [early, late], []],
  [
    'that stays for such a reason keeps others that it overlaps',
    chain.slice(1),
    chain,
    [
      [502, 501],
      [503, 502],
    ],
  ],
  ['with a column of time goes alone', [timed], [early, timed], []],
  ['on other days goes alone', [next], [early, next], []],
  ['of another job goes alone', [elsewhere], [early, elsewhere], []],
])('a run %s', (_, going, all, expected) => {
  expect(stuck(going, all)).toEqual(expected);
});

it('the reason says what to do instead', () => {
  expect(inseparableWords(late, early)).toBe(
    'In the warehouse its rows cannot be told from those of run 501, which stays: the job exports no column of time. ' +
      'Purge all of job 31 (without before), and download again what is to stay.',
  );
});
