import type { Entry } from 'har-format';
import { expect, it } from 'vitest';
import { SECRET_MARK } from '../../../src/emulator/world/speed/planted-secrets.ts';
import { ownAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { onSeed, SEEDS } from '../seeds.ts';
import { records, refusal, useTools, whole } from '../support.ts';
import { allRows, type PageMember, slowStep, stepRuns, tokensOf } from './step-runs.ts';

const { assistant, call, platform } = useTools();
const slow = () => slowStep(platform());
/** Asks about the step with the slow tag. */
const analyze = async (args: Record<string, unknown> = {}) =>
  call('analyze_har', { scenarioStepResultId: (await slow()).scenarioStepResultId, ...args });

/** The first step of the sound runs of the week, of the scenario with the slow tag. */
async function soundSteps() {
  const { scenarioId, projectId } = platform().stories.slowTag;
  const token = await platform().token('account', { projectId });
  const { scenario } = await platform().ask('listScenarioReports', { scenarioId, lastDays: 7, limit: 0 }, token);
  const sound = scenario.reports.filter((report) => (report.summary?.fail ?? 0) === 0).flatMap(({ steps }) => (steps ?? []).slice(0, 1));
  return sound
    .map(({ stepResultId, timings }) => ({ id: String(stepResultId), lcpMs: Number(timings?.['largestContentfulPaint']) }))
    .toSorted((a, b) => a.lcpMs - b.lcpMs);
}

const isSlow = (host: string) => (entry: Entry) => new URL(entry.request.url).host === host;

it('the summary names what costs most, in at most 2,000 tokens of both channels', async () => {
  const { entries } = await slow();
  const answer = await analyze();
  expect(tokensOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer.structured).toMatchObject({
    view: 'summary',
    totals: { requests: entries.length, transferBytes: expect.any(Number), contentBytes: expect.any(Number) },
  });
  expect(answer.links).toEqual([answer.structured['uri']]);
  expect(whole(answer)).toMatchSnapshot();
});

it.each(SEEDS)(
  'the summary of seed %i puts the blame on the planted tag, as the browser states it',
  { tags: 'nightly' },
  onSeed(async (asking, other) => {
    const { slowTag } = other.stories;
    const { after } = await stepRuns(other, slowTag);
    const { structured } = await asking.call('analyze_har', { scenarioStepResultId: after });
    const [worst] = structured['findings'] as Record<string, unknown>[];
    expect(worst).toMatchObject({ problem: 'third_party_blocking', basis: 'stated', when: 'this load' });
    expect(worst?.['says']).toContain(slowTag.host);
    expect(String(structured['answer']).startsWith(String(worst?.['says']))).toBe(true);
  }),
);

it('a step of a scenario is answered with a typical run, named in the verdict, whose paints lie near the medians of the week', {
  tags: 'nightly',
}, async () => {
  const { scenarioId } = platform().stories.slowTag;
  const { structured, text } = await call('analyze_har', { scenarioId, step: '1' });
  const { run, paints } = structured as { run: Record<string, string>; paints: { lcpMs: number } };
  expect(text).toMatch(/a typical run \(\d{4}-.*\n(?:.*\n)*run: .* place typical of the \d+ runs/);
  const sound = await soundSteps();
  expect(sound.map(({ id }) => id)).toContain(run['stepResultId']);
  const lcps = sound.map(({ lcpMs }) => lcpMs);
  const [low = 0, high = 0] = [lcps[Math.floor(lcps.length * 0.3)], lcps[Math.ceil(lcps.length * 0.7)]];
  expect(paints.lcpMs).toBeGreaterThanOrEqual(low);
  expect(paints.lcpMs).toBeLessThanOrEqual(high);
});

it('a step of a scenario is the one that the scenario is named after, where none is named, which is said', {
  tags: 'nightly',
}, async () => {
  const { structured, text } = await call('analyze_har', { scenarioId: 'Home – desktop' });
  expect(structured['run']).toMatchObject({ step: '1 "Home"' });
  expect(structured['run']).not.toHaveProperty('scenario');
  expect(text).toContain('Step "Home" of 2, which the scenario is named after.');
  const drawn = await call('analyze_har', { scenarioId: 'Home – desktop', chart: true });
  expect(drawn.structured['chart']).toMatchObject({
    subtitle: expect.stringMatching(/Home – desktop, step 1 "Home", .*run of .+, .*\d+ requests$/),
  });
  const search = await call('analyze_har', { scenarioId: 'Search – mobile' });
  expect(search.structured['run']).toMatchObject({ step: '2 "Search results"' });
});

interface Blamed {
  readonly verdict?: string;
  readonly findings?: readonly { readonly place: { readonly step?: string } }[];
  readonly failedSteps?: readonly { readonly step: string }[];
}

it.each(['slowTag', 'failing'] as const)(
  'a step of a scenario is the one that analyze_scenario blames in the story %s, where none is named',
  { tags: 'nightly' },
  async (story) => {
    const { scenarioId } = platform().stories[story];
    const { structured: blamed } = await call('analyze_scenario', { scenarioIds: [scenarioId] });
    const { verdict, findings, failedSteps } = blamed as Blamed;
    const { structured, text } = await call('analyze_har', { scenarioId });
    const name = (verdict === 'failing' ? failedSteps?.[0] : findings?.[0]?.place)?.step ?? 'none';
    expect(structured['run']).toMatchObject({ step: expect.stringContaining(`"${name}"`) });
    expect(text).toMatch(new RegExp(`Step \\d "${name}" of \\d, because (?:it became slower|runs fail at it); step names another\\.`));
  },
);

it('a run that is unlike those near it is called an outlier in the first words', async () => {
  const slowest = (await soundSteps()).at(-1);
  const { structured } = await call('analyze_har', { scenarioStepResultId: slowest?.id });
  expect(structured['answer']).toMatch(/^This run is not typical, (?:outlier|unusual): LCP above/);
});

it.each(['summary', 'waterfall', 'third_parties', 'problems', 'requests'])(
  'every view %s fits its budget, links to the file and keeps secrets',
  async (view) => {
    const answer = await analyze({ view });
    expect(answer.isError).toBe(false);
    expect(tokensOf(answer)).toBeLessThanOrEqual(2000);
    expect(answer.structured['view']).toBe(view);
    expect(JSON.stringify(answer)).not.toContain(SECRET_MARK);
    expect(await assistant().read(String(answer.structured['uri']))).toContain('"log"');
  },
);

it('third parties are entities with their domains, the tag by its domain because nobody named it', async () => {
  const { scenarioStepResultId, entries } = await slow();
  const { host } = platform().stories.slowTag;
  const { rows } = await allRows(assistant(), { scenarioStepResultId, view: 'third_parties' });
  const domain = host.split('.').slice(-2).join('.');
  expect(rows.find(({ name }) => name === domain)).toMatchObject({
    party: 'third',
    category: null,
    domains: domain,
    requests: entries.filter(isSlow(host)).length,
    blocking: 2,
  });
  expect(rows.find(({ name }) => name === 'Google Tag Manager')).toMatchObject({
    category: 'tag-manager',
    domains: 'googletagmanager.com',
  });
  expect(rows.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(entries.length);
});

const bytesOf = ({ response }: Entry) => response._transferSize ?? response.bodySize + Math.max(0, response.headersSize);
const indexes = (answer: ToolAnswer) => records(answer).map(({ index }) => Number(index));

it('requests are all reached when the boundary cuts a page to the limit of the settings', { tags: 'nightly' }, async () => {
  const { scenarioStepResultId, entries } = await slow();
  const narrow = await ownAssistant(platform(), { maxResultTokens: 900 });
  const { rows, answers } = await allRows(narrow, { scenarioStepResultId, limit: 50 });
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
  const { entries } = await slow();
  const expected = entries.flatMap((entry, index) => (test(entry) ? [index] : []));
  expect(expected.length).toBeGreaterThan(0);
  const answer = await analyze({ ...filter, limit: 100 });
  expect(answer.structured).toMatchObject({
    view: 'requests',
    page: { matched: expected.length },
    totals: { requests: expected.length },
  });
  expect(indexes(answer).toSorted((a, b) => a - b)).toEqual(expected);
});

it('requests show all timings of the only match', async () => {
  const { entries } = await slow();
  const { host } = platform().stories.slowTag;
  const answer = await analyze({ url: `${host}/widget.css` });
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
  const args = { url: 'swiper-bundle.min.js', limit: 1 };
  const first = await analyze(args);
  const second = await analyze({ ...args, cursor: (first.structured['page'] as PageMember).cursor });
  const seen = [first, second].map(({ structured }) => (structured['request'] as Record<string, unknown>)['index']);
  expect(new Set(seen).size).toBe(2);
  expect(second.structured['page']).toEqual({ matched: 2, from: 2, to: 2 });
});

it('requests that do not exist are none, and no error', async () => {
  const answer = await analyze({ url: 'nowhere' });
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
  expect(await analyze(args)).toMatchObject(refusal(words));
});

it('what cannot be answered a cursor of another list is refused', async () => {
  const first = await analyze({ type: 'image', limit: 2 });
  const { cursor } = first.structured['page'] as PageMember;
  const answer = await analyze({ type: 'script', limit: 2, cursor });
  expect(answer).toMatchObject(refusal(/^cursor belongs to a call with other arguments: /));
  const named = await analyze({ view: 'requests', type: 'image', limit: 3, cursor });
  expect(named).toMatchObject({ isError: false, structured: { page: { from: 3 } } });
});

it('what cannot be answered a filter beside the summary is noted, not dropped in silence', async () => {
  const answer = await analyze({ view: 'summary', status: 404 });
  expect(answer.text).toContain('The summary covers all requests: filters hold in the other views.');
});
