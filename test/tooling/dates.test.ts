import { describe, expect, it } from 'vitest';
import { ownAssistant, SHOP_NOTE } from '../support/assistant.ts';
import { useTools } from '../tools/support.ts';

const { call, platform } = useTools();

/** Start and end as they arrived at the platform. */
function sent(): [string, string] {
  const { searchParams } = new URL(platform().requests.at(-1)?.url ?? '', 'http://platform');
  return [searchParams.get('startDate') ?? '', searchParams.get('endDate') ?? ''];
}

const job = { name: 'Job', format: 'JSONL', scope: 'sessions', fields: [{ fieldName: 'user_id' }], deviceLabel: 'all' };

describe('dates of a range', () => {
  // Now is Friday 2026-11-20, 10:00 UTC.
  it.each<[string, string, string, string]>([
    ['2026-11-01', '2026-11-07', '2026-11-01T00:00:00.000Z', '2026-11-07T23:59:59.999Z'],
    ['-7d', 'yesterday', '2026-11-13T00:00:00.000Z', '2026-11-19T23:59:59.999Z'],
    ['last_month', 'last_month', '2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z'],
    ['yesterday', 'now', '2026-11-19T00:00:00.000Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-18T08:00:00+0200', '2026-11-18T09:00:00.123456789Z', '2026-11-18T08:00:00.000+02:00', '2026-11-18T09:00:00.123Z'],
  ])('%s … %s', async (startDate, endDate, start, end) => {
    const answer = await call('get_site_visits', { startDate, endDate });
    expect(answer).toMatchObject({ isError: false, structured: { range: { start, end, timeZone: 'UTC' } } });
    expect(sent()).toEqual([start, end]);
    expect(answer.text).toMatch(/^- Range: 2026-/m);
  });

  it.each([
    ['Black Friday', '"Black Friday" is taken as that of 2025.'],
    ['Q3', '"Q3" is taken as that of 2026.'],
  ])('that come back each year say of which year %s is taken', async (day, note) => {
    expect((await call('get_site_visits', { startDate: day, endDate: day })).text).toContain(note);
    expect((await call('get_site_visits', { startDate: `${day} 2025`, endDate: `${day} 2025` })).text).not.toContain('is taken as');
  });

  it('end with the next of the days that come back each year, after the start', async () => {
    await call('get_site_visits', { startDate: 'Q4 2025', endDate: 'Black Friday' });
    expect(sent()).toEqual(['2025-10-01T00:00:00.000Z', '2025-11-28T23:59:59.999Z']);
    await call('get_site_visits', { startDate: '2026-10-01', endDate: 'Black Friday' });
    expect(sent()).toEqual(['2026-10-01T00:00:00.000Z', '2026-11-20T10:00:00.000Z']);
  });

  it('that are not whole weeks say where those begin', async () => {
    const { text } = await call('get_site_visits', { startDate: '-4w', endDate: 'last_week' });
    expect(sent()).toEqual(['2026-10-23T00:00:00.000Z', '2026-11-15T23:59:59.999Z']);
    expect(text).toContain('"-4w" is the day 4 weeks ago: the 4 whole weeks begin on 2026-10-19.');
    const whole = await call('get_site_visits', { startDate: '2026-10-19', endDate: 'last_week' });
    expect(whole.text).toContain('28 days');
    expect(whole.text).not.toContain('weeks begin');
  });

  it('that end in the future end now, and the answer says so', async () => {
    const answer = await call('get_site_visits', { startDate: 'this_month', endDate: 'this_month' });
    expect(sent()).toEqual(['2026-11-01T00:00:00.000Z', '2026-11-20T10:00:00.000Z']);
    expect(answer.structured['notes']).toEqual([
      'endDate "this_month" reaches into the future and was cut to now.',
      SHOP_NOTE,
      'Range: 2026-11-01T00:00Z … 2026-11-20T10:00Z (19.42 days, UTC)',
      'Today is incomplete (2026-11-20).',
    ]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'begin in the future',
      { startDate: 'tomorrow', endDate: 'now' },
      /^startDate: "tomorrow" lies in the future; now is 2026-11-20T10:00:00\.000Z/,
    ],
    [
      'begin after now',
      { startDate: '2026-12-24', endDate: '2026-12-25' },
      /^startDate: "2026-12-24" lies in the future; now is 2026-11-20T10:00:00\.000Z/,
    ],
    ['do not exist', { startDate: '2026-02-30', endDate: '2026-03-01' }, /^startDate: "2026-02-30" does not exist/],
    ['are both wrong', { startDate: 'x', endDate: 'y' }, /^startDate: "x" .*\nendDate: "y"/s],
  ])('that %s are refused by name', async (_, dates, words) => {
    expect(await call('get_site_visits', dates)).toMatchObject({ isError: true, text: expect.stringMatching(words) });
    expect(platform().requests).toEqual([]);
  });

  it('that are no dates list what is accepted once', async () => {
    const { text } = await call('get_site_visits', { startDate: 'whitsun', endDate: 'easter' });
    expect(text.match(/accepted are/g)).toHaveLength(1);
    expect(text).toMatch(/^startDate: "whitsun" is not a recognised date\.\nendDate: "easter" is not a recognised date; accepted are /);
  });

  it('that lie ahead name the question that forecasts them, where there is one', async () => {
    const range = { startDate: 'next_week', endDate: 'next_week' };
    const words = async (tool: 'query_metrics' | 'compare_metrics' | 'get_site_visits') =>
      (await call(tool, tool === 'get_site_visits' ? range : { ...range, metrics: ['visits'] })).text;
    expect(await words('query_metrics')).toContain('2026-11-20T10:00:00.000Z. expected: true forecasts it.');
    expect(await words('compare_metrics')).toContain('2026-11-20T10:00:00.000Z. query_metrics with expected: true forecasts it.');
    expect(await words('get_site_visits')).not.toContain('forecasts');
  });
});

it('a time zone that is not UTC sets the offset of each day, sent as %2B, through the change of the clocks', async () => {
  const assistant = await ownAssistant(platform(), { timeZone: 'Europe/Paris' });
  const { structured, text } = await assistant.call('get_site_visits', {
    startDate: '2026-10-24',
    endDate: '2026-10-26',
    period: 'daily',
  });
  expect(platform().requests.at(-1)?.url).toContain(
    'startDate=2026-10-24T00%3A00%3A00.000%2B02%3A00&endDate=2026-10-26T23%3A59%3A59.999%2B01%3A00',
  );
  expect(structured['range']).toEqual({
    start: '2026-10-24T00:00:00.000+02:00',
    end: '2026-10-26T23:59:59.999+01:00',
    timeZone: 'Europe/Paris',
    days: 3,
  });
  expect(text).toContain('Range: 2026-10-24 … 2026-10-26 (3 days, Europe/Paris)');
  expect(assistant.client.getInstructions()).toContain('Today is 2026-11-20, time zone Europe/Paris.');
});

describe('dates of an export', () => {
  const dateRange = async (range: Record<string, string>) => {
    const { structured, text } = await call('create_export_job', { ...job, frequency: { value: 'once', dateRange: range } });
    const { body } = (structured['request'] ?? {}) as { body?: { frequency: { dateRange: { from: string; to: string } } } };
    return { ...body?.frequency.dateRange, text };
  };

  it('end at the midnight after the last day, so that consecutive ranges meet', async () => {
    const first = await dateRange({ from: '2026-11-02', to: '2026-11-08' });
    const second = await dateRange({ from: '2026-11-09', to: 'last_week' });
    expect(first).toMatchObject({ from: '2026-11-02T00:00:00.000Z', to: '2026-11-09T00:00:00.000Z' });
    expect(second).toMatchObject({ from: first.to, to: '2026-11-16T00:00:00.000Z' });
    expect(second.text).toContain('Range: 2026-11-09 … 2026-11-15 (7 days, UTC)');
  });

  it('are cut to now where they reach into the future', async () => {
    const range = await dateRange({ from: 'yesterday', to: 'today' });
    expect(range).toMatchObject({ to: '2026-11-20T10:00:00.000Z' });
    expect(range.text).toContain('frequency.dateRange.to "today" reaches into the future and was cut to now.');
  });

  it('are refused by their whole name', async () => {
    expect((await dateRange({ from: 'soon', to: 'today' })).text).toMatch(/^frequency\.dateRange\.from: "soon" is not a recognised date/);
  });
});

it.each<[string, Record<string, unknown>]>([
  ['list_scenario_reports', { scenarioId: 4104, lastDays: 2, metrics: ['loadTime'] }],
  ['analyze_scenario', { scenarioId: 4104, startDate: '-2d', metrics: ['loadTime'] }],
  ['compare_metrics', { startDate: '2026-11-09', endDate: '2026-11-15', metrics: ['visits'], explain: false }],
])('a range that a tool states itself of %s is in the zone of the settings', { tags: 'nightly' }, async (tool, args) => {
  const inParis = await ownAssistant(platform(), { timeZone: 'Europe/Paris' });
  const { structured } = await inParis.call(tool, args);
  const { start, end } = structured['range'] as { start: string; end: string };
  expect([start, end]).toEqual([expect.stringMatching(/\+01:00$/), expect.stringMatching(/\+01:00$/)]);
});
