import { describe, expect, it } from 'vitest';
import { HOUR_MS, isoTime } from '../../../src/lib/clock.ts';
import { countTokens } from '../../../src/tooling/results.ts';
import { ownAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { withPlatform } from '../../support/emulator.ts';
import { someOf } from '../../support/sample-size.ts';
import { failingBefore, findingsOf, records, useTools, whole } from '../support.ts';

const LCP = 'largestContentfulPaint';

/** The two channels of an answer in tokens. */
const tokensOf = ({ text, structured }: ToolAnswer) => [countTokens(text), countTokens(JSON.stringify(structured))];

describe.each(someOf([1, 2, 3, 4, 5], 1))('the stories of seed %i', { tags: 'nightly' }, (seed) => {
  const { call, assistant, platform } = useTools({}, { seed });
  const analyze = (scenarioId: number) => call('analyze_scenario', { scenarioId });

  it('are told: the slowed step, its metric, the first slow report and the event', async () => {
    const { slowTag } = platform().stories;
    const answer = await analyze(slowTag.scenarioId);
    const { examples } = answer.structured;
    expect(answer.structured).toMatchObject({
      verdict: 'slower',
      events: { 0: { key: slowTag.eventKey } },
      serverShare: { step: slowTag.stepName, side: 'front end' },
    });
    expect(answer.structured['answer']).toMatch(
      new RegExp(
        `^LCP at "${slowTag.stepName}" in "${slowTag.scenarioName}" has been \\d+% slower since .*; close in time: ` +
          `the event "${slowTag.eventText.replace(/[()]/g, '\\$&')}", \\d+ min earlier\\.`,
      ),
    );
    const [move] = findingsOf(answer);
    expect(move).toMatchObject({ subject: LCP, place: { step: slowTag.stepName } });
    const fromMs = Date.parse(move?.when.from ?? '');
    expect(fromMs).toBeGreaterThanOrEqual(slowTag.dateMs - (slowTag.dateMs % 60_000));
    expect(fromMs).toBeLessThanOrEqual(slowTag.dateMs + HOUR_MS + 180_000);
    expect(Number(move?.now) / Number(move?.against?.value)).toBeCloseTo(slowTag.factor, 1);
    const changed = records(answer).filter((row) => row['verdict'] === 'slower');
    expect(new Set(changed.map((row) => row['step']))).toEqual(new Set([slowTag.stepName]));
    expect(changed.map((row) => row['metric'])).toEqual(expect.arrayContaining([...slowTag.metrics]));
    expect(Math.max(...tokensOf(answer))).toBeLessThanOrEqual(1200);

    const { before, after } = examples as Record<string, { stepResultId: string; harUri: string; time: string }>;
    expect(Date.parse(before?.time ?? '')).toBeLessThanOrEqual(slowTag.dateMs);
    expect(Date.parse(after?.time ?? '')).toBeGreaterThanOrEqual(slowTag.dateMs);
    const [first, second] = await Promise.all([before, after].map((run) => assistant().read(run?.harUri ?? '')));
    expect(first).not.toContain(slowTag.host);
    expect(second).toContain(slowTag.host);
  });

  it('name the action that fails', async () => {
    const { failing } = platform().stories;
    const answer = await analyze(failing.scenarioId);
    const message = `${failing.action}: not possible within 10 s`;
    expect(answer.structured).toMatchObject({ verdict: 'failing', speedVerdict: 'steady', failureVerdict: 'no change' });
    expect((answer.structured['failedActions'] as unknown[])[0]).toMatchObject({ step: failing.stepName, message });
    expect((answer.structured['failedSteps'] as unknown[])[0]).toMatchObject({ step: failing.stepName });
    // Every failed run of the period counts; of a few the action was read, each by a request.
    const { period } = answer.structured as { period: { runs: number; failed: number; failurePercent: number; failureInterval: number[] } };
    expect(period.failed).toBeGreaterThan(5);
    expect(answer.structured['answer']).toMatch(
      new RegExp(`^"${failing.scenarioName}" fails in ${Math.round(period.failurePercent)}% of its runs${failingBefore(answer)}, `),
    );
    expect(period.failureInterval[0]).toBeLessThan(period.failurePercent);
    expect(period.failureInterval[1]).toBeGreaterThan(period.failurePercent);
    expect(answer.structured['answer']).toContain(`, most often at "${failing.stepName}".`);
    expect(answer.structured['answer']).toMatch(new RegExp(`${message.replace(/[()]/g, '\\$&')} \\(\\d of the 5 failed runs read\\)\\.`));
  });
});

describe('a scenario', () => {
  const { call, platform, sent } = useTools();

  const days = { startDate: '2026-11-15', endDate: '2026-11-18' };
  it.each([
    [days, [['2026-10-15T23:59:59.999Z', '2026-11-19T00:00:00.000Z']]],
    [
      { ...days, baselineStartDate: '2026-10-01', baselineEndDate: '2026-10-14' },
      [
        ['2026-09-30T23:59:59.999Z', '2026-10-15T00:00:00.000Z'],
        ['2026-11-14T23:59:59.999Z', '2026-11-19T00:00:00.000Z'],
      ],
    ],
  ])('is read once, or twice where the baseline lies apart: %j', { tags: 'nightly' }, async (windows, read) => {
    const { structured } = await call('analyze_scenario', { scenarioId: 4104, ...windows });
    expect(sent('listScenarioReports').map(({ body }) => body)).toEqual(
      read.map(([dateFrom, dateTo]) => ({ scenarioId: 4104, limit: 0, dateFrom, dateTo })),
    );
    expect(structured).toMatchObject({
      range: { start: '2026-11-15T00:00:00.000Z', end: '2026-11-18T23:59:59.999Z', days: 4 },
      period: { runs: 96 },
    });
  });

  it('that changed where no report was read may owe it to any event in between', { tags: 'nightly' }, async () => {
    const { slowTag } = platform().stories;
    const windows = { startDate: '2026-11-19', baselineStartDate: '2026-11-01', baselineEndDate: '2026-11-08' };
    const { structured } = await call('analyze_scenario', { scenarioId: slowTag.scenarioId, ...windows });
    const [finding] = structured['findings'] as { when: object }[];
    expect(finding?.when).toMatchObject({ earliest: '2026-11-08T23:08Z' });
    expect(structured['events']).toContainEqual(expect.objectContaining({ key: slowTag.eventKey }));
  });

  it('that changed with no event of its own is shown those of others, as such, or none', { tags: 'nightly' }, async () => {
    await withPlatform(async (own) => {
      const { slowTag } = own.stories;
      const token = await own.token('shop');
      const { events } = await own.ask('listSpeedEvents', { dateFrom: '2026-11-09T11:00:00.000Z' }, token);
      for (const { key } of events) await own.call('deleteSpeedEvent', { key }, token);
      const assistant = await ownAssistant(own);
      const { structured } = await assistant.call('analyze_scenario', { scenarioId: slowTag.scenarioId });
      expect(structured).not.toHaveProperty('events');
      expect(structured['notes']).toContain('No speed event lies within 24 h before the change or 2 h after it.');
      const event = { key: 'untied', text: 'Release of something else', date: isoTime(slowTag.dateMs) };
      await own.call('createSpeedEvent', event, token);
      const again = await assistant.call('analyze_scenario', { scenarioId: slowTag.scenarioId });
      expect(again.structured['answer']).toContain('; close in time: the event "Release of something else", ');
      expect(again.structured['notes']).toContain('The events near the change are not tied to this scenario.');
    });
  });

  it('shows all asked metrics of a step, by number or by name', { tags: 'nightly' }, async () => {
    const metrics = [LCP, 'domInteractive', 'nbLongTasks'];
    const byNumber = await call('analyze_scenario', { scenarioId: 4103, step: 2, metrics });
    const shown = records(byNumber).map(({ step, metric }) => `${String(step)}: ${String(metric)}`);
    expect(shown.toSorted()).toEqual(metrics.map((metric) => `Product: ${metric}`).toSorted());
    // Of its own, because a session is not told the same again.
    const another = await ownAssistant(platform());
    expect(await another.call('analyze_scenario', { scenarioId: 4103, step: 'product', metrics })).toEqual(byNumber);
    const all = await call('analyze_scenario', { scenarioId: 4103, step: 2, metrics: ['all'] });
    expect(records(all).length).toBeGreaterThanOrEqual(25);
  });

  it('still gets its verdict where the details of failed runs cannot be read', { tags: 'nightly' }, async () => {
    platform().faults.add({ kind: 'refused', operation: 'getStepReport' });
    const { failing } = platform().stories;
    // Of its own, because what was read before is kept.
    const another = await ownAssistant(platform());
    const { isError, structured } = await another.call('analyze_scenario', { scenarioId: failing.scenarioId });
    expect(isError).toBe(false);
    expect(structured['notes']).toContainEqual(expect.stringMatching(/^(\d+) of \1 step reports of failed runs could not be read\.$/));
    expect((structured['failedActions'] as { message: unknown }[])[0]?.message).toBeNull();
  });
});

describe('all scenarios at once', () => {
  const { call, platform, sent } = useTools();

  it('are one line each, the worst first and in detail', { tags: 'nightly' }, async () => {
    const { slowTag, noisy, failing } = platform().stories;
    const answer = await call('analyze_scenario');
    const { scenarios, ...facts } = answer.structured as { scenarios: { scenarioId: number; verdict: string; line: string }[] };
    expect(scenarios.map(({ scenarioId }) => scenarioId).slice(0, 3)).toEqual([slowTag.scenarioId, failing.scenarioId, noisy.scenarioId]);
    expect(scenarios).toHaveLength(6);
    expect(scenarios.map(({ verdict }) => verdict)).toEqual(['slower', 'failing', 'unstable', 'steady', 'steady', 'steady']);
    expect(facts).toMatchObject({ scenarioId: slowTag.scenarioId, verdict: 'slower' });
    expect(answer.structured['answer']).toMatch(
      new RegExp(
        `^LCP at "${slowTag.stepName}" in "${slowTag.scenarioName}" has been \\d+% slower since .*\\. "${failing.scenarioName}" fails in ` +
          `\\d+% of its runs${failingBefore(await call('analyze_scenario', { scenarioIds: [failing.scenarioId] }))}, .*\\.$`,
      ),
    );
    expect(answer.structured['details']).toContain(`Of the other 4, "${noisy.scenarioName}" is unstable and 3 are steady.`);
    expect(String(answer.structured['details'])).toContain(
      `"${failing.scenarioName}": The failed action says: ${failing.action}: not possible within 10 s (`,
    );
    expect(whole(answer)).toMatchSnapshot();
    expect(Math.max(...tokensOf(answer))).toBeLessThanOrEqual(1200);
  });

  it('are answered also where one cannot be read, which is said, and several names of one scenario are one', {
    tags: 'nightly',
  }, async () => {
    platform().faults.add({ kind: 'refused', operation: 'listScenarioReports', times: 1 });
    const { structured } = await call('analyze_scenario', { scenarioIds: [4104, 'Home – desktop', 4103], startDate: '-9d' });
    expect(structured['notes']).toContainEqual(expect.stringMatching(/^Home – desktop could not be read: /));
    expect(structured['scenarioId']).toBe(4103);
    expect(sent('listScenarioReports').map(({ body }) => body)).toMatchObject([{ scenarioId: 4104 }, { scenarioId: 4103 }]);
  });
});

const { call, platform } = useTools();

it('a trend says whether the level changed, over the range that was asked and from the first run on', { tags: 'nightly' }, async () => {
  const { slowTag } = platform().stories;
  const asked = { view: 'levels', breakdown: 'week', startDate: '-70d' };
  const slower = await call('analyze_scenario', { ...asked, scenarioIds: [slowTag.scenarioId], metrics: ['LCP'] });
  const since = isoTime(slowTag.dateMs).slice(0, 10);
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
  expect([...counts.matchAll(/\d+|"[^"]+"/g)].reduce((sum, [count]) => sum + (Number(count) || 1), 0)).toBe(Number(others));
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

it('runs are the slowest, the fastest and a typical one, with ids that the HAR tools take', { tags: 'nightly' }, async () => {
  const answer = await call('analyze_scenario', { view: 'runs', scenarioIds: [4104], orderBy: 'LCP' });
  const rows = records(answer);
  expect(rows.map(({ kind }) => kind)).toEqual([...Array(3).fill('slowest'), ...Array(3).fill('fastest'), 'typical']);
  expect(Number(rows.at(-1)?.['timesUsual'])).toBeCloseTo(1, 1);
  expect(Number(rows[0]?.['timesUsual'])).toBeGreaterThan(Number(rows[1]?.['timesUsual']) - 1e-9);
  expect(await call('analyze_har', { scenarioStepResultId: String(rows[0]?.['stepResultId']) })).toMatchObject({ isError: false });
});

it('six scenarios are judged in at most 14 requests', { tags: 'nightly' }, async () => {
  await call('analyze_scenario', {});
  expect(platform().requests.length).toBeLessThanOrEqual(14);
});
