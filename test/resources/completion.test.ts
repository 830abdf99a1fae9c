import { expect, it } from 'vitest';
import { matching } from '../../src/protocol/server.ts';
import { ownAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);

const SCENARIO = 'analytics://{projectId}/scenarios/{scenarioId}';
const REPORT = 'analytics://{projectId}/scenarios/{scenarioId}/reports/{date}';
const HAR = 'analytics://{projectId}/steps/{stepResultId}/har';

type Client = ReturnType<typeof assistant>['client'];

/** Values offered for one variable of a template. */
async function offered(uri: string, name: string, value: string, filled: Record<string, string> = {}, client: Client = assistant().client) {
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri },
    argument: { name, value },
    context: { arguments: filled },
  });
  return completion.values;
}

it('every variable of every template has proposals that lead to something that can be read', { tags: 'nightly' }, async () => {
  const { client, read, call } = assistant();
  await call('download_export_run', { jobId: 'Hourly sessions' });
  await call('query_export', { jobId: 'Hourly sessions', sql: 'SELECT session_id FROM data' });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.length).toBeGreaterThan(6);
  for (const { uriTemplate } of resourceTemplates) {
    const filled: Record<string, string> = {};
    for (const [, name = ''] of uriTemplate.matchAll(/\{(\w+)\}/g)) {
      const [first] = await offered(uriTemplate, name, '', filled);
      expect(first, `${name} of ${uriTemplate}`).toEqual(expect.any(String));
      filled[name] = first ?? '';
    }
    const uri = uriTemplate.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(filled[name] ?? ''));
    expect((await read(uri)).length).toBeGreaterThan(40);
  }
});

it('scenarios are offered by id, and found by name', async () => {
  expect(await offered(SCENARIO, 'scenarioId', '')).toEqual(['4101', '4102', '4103', '4104', '4105', '4106']);
  expect(await offered(SCENARIO, 'scenarioId', 'check')).toEqual(['4101', '4102']);
  expect(await offered(SCENARIO, 'scenarioId', 'DESKTOP')).toEqual(['4101', '4104', '4106']);
  expect(await offered(SCENARIO, 'scenarioId', '4103')).toEqual(['4103']);
  expect(await offered(SCENARIO, 'scenarioId', 'nothing like it')).toEqual([]);
});

it('scenarios are those of the project that is filled in', async () => {
  const { structured } = await assistant().call('list_scenarios', { projectId: 1202 });
  const ids = (structured['scenarios'] as { id: number }[]).map(({ id }) => String(id));
  expect(await offered(SCENARIO, 'scenarioId', '', { projectId: '1202' })).toEqual(ids);
  expect(ids).not.toContain('4101');
});

it('dates are those of the latest reports of the scenario, newest first, found by day', async () => {
  const { scenario } = await platform().ask('listScenarioReports', { scenarioId: 4102 }, await platform().token('shop'));
  const dates = scenario.reports.map(({ date }) => date).toSorted((a, b) => b - a);
  expect(await offered(REPORT, 'date', '', { scenarioId: '4102' })).toEqual(dates.map(String));
  const today = dates.filter((date) => new Date(date).toISOString().startsWith('2026-11-20T0'));
  expect(today.length).toBeGreaterThan(5);
  expect(await offered(REPORT, 'date', '2026-11-20T0', { scenarioId: '4102' })).toEqual(today.map(String));
});

it('dates need a scenario', async () => {
  expect(await offered(REPORT, 'date', '')).toEqual([]);
  expect(await offered(REPORT, 'date', '', { scenarioId: 'Checkout' })).toEqual([]);
  expect(await offered(REPORT, 'date', '', { scenarioId: '99' })).toEqual([]);
});

it('steps are those of the latest report of each scenario, found by scenario and step', async () => {
  const { structured } = await assistant().call('get_scenario_report', { scenarioId: 4101 });
  const steps = structured['steps'] as { stepResultId: string; name: string }[];
  const all = await offered(HAR, 'stepResultId', '');
  expect(all).toEqual(expect.arrayContaining(steps.map(({ stepResultId }) => stepResultId)));
  expect(all.length).toBeGreaterThan(steps.length);
  const [home] = steps;
  expect(await offered(HAR, 'stepResultId', `checkout – desktop / ${home?.name}`)).toEqual([home?.stepResultId]);
});

it('proposals come from lists that the session keeps', async () => {
  await offered(SCENARIO, 'scenarioId', '');
  await offered(REPORT, 'date', '', { scenarioId: '4101' });
  await offered(HAR, 'stepResultId', '');
  platform().requests.length = 0;
  for (const typed of ['4', '41', '410']) {
    await offered(SCENARIO, 'scenarioId', typed);
    await offered(REPORT, 'date', typed, { scenarioId: '4101' });
    await offered(HAR, 'stepResultId', typed);
  }
  expect(platform().requests).toEqual([]);
});

it('proposals are none where they cannot be had, and come again when they can', { tags: 'nightly' }, async () => {
  const newcomer = await ownAssistant(platform());
  const fault = platform().faults.add({ kind: 'refused' });
  expect(await offered(SCENARIO, 'scenarioId', '', {}, newcomer.client)).toEqual([]);
  expect(await offered(HAR, 'stepResultId', '', {}, newcomer.client)).toEqual([]);
  fault.remove();
  expect(await offered(SCENARIO, 'scenarioId', '', {}, newcomer.client)).toHaveLength(6);
});

it('proposals are refused for a template or prompt that does not exist', async () => {
  await expect(offered('analytics://{nothing}', 'nothing', '')).rejects.toThrow('There is no resource template analytics://{nothing}.');
  const ref = { type: 'ref/prompt' as const, name: 'no_prompt' };
  await expect(assistant().client.complete({ ref, argument: { name: 'a', value: '' } })).rejects.toThrow('There is no prompt no_prompt.');
});

it('what is typed fits the beginning first, then any part, whatever case and accents', () => {
  const candidates = [
    { value: '1', words: 'Panier réservé' },
    { value: '2', words: 'Réserve' },
    { value: '3', words: 'Accueil' },
    { value: '2', words: 'Réserve' },
  ];
  expect(matching(candidates, 'reserve')).toEqual(['2', '1']);
  expect(matching(candidates, '')).toEqual(['1', '2', '3']);
});
