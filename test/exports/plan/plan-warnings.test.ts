import { expect, it } from 'vitest';
import type { ExportOrder } from '../../../src/exports/plan/job-bodies.ts';
import { existingSentence, type SimilarJob } from '../../../src/exports/plan/similar-jobs.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { shownHints } from '../../../src/lib/hint.ts';

const START_MS = Date.parse('2026-11-01T00:00:00Z');
const range = (from: number, to: number) => ({ startMs: START_MS + from * DAY_MS, endMs: START_MS + to * DAY_MS });
const daily: ExportOrder = {
  format: 'JSONL',
  scope: 'views',
  frequency: 'daily',
  columns: [{ fieldName: 'path' }],
  device: 'all',
  ranges: [],
};
const once: ExportOrder = { ...daily, frequency: 'once', ranges: [range(0, 7), range(7, 14)] };

function similar(
  jobId: number,
  likeness: SimilarJob['likeness'],
  more: Partial<SimilarJob['job']> = {},
  have?: readonly ReturnType<typeof range>[],
): SimilarJob {
  return {
    job: { jobId, name: `Job ${jobId}`, state: 'ACTIVE', filters: { deviceId: -1 }, ...more },
    likeness,
    ...(have && { coverage: { have, lack: [] } }),
  };
}
const resting = { state: 'SUSPENDED', lastRunTime: '2026-10-27T02:10:00Z' };
const said = (order: ExportOrder, ...jobs: readonly SimilarJob[]) => shownHints(existingSentence({ order, similar: jobs }) ?? '');

it.each<[string, string, string]>([
  ['nothing', said(daily), ''],
  ['the columns', said(daily, similar(1, 'holds')), 'Job 1 "Job 1" has all these columns (see existing): perhaps no export is needed.'],
  [
    'files of a part of the days, each once',
    said(once, similar(1, 'holds', {}, [range(0, 2)]), similar(2, 'equal', {}, [range(1, 3), range(7, 8)])),
    'Jobs 1 "Job 1", 2 "Job 2" have all these columns, but files of only 4 of the 14 days (see existing).',
  ],
  [
    'files of all days',
    said(once, ...[1, 2, 3, 4, 5].map((job) => similar(job, 'holds', {}, [range(0, 14)]))),
    'Jobs 1 "Job 1", 2 "Job 2", 3 "Job 3" and 2 more have all these columns (see existing): perhaps no export is needed.',
  ],
  [
    'files of a job that is suspended',
    said(once, similar(1, 'holds', resting, [range(0, 14)])),
    'Job 1 "Job 1" (suspended, last run 2026-10-27) has all these columns (see existing): perhaps no export is needed.',
  ],
  [
    'a job that delivers nothing',
    said(daily, similar(1, 'holds', resting)),
    'Job 1 "Job 1" (suspended, last run 2026-10-27) has all these columns, but it delivers nothing until it is resumed in the console.',
  ],
  [
    'an equal job that delivers nothing',
    said(daily, similar(1, 'equal', resting)),
    'An equal job exists: 1 "Job 1" (suspended, last run 2026-10-27). It delivers nothing until it is resumed in the console; then a ' +
      'second one would deliver the same rows again. apply_export_plan creates it only with allowDuplicate: true.',
  ],
  [
    'one that runs beside it',
    said(daily, similar(1, 'holds', resting), similar(2, 'holds')),
    'Job 2 "Job 2" has all these columns (see existing): perhaps no export is needed.',
  ],
  [
    'a job whose segment is not known',
    said({ ...daily, segmentId: 5 }, similar(1, 'holds')),
    'Job 1 "Job 1" has all these columns (see existing); whether of this segment, jobs do not show.',
  ],
])('what there is already %s', (_, sentence, expected) => {
  expect(sentence).toBe(expected);
});
