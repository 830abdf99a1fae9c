import { describe, expect, it } from 'vitest';
import { median } from '../../../src/domain/statistics/order.ts';
import { countTokens } from '../../../src/tooling/fit-answer.ts';
import { records, useTools } from '../support.ts';

const { call, platform } = useTools();
const METRICS = ['largestContentfulPaint', 'firstContentfulPaint', 'totalBlockingTime', 'firstByte'];

/** Runs as the platform lists them, read beside the tools. */
async function runsOf(scenarioId: number, dateFrom: string) {
  const token = await platform().token('shop');
  const { scenario } = await platform().ask('listScenarioReports', { scenarioId, limit: 0, dateFrom }, token);
  return scenario.reports;
}

describe('levels', () => {
  it('are medians of the range, the worst first, in one request a scenario', async () => {
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

  it('are broken down by week, with the part weeks marked, or judged by part of the day', async () => {
    const weeks = records(await call('analyze_scenario', { scenarioIds: [4104], step: '1', breakdown: 'week', metrics: ['LCP'] }));
    expect(weeks.length).toBeGreaterThanOrEqual(5);
    expect(String(weeks.at(-1)?.['week'])).toMatch(/\(part\)$/);
    const { structured } = await call('analyze_scenario', { breakdown: 'hour', metrics: ['LCP'] });
    expect(structured['answer']).toMatch(
      /^LCP is \d+% (to \d+% )?higher in ".+" than in ".+", in |^LCP does not differ by hour beyond noise/,
    );
  });
});

describe('failures', () => {
  it('are counted by step over every failed run, with what the action says, the worst first', async () => {
    const { failing } = platform().stories;
    const answer = await call('analyze_scenario', { view: 'failures' });
    const [worst] = records(answer);
    expect(worst).toMatchObject({ scenarioId: failing.scenarioId, step: failing.stepName });
    expect(String(worst?.['action'])).toContain(failing.action);
    expect(String(answer.structured['answer'])).toMatch(new RegExp(`of \\d+ runs from \\S+ to \\S+ fail at step "${failing.stepName}"`));
    const { start } = answer.structured['range'] as { start: string };
    expect(start).toBe('2026-11-13T00:00:00.000Z');
    const runs = await runsOf(failing.scenarioId, start);
    expect(worst?.['runs']).toBe(runs.length);
    const failed = runs.filter(({ steps }) => (steps ?? []).some(({ name, fail }) => name === failing.stepName && (fail ?? 0) > 0));
    expect(worst?.['failed']).toBe(failed.length);
  });
});

describe('runs', () => {
  it('are the slowest, the fastest and a typical one, with ids that the HAR tools take', async () => {
    const answer = await call('analyze_scenario', { view: 'runs', scenarioIds: [4104], orderBy: 'LCP' });
    const rows = records(answer);
    expect(rows.map(({ kind }) => kind)).toEqual([...Array(3).fill('slowest'), ...Array(3).fill('fastest'), 'typical']);
    expect(Number(rows.at(-1)?.['timesUsual'])).toBeCloseTo(1, 1);
    expect(Number(rows[0]?.['timesUsual'])).toBeGreaterThan(Number(rows[1]?.['timesUsual']) - 1e-9);
    expect(await call('analyze_har', { scenarioStepResultId: String(rows[0]?.['stepResultId']) })).toMatchObject({ isError: false });
  });
});

it('six scenarios are judged in at most 14 requests', async () => {
  const before = platform().requests.length;
  await call('analyze_scenario', {});
  expect(platform().requests.length - before).toBeLessThanOrEqual(14);
});
