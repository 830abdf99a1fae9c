import { expect, it } from 'vitest';
import { expiringWords } from '../../../src/domain/exports/files-until.ts';

const run = (jobRunId: number, name: string, completionTime: string) => ({ jobRunId, jobId: 31, name, completionTime });
const dayOf = ({ completionTime }: { completionTime?: string | null | undefined }) => (completionTime ?? '').slice(0, 10);
const isHere = ({ jobRunId }: { jobRunId: number | string }) => jobRunId === 1;
const RUNS = [run(1, 'Hourly', '2026-11-26T01:00Z'), run(2, 'Hourly', '2026-11-26T02:00Z'), run(3, 'Daily', '2026-11-27T02:00Z')];

it('counts expiring runs by job, by day where there are several, and what is here', () => {
  expect(expiringWords(RUNS, '2026-11-28', { isHere, dayOf })).toBe(
    '3 runs lose their files before 2026-11-28: 2 of "Hourly", 1 of "Daily". By day: 2 on 2026-11-26, 1 on 2026-11-27. ' +
      'In the workspace already: 1, not yet: 2.',
  );
  expect(expiringWords(RUNS.slice(0, 2), '2026-11-27', { isHere, dayOf })).toContain('2 of "Hourly". In the workspace');
  expect(expiringWords([], '2026-11-27', { isHere, dayOf })).toMatch(/^No run loses its files before 2026-11-27/);
});
