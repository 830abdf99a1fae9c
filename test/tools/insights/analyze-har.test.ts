import type { Entry } from 'har-format';
import { expect, it } from 'vitest';
import { SECRET_MARK } from '../../../src/emulator/world/speed/planted-secrets.ts';
import { openAssistant } from '../../support/assistant.ts';
import { withPlatform } from '../../support/emulator.ts';
import { someOf } from '../../support/sample-size.ts';
import { useTools, whole } from '../support.ts';
import { allRows, slowStep, stepRuns, tokensOf } from './step-runs.ts';

const { platform, assistant, call } = useTools();

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
  const { scenarioStepResultId, entries } = await slowStep(platform());
  const answer = await call('analyze_har', { scenarioStepResultId });
  expect(tokensOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer.structured).toMatchObject({
    view: 'summary',
    totals: { requests: entries.length, transferBytes: expect.any(Number), contentBytes: expect.any(Number) },
  });
  expect(answer.links).toEqual([answer.structured['uri']]);
  expect(whole(answer)).toMatchSnapshot();
});

it.each(someOf([1, 2, 3, 4, 5], 1))(
  'the summary of seed %i puts the blame on the planted tag, as the browser states it',
  { tags: 'nightly' },
  async (seed) => {
    await withPlatform(
      async (other) => {
        const { slowTag } = other.stories;
        const [{ after }, asking] = [await stepRuns(other, slowTag), await openAssistant(other)];
        const { structured } = await asking.call('analyze_har', { scenarioStepResultId: after });
        await asking.close();
        const [worst] = structured['findings'] as Record<string, unknown>[];
        expect(worst).toMatchObject({ problem: 'third_party_blocking', basis: 'stated', when: 'this load' });
        expect(worst?.['says']).toContain(slowTag.host);
        expect(String(structured['answer']).startsWith(String(worst?.['says']))).toBe(true);
      },
      { seed },
    );
  },
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

it.each(['slowTag', 'failing'] as const)(
  'a step of a scenario is the one that analyze_scenario blames in the story %s, where none is named',
  { tags: 'nightly' },
  async (story) => {
    const { scenarioId } = platform().stories[story];
    const { structured: blamed } = await call('analyze_scenario', { scenarioIds: [scenarioId] });
    const { verdict, since, failedSteps } = blamed as { verdict: string; since?: { step: string }; failedSteps?: { step: string }[] };
    const { structured, text } = await call('analyze_har', { scenarioId });
    const name = (verdict === 'failing' ? failedSteps?.[0] : since)?.step ?? 'none';
    expect(structured['run']).toMatchObject({ step: expect.stringContaining(`"${name}"`) });
    expect(text).toMatch(new RegExp(`Step \\d "${name}" of \\d, because (?:it became slower|runs fail at it); step names another\\.`));
  },
);

it('a step of a scenario lists the steps where none is named, and refuses what names no run', { tags: 'nightly' }, async () => {
  const several = await call('analyze_har', { scenarioId: 'Checkout – desktop' });
  expect(several.isError).toBe(true);
  expect(several.text).toContain('name one');
  const none = await call('analyze_har', {});
  expect(none.isError).toBe(true);
  expect(none.text).toContain('scenarioStepResultId: is required (string); or pass scenarioId and step.');
});

it('a run that is unlike those near it is called an outlier in the first words', async () => {
  const slowest = (await soundSteps()).at(-1);
  const { structured } = await call('analyze_har', { scenarioStepResultId: slowest?.id });
  expect(structured['answer']).toMatch(/^This run is not typical, (?:outlier|unusual): LCP above/);
});

it.each(['summary', 'waterfall', 'third_parties', 'problems', 'requests'])(
  'every view %s fits its budget, links to the file and keeps secrets',
  async (view) => {
    const { scenarioStepResultId } = await slowStep(platform());
    const answer = await call('analyze_har', { scenarioStepResultId, view });
    expect(answer.isError).toBe(false);
    expect(tokensOf(answer)).toBeLessThanOrEqual(2000);
    expect(answer.structured['view']).toBe(view);
    expect(JSON.stringify(answer)).not.toContain(SECRET_MARK);
    expect(await assistant().read(String(answer.structured['uri']))).toContain('"log"');
  },
);

it('third parties are entities with their domains, the tag by its domain because nobody named it', async () => {
  const { scenarioStepResultId, entries } = await slowStep(platform());
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
