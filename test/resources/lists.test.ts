import { describe, expect, it } from 'vitest';
import { type Assistant, openAssistant, ownAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);

/** What is listed of the platform and the reference; views are listed beside them. */
async function listed({ client }: Assistant = assistant()) {
  const { resources } = await client.listResources();
  return resources.filter(({ uri }) => uri.startsWith('analytics:'));
}

it('resources/list names the scenarios of the project beside their ids, and the topics of the reference', async () => {
  const resources = await listed();
  expect(resources.map(({ uri, title, mimeType }) => `${uri} · ${title} · ${mimeType}`)).toEqual([
    'analytics://1201/scenarios · Scenarios of Nordlicht Shop · application/json',
    'analytics://1201/scenarios/4101 · Checkout – desktop: latest reports · application/json',
    'analytics://1201/scenarios/4102 · Checkout – mobile: latest reports · application/json',
    'analytics://1201/scenarios/4103 · Product page – mobile: latest reports · application/json',
    'analytics://1201/scenarios/4104 · Home – desktop: latest reports · application/json',
    'analytics://1201/scenarios/4105 · Search – mobile: latest reports · application/json',
    'analytics://1201/scenarios/4106 · Search – desktop: latest reports · application/json',
    'analytics://1201/exports · Downloaded exports of Nordlicht Shop · application/json',
    'analytics://reference/metrics · Metrics: definitions and units · text/markdown',
    'analytics://reference/thresholds · Thresholds of speed metrics · text/markdown',
    'analytics://reference/limits · Limits, and what the interface cannot answer · text/markdown',
    'analytics://reference/exportable-fields · Exportable fields by scope · text/markdown',
    'analytics://reference/enrichment · Enrichment from scratch · text/markdown',
    'analytics://reference/dates-and-names · How dates and names are written · text/markdown',
    'analytics://reference/steps · Steps of funnels and paths: how they are written and counted · text/markdown',
    'analytics://reference/where-exports-go · Where do my exports go: files, workspace, warehouse, other tools · text/markdown',
    'analytics://reference/impact · What conditions cost: how measure_impact compares · text/markdown',
  ]);
  expect(new Set(resources.map(({ name }) => name)).size).toBe(resources.length);
  for (const { uri } of resources) expect((await assistant().read(uri)).length).toBeGreaterThan(40);
});

it('resources/list asks the platform once, whatever is listed how often', async () => {
  const newcomer = await ownAssistant(platform());
  platform().requests.length = 0;
  await newcomer.client.listResources();
  await newcomer.client.listResources();
  expect(platform().requests.filter(({ operation }) => operation === 'listScenarios')).toHaveLength(1);
});

it('resources/list lists all projects of a credential where none is chosen', async () => {
  const account = await ownAssistant(platform(), { defaultProjectId: undefined });
  const uris = (await listed(account)).map(({ uri }) => uri);
  expect(uris).toEqual(expect.arrayContaining([1201, 1202, 1203].map((id) => `analytics://${id}/scenarios`)));
});

it('resources/list keeps the reference where the platform cannot be asked', async () => {
  const poor = await openAssistant(platform(), { credential: 'noSpeed' });
  const expired = await openAssistant(platform(), { credential: 'expired' });
  for (const each of [poor, expired]) {
    const resources = await listed(each);
    expect(resources.map(({ uri }) => uri.split('/').slice(0, 3).join('/'))).toEqual(
      Array.from({ length: 9 }, () => 'analytics://reference'),
    );
  }
  await Promise.all([poor.close(), expired.close()]);
});

describe('resources/templates/list', () => {
  it('gives a title, a description and a MIME type, and every address begins with its project or is of the reference', async () => {
    const { resourceTemplates } = await assistant().client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate, title, mimeType }) => `${uriTemplate} · ${title} · ${mimeType}`)).toEqual([
      'analytics://{projectId}/scenarios · Scenarios · application/json',
      'analytics://{projectId}/scenarios/{scenarioId} · Latest reports of a scenario · application/json',
      'analytics://{projectId}/scenarios/{scenarioId}/reports/{date} · Scenario report · application/json',
      'analytics://{projectId}/steps/{stepResultId} · Step report · application/json',
      'analytics://{projectId}/steps/{stepResultId}/har · HAR file of a step · application/json',
      'analytics://{projectId}/steps/{stepResultId}/har/summary · HAR summary of a step · text/markdown',
      'analytics://{projectId}/exports · Downloaded exports · application/json',
      'analytics://{projectId}/exports/{jobId}/runs/{runId} · Downloaded export run · application/json',
      'analytics://{projectId}/exports/queries/{queryId} · Result of a query · text/csv',
      'analytics://reference/{topic} · Reference · text/markdown',
    ]);
    for (const { description } of resourceTemplates) expect(description).toMatch(/^[A-Z].{40,250}[.]$/);
  });
});

it('lists that are read give the latest reports as one row each, the same as the tool', async () => {
  const read = JSON.parse(await assistant().read('analytics://1201/scenarios/4104')) as Record<string, unknown>;
  const { structured } = await assistant().call('list_scenario_reports', { scenarioId: 4104, limit: 30 });
  expect(read).toMatchObject({ id: 4104, name: 'Home – desktop', columns: structured['columns'], rows: structured['rows'] });
  const [[date]] = structured['rows'] as [[number]];
  const report = JSON.parse(await assistant().read(String(read['report']).replace('{date}', String(date)))) as Record<string, unknown>;
  expect(report).toMatchObject({ scenarioId: 4104, date });
  expect(JSON.stringify(read).length).toBeLessThan(4 * 2_000);
});
