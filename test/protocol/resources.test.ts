import { describe, expect, it } from 'vitest';
import { type Assistant, openAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);

const SCENARIO = 4101;

/** The latest reports of a scenario as the platform gives them. */
async function rawReports(scenarioId = SCENARIO) {
  const { ask, token } = platform();
  return (await ask('listScenarioReports', { scenarioId }, await token('shop'))).scenario;
}

async function latestDate(): Promise<number> {
  return Math.max(...(await rawReports()).reports.map(({ date }) => date));
}

/** Ids of all steps of the latest report of every scenario; one by one, as the platform wants it. */
async function latestSteps(): Promise<string[]> {
  const { ask, token } = platform();
  const { scenarios } = await ask('listScenarios', {}, await token('shop'));
  const steps: string[] = [];
  for (const { id } of scenarios) {
    const [report] = (await rawReports(Number(id))).reports;
    steps.push(...(report?.steps ?? []).map(({ stepResultId }) => String(stepResultId)));
  }
  return steps;
}

async function rawHar(stepResultId: string): Promise<string> {
  const { ask, token } = platform();
  const { har } = await ask('getStepHar', { scenarioStepResultId: stepResultId }, await token('shop'));
  return typeof har === 'string' ? har : JSON.stringify(har);
}

/** The protocol error of a read. */
async function refusalOf(uri: string, reader: Assistant = assistant()): Promise<{ code: unknown; message: string }> {
  try {
    await reader.read(uri);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error(`${uri} was read.`);
}

describe('a read gives what the platform gave', () => {
  it('a scenario report with all timings', async () => {
    const date = await latestDate();
    const { ask, token } = platform();
    const { scenarioReport } = await ask('getScenarioReport', { scenarioId: SCENARIO, date }, await token('shop'));
    const uri = `analytics://1201/scenarios/${SCENARIO}/reports/${date}`;
    const { contents } = await assistant().client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }]);
    expect(JSON.parse(await assistant().read(uri))).toEqual(scenarioReport);
    expect(Object.keys(scenarioReport.steps?.[0]?.timings ?? {})).toHaveLength(24);
  });

  it('a step report with all timings', { tags: 'nightly' }, async () => {
    const [stepId = ''] = await latestSteps();
    const { ask, token } = platform();
    const { step } = await ask('getStepReport', { stepId }, await token('shop'));
    expect(JSON.parse(await assistant().read(`analytics://1201/steps/${stepId}`))).toEqual(step);
    expect(Object.keys(step.timings ?? {})).toHaveLength(23);
  });

  it('the latest reports of a scenario, newest first', async () => {
    const { reports } = await rawReports();
    const shown = JSON.parse(await assistant().read(`analytics://1201/scenarios/${SCENARIO}`)) as { columns: string[]; rows: unknown[][] };
    const at = (name: string) => shown.rows.map((row) => row[shown.columns.indexOf(name)]);
    const newestFirst = reports.toSorted((a, b) => b.date - a.date);
    expect(at('date')).toEqual(newestFirst.map(({ date }) => date));
    expect(at('resultId')).toEqual(newestFirst.map(({ resultId }) => resultId));
    expect(at('fail')).toEqual(newestFirst.map(({ summary }) => summary?.fail));
    expect(at('largestContentfulPaint')).toEqual(newestFirst.map(({ summary }) => summary?.average?.['largestContentfulPaint']));
    expect(shown.rows).toHaveLength(30);
  });

  it('what the tools link to', { tags: 'nightly' }, async () => {
    const { links } = await assistant().call('get_scenario_report', { scenarioId: SCENARIO });
    const { structured } = await assistant().call('list_scenarios');
    const listed = (structured['scenarios'] as { uri: string }[]).map(({ uri }) => uri);
    const [stepId = ''] = await latestSteps();
    const step = await assistant().call('get_step_report', { stepId });
    const har = await assistant().call('get_step_har', { scenarioStepResultId: stepId });
    const uris = [...links, ...listed, ...step.links, ...har.links, String(step.structured['harUri'])];
    expect(uris.length).toBeGreaterThan(8);
    for (const uri of uris) expect(JSON.parse(await assistant().read(uri))).toEqual(expect.any(Object));
  });

  it('of the project that the address names, whatever the default is', async () => {
    const { structured } = await assistant().call('list_scenarios', { projectId: 1202 });
    const [scenario] = structured['scenarios'] as { id: number; name: string; uri: string }[];
    expect(JSON.parse(await assistant().read(scenario?.uri ?? ''))).toMatchObject({ id: scenario?.id, name: scenario?.name });
    expect(await refusalOf(`analytics://1201/scenarios/${scenario?.id}`)).toMatchObject({ code: -32602 });
  });
});

it('the HAR file of a step comes as the platform gave it where the setting says so', { tags: 'nightly' }, async () => {
  const reader = await openAssistant(platform(), { rawHar: true });
  try {
    for (const step of await latestSteps()) {
      const text = await reader.read(`analytics://1201/steps/${step}/har`);
      expect(text === (await rawHar(step))).toBe(true);
    }
  } finally {
    await reader.close();
  }
});

it('the HAR file of a step that cannot be read is a protocol error with words', async () => {
  platform().faults.add({ kind: 'shape', operation: 'getStepHar', payload: { har: '<html>no HAR</html>' } });
  const token = await platform().token('shop');
  const { scenario } = await platform().ask('listScenarioReports', { scenarioId: 4101, limit: 9 }, token);
  // No other test reads it: what was read before is kept.
  const step = scenario.reports.at(-1)?.steps?.[0]?.stepResultId;
  const { code, message } = await refusalOf(`analytics://1201/steps/${step}/har`);
  expect(code).toBe(-32603);
  expect(message).toMatch(/\/har: The HAR file is not valid JSON/);
});

const NOT_FOUND = -32602;

it.each([
  ['analytics://1201/scenarios/999', /no scenario 999/],
  ['analytics://1201/scenarios/4101/reports/1', /no report of 1/],
  ['analytics://1201/scenarios/4101/reports/yesterday', /date "yesterday" is not a valid id/],
  ['analytics://1201/scenarios/Checkout', /scenarioId "Checkout" is not a valid id/],
  ['analytics://1201/scenarios/-1', /is not a valid id/],
  ['analytics://1201/scenarios/1e3', /is not a valid id/],
  ['analytics://1201/scenarios/99999999999999999999', /is not a valid id/],
  ['analytics://1201/steps/nothing', /no step result 'nothing'/],
  ['analytics://1201/steps/nothing/har', /no step result 'nothing'/],
  ['analytics://shop/scenarios/4101', /"shop" is not a project id/],
  ['analytics://0/scenarios/4101', /"0" is not a project id/],
  ['analytics://9999/scenarios/4101', /does not reach project 9999; it reaches 1201/],
  ['analytics://1201/sessions/1', /not found/i],
  ['analytics://1201', /not found/i],
  ['https://example.com/scenarios/4101', /not found/i],
  ['no address', /./],
  ['', /./],
])('an address that names nothing %s', async (uri, words) => {
  const { code, message } = await refusalOf(uri);
  expect(code).toBe(NOT_FOUND);
  expect(message).toMatch(words);
  expect((await assistant().call('list_goals')).isError).toBe(false);
});

describe('a hostile variable', () => {
  const segments = [
    '..',
    '%2e%2e',
    '%2F',
    '..%2F..%2Fv1%2Fgoals',
    '%5c..%5c',
    '%00',
    '%zz',
    '%',
    '%C3%28',
    '?x=1',
    '%3Fx=1',
    '%23',
    '%0d%0aX:1',
    '{stepResultId}',
    '%25%32%46',
  ];

  it.each(
    segments.flatMap((segment) => [
      `steps/${segment}`,
      `steps/${segment}/har`,
      `scenarios/${segment}`,
      `scenarios/4101/reports/${segment}`,
    ]),
  )('%s never leaves its place', async (path) => {
    const uri = `analytics://1201/${path}`;
    const allowed = /^\/v1\/(oauth\/(token|me)|speed-analysis\/scenario\/(reports?|step\/report|report\/har))$/;
    const answer = await assistant()
      .read(uri)
      .then(
        (text) => ({ code: NOT_FOUND, read: text.slice(0, 20) }),
        ({ code }: { code: unknown }) => ({ code }),
      );
    expect(answer.code).toBe(NOT_FOUND);
    expect(
      platform()
        .requests.map(({ url }) => url)
        .filter((url) => !allowed.test(url)),
    ).toEqual([]);
  });

  it('is passed on as one value', async () => {
    await refusalOf('analytics://1201/steps/a%2Fb%2F..%2Fc');
    expect(platform().requests.findLast(({ operation }) => operation === 'getStepReport')).toMatchObject({
      url: '/v1/speed-analysis/scenario/step/report',
      body: { stepId: 'a/b/../c' },
    });
  });
});

it('a read that the platform refuses or fails says which scope the credential lacks', async () => {
  const reader = await openAssistant(platform(), { credential: 'noSpeed' });
  try {
    const { code, message } = await refusalOf('analytics://1201/scenarios/4101', reader);
    expect(code).toBe(-32603);
    expect(message).toContain('lacks the scope speed-analysis; it has data-export, metrics');
  } finally {
    await reader.close();
  }
});

it('a read that the platform refuses or fails a credential of one project does not read another', async () => {
  const reader = await openAssistant(platform(), { credential: 'app' });
  try {
    const { code, message } = await refusalOf('analytics://1201/scenarios/4101', reader);
    expect(code).toBe(NOT_FOUND);
    expect(message).toContain('does not reach project 1201');
  } finally {
    await reader.close();
  }
});

it.each(['bad-gateway', 'truncated', 'shape', 'refused'] as const)(
  'a read that the platform refuses or fails %s: words, no secrets, and the next read works',
  async (kind) => {
    const fault = platform().faults.add({ kind, operation: 'listScenarioReports' });
    const { message } = await whileTimePasses(platform().clock, refusalOf('analytics://1201/scenarios/4101'));
    expect(message).toMatch(/analytics:\/\/1201\/scenarios\/4101: The service (failed|answered|did not accept)/);
    expect(message).not.toContain(platform().credentials.account.clientSecret);
    fault.remove();
    expect(await assistant().read('analytics://1201/scenarios/4101')).toContain('"id":4101');
  },
);
