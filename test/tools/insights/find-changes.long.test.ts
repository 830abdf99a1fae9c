import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/findings/finding.ts';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { countTokens } from '../../../src/tooling/results.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { type Platform, sharedPlatform } from '../../support/emulator.ts';
import { inFullRun, someOf } from '../../support/sample-size.ts';
import { truthOf, wholeDays } from '../../support/truth.ts';
import { findingsOf, notesOf, refusal, whole, withTools } from '../support.ts';

const platform = sharedPlatform();
const shop = sharedAssistant(platform, { credential: 'shop' });
const content = sharedAssistant(platform, { credential: 'content' });
const app = sharedAssistant(platform, { credential: 'app' });
const account = sharedAssistant(platform);
const paris = sharedAssistant(platform, { credential: 'shop', timeZone: 'Europe/Paris' });
const find = (args: Record<string, unknown> = {}, assistant = shop) => assistant().call('find_changes', args);
let asked: Promise<ToolAnswer> | undefined;
/** The answer to the question without arguments, asked once: the scan is long. */
const findUsual = () => (asked ??= find());
/** The findings of each change, whose metrics follow each other and have its days. */
function changesIn(answer: ToolAnswer): Finding[][] {
  const changes: Finding[][] = [];
  for (const finding of findingsOf(answer)) {
    const { from, to } = changes.at(-1)?.[0]?.when ?? {};
    if (changes.length > 0 && from === finding.when.from && to === finding.when.to) changes.at(-1)?.push(finding);
    else changes.push([finding]);
  }
  return changes;
}
/** The first finding of each change. */
const firstOf = (answer: ToolAnswer) => changesIn(answer).flatMap(([first]) => first ?? []);
const said = ({ structured }: ToolAnswer) => String(structured['answer']);
const looked = ({ structured }: ToolAnswer) => structured['looked'] as Record<string, number | string>;

const dayOf = (ms: number) => isoTime(ms).slice(0, 10);

/** Looks through a platform of its own, and at what was planted there. */
const onSeed = (seed: number, credential: 'shop' | 'content', look: (answer: ToolAnswer, platform: Platform) => void) =>
  withTools(async (assistant, own) => look(await assistant.call('find_changes'), own), { credential }, { seed });

describe('what changed in four weeks', () => {
  it('is one line each, in at most 44 requests and 1,500 tokens, no request twice', { tags: 'nightly' }, async () => {
    const answer = await findUsual();
    const sent = platform().requests.map(({ url, body }) => `${url} ${JSON.stringify(body)}`);
    expect(new Set(sent).size).toBe(sent.length);
    expect(whole(answer)).toMatchSnapshot();
    expect(countTokens(answer.text)).toBeLessThanOrEqual(1_500);
    expect(platform().requests.length).toBeLessThanOrEqual(44);
    const { length } = changesIn(answer);
    expect(answer.structured['total']).toBe(length);
    const { device, startDay } = platform().stories.conversionFall;
    const [first] = firstOf(answer);
    expect(first).toMatchObject({ subject: 'conversionRate', place: { device }, when: { from: startDay } });
    expect(said(answer)).toMatch(
      new RegExp(`^Mobile conversion rate has been \\d+% lower since 10 Nov\\. .* There are ${length - 1} more changes, listed below\\.$`),
    );
    for (const { sentence } of findingsOf(answer)) expect(answer.text).toContain(sentence);
  });

  it('puts first what costs most, and says of what: the figure is that of the sessions', async () => {
    const [first, ...rest] = firstOf(await findUsual());
    const { device, startDay } = platform().stories.conversionFall;
    expect(first).toMatchObject({ subject: 'conversionRate', when: { shape: 'step', from: startDay, ongoing: true }, place: { device } });
    const selection = { device };
    const before = truthOf(platform(), { ...wholeDays(dayAfter(startDay, -35), dayAfter(startDay, -1)), ...selection });
    const since = truthOf(platform(), { ...wholeDays(startDay, '2026-11-19'), ...selection });
    const change = 100 * (since.conversionRate / before.conversionRate - 1);
    expect(first?.change?.percent).toBeCloseTo(change, -1);
    expect(first?.now).toBeCloseTo(since.conversionRate, 2);
    // Revenue at the rate and the basket of the weeks before, for the visits that came.
    const usual = (since.visits * before.revenue) / before.visits;
    expect(first?.cost).toMatchObject({ of: 'revenueSum', unit: 'EUR', from: startDay, to: '2026-11-19' });
    expect((first?.cost?.value ?? 0) / (since.revenue - usual)).toBeGreaterThan(0.6);
    expect((first?.cost?.value ?? 0) / (since.revenue - usual)).toBeLessThan(1.6);
    const sizes = rest.flatMap(({ cost }) => (cost ? [Math.abs(cost.value)] : []));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('names days that stand out by themselves once, for all visitors', async () => {
    const days = firstOf(await findUsual()).filter(({ when }) => when.shape === 'day');
    const holidays = platform().stories.holidays.filter(({ projectId, day }) => projectId === 1201 && day >= '2026-10-23');
    expect(new Set(days.map(({ when }) => when.from))).toEqual(new Set(holidays.map(({ day }) => day)));
    expect(days.map(({ place, when: { ongoing } }) => [place, ongoing])).toEqual(days.map(() => [{}, false]));
    // The call that looks closer is of that day.
    expect(days.map(({ more }) => more?.arguments)).toEqual(
      days.map(({ when: { from } }) => expect.objectContaining({ startDate: from, endDate: from })),
    );
  });

  inFullRun(() => {
    it('in another zone are days of that zone, without the day of 25 hours', async () => {
      const answer = await find({}, paris);
      expect(answer.structured['range']).toMatchObject({ start: '2026-10-23T00:00:00.000+02:00', end: '2026-11-19T23:59:59.999+01:00' });
      expect(firstOf(answer)[0]?.when.from).toBe(platform().stories.conversionFall.startDay);
      expect(platform().requests.length).toBeLessThanOrEqual(44);
    });
  });
});

describe.each(someOf([2, 3, 7], 1))('on the platform of seed %d', (seed) => {
  it('the fall of the conversion rate is one line: device, first day, that it goes on', { tags: 'nightly' }, async () => {
    await onSeed(seed, 'shop', (answer, { stories }) => {
      const { device, startDay } = stories.conversionFall;
      const own = firstOf(answer).filter(({ subject }) => subject === 'conversionRate');
      expect(own).toEqual([
        expect.objectContaining({ when: expect.objectContaining({ shape: 'step', from: startDay, ongoing: true }), place: { device } }),
      ]);
      expect(findingsOf(answer)[0]).toEqual(own[0]);
    });
  });

  inFullRun(() => {
    it('the campaign is one line: more visits for some days, and the rate of all only by the mix', async () => {
      await onSeed(seed, 'content', (answer, { stories }) => {
        const { startDay, endDay } = stories.mixCampaign;
        const isSeen = endDay >= '2026-10-25';
        const own = firstOf(answer).filter(({ when, change }) => when.shape === 'episode' && (change?.percent ?? 0) > 100);
        expect(own).toHaveLength(isSeen ? 1 : 0);
        if (!isSeen) return;
        const from = startDay < '2026-10-23' ? '2026-10-23' : startDay;
        expect(own[0]).toMatchObject({ subject: 'visits', when: { from, to: endDay, ongoing: false } });
        const rates = firstOf(answer).filter(
          ({ when, subject }) => when.from === startDay && when.to === endDay && subject === 'conversionRate',
        );
        expect(rates).toEqual([]);
      });
    });
  });
});

inFullRun(() => {
  describe('zones', () => {
    it('are looked at where they are asked for, with days that may still change', async () => {
      const answer = await find({ include: ['zones'] }, app);
      const { zone, startDay, factor } = platform().stories.zoneTapChange;
      expect(firstOf(answer)).toEqual([
        expect.objectContaining({
          subject: 'tapRate',
          when: expect.objectContaining({ from: startDay, ongoing: true }),
          change: expect.objectContaining({ percent: expect.closeTo(100 * (factor - 1), -1) }),
          more: expect.objectContaining({ arguments: expect.objectContaining({ zoneIds: [zone.id] }) }),
        }),
      ]);
      expect(notesOf(answer)).toContain('The last 7 days may still change');
      // Beside the lists that lead to them, which are kept.
      expect(platform().requests.filter(({ url }) => url.includes('/metrics/')).length).toBeLessThanOrEqual(36);
    });

    it('are looked at in an app by default, in a look of its own and with days that may still change', async () => {
      const answer = await find({}, app);
      const { startDay } = platform().stories.zoneTapChange;
      expect(firstOf(answer).filter(({ place }) => 'zone' in place)).toEqual([
        expect.objectContaining({ when: expect.objectContaining({ from: startDay, ongoing: true }) }),
      ]);
      expect(notesOf(answer)).toContain('Zone metrics of the last 7 days may still be corrected.');
      expect(platform().requests.length).toBeLessThanOrEqual(2 * 44);
    });

    it('are all looked at over three months too', async () => {
      const answer = await find({ include: ['zones'], days: 90 }, app);
      expect(firstOf(answer)[0]).toMatchObject({ when: { from: platform().stories.zoneTapChange.startDay } });
      expect(said(answer)).not.toContain('looked at');
    });

    it('are looked at one by one by name, and said not to be where the site alone was asked for', async () => {
      const { zone, startDay } = platform().stories.zoneTapChange;
      const one = await find({ zoneIds: [String(zone.id)], metrics: ['tapRate'] }, app);
      expect(findingsOf(one).map(({ subject, when }) => [subject, when.from])).toEqual([['tapRate', startDay]]);
      expect(looked(one)).toMatchObject({ series: 1 });
      expect(said(await find({ include: ['site'] }, app))).toContain('The zones of this app were not looked at.');
    });
  });
});

describe('speed', () => {
  it('stands in the same list, beside the change of conversion that began with it', { tags: 'nightly' }, async () => {
    const answer = await find({ include: ['site', 'performance'] });
    expect(countTokens(answer.text)).toBeLessThanOrEqual(1_500);
    expect(platform().requests.length).toBeLessThanOrEqual(44);
    const { slowTag, conversionFall } = platform().stories;
    // In this world the tag came on the very day on which fewer visitors began to buy.
    expect(dayOf(slowTag.dateMs)).toBe(conversionFall.startDay);
    const [[first] = [], moves = []] = changesIn(answer);
    expect(first).toMatchObject({
      when: { from: conversionFall.startDay },
      place: { device: conversionFall.device },
      causes: [expect.objectContaining({ kind: 'event', name: expect.stringContaining(slowTag.scenarioName), basis: 'same time' })],
    });
    const moved = moves.find(({ subject }) => subject === slowTag.metric);
    expect(moved).toMatchObject({
      when: { shape: 'step', from: expect.stringContaining(dayOf(slowTag.dateMs)), ongoing: true },
      place: { scenario: slowTag.scenarioName, step: slowTag.stepName },
      more: { tool: 'analyze_scenario', arguments: { scenarioIds: [slowTag.scenarioId] } },
    });
    expect(moved?.change?.percent).toBeCloseTo(100 * (slowTag.factor - 1), -1);
    expect(said(answer)).toContain(`close in time: a higher LCP in "${slowTag.scenarioName}"`);
    expect(answer.structured['total']).toBe(changesIn(answer).length);
    const { series, speedSeries, scenarios } = looked(answer);
    expect([Number(series) > Number(speedSeries), Number(speedSeries) > 0, scenarios]).toEqual([true, true, 6]);
    for (const { sentence } of findingsOf(answer)) expect(answer.text).toContain(sentence);
    expect(notesOf(answer)).toContain('Site: at a false discovery rate of 5 %');
    expect(notesOf(answer)).toContain('Speed: at a false discovery rate of 3 %');
  });

  inFullRun(() => {
    it('alone is one line for each change of a scenario, by the engine of analyze_scenario', async () => {
      const answer = await find({ include: ['speed'], devices: ['mobile'] });
      const { slowTag } = platform().stories;
      expect(changesIn(answer)).toHaveLength(1);
      const [first] = findingsOf(answer);
      expect(first?.more?.arguments).toEqual({ scenarioIds: [slowTag.scenarioId] });
      for (const { place } of findingsOf(answer)) expect(place.scenario).toBe(slowTag.scenarioName);
      expect(looked(answer)).toMatchObject({ scenarios: 6 });
      expect(notesOf(answer)).toContain('devices: speed scenarios have none');
      expect(notesOf(answer)).not.toContain('5 %');
      const judged = await shop().call('analyze_scenario', {
        scenarioIds: [slowTag.scenarioName],
        startDate: '2026-10-23',
        endDate: '2026-11-19',
      });
      expect(findingsOf(judged)[0]?.when.from).toBe(firstOf(answer)[0]?.when.from);
    });
  });

  inFullRun(() => {
    it('before the days that are looked at is told where it goes on, and that it began before them', async () => {
      const answer = await find({ include: ['speed'], days: 4 });
      const { slowTag } = platform().stories;
      expect(firstOf(answer)).toEqual([
        expect.objectContaining({
          when: expect.objectContaining({ from: expect.stringContaining(dayOf(slowTag.dateMs)), ongoing: true }),
        }),
      ]);
      expect(said(answer)).toContain(' since 10 Nov');
    });
  });

  it('out of reach is said, and the site is looked at all the same', { tags: 'nightly' }, async () => {
    platform().faults.add({ kind: 'refused', operation: 'listScenarioReports' });
    const answer = await find({ include: ['site', 'speed'], metrics: ['visits'] });
    expect(answer.isError).toBe(false);
    expect(notesOf(answer)).toContain('Speed scenarios could not be read and are not looked at');
    expect(looked(answer)).not.toHaveProperty('speedSeries');
    const alone = await find({ include: ['speed'] });
    expect(alone.isError).toBe(true);
  });
});

describe('what is asked for', () => {
  it('narrows what is looked at, and one segment is told by its own size and cost', async () => {
    const { device } = platform().stories.conversionFall;
    const answer = await find({ metrics: ['conversions'], devices: [device], segmentIds: ['Germany'], goalIds: ['Purchase'] });
    expect(looked(answer)).toMatchObject({ series: 3 });
    expect(changesIn(answer)[0]).toEqual([
      expect.objectContaining({
        subject: 'conversionRate',
        when: expect.objectContaining({ from: platform().stories.conversionFall.startDay }),
        place: { device, segment: 'Germany', goal: 'Purchase' },
      }),
    ]);
  });

  it('lists as many as the limit, and counts the rest', { tags: 'nightly' }, async () => {
    const all = await findUsual();
    const one = await find({ limit: 1 });
    expect(changesIn(one)).toEqual(changesIn(all).slice(0, 1));
    expect(one.structured['total']).toBe(all.structured['total']);
    expect(said(one)).toMatch(/ There are \d+ more changes; limit lists more\./);
  });

  it('is said to be nothing where nothing changed', { tags: 'nightly' }, async () => {
    const answer = await find({ days: 5, metrics: ['bounceRate'] });
    expect(changesIn(answer)).toEqual([]);
    // A site that is visited on desktops is no app, whose zones would be missed.
    expect(said(answer)).toBe('Nothing changed beyond chance in bounce rate from 15 to 19 Nov.');
    expect(looked(answer)['series']).toBeGreaterThan(0);
  });

  it('is said of the site where zones are too many to look through, and refused of zones alone', { tags: 'nightly' }, async () => {
    const both = await find({ include: ['site', 'zones'], metrics: ['visits'] });
    expect(both.isError).toBe(false);
    expect(looked(both)['series']).toBeGreaterThan(0);
    expect(notesOf(both)).toContain('Zones are not looked at: the project has too many zonings to look through all.');
    const alone = await find({ include: ['zones'] });
    expect(alone).toMatchObject(refusal('too many zonings to look through all; name zones.'));
  });
});

describe('what a reader has to know', () => {
  it('is said: the project, what taught the usual, how sure the lines are', { tags: 'nightly' }, async () => {
    const answer = await find({ metrics: ['visits'] }, account);
    expect(notesOf(answer)).toContain('Project: Nordlicht Shop (1201).');
    expect(notesOf(await find({ metrics: ['visits'] }))).not.toContain('Project:');
    expect(notesOf(answer)).toContain('What is usual was learned from the ordinary days among the 156 before 2026-10-23.');
    expect(notesOf(answer)).toContain('false discovery rate of 5 %');
    expect(answer.structured['looked']).toMatchObject({ dataSince: '2026-05-20' });
  });

  it('is learned from the days that are kept where those before the range reach beyond them', async () => {
    const answer = await find({ startDate: '2026-01-20', endDate: '2026-03-07', metrics: ['visits'] });
    expect(looked(answer)).toMatchObject({ dataSince: '2025-10-21', withTooFewData: 0 });
    expect(looked(answer)['requests']).toBeLessThanOrEqual(44);
    expect(notesOf(answer)).not.toMatch(/could not be read/);
    expect(notesOf(answer)).toContain(
      'Data since 2025-10-21: what is usual was learned from the ordinary days among the 91 before 2026-01-20.',
    );
  });

  inFullRun(() => {
    it('is told apart by goal where a project has no e-commerce', async () => {
      const answer = await find({}, content);
      const costs = findingsOf(answer).flatMap(({ cost }) => cost?.of ?? []);
      expect(new Set(costs)).toEqual(new Set(['visits']));
      const { goal } = platform().stories.mixCampaign;
      expect(answer.text).toContain(goal.name);
    });
  });
});
