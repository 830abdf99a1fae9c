import { describe, expect, it } from 'vitest';
import { aggregateMetricNames } from '../../src/api/metric-names.ts';
import { instantOf } from '../../src/api/params.ts';
import { content, shop } from '../../src/emulator/credentials.ts';
import { REFERENCE } from '../../src/emulator/deployment.ts';
import { speedHandlers } from '../../src/emulator/handlers/speed-analysis.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { placeOf, START_MS } from './place.ts';
import { allScenarios, num, type Report, reportsOf, stepsOf } from './speed-place.ts';

const CHECKOUT = 4101;
type StepReport = Awaited<ReturnType<typeof speedHandlers.getStepReport>>['step'];

/** Reports of every scenario, a day of runs each. */
async function dayOfAll(seed = 1): Promise<Report[]> {
  const lists = await Promise.all(
    allScenarios(seed).map(({ place, scenario }) => reportsOf(place, { scenarioId: scenario.id, limit: 24 })),
  );
  return lists.flat();
}

it('scenarios belong to one project each', async () => {
  const { scenarios } = await speedHandlers.listScenarios({}, placeOf(content));
  expect(scenarios.map((scenario) => scenario.name)).toEqual(['Article – mobile', 'Home – desktop']);
  await expect(async () => reportsOf(placeOf(content), { scenarioId: CHECKOUT })).rejects.toThrow(
    /no scenario 4101 in project Nordlicht Magazin/,
  );
});

it('reports are alone as in their list, with the address of their page', async () => {
  const place = placeOf();
  const [report] = await reportsOf(place, { scenarioId: CHECKOUT, limit: 1 });
  const answer = await speedHandlers.getScenarioReport({ scenarioId: CHECKOUT, date: num(report?.date) }, place);
  expect(answer.scenarioReport).toEqual({ scenarioId: CHECKOUT, name: 'Checkout – desktop', ...report });
  expect(report?.viewOnTheWeb).toMatch(new RegExp(`^https://.+/scenario/${CHECKOUT}/report/${report?.date}$`));
});

it('reports sum up and average what their steps say', { tags: 'nightly' }, async () => {
  for (const report of await dayOfAll(2)) {
    const steps = stepsOf(report);
    for (const name of aggregateMetricNames) {
      const sum = steps.reduce((total, step) => {
        if (name === 'request') return total + num(step.requestsCount);
        return total + num(name === 'weight' || name === 'loadTime' ? step[name] : step.timings?.[name]);
      }, 0);
      expect(report.summary?.sum?.[name]).toBeCloseTo(sum, 4);
      expect(Math.abs(num(report.summary?.average?.[name]) - sum / steps.length)).toBeLessThanOrEqual(0.005001);
    }
    for (const name of ['fail', 'unavailableResource', 'browserError'] as const) {
      expect(report.summary?.[name]).toBe(steps.reduce((total, step) => total + num(step[name]), 0));
    }
  }
});

it('reports exist for each hour of 60 days and nothing lies in the future', async () => {
  const reports = await reportsOf(placeOf(), { scenarioId: CHECKOUT, limit: 0 });
  const hours = reports.map((report) => Math.floor(report.date / HOUR_MS));
  expect(reports.length).toBeGreaterThanOrEqual(1440);
  expect(hours).toEqual(hours.map((_, index) => num(hours[0]) - index));
  expect(num(reports[0]?.date)).toBeLessThanOrEqual(START_MS);
  expect(new Set(reports.map((report) => report.resultId)).size).toBe(reports.length);
  expect(reports.every((report) => report.date % 60_000 === 0)).toBe(false);
});

it('reports go on as the clock does, what was there stays as it was, and another seed has others', async () => {
  const place = placeOf();
  const before = await reportsOf(place, { scenarioId: CHECKOUT, limit: 5 });
  const after = await reportsOf({ ...place, nowMs: START_MS + 3 * HOUR_MS }, { scenarioId: CHECKOUT, limit: 8 });
  expect(after.slice(3)).toEqual(before);
  expect(await reportsOf(placeOf(shop, 2), { scenarioId: CHECKOUT, limit: 5 })).not.toEqual(before);
});

it('reports are refused for a date that is not exactly that of an execution', async () => {
  const place = placeOf();
  const [report] = await reportsOf(place, { scenarioId: CHECKOUT, limit: 1 });
  const date = num(report?.date) + 1;
  await expect(async () => speedHandlers.getScenarioReport({ scenarioId: CHECKOUT, date }, place)).rejects.toMatchObject({
    status: 404,
    errorCode: 'NOT_FOUND',
    message: `Scenario 4101 has no report of ${date}: the date must be exactly that of an execution.`,
  });
});

it('filters of reports count days of 24 hours back from now', async () => {
  const reports = await reportsOf(placeOf(), { scenarioId: CHECKOUT, limit: 0, lastDays: 2 });
  expect(Math.abs(reports.length - 48)).toBeLessThanOrEqual(1);
  expect(num(reports.at(-1)?.date)).toBeGreaterThan(START_MS - 2 * DAY_MS);
});

it('filters of reports part executions by error: a failed content check is one, or none where a deployment counts so', {
  tags: 'nightly',
}, async () => {
  const place = placeOf();
  const older = { ...place, deployment: { ...REFERENCE, contentCheck: 'no error' as const } };
  const all = await reportsOf(place, { scenarioId: CHECKOUT, limit: 0 });
  const isFailed = (report: (typeof all)[number]) => num(report.summary?.fail) > 0;
  const partsOf = async (at: typeof place) => [
    await reportsOf(at, { scenarioId: CHECKOUT, limit: 0, error: false }),
    await reportsOf(at, { scenarioId: CHECKOUT, limit: 0, error: true }),
  ];
  expect(await partsOf(place)).toEqual([all.filter((report) => !isFailed(report)), all.filter(isFailed)]);
  const [good = [], bad = []] = await partsOf(older);
  expect([...good, ...bad].toSorted((a, b) => b.date - a.date)).toEqual(all);
  const checks = good.filter(isFailed);
  expect(checks.length).toBeGreaterThan(0);
  for (const report of checks) {
    const step = stepsOf(report).find(({ fail }) => fail === 1);
    const answer = await speedHandlers.getStepReport({ stepId: String(step?.stepResultId) }, place);
    const failed = answer.step.actionsResult?.filter((action) => action.status === 'failure') ?? [];
    expect(failed.map((action) => action.message)).toEqual([expect.stringMatching(/^Check that .*: text not found$/)]);
    expect(stepsOf(report)).toHaveLength(5);
  }
});

describe('step reports', () => {
  it('are chained, and agree with the step result', async () => {
    const place = placeOf();
    const [report] = await reportsOf(place, { scenarioId: CHECKOUT, limit: 1, error: false });
    const ids = stepsOf(report).map((step) => String(step.stepResultId));
    const stepReports: StepReport[] = [];
    for (const [index, stepId] of ids.entries()) {
      const { step } = await speedHandlers.getStepReport({ stepId }, place);
      const result = stepsOf(report)[index];
      expect([step.previousStepId, step.id, step.nextStepId]).toEqual([ids[index - 1] ?? '', ids[index], ids[index + 1] ?? '']);
      expect(step.stepResultId).toBeTypeOf('number');
      expect(step.date).toBe(report?.date);
      expect(result?.timings).toMatchObject(step.timings ?? {});
      expect(step.customTimings).toEqual(result?.customTimings);
      expect(JSON.parse(String(step.browserError))).toHaveLength(num(result?.browserError));
      expect(Object.keys(JSON.parse(String(step.unavailableResource)))).toHaveLength(num(result?.unavailableResource));
      stepReports.push(step);
    }
    expect(new Set(stepReports.map((step) => step.stepResultId)).size).toBe(ids.length);
    expect(stepReports.flatMap((step) => step.customTimings ?? []).length).toBeGreaterThan(0);
  });

  it('are refused for an id that was not issued, that another seed issued, or that belongs to another project', async () => {
    const [report] = await reportsOf(placeOf(), { scenarioId: CHECKOUT, limit: 1 });
    const id = String(stepsOf(report)[0]?.stepResultId);
    const flipped = id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
    for (const [stepId, place] of [
      [flipped, placeOf()],
      ['42', placeOf()],
      [id, placeOf(shop, 2)],
      [id, placeOf(content)],
      [id, placeOf(shop, 1, START_MS - 2 * DAY_MS)],
    ] as const) {
      await expect(async () => speedHandlers.getStepReport({ stepId }, place)).rejects.toMatchObject({
        status: 404,
        errorCode: 'NOT_FOUND',
      });
      await expect(async () => speedHandlers.getStepHar({ scenarioStepResultId: stepId }, place)).rejects.toMatchObject({ status: 404 });
    }
  });
});

const event = { key: 'release-9', text: 'Release 9', date: '2026-11-19T08:30:00+0100' };

it('speed analysis events are seeded over the past 60 days, newest first, their dates in three spellings', async () => {
  const { events } = await speedHandlers.listSpeedEvents({}, placeOf());
  const dates = events.map(({ date }) => instantOf(String(date)));
  expect(dates).toEqual(dates.toSorted((a, b) => b - a));
  expect(Math.max(...dates)).toBeLessThan(START_MS);
  expect(Math.min(...dates)).toBeGreaterThan(START_MS - 61 * DAY_MS);
  for (const ending of [/Z$/, /\+02:00$/, /\+0200$/]) expect(events.some(({ date }) => ending.test(String(date)))).toBe(true);
  expect(events.every((item) => Object.keys(item).join() === 'key,text,date')).toBe(true);
});

it('speed analysis events are filtered by key, by date after the bound, and by what they are tied to', async () => {
  const place = placeOf();
  await speedHandlers.createSpeedEvent({ ...event, monitorings: [9001], scenarios: [4101, 4102] }, place);
  for (const [input, found] of [
    [{ key: 'release-9' }, 1],
    [{ monitoringId: 9001 }, 1],
    [{ scenarioId: 4102, dateFrom: '2026-11-19T07:29:59Z' }, 1],
    [{ key: 'release-9', dateFrom: '2026-11-19T07:30:00Z' }, 0],
    [{ key: 'release-9', scenarioId: 4103 }, 0],
    [{ key: 'release' }, 0],
  ] as const)
    expect((await speedHandlers.listSpeedEvents(input, place)).events).toEqual(found ? [event] : []);
});

it('speed analysis events are created and deleted in one project of one emulator', async () => {
  const place = placeOf();
  expect(await speedHandlers.createSpeedEvent(event, place)).toEqual({ key: 'release-9' });
  expect((await speedHandlers.listSpeedEvents({ key: 'release-9' }, place)).events).toEqual([event]);
  for (const elsewhere of [{ ...place, project: content }, placeOf()]) {
    expect((await speedHandlers.listSpeedEvents({ key: 'release-9' }, elsewhere)).events).toEqual([]);
  }
  expect(await speedHandlers.deleteSpeedEvent({ key: 'release-9' }, place)).toEqual({ key: 'release-9' });
  expect((await speedHandlers.listSpeedEvents({ key: 'release-9' }, place)).events).toEqual([]);
});

it('speed analysis events are refused with a key that exists, an unknown scenario, or a key that does not exist', async () => {
  const place = placeOf();
  await speedHandlers.createSpeedEvent(event, place);
  const refusals = [
    [() => speedHandlers.createSpeedEvent(event, place), 409, /key "release-9" already/],
    [() => speedHandlers.createSpeedEvent({ ...event, key: 'b', scenarios: [4101, 77, 4301] }, place), 400, /no scenario 77, 4301/],
    [() => speedHandlers.deleteSpeedEvent({ key: 'b' }, place), 404, /no event with the key "b"/],
  ] as const;
  for (const [call, status, message] of refusals) {
    await expect(async () => call()).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
  }
  expect((await speedHandlers.listSpeedEvents({ key: 'b' }, place)).events).toEqual([]);
});
