import { expect, it } from 'vitest';
import { expiredWords, expiringWords, linksWords } from '../../src/exports/files-until.ts';

const run = (jobRunId: number, name: string, completionTime: string) => ({ jobRunId, jobId: 31, name, completionTime });
const HERE = { isHere: ({ jobRunId }: { jobRunId: number | string }) => jobRunId === 1, fileLifeMs: 0, timeZone: 'UTC' };
const RUNS = [run(1, 'Hourly', '2026-11-26T01:00Z'), run(2, 'Hourly', '2026-11-26T02:00Z'), run(3, 'Daily', '2026-11-27T02:00Z')];

it('counts expiring runs by job, by day where there are several, and what is here', () => {
  expect(expiringWords(RUNS, '2026-11-28', HERE)).toBe(
    '3 runs lose their files before 2026-11-28: 2 of "Hourly", 1 of "Daily". By day: 2 on 2026-11-26, 1 on 2026-11-27. ' +
      'In the workspace already: 1, not yet: 2.',
  );
  expect(expiringWords(RUNS.slice(0, 2), '2026-11-27', HERE)).toContain('2 of "Hourly". In the workspace');
  expect(expiringWords([], '2026-11-27', HERE)).toMatch(/^No run loses its files before 2026-11-27/);
});

const NOW = Date.parse('2026-11-26T18:00:00Z');
const DAY = 86_400_000;
const ended = (day: number, jobRunId = day) => ({ jobId: 1, jobRunId, completionTime: `2026-11-${day}T02:00:00Z` });

it('says how many runs still have files, and which of the others are here', () => {
  const said = (days: readonly number[], here: readonly number[] = []) =>
    expiredWords(
      days.map((day) => ended(day)),
      { fileLifeMs: 7 * DAY, nowMs: NOW, timeZone: 'UTC', isHere: ({ jobRunId }) => here.some((id) => id === jobRunId) },
    );
  expect(said([])).toBeUndefined();
  expect(said([26])).toBe('This run still has files.');
  expect(said([25, 26])).toBe('All 2 runs read still have files.');
  expect(said([17, 18, 26])).toBe('1 of 3 runs read still has files; 2 expired, those completed before 2026-11-19T18:00Z.');
  expect(said([17, 18], [18, 26])).toBe(
    '0 of 2 runs read still have files; 2 expired, those completed before 2026-11-19T18:00Z; 1 of these is in the workspace.',
  );
});

it('says until when the links of a run work, or since when they do not', () => {
  const said = (ends: readonly string[], isKept = false) =>
    linksWords({ files: ends.map((expirationDate) => ({ url: '', expirationDate })) }, { nowMs: NOW, timeZone: 'UTC', isHere: isKept });
  const [past, future] = ['2026-11-20T02:00:00Z', '2026-11-28T02:00:00Z'];
  expect(said([])).toBeUndefined();
  expect(said([future, '2026-11-29T02:00:00Z'])).toBe('The links work until 2026-11-28T02:00Z.');
  expect(said([past, past], true)).toBe(
    'The links expired on 2026-11-20T02:00Z: the platform has deleted the files. The run is in the workspace.',
  );
  expect(said([future, past])).toBe('1 of 2 links expired on 2026-11-20T02:00Z: the platform has deleted the files.');
});
