import { expect, it } from 'vitest';
import type { LoadRecord } from '../../../src/workspace/warehouse/ledger.ts';
import { inseparableWords } from '../../../src/workspace/warehouse/loaded-table.ts';
import { inseparable } from '../../../src/workspace/warehouse/project-warehouse.ts';

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

it('a run whose rows took the place of those of a run that stays cannot go alone', () => {
  const [early, late] = [loaded(501, [1, 12], 13), loaded(502, [5, 8], 14)];
  expect(stuck([late], [early, late])).toEqual([[502, 501]]);
  expect(inseparableWords(late, early)).toBe(
    'In the warehouse its rows cannot be told from those of run 501, which stays: the job exports no column of time. ' +
      'Purge all of job 31 (without before), and download again what is to stay.',
  );
  // The later one has the rows of both already.
  expect(stuck([early], [early, late])).toEqual([]);
  expect(stuck([early, late], [early, late])).toEqual([]);
});

it('a run that stays for such a reason keeps others that it overlaps', () => {
  const all = [loaded(501, [1, 6], 13), loaded(502, [5, 8], 14), loaded(503, [7, 10], 15)];
  expect(stuck(all.slice(1), all)).toEqual([
    [502, 501],
    [503, 502],
  ]);
});

it('with a column of time, on other days or in another job a run goes alone', () => {
  const [early, late] = [loaded(501, [1, 12], 13), loaded(502, [5, 8], 14)];
  expect(stuck([loaded(502, [5, 8], 14, [key, time])], [early, loaded(502, [5, 8], 14, [key, time])])).toEqual([]);
  expect(stuck([loaded(503, [12, 13], 15)], [early, loaded(503, [12, 13], 15)])).toEqual([]);
  const other = { ...late, run: { ...late.run, jobId: 41 } };
  expect(stuck([other], [early, other])).toEqual([]);
});
