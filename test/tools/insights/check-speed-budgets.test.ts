import { describe, expect, it } from 'vitest';
import { call as callCommand, junitReport } from '../../../src/commands/call.ts';
import { readWorldOptions } from '../../../src/commands/emulator.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import { median } from '../../../src/statistics/order.ts';
import { captured } from '../../commands/captured.ts';
import { records, refusal, useTools, whole } from '../support.ts';

const { call, ask, platform } = useTools();

describe('budgets', () => {
  it('are held against the median of the latest runs, broken ones first', async () => {
    const { scenario } = await ask('listScenarioReports', { scenarioId: 4104, lastDays: 2, limit: 0 });
    const sound = scenario.reports
      .filter(({ summary }) => summary?.fail === 0)
      .toSorted((a, b) => b.date - a.date)
      .slice(0, 7);
    const levels = [0, 1].map((step) => median(sound.map(({ steps }) => steps?.[step]?.loadTime ?? Number.NaN)));
    const limit = Math.round((Math.min(...levels) + Math.max(...levels)) / 2);
    const answer = await call('check_speed_budgets', {
      scenarioIds: ['Home – desktop'],
      runs: 7,
      budgets: [{ metric: 'load time', limit }],
    });
    expect(answer.structured).toMatchObject({ broken: 1, passed: 1, unmeasured: 0 });
    const rows = records(answer);
    expect(rows.map(({ status, median: value }) => [status, value])).toEqual([
      ['broken', Math.round(Math.max(...levels))],
      ['passed', Math.round(Math.min(...levels))],
    ]);
    expect(rows[0]).toMatchObject({ limit, basis: 'given', runs: 7 });
    expect(whole(answer)).toMatchSnapshot();
  });

  it('default to the good thresholds of the device in all scenarios, in pages, every broken one before any other', {
    tags: 'nightly',
  }, async () => {
    const pages = [await call('check_speed_budgets')];
    const cursorOf = ({ structured }: (typeof pages)[number]) => (structured['page'] as { cursor?: string }).cursor;
    for (let cursor = pages.map(cursorOf)[0]; cursor !== undefined; cursor = pages.map(cursorOf).at(-1))
      pages.push(await call('check_speed_budgets', { cursor }));
    const [first] = pages;
    expect(first?.structured['notes']).toContain('Rows 1 to 20 of 105, broken ones first; pass cursor for more.');
    expect(Math.max(first?.text.length ?? 0, JSON.stringify(first?.structured).length)).toBeLessThan(4800);
    expect(await call('check_speed_budgets', { scenarioIds: [4104], cursor: pages.map(cursorOf)[0] })).toMatchObject(
      refusal(/^cursor belongs to a call with other arguments/),
    );
    const rows = pages.flatMap(records);
    const states = rows.map(({ status }) => status);
    expect(rows).toHaveLength(21 * 5);
    expect(states.lastIndexOf('broken')).toBeLessThan(states.indexOf('passed'));
    const limits = new Set(rows.map(({ metric, limit, basis }) => [metric, limit, basis].join(' ')));
    for (const each of ['totalBlockingTime 200 good, lab mobile', 'largestContentfulPaint 1200 good, lab desktop'])
      expect(limits).toContain(each);
  });

  it('are held against all runs of the last seven days, close calls marked, with the share of failed runs', {
    tags: 'nightly',
  }, async () => {
    const nowMs = Date.parse('2026-11-20T10:00:00Z');
    const sinceMs = Math.floor(nowMs / DAY_MS) * DAY_MS - 7 * DAY_MS;
    const { failing } = platform().stories;
    const { scenario } = await ask('listScenarioReports', { scenarioId: failing.scenarioId, limit: 0, lastDays: 9 });
    const inWindow = scenario.reports.filter(({ date }) => date >= sinceMs);
    const sound = inWindow.filter(({ summary }) => summary?.fail === 0);
    const level = median(sound.map(({ steps }) => steps?.[0]?.timings?.largestContentfulPaint ?? Number.NaN));
    const check = async (limit: number) =>
      call('check_speed_budgets', { scenarioIds: [failing.scenarioId], budgets: [{ metric: 'LCP', limit: Math.round(limit) }] });
    const near = await check(level * 1.001);
    const row = records(near).find(({ step }) => step === scenario.reports[0]?.steps?.[0]?.name);
    expect(row).toMatchObject({ runs: sound.length, median: Math.round(level), status: 'passed', close: 'close' });
    const far = records(await check(level * 1.3)).find(({ step }) => step === row?.['step']);
    expect(far).toMatchObject({ status: 'passed', close: null });
    const failed = inWindow.length - sound.length;
    const share = Math.round((100 * failed) / inWindow.length);
    expect(near.structured['answer']).toContain(
      `"${failing.scenarioName}" fails in ${share}% of its runs, most often at "${failing.stepName}".`,
    );
    expect(near.structured['findings']).toContainEqual(expect.objectContaining({ subject: 'failedRuns', unit: '%' }));
  });

  it('reach further back where there are fewer than 15 runs', { tags: 'nightly' }, async () => {
    const answer = await call('check_speed_budgets', { scenarioIds: [4104], since: '2026-11-20T06:00:00Z', budgets: { weight: 1 } });
    expect(records(answer).map(({ runs }) => runs)).toEqual([15, 15]);
  });

  it('that are all kept say how close it was', async () => {
    const { structured } = await call('check_speed_budgets', { scenarioIds: [4104], budgets: { weight: 90_000_000 } });
    expect(structured).toMatchObject({ broken: 0, passed: 2 });
    expect(structured['answer']).toMatch(/^0 of 2 budgets are broken\. Weight at .* is 2\.7\d MB, within the limit of 90 MB\./);
  });
});

describe('a build', () => {
  const demo = readSettings({ WEB_ANALYTICS_DEMO: 'true' });
  const args = (budgets: Record<string, number>) => ['check_speed_budgets', JSON.stringify({ scenarioIds: [4104], budgets })];
  const run = async (positionals: string[], format?: string, fault: string[] = [], settings = demo) => {
    const world = await readWorldOptions({ clock: '2026-11-20T10:00:00Z', fault });
    return captured(() => callCommand(settings, world, positionals, format));
  };

  it('goes on with 0 where all budgets are kept, and stops with 3 where one is broken', { tags: 'nightly' }, async () => {
    expect((await run(args({ largestContentfulPaint: 9000 }))).code).toBe(0);
    const { code, out } = await run(args({ largestContentfulPaint: 9000, weight: 1000 }), 'json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ broken: 2, passed: 2 });
  });

  it('stops with 1 where it failed', async () => {
    const { code, out, err } = await run(args({ weight: 1000 }), 'junit', ['refused:listScenarioReports']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('The request was refused.');
    expect((await run(args({ lpc: 1 }), 'table')).code).toBe(1);
  });

  it('stops with 1 where a scenario has no run to judge', { tags: 'nightly' }, async () => {
    const failed = { date: 1, summary: { fail: 1 }, steps: [{ stepResultId: 'a', name: 'Home', fail: 1, loadTime: 1 }] };
    platform().faults.add({
      kind: 'shape',
      operation: 'listScenarioReports',
      payload: { scenario: { id: 4104, name: 'Home', reports: [failed] } },
    });
    const answer = await call('check_speed_budgets', { scenarioIds: [4104] });
    expect(answer.structured).toMatchObject({
      answer: '1 budget could not be judged. "Home" fails in 100% of its runs, most often at "Home". Not measured by scenario: Home 1.',
      broken: 0,
      passed: 0,
      unmeasured: 1,
    });

    const { authUrl, credentials } = platform();
    const { clientId, clientSecret } = credentials.shop;
    const named = { AUTH_URL: authUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    const settings = readSettings(Object.fromEntries(Object.entries(named).map(([name, value]) => [`WEB_ANALYTICS_${name}`, value])));
    const { code, out } = await run(args({ weight: 1 }), 'junit', [], settings);
    expect(code).toBe(1);
    expect(out).toContain('tests="1" failures="0" errors="1"');
  });

  it('reads a table, or a JUnit report of every budget', { tags: 'nightly' }, async () => {
    expect((await run(args({ weight: 1000 }), 'table')).out).toMatch(/^2 of 2 budgets are broken\./);
    const { code, out } = await run(['check_speed_budgets', '{}'], 'junit');
    expect(code).toBe(3);
    expect(out).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="speed budgets" tests="105" failures="\d+" errors="0">/,
    );
    expect(out.match(/<testcase /g)).toHaveLength(105);
    expect(out.match(/<testsuite /g)).toHaveLength(6);
    expect(out.match(/<failure /g)).toHaveLength(Number(/failures="(\d+)"/.exec(out)?.[1]));
  });

  it('is told which formats there are', async () => {
    await expect(run(args({ weight: 1 }), 'xml')).rejects.toThrow('--format "xml" is wrong: expected json, table, png, junit');
    await expect(run(['list_scenarios'], 'junit')).rejects.toThrow('--format junit is for check_speed_budgets');
    expect((await run(['list_scenarios'], 'table')).out).toContain('Home – desktop');
  });

  it('gets XML that every reader takes, whatever a scenario is called', () => {
    const columns = ['scenarioId', 'scenario', 'step', 'metric', 'status', 'median', 'limit', 'marginPercent', 'basis', 'runs'];
    const rows = [
      [1, 'A & B <"x">\u0000\u001b', 'It\'s "one"', 'weight', 'broken', 2, 1, -100, 'given', 5],
      [2, 'Empty', null, null, 'not measured', null, null, null, null, 0],
    ];
    const xml = junitReport({ columns, rows });
    for (const part of [
      '<testsuites name="speed budgets" tests="2" failures="1" errors="1">',
      '<testsuite name="A &amp; B &lt;&quot;x&quot;&gt;" tests="1" failures="1" errors="0">',
      'name="It\'s &quot;one&quot;: weight"',
      '<error message="not measured"/>',
    ])
      expect(xml).toContain(part);
    expect(Array.from(xml).filter((character) => character < ' ' && character !== '\n')).toEqual([]);
  });
});
