import { expect, it } from 'vitest';
import { SECRET_MARK } from '../../../src/emulator/world/speed/planted-secrets.ts';
import type { Comparison } from '../../../src/har/compare/har-comparison.ts';
import type { ToolAnswer } from '../../support/assistant.ts';
import { onSeed, SEEDS } from '../seeds.ts';
import { useTools, whole } from '../support.ts';
import { stepRuns, tokensOf } from './step-runs.ts';

const { platform, call } = useTools();

type Sampled = Comparison & { since: string; runs: Record<'before' | 'after', { time: string }[]> };

const comparisonIn = ({ structured }: ToolAnswer) => structured as unknown as Sampled;
const hostOf = ({ url }: { url: string }) => new URL(url).host;

it.each(SEEDS)(
  'before and after the slow tag of seed %i the tag is named by its host, what of it blocks rendering, and what it costs',
  { tags: 'nightly' },
  onSeed(async (asking, other) => {
    const { host } = other.stories.slowTag;
    const answer = await asking.call('compare_hars', await stepRuns(other, other.stories.slowTag));
    const { answer: verdict, samePage, added, net, byParty } = comparisonIn(answer);
    expect(samePage).toBe(true);
    expect(added.filter((request) => hostOf(request) === host).length).toBeGreaterThan(3);
    expect(added.filter(({ blocksRendering }) => blocksRendering).map(hostOf)).toEqual([host, host]);
    expect(verdict).toContain(`2 of them block rendering (${host})`);
    expect(verdict).toMatch(/rendering blocked .* longer/);
    const blocked = net.find(({ measure }) => measure === 'renderBlockedUntilMs');
    expect(blocked?.change).toBeGreaterThan(300);
    expect(byParty[0]).toMatchObject({ name: host.split('.').slice(-2).join('.'), requestsBefore: 0 });
    expect(tokensOf(answer)).toBeLessThanOrEqual(1500);
    expect(JSON.stringify(answer)).not.toContain(SECRET_MARK);
  }),
);

it.each(SEEDS)(
  'typical runs on both sides of the slow tag of seed %i name the tag alone as new, by instant and by the change that the analysis dates',
  { tags: 'nightly' },
  onSeed(async (asking, { stories }) => {
    const { scenarioId, stepId, stepName, dateMs, host } = stories.slowTag;
    const told = await asking.call('compare_hars', { scenarioId, step: String(stepId), since: new Date(dateMs).toISOString() });
    const found = await asking.call('compare_hars', { scenarioId });
    expect(found.text).toMatch(new RegExp(`Step \\d "${stepName}" of \\d+, because it changed`));
    for (const answer of [told, found]) {
      const { hosts, added, since, runs, answer: verdict } = comparisonIn(answer);
      expect(hosts?.filter(({ presence }) => presence === 'new')).toEqual([
        expect.objectContaining({ host, runsBefore: 0, runsAfter: runs.after.length, blocksRendering: true }),
      ]);
      expect(new Set(added.map(hostOf))).toEqual(new Set([host]));
      expect(verdict).toContain(host);
      // The first run after the tag, or one of the two beside it.
      expect(Math.abs(Date.parse(since) - dateMs)).toBeLessThanOrEqual(3 * 3_600_000);
      expect(tokensOf(answer)).toBeLessThanOrEqual(1500);
      for (const { time } of runs.before) expect(Date.parse(time)).toBeLessThan(Date.parse(since));
    }
  }),
);

it('a sample of runs is chosen by an event too, and says which runs it read', async () => {
  const { scenarioId, stepId } = platform().stories.slowTag;
  const events = await platform().ask('listSpeedEvents', { scenarioId }, await platform().token('shop'));
  const [event] = events.events;
  const answer = await call('compare_hars', { scenarioId, step: String(stepId), since: event?.key });
  expect(answer.text).toContain(`(${event?.key})`);
  expect(whole(answer)).toMatchSnapshot();
});

it('a comparison counts every request once, and its net effect is that of the two files', async () => {
  const { before, after } = await stepRuns(platform(), platform().stories.slowTag);
  const answer = await call('compare_hars', { before, after });
  const { counts, net } = comparisonIn(answer);
  const [was, is] = await Promise.all([before, after].map((scenarioStepResultId) => call('analyze_har', { scenarioStepResultId })));
  const totals = [was, is].map((each) => each?.structured['totals'] as Record<string, number>);
  const sumOf = (...names: string[]) => names.reduce((sum, name) => sum + (counts[name as keyof typeof counts] ?? Number.NaN), 0);
  expect(sumOf('matched', 'removed', 'onlyBefore')).toBe(totals[0]?.['requests']);
  expect(sumOf('matched', 'added', 'onlyAfter')).toBe(totals[1]?.['requests']);
  for (const measure of ['requests', 'transferBytes', 'contentBytes', 'onLoadMs']) {
    const [first, second] = totals.map((each) => each[measure]);
    expect(net.find((row) => row.measure === measure)).toMatchObject({ before: first, after: second });
  }
  expect(answer.links).toEqual([answer.structured['beforeUri'], answer.structured['afterUri']]);
  expect(whole(answer)).toMatchSnapshot();
});

it('a run is held against the runs on its level, not over the change beside it', async () => {
  const { slowTag } = platform().stories;
  const { before, after } = await stepRuns(platform(), slowTag);
  const { sides } = comparisonIn(await call('compare_hars', { before, after, scenarioId: slowTag.scenarioId }));
  const medians = sides.map(({ unusual = '' }) => Number(/median ([\d.]+) s/.exec(unusual)?.[1]));
  const { sides: levels } = comparisonIn(
    await call('compare_hars', {
      scenarioId: slowTag.scenarioId,
      step: String(slowTag.stepId),
      since: new Date(slowTag.dateMs).toISOString(),
    }),
  );
  for (const [at, { lcpMs }] of levels.entries()) expect(Math.abs(Math.log((1000 * (medians[at] ?? 0)) / (lcpMs ?? 0)))).toBeLessThan(0.05);
});
