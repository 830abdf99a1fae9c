import { expect, it } from 'vitest';
import { refusal, useTools, whole } from '../support.ts';

const { assistant, ask, call, platform } = useTools();

it('gives the latest report with the usual metrics, exactly as received', { tags: 'nightly' }, async () => {
  const answer = await call('get_scenario_report', { scenarioId: 'Checkout – mobile' });
  const { scenario } = await ask('listScenarioReports', { scenarioId: 4102, limit: 0 });
  const latest = Math.max(...scenario.reports.map(({ date }) => date));
  const { scenarioReport } = await ask('getScenarioReport', { scenarioId: 4102, date: latest });
  expect(answer.structured).toMatchObject({
    date: latest,
    resultId: scenarioReport.resultId,
    summary: { average: { largestContentfulPaint: scenarioReport.summary?.average?.largestContentfulPaint } },
    notes: expect.arrayContaining(['scenario "Checkout – mobile" = 4102']),
  });
  expect(whole(answer)).toMatchSnapshot();
});

it('gives one metric or all of them, and the whole report behind its address', async () => {
  const one = await call('get_scenario_report', { scenarioId: 4102, metrics: ['speedIndex'] });
  expect(Object.keys((one.structured['summary'] as { sum: object }).sum)).toEqual(['speedIndex']);
  const all = await call('get_scenario_report', { scenarioId: 4102, metrics: ['all'] });
  const { scenarioReport } = await ask('getScenarioReport', { scenarioId: 4102, date: Number(all.structured['date']) });
  expect(all.structured['summary']).toEqual(scenarioReport.summary);
  expect(all.links).toEqual([all.structured['uri']]);
  expect(JSON.parse(await assistant().read(all.links[0] ?? ''))).toEqual(scenarioReport);
});

it('says where the requests of a step are, which have another name in the summary', async () => {
  const { structured } = await call('get_scenario_report', { scenarioId: 4102, metrics: ['request', 'weight'] });
  expect(structured).toMatchObject({ summary: { average: { request: expect.any(Number) } } });
  expect((structured['steps'] as object[])[0]).toMatchObject({
    timings: {},
    requestsCount: expect.any(Number),
    weight: expect.any(Number),
  });
  expect(structured['notes']).toContain(
    'A step has no request; the summary has request, as in list_scenario_reports; requestsCount of a step counts its requests.',
  );
});

it('takes a timestamp or an ISO date, and lists the nearest reports where there is none', { tags: 'nightly' }, async () => {
  const { date } = (await call('get_scenario_report', { scenarioId: 4102 })).structured;
  const iso = new Date(Number(date)).toISOString();
  for (const given of [date, String(date), iso])
    expect((await call('get_scenario_report', { scenarioId: 4102, date: given })).structured['date']).toBe(date);
  const missed = await call('get_scenario_report', { scenarioId: 4102, date: Number(date) + 1 });
  expect(missed.isError).toBe(true);
  expect(missed.text).toMatch(
    new RegExp(`^date: scenario 4102 has no report at ${Number(date) + 1}.* Nearest: ${String(date)} \\(${iso}\\)`),
  );
});

it('says in the words of the platform what was refused, where there is a report at that instant', async () => {
  // One that was not read before: what was read is kept.
  const date = (await ask('listScenarioReports', { scenarioId: 4102, limit: 9 })).scenario.reports.at(-1)?.date;
  platform().faults.add({ kind: 'refused', operation: 'getScenarioReport', times: 1 });
  const { isError, text } = await call('get_scenario_report', { scenarioId: 4102, date });
  expect({ isError, text }).toEqual(refusal('The request was refused.'));
  expect(text).not.toMatch(/no report at|Nearest/);
});
