import { describe, expect, it } from 'vitest';
import { useTools } from '../tools/support.ts';

const { call, platform } = useTools();
const range = { startDate: '2026-11-09', endDate: '2026-11-15' };
const job = {
  name: 'Job',
  format: 'JSONL',
  frequency: { value: 'once', dateRange: { from: '2026-11-09', to: '2026-11-10' } },
  fields: [{ fieldName: 'user_id' }],
  deviceLabel: 'all',
};

describe('an argument that cannot be used is refused by name, with what is expected', () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ['unknown', 'list_segments', { idd: 1 }, 'idd: is not known here; did you mean ids? There are ids, projectId, source.'],
    [
      'misspelt',
      'get_site_visits',
      { ...range, segmentIsd: 1 },
      'segmentIsd: is not known here; did you mean segmentIds? There are segmentIds, endDate, projectId, startDate, period, device.',
    ],
    ['given to a tool that takes none', 'get_credential', { name: 'x' }, 'name: is not known here; there are projectId.'],
    ['missing', 'get_site_visits', { startDate: 'today' }, 'endDate: is required (string).'],
    ['of another type', 'get_site_visits', { ...range, startDate: {} }, 'startDate: expected string, received object.'],
    ['no date', 'get_site_visits', { ...range, startDate: 5 }, 'startDate: "5" is not a recognised date;'],
    ['none of the values', 'get_site_visits', { ...range, device: 'watch' }, 'device: must be one of all, desktop, mobile, tablet.'],
    ['too large', 'list_export_jobs', { limit: 101 }, 'limit: must be at most 100.'],
    ['a broken number', 'list_export_jobs', { page: 1.5 }, 'page: expected whole number, received fraction.'],
    ['no id', 'get_mapping', { mappingId: -4 }, 'mappingId: -4 cannot be an id; expected a whole number above 0, or a name.'],
    ['empty', 'get_step_report', { stepId: '  ' }, 'stepId: must not be empty.'],
    ['an empty list', 'list_segments', { ids: [] }, 'ids: must hold at least 1 item.'],
    ['null where it is required', 'get_step_report', { stepId: null }, 'stepId: is required (string).'],
    [
      'a metric that there is not',
      'get_step_report',
      { stepId: 'a', metrics: ['layout movement'] },
      'metrics: no such metric: "layout movement"; there are cumulativeLayoutShift, ',
    ],
    ['no project', 'list_goals', { projectId: 0 }, 'projectId: 0 cannot be an id; expected a whole number above 0, or a name.'],
    [
      'no scope',
      'authenticate',
      { scope: 'metrics everything' },
      'scope: "everything" is not a scope; expected one of speed-analysis, data-export,',
    ],
    [
      'unknown inside',
      'create_export_job',
      { ...job, fields: [{ fieldName: 'a', alias: 'b' }] },
      'fields[0].alias: is not known here; did you mean aliasName? There are aliasName,',
    ],
    [
      'wrong inside',
      'create_export_job',
      { ...job, frequency: { value: 'weekly' } },
      'frequency.value: must be one of once, daily, hourly.',
    ],
    [
      'missing inside',
      'create_export_job',
      { ...job, frequency: { value: 'once', dateRange: { from: 'today' } } },
      'frequency.dateRange.to: is required (string).',
    ],
    [
      'a position beyond 20',
      'create_export_job',
      { ...job, fields: [{ fieldName: 'custom_var', customVarPosition: 21 }] },
      'fields[0].customVarPosition: must be at most 20.',
    ],
    [
      'an id that lost its digits',
      'send_enrichments',
      { enrichments: [{ userId: 2 ** 60 }] },
      'enrichments[0].userId: a number beyond 2^53 loses digits; pass it as text;',
    ],
    ['a list of no records', 'send_enrichments', { enrichments: ['a'] }, '1 of 1 records cannot be sent: enrichments[0]: expected object.'],
  ])('%s', async (_, tool, args, words) => {
    const answer = await call(tool, args);
    expect(answer).toMatchObject({ isError: true, structured: {}, text: expect.stringContaining(words) });
    expect(answer.text).toContain('Correct the arguments and call again.');
    expect(platform().requests).toEqual([]);
  });

  it('names all that is wrong at once', async () => {
    const { text } = await call('get_site_visits', { endDate: 'today', device: 'x', foo: 1 });
    expect(text.split('; ').map((part) => part.split(':')[0])).toEqual([
      'startDate',
      'device',
      'foo',
      'there are startDate, endDate, period, device, segmentIds, projectId.\nCorrect the arguments and call again.',
    ]);
  });
});

it('of a list that is wrong throughout, shows the beginning', async () => {
  for (const [tool, args] of [
    ['list_segments', { ids: Array(5_000).fill('x') }],
    ['create_speed_event', { key: 'k', text: 'T', date: 'now', scenarios: Array(5_000).fill('Atlantis') }],
  ] as const) {
    const { text } = await call(tool, args);
    expect(text).toMatch(/\[0\]: [^]*\[19\]: [^]*and 4980 more/);
    expect(text.length).toBeLessThan(20_000);
  }
});

describe('a failure says what to do next', () => {
  it.each<[string, string, Record<string, unknown>, RegExp]>([
    ['a record that is gone', 'get_export_job', { jobId: 4 }, /list_export_jobs lists what exists\.$/],
    [
      'a project out of reach',
      'list_goals',
      { projectId: 77 },
      /^projectId: the credential does not reach project 77; it reaches 1201 \(Nordlicht Shop\)/,
    ],
    ['a value that only the platform can judge', 'get_site_conversions', { ...range, goalId: 1 }, /goal/i],
  ])('%s', async (_, tool, args, words) => {
    expect(await call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(words) });
  });

  it('a call of a tool that there is not is no answer but an error of the protocol', async () => {
    await expect(call('get_weather')).rejects.toThrow(/get_weather/);
  });
});
