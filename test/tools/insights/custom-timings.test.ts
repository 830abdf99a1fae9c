/** @module-tag nightly */
import { expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/is-record.ts';
import { median } from '../../../src/statistics/order.ts';
import { alteredPlatform } from '../../support/altered-platform.ts';
import { sharedAssistant } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { records, refusal } from '../support.ts';

const inner = sharedPlatform();
const altered = alteredPlatform(inner);
const assistant = sharedAssistant(altered.platform);
const call = (tool: string, args: Record<string, unknown>) => assistant().call(tool, args);

const TIMING = 'price-visible';
/** Few runs, where verdicts do not matter. */
const SHORT = { startDate: '-2d', baselineStartDate: '-5d' };

/** The scenario and step that sets the timing, and its values over the last week, oldest first, as the platform itself tells. */
async function truth() {
  const { ask, token } = inner();
  const bearer = await token();
  for (const { id } of (await ask('listScenarios', {}, bearer)).scenarios) {
    const dates = { dateFrom: '2026-11-13T00:00:00.000Z', dateTo: '2026-11-20T10:00:00.000Z' };
    const { scenario } = await ask('listScenarioReports', { scenarioId: Number(id), limit: 0, ...dates }, bearer);
    const sound = scenario.reports.filter(({ summary }) => summary?.fail === 0).toSorted((a, b) => a.date - b.date);
    const steps = sound.flatMap((report) =>
      (report.steps ?? []).filter(({ customTimings }) => customTimings?.some(({ name }) => name === TIMING)),
    );
    const values = steps.flatMap(({ customTimings }) => customTimings?.find(({ name }) => name === TIMING)?.startTime ?? []);
    if (values.length > 0) return { scenarioId: Number(id), step: String(steps[0]?.name), values };
  }
  throw new Error(`No scenario has ${TIMING}.`);
}

/** Makes the timing later in all reports since a date. */
function laterSince(dateMs: number, byMs: number) {
  return (payload: unknown): unknown => {
    if (!isRecord(payload) || !isRecord(payload['scenario'])) return payload;
    const { reports } = payload['scenario'] as {
      reports: { date: number; steps: { customTimings: { name: string; startTime: number }[] }[] }[];
    };
    for (const { steps } of reports.filter(({ date }) => date >= dateMs))
      for (const timing of steps.flatMap(({ customTimings }) => customTimings)) if (timing.name === TIMING) timing.startTime += byMs;
    return payload;
  };
}

it('a custom timing is held against a budget on the steps that set it', async () => {
  const { scenarioId, step, values } = await truth();
  const level = median(values);
  const answer = await call('check_speed_budgets', {
    scenarioIds: [String(scenarioId)],
    since: '2026-11-13',
    budgets: [
      { metric: TIMING, limit: Math.round(level) - 100 },
      { metric: 'Price Visible', limit: Math.round(level) + 100 },
    ],
  });
  const rows = records(answer);
  expect(rows.map(({ step: name, metric, status, median: value, runs }) => [name, metric, status, value, runs])).toEqual([
    [step, TIMING, 'broken', Math.round(level), values.length],
    [step, TIMING, 'passed', Math.round(level), values.length],
  ]);
  expect(answer.structured['answer']).toContain(` is ${Math.round(level)} ms, above the limit of ${Math.round(level) - 100} ms.`);
});

it('a custom timing is judged and drawn like any metric', async () => {
  const { scenarioId, step } = await truth();
  const since = Date.parse('2026-11-10T00:00:00.000Z');
  altered.alterBy(laterSince(since, 1_200));
  const answer = await call('analyze_scenario', { scenarioIds: [String(scenarioId)], metrics: [TIMING, 'LCP'], chart: true });
  altered.alterBy(undefined);
  const { structured } = answer;
  expect(structured['answer']).toMatch(new RegExp(`^Price-visible at "${step}" in .* has been \\d+% slower since (?:9|10) Nov`));
  const [first] = structured['findings'] as { subject: string; place: { step: string }; now: number; against: { value: number } }[];
  expect(first).toMatchObject({ subject: TIMING, place: { step } });
  expect(Math.abs((first?.now ?? 0) - (first?.against.value ?? 0) - 1_200)).toBeLessThan(150);
  expect(structured['chart']).toMatchObject({ kind: 'trend', unit: 'ms' });
  expect(JSON.stringify(structured['chart'])).toContain(TIMING);
});

it('a custom timing of some scenarios is shown for these, and none is an error that names what there is', async () => {
  const scenarioIds = [String((await truth()).scenarioId), 'Home – desktop'];
  const some = await call('analyze_scenario', { scenarioIds, metrics: [TIMING], ...SHORT });
  expect(some.isError).toBe(false);
  expect(String(some.structured['notes'])).toMatch(/price-visible: 1 of 2 scenarios have this custom timing\./);
  for (const { verdict } of some.structured['scenarios'] as { verdict: string }[]) expect(verdict).not.toBe('not enough data');
  const { isError, text } = await call('analyze_scenario', { scenarioIds, metrics: ['basket-open'], ...SHORT });
  expect({ isError, text }).toEqual(
    refusal(/: "basket-open" is no metric .* and no custom timing of these scenarios\. They have .*price-visible/),
  );
});

it('a custom timing is offered where no metrics are named, and all of them stand beside "all"', async () => {
  const { scenarioId } = await truth();
  const usual = await call('analyze_scenario', { scenarioIds: [String(scenarioId)], ...SHORT });
  expect(String(usual.structured['notes'])).toMatch(/For metrics also: .*price-visible/);
  expect(usual.structured['viewOnTheWeb']).toMatch(new RegExp(`/scenario/${scenarioId}/report/\\d+$`));
  const all = await call('analyze_scenario', { scenarioIds: [String(scenarioId)], metrics: ['all'], ...SHORT });
  expect(new Set(records(all).map(({ metric }) => metric))).toContain(TIMING);
});
