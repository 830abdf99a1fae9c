import { expect, it } from 'vitest';
import type { Ask } from '../../../src/api/client.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { withoutFilesWords } from '../../../src/usecases/exports/deliveries.ts';

const nowMs = Date.parse('2026-11-26T12:00:00Z');
const listed = (jobId: number, runId: number, completedAt: string) => ({
  jobId,
  runId,
  completedAt,
  name: `Daily ${jobId}`,
  from: '',
  to: '',
  format: 'JSONL',
  scope: 'sessions',
});
const LISTED = [listed(31, 1, '2026-11-25T02:00:00.000Z'), listed(32, 3, '2026-11-25T03:00:00.000Z')];
const ended = (jobRunId: number, endDate: string, state = 'SUCCESS') => ({ jobRunId, endDate, state });

async function wordsOf(runs: object[] | ApiError, jobIds?: readonly number[], all = LISTED) {
  const ask = (async (_: unknown, { jobId }: { jobId: number }) => {
    if (runs instanceof ApiError) throw runs;
    return jobId === 31 ? runs : [];
  }) as unknown as Ask; // the runs of a job alone are asked for
  return withoutFilesWords(all, { jobIds, sinceMs: undefined }, { ask, nowMs });
}

it('names runs that succeeded and are not among those with files, and no others', async () => {
  const [sentence, ...others] = await wordsOf([
    ended(1, '2026-11-25T02:00:00Z'),
    ended(2, '2026-11-24T02:00:00Z'),
    ended(4, '2026-11-23T02:00:00Z', 'FAILURE'),
    ended(5, '2026-11-10T02:00:00Z'),
    ended(6, '2026-11-26T11:58:00Z'),
  ]);
  expect(others).toEqual([]);
  expect(sentence).toContain('"Daily 31" (31): 1 run succeeded without rows (ended 2026-11-24)');
});

it('says nothing where runs cannot be read, all have files, or jobs are many', async () => {
  const empty = [ended(2, '2026-11-24T02:00:00Z')];
  expect(await wordsOf(new ApiError('down', 'Gone.'))).toEqual([]);
  expect(await wordsOf([ended(1, '2026-11-25T02:00:00Z')])).toEqual([]);
  expect(await wordsOf(empty, [31])).toHaveLength(1);
  const many = Array.from({ length: 8 }, (_, index) => listed(40 + index, 100 + index, '2026-11-25T02:00:00.000Z'));
  expect(await wordsOf(empty, undefined, [...LISTED, ...many])).toEqual([]);
});
