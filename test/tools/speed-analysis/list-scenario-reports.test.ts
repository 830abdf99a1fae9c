import { expect, it } from 'vitest';
import { records, useTools, whole } from '../support.ts';

const { ask, call, sent } = useTools();

it('lists the reports of a window, newest first, with the averages over their steps', async () => {
  const window = { dateFrom: '2026-11-19T12:00:00.000Z', dateTo: '2026-11-19T20:00:00.000Z' };
  const answer = await call('list_scenario_reports', { scenarioId: 'Home', ...window, metrics: ['loadTime', 'weight'] });
  const { scenario } = await ask('listScenarioReports', { scenarioId: 4104, limit: 0, ...window });
  const newest = scenario.reports.toSorted((a, b) => b.date - a.date);
  expect(records(answer)).toMatchObject(
    newest.map(({ date, summary }) => ({ date, loadTime: summary?.average?.loadTime, weight: summary?.average?.weight })),
  );
  expect(newest.length).toBeGreaterThan(5);
  expect(whole(answer)).toMatchSnapshot();
});

it('asks for all reports of a window, and notes that 30 without one may not be all', async () => {
  const { structured } = await call('list_scenario_reports', { scenarioId: 4104 });
  expect(structured['notes']).toEqual(expect.arrayContaining([expect.stringContaining('Exactly 30 reports came')]));
  const days = await call('list_scenario_reports', { scenarioId: 4104, lastDays: 2 });
  expect(records(days)).toHaveLength(48);
  expect(days.structured['range']).toMatchObject({ start: '2026-11-18T10:00:00.000Z', end: '2026-11-20T10:00:00.000Z', days: 2 });
  expect(sent('listScenarioReports').map(({ body }) => body)).toEqual([{ scenarioId: 4104 }, { scenarioId: 4104, lastDays: 2, limit: 0 }]);
});

it('states the range that all its bounds leave', async () => {
  const range = async (bounds: object) => (await call('list_scenario_reports', { scenarioId: 4104, ...bounds })).structured['range'];
  expect(await range({ lastDays: 7, dateTo: '2026-11-15T00:00:00Z' })).toMatchObject({
    start: '2026-11-13T10:00:00.000Z',
    end: '2026-11-15T00:00:00.000Z',
  });
  expect(await range({ lastDays: 3, dateFrom: '-7d' })).toMatchObject({
    start: '2026-11-17T10:00:00.000Z',
    end: '2026-11-20T10:00:00.000Z',
  });
});

it('tells runs with errors from runs without', async () => {
  // A scenario of which a part of the runs fails.
  const days = { scenarioId: 4101, lastDays: 7, limit: 0 };
  const [all = 0, failed = 0, sound = 0] = await Promise.all(
    [{}, { error: true }, { error: false }].map(
      async (error) => records(await call('list_scenario_reports', { ...days, ...error })).length,
    ),
  );
  expect(failed).toBeGreaterThan(0);
  expect(sound).toBeGreaterThan(failed);
  expect(failed + sound).toBe(all);
});

it('names the tool that has a metric which a summary lacks, and shows no empty column', async () => {
  const { structured } = await call('list_scenario_reports', { scenarioId: 4101, metrics: ['navigationStart', 'loadTime'] });
  expect(structured['columns']).toContain('loadTime');
  expect(structured['columns']).not.toContain('navigationStart');
  expect(structured['notes']).toContainEqual('A summary has no navigationStart; get_scenario_report shows navigationStart in the timings.');
});
