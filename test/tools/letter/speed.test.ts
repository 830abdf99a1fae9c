import { describe, expect, it } from 'vitest';
import { isoTime } from '../../../src/lib/clock.ts';
import { records } from '../support.ts';
import { connected, deployments } from './deployments.ts';

const keysOf = (events: unknown) => (events as { key: string }[]).map(({ key }) => key);

describe.each(deployments)('%s', (_, deployment) => {
  it('a list of events from a day holds those of its first instant, and none of the day before', () =>
    connected(deployment, async ({ call }, { call: send, token }) => {
      const bearer = await token('shop');
      for (const [key, date] of [
        ['before', '2026-06-08T23:59:59.999Z'],
        ['first', '2026-06-09T00:00:00.000Z'],
        ['later', '2026-06-09T00:00:00.001Z'],
      ])
        await send('createSpeedEvent', { key, text: 'Release', date }, bearer);
      const { structured } = await call('list_speed_events', { dateFrom: '2026-06-09' });
      expect(structured['range']).toMatchObject({ start: '2026-06-09T00:00:00.000Z' });
      const keys = keysOf(structured['events']);
      expect(keys).toEqual(expect.arrayContaining(['first', 'later']));
      expect(keys).not.toContain('before');
    }));

  it('a list of reports holds those of both its bounds, and no other', { tags: 'nightly' }, () =>
    connected(deployment, async ({ call }, { ask, token }) => {
      const { scenario } = await ask('listScenarioReports', { scenarioId: 4101, limit: 5 }, await token('shop'));
      const dates = scenario.reports.map(({ date }) => date);
      const [last = 0, , , , first = 0] = dates;
      const listed = async (dateFrom: number, dateTo: number) => {
        const answer = await call('list_scenario_reports', { scenarioId: 4101, dateFrom: isoTime(dateFrom), dateTo: isoTime(dateTo) });
        return records(answer).map(({ date }) => date);
      };
      expect(await listed(first, last)).toEqual(dates);
      expect(await listed(first + 1, last - 1)).toEqual(dates.slice(1, -1));
    }),
  );

  it('runs with errors are those that failed, or the answer says how many more did', { tags: 'nightly' }, () =>
    connected(deployment, async ({ call }, { ask, token }) => {
      const days = { scenarioId: 4104, lastDays: 30, limit: 0 };
      const { scenario } = await ask('listScenarioReports', days, await token('shop'));
      const failed = scenario.reports.filter(({ summary }) => Number(summary?.fail) > 0).map(({ date }) => date);
      expect(failed.length).toBeGreaterThan(5);
      const withError = await call('list_scenario_reports', { ...days, error: true });
      const without = await call('list_scenario_reports', { ...days, error: false });
      const missed = failed.length - records(withError).length;
      expect(records(withError).length + records(without).length).toBe(scenario.reports.length);
      const said = (answer: typeof without) => (answer.structured['notes'] as string[]).find((note) => note.includes('fail is above 0'));
      const isError = deployment.contentCheck === 'error';
      expect(missed > 0).toBe(!isError);
      const more =
        `${missed} more of ${scenario.reports.length} runs failed, which the platform does not count as errors. A run failed where fail ` +
        'is above 0: leave error out to see all.';
      expect(said(withError)).toBe(isError ? undefined : more);
      const [first] = said(without)?.split(':') ?? [];
      expect(first).toBe(isError ? undefined : `${missed} of these ${records(without).length} runs failed all the same`);
    }),
  );

  it('an event leaves with its date in a documented form, however it was typed', { tags: 'nightly' }, () =>
    connected(deployment, async ({ call }, platform) => {
      const typed = ['2026-11-19T08:00+0200', '2026-11-19T08:00:00Z', '2026-11-19T08:00:00.123456789Z', '2026-11-19', 'yesterday'];
      for (const [index, date] of typed.entries())
        expect(await call('create_speed_event', { key: `k${index}`, text: `Release ${index}`, date })).toMatchObject({ isError: false });
      const sent = platform.requests.filter(({ operation }) => operation === 'createSpeedEvent').map(({ body }) => body);
      expect(sent).toMatchObject([
        { date: '2026-11-19T08:00:00.000+02:00' },
        { date: '2026-11-19T08:00:00.000Z' },
        { date: '2026-11-19T08:00:00.123Z' },
        { date: '2026-11-19T00:00:00.000Z' },
        { date: '2026-11-19T00:00:00.000Z' },
      ]);
    }),
  );
});

it('a list that its limit cuts says only of the runs it reaches back to what the filter missed', { tags: 'nightly' }, () =>
  connected({ contentCheck: 'no error' }, async ({ call }, { stories }) => {
    const { scenarioId } = stories.failing;
    const whole = await call('list_scenario_reports', { scenarioId, lastDays: 30, error: true, limit: 0 });
    const cut = await call('list_scenario_reports', { scenarioId, lastDays: 30, error: true, limit: records(whole).length - 1 });
    expect(records(cut)).toEqual(records(whole).slice(0, -1));
    const of = (answer: typeof cut) => Number(/of (\d+) runs failed/.exec(answer.text)?.[1] ?? 0);
    expect(of(whole)).toBe(720);
    expect(of(cut)).toBeGreaterThan(600);
    expect(of(cut)).toBeLessThan(720);
  }),
);
