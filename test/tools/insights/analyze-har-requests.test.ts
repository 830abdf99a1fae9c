import type { Entry } from 'har-format';
import { expect, it } from 'vitest';
import { openAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { records, refusal, useTools, whole } from '../support.ts';
import { allRows, type PageMember, slowStep, tokensOf } from './step-runs.ts';

const { platform, call } = useTools();

const bytesOf = ({ response }: Entry) => response._transferSize ?? response.bodySize + Math.max(0, response.headersSize);
const indexes = (answer: ToolAnswer) => records(answer).map(({ index }) => Number(index));

it('requests are all reached when the boundary cuts a page to the limit of the settings', { tags: 'nightly' }, async () => {
  const { scenarioStepResultId, entries } = await slowStep(platform());
  const narrow = await openAssistant(platform(), { maxResultTokens: 900 });
  const { rows, answers } = await allRows(narrow, { scenarioStepResultId, limit: 50 });
  await narrow.close();
  expect(Math.max(...answers.map(tokensOf))).toBeLessThanOrEqual(900);
  expect(answers.filter(({ text }) => text.includes('Showing ')).length).toBeGreaterThan(1);
  expect(rows.map(({ index }) => Number(index)).toSorted((a, b) => a - b)).toEqual(entries.map((_, index) => index));
});

it.each<[string, Record<string, unknown>, (entry: Entry) => boolean]>([
  ['a status', { status: 404 }, ({ response }) => response.status === 404],
  ['a status as text', { status: '404' }, ({ response }) => response.status === 404],
  ['a class of statuses', { status: '3xx' }, ({ response }) => response.status >= 300 && response.status < 400],
  ['a host', { domain: 'static.nordlicht-shop.example' }, ({ request }) => new URL(request.url).host === 'static.nordlicht-shop.example'],
  [
    'a registrable domain',
    { domain: 'Nordlicht-Shop.example' },
    ({ request }) => new URL(request.url).host.endsWith('nordlicht-shop.example'),
  ],
  ['a part of the address', { url: 'GTM.js' }, ({ request }) => request.url.includes('/gtm.js')],
  [
    'an address as it is shown',
    { url: 'https://www.googletagmanager.com/gtm.js?id=[removed]' },
    ({ request }) => request.url.includes('/gtm.js'),
  ],
  ['a shortened address', { url: 'www.googletag…/gtm.js' }, ({ request }) => request.url.includes('/gtm.js')],
  ['a type', { type: 'font' }, ({ request }) => /\.woff2?$/.test(new URL(request.url).pathname)],
  ['a duration', { minDurationMs: 300 }, ({ time }) => time >= 300],
  ['a size', { minBytes: 100_000 }, (entry) => bytesOf(entry) >= 100_000],
  [
    'two conditions',
    { type: 'script', minBytes: 100_000 },
    (entry) => entry.response.content.mimeType.includes('javascript') && bytesOf(entry) >= 100_000,
  ],
])('requests are found by %s', { tags: 'nightly' }, async (_what, filter, test) => {
  const { scenarioStepResultId, entries } = await slowStep(platform());
  const expected = entries.flatMap((entry, index) => (test(entry) ? [index] : []));
  expect(expected.length).toBeGreaterThan(0);
  const answer = await call('analyze_har', { scenarioStepResultId, ...filter, limit: 100 });
  expect(answer.structured).toMatchObject({
    view: 'requests',
    page: { matched: expected.length },
    totals: { requests: expected.length },
  });
  expect(indexes(answer).toSorted((a, b) => a - b)).toEqual(expected);
});

it('requests show all timings of the only match', async () => {
  const { scenarioStepResultId, entries } = await slowStep(platform());
  const { host } = platform().stories.slowTag;
  const answer = await call('analyze_har', { scenarioStepResultId, url: `${host}/widget.css` });
  const entry = entries.find(({ request }) => request.url.endsWith('/widget.css'));
  expect(answer.structured['request']).toMatchObject({
    index: entries.findIndex((each) => each === entry),
    url: `https://${host}/widget.css`,
    waitMs: expect.closeTo(entry?.timings.wait ?? 0, 0),
    contentBytes: entry?.response.content.size,
  });
  expect(whole(answer)).toMatchSnapshot();
});

it('requests of one address are told apart by paging one by one', async () => {
  const { scenarioStepResultId } = await slowStep(platform());
  const args = { scenarioStepResultId, url: 'swiper-bundle.min.js', limit: 1 };
  const first = await call('analyze_har', args);
  const second = await call('analyze_har', { ...args, cursor: (first.structured['page'] as PageMember).cursor });
  const seen = [first, second].map(({ structured }) => (structured['request'] as Record<string, unknown>)['index']);
  expect(new Set(seen).size).toBe(2);
  expect(second.structured['page']).toEqual({ matched: 2, from: 2, to: 2 });
});

it('requests that do not exist are none, and no error', async () => {
  const { scenarioStepResultId } = await slowStep(platform());
  const answer = await call('analyze_har', { scenarioStepResultId, url: 'nowhere' });
  expect(answer).toMatchObject({
    isError: false,
    structured: { page: { matched: 0, from: 0, to: 0 }, rows: [], totals: { requests: 0, transferBytes: null } },
  });
  expect(answer.text).toContain('no rows');
});

it.each<[string, Record<string, unknown>, RegExp]>([
  ['a cursor that nobody gave', { cursor: 'abc' }, /^cursor was not given by an answer: repeat the call/],
  ['a status that is none', { status: 'ok' }, /^status: expected a status such as 404, a class such as 4xx, or 0/],
])('what cannot be answered %s is an error that says what is expected', { tags: 'nightly' }, async (_what, args, words) => {
  const { scenarioStepResultId } = await slowStep(platform());
  const answer = await call('analyze_har', { scenarioStepResultId, ...args });
  expect(answer.isError).toBe(true);
  expect(answer.text).toMatch(words);
});

it('what cannot be answered a cursor of another list is refused', async () => {
  const { scenarioStepResultId } = await slowStep(platform());
  const first = await call('analyze_har', { scenarioStepResultId, type: 'image', limit: 2 });
  const { cursor } = first.structured['page'] as PageMember;
  const answer = await call('analyze_har', { scenarioStepResultId, type: 'script', limit: 2, cursor });
  expect(answer).toMatchObject(refusal(/^cursor belongs to a call with other arguments: /));
  const named = await call('analyze_har', { scenarioStepResultId, view: 'requests', type: 'image', limit: 3, cursor });
  expect(named).toMatchObject({ isError: false, structured: { page: { from: 3 } } });
});

it('what cannot be answered a filter beside the summary is noted, not dropped in silence', async () => {
  const { scenarioStepResultId } = await slowStep(platform());
  const answer = await call('analyze_har', { scenarioStepResultId, view: 'summary', status: 404 });
  expect(answer.text).toContain('The summary covers all requests: filters hold in the other views.');
});
