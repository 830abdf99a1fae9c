import { expect, it } from 'vitest';
import { median } from '../../../src/statistics/order.ts';
import { countTokens } from '../../../src/tooling/results.ts';
import { failingBefore, records, useTools } from '../support.ts';

const { call, platform } = useTools();
const METRICS = ['largestContentfulPaint', 'firstContentfulPaint', 'totalBlockingTime', 'firstByte'];

/** Runs as the platform lists them, read beside the tools. */
async function runsOf(scenarioId: number, dateFrom: string) {
  const token = await platform().token('shop');
  const { scenario } = await platform().ask('listScenarioReports', { scenarioId, limit: 0, dateFrom }, token);
  return scenario.reports;
}

it('levels are medians of the range, the worst first, in one request a scenario', { tags: 'nightly' }, async () => {
  const before = platform().requests.length;
  const answer = await call('analyze_scenario', { view: 'levels', metrics: METRICS });
  expect(
    platform()
      .requests.slice(before)
      .filter(({ operation }) => operation === 'listScenarioReports'),
  ).toHaveLength(6);
  const rows = records(answer);
  expect(rows).toHaveLength(21);
  const levels = rows.map((row) => Number(row['largestContentfulPaint']));
  expect(levels).toEqual(levels.toSorted((a, b) => b - a));
  expect(countTokens(answer.text)).toBeLessThanOrEqual(900);

  const [worst] = rows;
  const reports = await runsOf(Number(worst?.['scenarioId']), '2026-11-12T23:59:59.999Z');
  const values = reports.flatMap(({ summary, steps }) =>
    summary?.fail
      ? []
      : (steps ?? []).flatMap(({ name, timings }) => (name === worst?.['step'] ? [timings?.largestContentfulPaint ?? 0] : [])),
  );
  expect(worst).toMatchObject({ largestContentfulPaint: Math.round(median(values)), runs: values.length });
});

it('a trend says whether the level changed, over the range that was asked and from the first run on', { tags: 'nightly' }, async () => {
  const { slowTag } = platform().stories;
  const asked = { view: 'levels', breakdown: 'week', startDate: '-70d' };
  const slower = await call('analyze_scenario', { ...asked, scenarioIds: [slowTag.scenarioId], metrics: ['LCP'] });
  const since = new Date(slowTag.dateMs).toISOString().slice(0, 10);
  expect(slower.structured['answer']).toMatch(
    new RegExp(`^LCP at "${slowTag.stepName}" in .+ has been \\d+% slower since ${Number(since.slice(8, 10))} Nov, `),
  );
  expect(slower.text).toMatch(/Runs begin at 2026-09-21T\S+, after the start of the range\./);
  const [first] = records(slower);
  expect(String(first?.['week'])).toMatch(/\(part\)$|^2026-09-21$/);
  const steady = await call('analyze_scenario', { ...asked, scenarioIds: [slowTag.scenarioId], metrics: ['CLS'], startDate: '-42d' });
  expect(steady.structured['answer']).toMatch(/^CLS keeps its level in (?:both|all \d) steps\.$/);
  expect(steady.structured['range']).toMatchObject({ start: '2026-10-09T00:00:00.000Z' });
});

it('a trend of few days reads the weeks before too, and says so', async () => {
  const { text } = await call('analyze_scenario', { scenarioIds: [4104], breakdown: 'hour' });
  expect(text).toContain('By hour over the 30 days before too: fewer than 21 days show no cycle.');
});

it('several scenarios count once each, what fails as failing, and say where runs begin', { tags: 'nightly' }, async () => {
  const { structured, text } = await call('analyze_scenario', { scenarioIds: 'all', startDate: '-40d' });
  const { failing } = platform().stories;
  const own = await call('analyze_scenario', { scenarioIds: [failing.scenarioId], startDate: '-40d' });
  const [, others, counts = ''] =
    /Of the other (\d+), ([^.]*)\./.exec(`${String(structured['answer'])} ${String(structured['details'])}`) ?? [];
  expect([...counts.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)).toBe(Number(others));
  expect(structured['scenarios']).toContainEqual(
    expect.objectContaining({
      scenarioId: failing.scenarioId,
      verdict: 'failing',
      line: expect.stringMatching(new RegExp(`^".+" fails in \\d+% of its runs${failingBefore(own)}, most often at ".+"\\.$`)),
    }),
  );
  expect(text).toMatch(/Runs begin at 2026-09-21T\S+, after the start of the baseline\./);
});

it('scenarios without a run in the range are judged in nothing, and one that fails is steady in its speed alone', {
  tags: 'nightly',
}, async () => {
  const none = await call('analyze_scenario', { startDate: '2026-05-01', endDate: '2026-05-31' });
  expect(none.structured['answer']).toBe('None of 6 scenarios has enough runs to be judged.');
  const { failing } = platform().stories;
  const answer = String((await call('analyze_scenario', { scenarioIds: [failing.scenarioId] })).structured['answer']);
  expect(answer).toContain(`"${failing.scenarioName}" fails in `);
  expect(answer).not.toContain(`"${failing.scenarioName}" is steady`);
  expect(answer).toContain('Its speed is steady: none of ');
});

it('failures are counted by step over every failed run, with what the action says, the worst first', { tags: 'nightly' }, async () => {
  const { failing } = platform().stories;
  const answer = await call('analyze_scenario', { view: 'failures' });
  const [worst] = records(answer);
  expect(worst).toMatchObject({ scenarioId: failing.scenarioId, step: failing.stepName });
  expect(String(worst?.['action'])).toContain(failing.action);
  expect(String(answer.structured['answer'])).toMatch(new RegExp(`fails at "${failing.stepName}" in \\S+% of \\d+ runs, as before\\.`));
  const { start } = answer.structured['range'] as { start: string };
  expect(start).toBe('2026-11-13T00:00:00.000Z');
  const runs = await runsOf(failing.scenarioId, start);
  expect(worst?.['runs']).toBe(runs.length);
  const failed = runs.filter(({ steps }) => (steps ?? []).some(({ name, fail }) => name === failing.stepName && (fail ?? 0) > 0));
  expect(worst?.['failed']).toBe(failed.length);
});

it('runs are the slowest, the fastest and a typical one, with ids that the HAR tools take', { tags: 'nightly' }, async () => {
  const answer = await call('analyze_scenario', { view: 'runs', scenarioIds: [4104], orderBy: 'LCP' });
  const rows = records(answer);
  expect(rows.map(({ kind }) => kind)).toEqual([...Array(3).fill('slowest'), ...Array(3).fill('fastest'), 'typical']);
  expect(Number(rows.at(-1)?.['timesUsual'])).toBeCloseTo(1, 1);
  expect(Number(rows[0]?.['timesUsual'])).toBeGreaterThan(Number(rows[1]?.['timesUsual']) - 1e-9);
  expect(await call('analyze_har', { scenarioStepResultId: String(rows[0]?.['stepResultId']) })).toMatchObject({ isError: false });
});

it('six scenarios are judged in at most 14 requests', { tags: 'nightly' }, async () => {
  const before = platform().requests.length;
  await call('analyze_scenario', {});
  expect(platform().requests.length - before).toBeLessThanOrEqual(14);
});
