import { expect, it } from 'vitest';
import type { Ask } from '../../src/api/client.ts';
import { listExportRuns, listSuccessfulExportRuns } from '../../src/api/operations/data-export.ts';
import type { PlanPart } from '../../src/exports/plans.ts';
import { foundEmpty } from '../../src/exports/supply.ts';

const nowMs = Date.parse('2026-11-26T12:00:00Z');
const day = (label: string) => ({ startMs: Date.parse(label), endMs: Date.parse(label) + 86_400_000 });
const columns = (name: string) => new Map([[name, name]]);
const LACK = { scope: 'views', columns: columns('path'), days: [day('2026-11-23')], isExact: true };

const part = (jobId: number | undefined, to = '2026-11-24T00:00:00.000Z', scope = 'views') =>
  ({
    jobId,
    sentAt: '2026-11-26T09:00:00.000Z',
    body: {
      scope,
      deviceLabel: 'all',
      fields: [{ fieldName: 'path' }],
      frequency: { value: 'once', dateRange: { from: '2026-11-23T00:00:00.000Z', to } },
    },
  }) as unknown as PlanPart; // what the words read of one

/** Asks about a job whose runs are these, of which those in `withFiles` have files. */
function words(parts: readonly PlanPart[], runs: object[], withFiles: object[] = [], lack = LACK) {
  const ask = (async (operation: unknown) => {
    if (operation === listExportRuns) return runs;
    return operation === listSuccessfulExportRuns ? withFiles : [];
  }) as unknown as Ask; // the two lists of runs are asked for
  return foundEmpty({ lacks: [lack], parts, context: { ask, nowMs } });
}

const RUN = { jobRunId: 7, state: 'SUCCESS', endDate: '2026-11-26T09:05:00Z' };

it('an export of the days that found no rows is said in place of a plan for them', async () => {
  expect(await words([part(3150)], [RUN])).toBe(
    'The platform has no rows of it: an export of these days found none. Job 3150: 1 run succeeded without rows (ended 2026-11-26).',
  );
});

it('nothing is said of a job of other days, another scope or columns, with files, without a run, or not created', async () => {
  const others = [part(undefined), part(3150, '2026-11-23T12:00:00.000Z'), part(3150, undefined, 'sessions')];
  for (const other of others) expect(await words([other], [RUN])).toBeUndefined();
  expect(await words([part(3150)], [RUN], [], { ...LACK, columns: columns('url') })).toBeUndefined();
  const row = { jobId: 3150, jobRunId: 7, completionTime: '2026-11-26T09:05:00Z', from: '', to: '' };
  expect(await words([part(3150)], [RUN], [row])).toBeUndefined();
  expect(await words([part(3150)], [{ ...RUN, state: 'FAILURE' }])).toBeUndefined();
  expect(await words([part(3150)], [])).toBeUndefined();
});
