/** @module-tag nightly */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/findings/finding.ts';
import { DAY_MS, isoTime } from '../../src/lib/clock.ts';
import type { Assistant, ToolAnswer } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { fetchExports } from '../support/many-calls.ts';
import { someOf } from '../support/sample-size.ts';
import { findingsOf, only, records, useTools, withTools } from './support.ts';

/** Days that are over, in the zone of the world, and what the exports call them. */
const WORLDS = [
  { seed: 1, start: '2026-11-20T10:00:00.000Z', timeZone: 'UTC' },
  { seed: 23, start: '2026-10-28T07:30:00.000Z', timeZone: 'Europe/Paris' },
  { seed: 404, start: '2026-08-05T18:00:00.000Z', timeZone: 'America/New_York' },
];

const DAILY_JOBS = ['Daily sessions', 'Daily views'];

/** Members of an answer that are percents of a whole: a change may be any percent. */
const SHARE = /(?:^|\.)(?!.*(?:change|low|high|contribution|difference|noise|detectable|level|since).*$)\w*(?:Percent|percent|share\w*)$/;

function sharesIn(value: unknown, path = ''): [string, number][] {
  if (Array.isArray(value)) return value.flatMap((item) => sharesIn(item, path));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => sharesIn(member, `${path}.${name}`));
  return typeof value === 'number' && SHARE.test(path) ? [[path, value]] : [];
}

/** The last day before yesterday by UTC, as exports divide days, of which each of the daily exports has all rows. */
function coveredDay({ stories: { exportIncidents } }: Platform, todayMs: number): string {
  const broken = new Set(DAILY_JOBS.flatMap((job) => exportIncidents[job] ?? []).map(({ fromMs }) => fromMs));
  const dayMs = [2, 3, 4].map((back) => todayMs - back * DAY_MS).find((ms) => !broken.has(ms));
  return isoTime(dayMs ?? Number.NaN).slice(0, 10);
}

describe.each(someOf(WORLDS, 1))('of the world $seed in $timeZone', ({ seed, start, timeZone }) => {
  const { assistant, call: ask, platform } = useTools({ timeZone }, { seed, start });
  const call = async (tool: string, args: Record<string, unknown>): Promise<ToolAnswer> => {
    const answer = await ask(tool, args);
    expect(answer.isError, `${tool}: ${answer.text}`).toBe(false);
    return answer;
  };

  beforeAll(() => fetchExports(assistant()));

  it('visits, conversions and revenue are the same from every tool', { timeout: 120_000 }, async () => {
    const day = coveredDay(platform(), Date.parse(`${start.slice(0, 10)}T00:00:00Z`));
    const range = { startDate: `${day}T00:00:00Z`, endDate: `${day}T23:59:59.999Z` };
    const metrics = ['visits', 'conversionCount', 'conversionRate', 'revenueSum'];
    const table = only(await call('query_metrics', { ...range, metrics }));
    const all = only(await call('get_site_metrics', range));
    const tools = ['visits', 'conversions', 'conversion_rate', 'revenue'];
    const single = await Promise.all(tools.map(async (name, at) => only(await call(`get_site_${name}`, range))[metrics[at] ?? '']));
    const rows = records(await call('compare_metrics', { ...range, metrics, explain: false }));
    const compared = Object.fromEntries(rows.map(({ metric, after }) => [String(metric), after]));
    const sql =
      'SELECT count(*) AS visits, count(*) FILTER (session_number_of_transactions > 0) AS conversions, ' +
      `sum(session_transactions_revenue) AS revenue FROM sessions WHERE session_time >= '${day}' ` +
      `AND session_time < CAST('${day}' AS DATE) + 1`;
    const exported = only(await call('query_export', { sql }));
    const funnel = (await call('analyze_funnel', { steps: ['*', 'purchase'], startDate: day, endDate: day })).structured['steps'] as {
      sessions: number;
    }[];
    for (const [at, metric] of metrics.entries()) {
      expect([metric, all[metric], single[at]]).toEqual([metric, table[metric], table[metric]]);
      expect(Number(compared[metric]), metric).toBeCloseTo(Number(table[metric]), 2);
    }
    expect([exported['visits'], exported['conversions'], Number(exported['revenue'])]).toEqual([
      table['visits'],
      table['conversionCount'],
      Number(Number(table['revenueSum']).toFixed(2)),
    ]);
    expect(funnel.map(({ sessions }) => sessions)).toEqual([table['visits'], table['conversionCount']]);
  });

  it.each([
    ['analyze_funnel', { steps: ['/p/*', '/cart', 'purchase'], breakdown: 'device' }],
    ['analyze_paths', { from: 'entry', depth: 2 }],
    ['analyze_retention', { by: 'day' }],
    ['query_metrics', { startDate: '-3d', metrics: ['visits'], breakdown: ['device'], shares: true }],
    ['analyze_har', { scenarioId: 4101, step: '1' }],
    ['analyze_har', { scenarioId: 4101, step: '1', view: 'third_parties' }],
    ['compare_metrics', { startDate: '-3d', metrics: ['conversionRate'], by: 'device' }],
  ])('no share is larger than its whole: %s %j', { timeout: 120_000 }, async (tool, args) => {
    const shares = sharesIn({ ...(await call(tool, args)).structured, chart: undefined });
    // The size of a change is no share.
    expect(shares.filter(([path, share]) => !path.startsWith('.findings.change') && (share > 100 || share < 0))).toEqual([]);
  });
});

it.each(someOf(['2026-09-15', '2026-12-09', '2026-05-06'], 1))(
  'a change has one size and one cost from every tool, over whichever weeks before %s',
  async (day) => {
    const told = new Map<string, unknown>();
    const hear = ({ subject, place, when, change, cost }: Finding) => {
      for (const own of when.shape === 'step' ? [change, cost] : []) {
        const name = JSON.stringify([subject, place, when.from, own === cost && cost?.to]);
        expect(own, name).toEqual(told.get(name) ?? own);
        told.set(name, own);
      }
    };
    const expected = { metrics: ['conversionRate', 'revenue'], expected: true };
    const ask = async (own: Assistant) => {
      for (const [startDate, endDate] of ['-7d -1d', '-28d -1d', '-12d -3d'].map((days) => days.split(' ')))
        for (const [tool, rest] of Object.entries({ find_changes: {}, compare_metrics: {}, query_metrics: expected }))
          findingsOf(await own.call(tool, { startDate, endDate, ...rest })).forEach(hear);
    };
    await withTools(ask, {}, { seed: 90_210, start: `${day}T09:00:00Z` });
    expect(told.size).not.toBe(0);
  },
  300_000,
);
