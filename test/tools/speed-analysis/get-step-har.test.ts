import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { assistant, ask, call } = useTools();

interface Har {
  log: { entries: { response: { status: number; _transferSize?: number } }[] };
}

it('sums the file up and links to it without its secrets', async () => {
  const { steps } = (await call('get_scenario_report', { scenarioId: 4101 })).structured as { steps: { stepResultId: string }[] };
  const scenarioStepResultId = steps[0]?.stepResultId ?? '';
  const answer = await call('get_step_har', { scenarioStepResultId });
  const har = (await ask('getStepHar', { scenarioStepResultId })).har as string;
  const { entries } = (JSON.parse(har) as Har).log;
  expect(answer.structured).toMatchObject({
    totals: { requests: entries.length },
    errors: entries.filter(({ response }) => response.status >= 400).map(({ response: { status } }) => ({ status })),
    byStatus: {
      '3xx': entries.filter(({ response: { status } }) => Math.floor(status / 100) === 3 && status !== 304).length,
      '304': entries.filter(({ response: { status } }) => status === 304).length,
    },
  });
  expect(whole(answer)).toMatchSnapshot();

  const file = await assistant().read(String(answer.structured['uri']));
  expect((JSON.parse(file) as Har).log.entries).toHaveLength(entries.length);
  expect(har).toMatch(/"name":"(cookie|authorization)","value":"/i);
  expect(file).not.toMatch(/"name":"(set-)?cookie","value":"(?!\[)/i);
});
