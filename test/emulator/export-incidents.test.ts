import { expect, test } from 'vitest';
import { exportHandlers as exports } from '../../src/emulator/handlers/data-export.ts';
import { storiesOf } from '../../src/emulator/world/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { someOf } from '../support/sample-size.ts';
import { type MovablePlace, partsOf, placeOf, START_MS } from './export-place.ts';

/** All runs of a job, and those of the list of successful ones. */
async function runsOf(place: MovablePlace, name: string) {
  const jobId = Number((await exports.listExportJobs({ limit: 100 }, place)).find((job) => job.name === name)?.jobId);
  const runs = [];
  const successful = [];
  for (let page = 1; page <= 8; page += 1) {
    runs.push(...(await exports.listExportRuns({ jobId, limit: 100, page }, place)));
    successful.push(...(await exports.listSuccessfulExportRuns({ limit: 100, page }, place)).filter((run) => run.jobId === jobId));
  }
  return { jobId, runs, covered: successful.map(({ from }) => Date.parse(String(from))), successful };
}

test.each(someOf([1, 2, 3, 4, 5], 1))(
  'seed %i: a run that failed, was never started or found nothing covers no range, and no other run is without one',
  async (seed) => {
    const place = placeOf(undefined, seed);
    const { exportIncidents } = storiesOf({ seed, startMs: START_MS });
    for (const [name, incidents] of Object.entries(exportIncidents)) {
      const { runs, covered } = await runsOf(place, name);
      const periodMs = name === 'Hourly sessions' ? HOUR_MS : DAY_MS;
      const count = (kind: string) => incidents.filter((incident) => incident.kind === kind).length;
      const spanned = (Math.max(...covered) - Math.min(...covered)) / periodMs + 1;
      expect(incidents.filter(({ fromMs }) => covered.includes(fromMs))).toEqual([]);
      expect(covered).toHaveLength(spanned - incidents.length);
      expect(runs).toHaveLength(spanned - count('missing'));
      expect(runs.filter(({ state }) => state === 'FAILURE')).toHaveLength(count('failed'));
    }
  },
);

test('a run that found nothing is a success with an empty file', async () => {
  const place = placeOf();
  const { jobId, runs, successful } = await runsOf(place, 'Daily views');
  const listed = new Set(successful.map(({ jobRunId }) => jobRunId));
  const [empty, ...others] = runs.filter(({ jobRunId, state }) => state === 'SUCCESS' && !listed.has(jobRunId ?? ''));
  expect(others).toEqual([]);
  const [head, ...lines] = (await partsOf(place, jobId, Number(empty?.jobRunId))).join('').trimEnd().split('\n');
  expect(head).toContain('project_id,');
  expect(lines).toEqual([]);
});
