import { expect, it } from 'vitest';
import { useTools } from '../tools/support.ts';

const { call, platform } = useTools();
const range = { startDate: '2026-11-09', endDate: '2026-11-15' };

it.each<[string, string, Record<string, unknown>, string]>([
  [
    'misspelt',
    'get_site_visits',
    { ...range, segmentIsd: 1 },
    'segmentIsd: is not known here; did you mean segmentIds? There are segmentIds, projectId, period, endDate, startDate, device.',
  ],
  ['given to a tool that takes none', 'get_credential', { name: 'x' }, 'name: is not known here; there are projectId.'],
  ['no date', 'get_site_visits', { ...range, startDate: 5 }, 'startDate: "5" is not a recognised date;'],
  ['no id', 'get_mapping', { mappingId: -4 }, 'mappingId: -4 cannot be an id; expected a whole number above 0, or a name.'],
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
    'an id that lost its digits',
    'send_enrichments',
    { enrichments: [{ userId: 2 ** 60 }] },
    'enrichments[0].userId: a number beyond 2^53 loses digits; pass it as text;',
  ],
  ['a list of no records', 'send_enrichments', { enrichments: ['a'] }, '1 of 1 records cannot be sent: enrichments[0]: expected object.'],
])('an argument that cannot be used is refused by name, with what is expected %s', async (_, tool, args, words) => {
  const answer = await call(tool, args);
  expect(answer).toMatchObject({ isError: true, structured: {}, text: expect.stringContaining(words) });
  expect(answer.text).toContain('Correct the arguments and call again.');
  expect(platform().requests).toEqual([]);
});

it('an argument that cannot be used is refused by name, with what is expected names all that is wrong at once', async () => {
  const { text } = await call('get_site_visits', { endDate: 'today', device: 'x', foo: 1 });
  expect(text.split('; ').map((part) => part.split(':')[0])).toEqual([
    'startDate',
    'device',
    'foo',
    'there are startDate, endDate, period, device, segmentIds, projectId.\nCorrect the arguments and call again.',
  ]);
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

it.each<[string, string, Record<string, unknown>, RegExp]>([
  ['a record that is gone', 'get_export_job', { jobId: 4 }, /list_export_jobs lists what exists\.$/],
  [
    'a project out of reach',
    'list_goals',
    { projectId: 77 },
    /^projectId: the credential does not reach project 77; it reaches 1201 \(Nordlicht Shop\)/,
  ],
  ['a value that only the platform can judge', 'get_site_conversions', { ...range, goalId: 1 }, /goal/i],
])('a failure says what to do next %s', async (_, tool, args, words) => {
  expect(await call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(words) });
});

it('a failure says what to do next a call of a tool that there is not is no answer but an error of the protocol', async () => {
  await expect(call('get_weather')).rejects.toThrow(/get_weather/);
});
