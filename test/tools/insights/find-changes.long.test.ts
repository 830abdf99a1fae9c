import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/tooling/results.ts';
import { openAssistant, sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { openPlatform, type Platform, sharedPlatform } from '../../support/emulator.ts';
import { inFullRun, someOf } from '../../support/sample-size.ts';
import { truthOf } from '../../support/truth.ts';
import { whole } from '../support.ts';

interface Change {
  readonly line: string;
  readonly shape: string;
  readonly from: string;
  readonly to?: string;
  readonly goesOn: boolean;
  readonly mayChange: boolean;
  readonly where: Readonly<Record<string, string | number>>;
  readonly parts: readonly { readonly metric: string; readonly changePercent: number; readonly byMix?: string }[];
  readonly coincidesWith?: { readonly metric: string; readonly from: string };
  readonly effect?: { readonly metric: string; readonly value: number; readonly unit: string };
  readonly pValue: number;
}

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
const changesIn = ({ structured }: ToolAnswer) => (structured['changes'] ?? []) as Change[];
const said = ({ structured }: ToolAnswer) => String(structured['answer']);
const notes = ({ structured }: ToolAnswer) => (structured['notes'] as string[]).join('\n');
const looked = ({ structured }: ToolAnswer) => structured['looked'] as Record<string, number | string>;

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const after = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS);
const bounds = (first: string, last: string) => ({ from: `${first}T00:00:00.000Z`, to: `${last}T23:59:59.999Z` });

/** Answers on a platform of its own with what was planted there. */
async function onSeed<T>(seed: number, credential: 'shop' | 'content', run: (answer: ToolAnswer, platform: Platform) => T): Promise<T> {
  const own = await openPlatform({ seed });
  const assistant = await openAssistant(own, { credential });
  try {
    return run(await assistant.call('find_changes'), own);
  } finally {
    await assistant.close();
    await own.close();
  }
}

describe('what changed in four weeks', () => {
  it('is one line each, in at most 44 requests and 1,500 tokens, no request twice', async () => {
    const answer = await findUsual();
    const sent = platform().requests.map(({ url, body }) => `${url} ${JSON.stringify(body)}`);
    expect(new Set(sent).size).toBe(sent.length);
    expect(whole(answer)).toMatchSnapshot();
    expect(countTokens(answer.text)).toBeLessThanOrEqual(1_500);
    expect(platform().requests.length).toBeLessThanOrEqual(44);
    expect(answer.structured['total']).toBe(changesIn(answer).length);
    const { device, startDay } = platform().stories.conversionFall;
    const size = Math.round(-Number(changesIn(answer)[0]?.parts[0]?.['changePercent']));
    expect(said(answer)).toBe(
      `${changesIn(answer).length} changes in the 28 days from 2026-10-23 to 2026-11-19, first: Conversion rate (${device}) -${size}% ` +
        `since ${startDay}; ${looked(answer)['series']} series looked at. ` +
        'Beside the list 2026-11-01 revenue (mobile) +217% stands out; a single very large order may be all there is.',
    );
    for (const { line } of changesIn(answer)) expect(answer.text).toContain(line);
  });

  it('puts first what costs most, and says of what: the figure is that of the sessions', async () => {
    const [first, ...rest] = changesIn(await findUsual());
    const { device, startDay } = platform().stories.conversionFall;
    expect(first).toMatchObject({ shape: 'step', from: startDay, goesOn: true, where: { device } });
    const selection = { device };
    const before = truthOf(platform(), { ...bounds(after(startDay, -35), after(startDay, -1)), ...selection });
    const since = truthOf(platform(), { ...bounds(startDay, '2026-11-19'), ...selection });
    const change = 100 * (since.conversionRate / before.conversionRate - 1);
    expect(first?.parts[0]).toMatchObject({ metric: 'conversionRate', changePercent: expect.closeTo(change, -1) });
    // Revenue at the rate and the basket of the weeks before, for the visits that came.
    const usual = (since.visits * before.revenue) / before.visits;
    expect(first?.effect).toMatchObject({ metric: 'revenueSum', unit: 'EUR' });
    expect((first?.effect?.value ?? 0) / (since.revenue - usual)).toBeGreaterThan(0.6);
    expect((first?.effect?.value ?? 0) / (since.revenue - usual)).toBeLessThan(1.6);
    const sizes = rest.flatMap(({ effect }) => (effect ? [Math.abs(effect.value)] : []));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('names days that stand out by themselves once, for all visitors', async () => {
    const outliers = changesIn(await findUsual()).filter(({ shape }) => shape === 'outlier');
    const holidays = platform().stories.holidays.filter(({ projectId, day }) => projectId === 1201 && day >= '2026-10-23');
    expect(outliers.map(({ from }) => from).toSorted()).toEqual(holidays.map(({ day }) => day).toSorted());
    expect(outliers.map(({ where }) => where)).toEqual(outliers.map(() => ({ device: 'all' })));
  });

  inFullRun(() => {
    it('in another zone are days of that zone, without the day of 25 hours', async () => {
      const answer = await find({}, paris);
      expect(answer.structured['range']).toMatchObject({ start: '2026-10-23T00:00:00.000+02:00', end: '2026-11-19T23:59:59.999+01:00' });
      expect(changesIn(answer)[0]).toMatchObject({ from: platform().stories.conversionFall.startDay });
      expect(platform().requests.length).toBeLessThanOrEqual(44);
    });
  });
});

describe.each(someOf([2, 3, 7], 1))('on the platform of seed %d', (seed) => {
  it('the fall of the conversion rate is one line: device, first day, that it goes on', async () => {
    await onSeed(seed, 'shop', (answer, { stories }) => {
      const { device, startDay } = stories.conversionFall;
      const own = changesIn(answer).filter(({ parts: [first] }) => first?.metric === 'conversionRate');
      expect(own).toHaveLength(1);
      expect(own[0]).toMatchObject({ shape: 'step', from: startDay, goesOn: true, where: { device } });
      expect(changesIn(answer)[0]).toEqual(own[0]);
    });
  });

  inFullRun(() => {
    it('the campaign is one line: more visits for some days, and the rate of all only by the mix', async () => {
      await onSeed(seed, 'content', (answer, { stories }) => {
        const { startDay, endDay } = stories.mixCampaign;
        const isSeen = endDay >= '2026-10-25';
        const own = changesIn(answer).filter(({ shape, parts: [first] }) => shape === 'episode' && (first?.changePercent ?? 0) > 100);
        expect(own).toHaveLength(isSeen ? 1 : 0);
        if (!isSeen) return;
        expect(own[0]).toMatchObject({ goesOn: false, to: endDay });
        expect(own[0]?.from).toBe(startDay < '2026-10-23' ? '2026-10-23' : startDay);
        expect(own[0]?.parts[0]).toMatchObject({ metric: 'visits' });
        const rates = changesIn(answer).filter(
          ({ from, to, parts: [first] }) => from === startDay && to === endDay && first?.metric === 'conversionRate',
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
      expect(changesIn(answer)).toEqual([
        expect.objectContaining({ from: startDay, goesOn: true, mayChange: true, where: expect.objectContaining({ zoneId: zone.id }) }),
      ]);
      const [first] = changesIn(answer)[0]?.parts ?? [];
      expect(first).toMatchObject({ metric: 'tapRate', changePercent: expect.closeTo(100 * (factor - 1), -1) });
      expect(notes(answer)).toContain('The last 7 days may still change');
      expect(platform().requests.length).toBeLessThanOrEqual(44);
    });

    it('are left out by default, and are looked at one by one by name', async () => {
      const none = changesIn(await find({}, app)).filter(({ where }) => 'zoneId' in where);
      expect(none).toEqual([]);
      const { zone } = platform().stories.zoneTapChange;
      const one = await find({ zoneIds: [String(zone.id)], metrics: ['tapRate'] }, app);
      expect(changesIn(one)).toEqual([expect.objectContaining({ where: expect.objectContaining({ zoneId: zone.id }) })]);
      expect(looked(one)).toMatchObject({ series: 1 });
    });
  });
});

describe('speed', () => {
  it('stands in the same list, beside the change of conversion that began with it', async () => {
    const answer = await find({ include: ['site', 'performance'] });
    expect(whole(answer)).toMatchSnapshot();
    expect(countTokens(answer.text)).toBeLessThanOrEqual(1_500);
    expect(platform().requests.length).toBeLessThanOrEqual(44);
    const { slowTag, conversionFall } = platform().stories;
    // In this world the tag came on the very day on which fewer visitors began to buy.
    expect(dayOf(slowTag.dateMs)).toBe(conversionFall.startDay);
    const [first, second] = changesIn(answer);
    expect(first).toMatchObject({ from: conversionFall.startDay, where: { device: conversionFall.device } });
    expect(second).toMatchObject({
      shape: 'step',
      from: dayOf(slowTag.dateMs),
      goesOn: true,
      where: { scenarioId: slowTag.scenarioId, scenario: slowTag.scenarioName, step: slowTag.stepName },
      coincidesWith: { metric: 'conversionRate', from: conversionFall.startDay },
    });
    const moved = second?.parts.find(({ metric }) => metric === slowTag.metric);
    expect(moved?.changePercent).toBeCloseTo(100 * (slowTag.factor - 1), -1);
    expect(second?.line).toContain('a coincidence in time, not shown to be its cause');
    expect(answer.structured['total']).toBe(changesIn(answer).length);
    const { series, speedSeries, scenarios } = looked(answer);
    expect(said(answer)).toContain(`${series} series looked at, ${speedSeries} of them of ${scenarios} speed scenarios.`);
    for (const { line } of changesIn(answer)) expect(answer.text).toContain(line);
    expect(notes(answer)).toContain('Site: at a false discovery rate of 5 %');
    expect(notes(answer)).toContain('Speed: at a false discovery rate of 3 %');
  });

  inFullRun(() => {
    it('alone is one line for each change of a scenario, by the engine of analyze_scenario', async () => {
      const answer = await find({ include: ['speed'], devices: ['mobile'] });
      const { slowTag } = platform().stories;
      expect(changesIn(answer).map(({ where }) => where['scenarioId'])).toEqual([slowTag.scenarioId]);
      expect(changesIn(answer)[0]).not.toHaveProperty('coincidesWith');
      expect(said(answer)).toMatch(/^1 change in the 28 days from \S+ to \S+: .+; \d+ series of 6 speed scenarios looked at\.$/);
      expect(notes(answer)).toContain('devices: speed scenarios have none');
      expect(notes(answer)).not.toContain('5 %');
      const judged = await shop().call('analyze_scenario', {
        scenarioIds: [slowTag.scenarioName],
        startDate: '2026-10-23',
        endDate: '2026-11-19',
      });
      expect(judged.structured['since']).toMatchObject({ time: (changesIn(answer)[0] as { fromTime?: string } | undefined)?.fromTime });
    });
  });

  inFullRun(() => {
    it('before the days that are looked at is told where it goes on, and that it began before them', async () => {
      const answer = await find({ include: ['speed'], days: 4 });
      expect(said(answer)).toMatch(
        /^1 change in the 4 days from 2026-11-16 to 2026-11-19 \(begun before and going on\): LCP of scenario "/,
      );
      expect(changesIn(answer).map(({ line }) => line)).toEqual([expect.stringContaining(', before these days, ')]);
    });
  });

  it('out of reach is said, and the site is looked at all the same', async () => {
    platform().faults.add({ kind: 'refused', operation: 'listScenarioReports' });
    const answer = await find({ include: ['site', 'speed'], metrics: ['visits'] });
    expect(answer.isError).toBe(false);
    expect(notes(answer)).toContain('Speed scenarios could not be read and are not looked at');
    expect(looked(answer)).not.toHaveProperty('speedSeries');
    const alone = await find({ include: ['speed'] });
    expect(alone.isError).toBe(true);
  });
});

describe('what is asked for', () => {
  it('narrows what is looked at', async () => {
    const { device } = platform().stories.conversionFall;
    const answer = await find({ metrics: ['conversions'], devices: [device], segmentIds: ['Germany'], goalIds: ['Purchase'] });
    expect(looked(answer)).toMatchObject({ series: 2 });
    expect(changesIn(answer)[0]).toMatchObject({ from: platform().stories.conversionFall.startDay, where: { device, goal: 'Purchase' } });
    expect(changesIn(answer)[0]?.parts.map(({ metric }) => metric)).toEqual(['conversionRate']);
  });

  it('lists as many as the limit, and counts the rest', async () => {
    const all = await findUsual();
    const one = await find({ limit: 1 });
    expect(changesIn(one)).toEqual(changesIn(all).slice(0, 1));
    expect(one.structured['total']).toBe(all.structured['total']);
    expect(said(one)).toContain('The first one is listed; limit asks for more.');
  });

  it('is said to be nothing where nothing changed', async () => {
    const answer = await find({ days: 5, metrics: ['bounceRate'] });
    expect(changesIn(answer)).toEqual([]);
    expect(said(answer)).toMatch(
      /^Nothing changed beyond chance in the 5 days from 2026-11-15 to 2026-11-19: \d+ series looked at, 0 changes\.$/,
    );
    // A site that is visited on desktops is no app.
    expect(notes(answer)).not.toContain('Zones of apps');
  });

  it('is said of the site where zones are too many to look through, and refused of zones alone', async () => {
    const both = await find({ include: ['site', 'zones'], metrics: ['visits'] });
    expect(both.isError).toBe(false);
    expect(looked(both)['series']).toBeGreaterThan(0);
    expect(notes(both)).toContain('Zones are not looked at: the project has too many zonings to look through all.');
    const alone = await find({ include: ['zones'] });
    expect([alone.isError, alone.text]).toEqual([true, expect.stringContaining('too many zonings to look through all; name zones.')]);
  });

  it('is refused where it does not go together', async () => {
    const zones = await find({ metrics: ['tapRate'] });
    expect([zones.isError, zones.text]).toEqual([true, expect.stringContaining('include: ["site", "zones"] or zoneIds looks at zones')]);
    const other = await find({ include: ['weather'] });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining('include')]);
    const speed = await find({ include: ['speed'], metrics: ['visits'] });
    expect([speed.isError, speed.text]).toEqual([true, expect.stringContaining('include: ["site"] looks at the site')]);
    const long = await find({ days: 93 });
    expect([long.isError, long.text]).toEqual([true, expect.stringContaining('days')]);
  });
});

describe('what a reader has to know', () => {
  it('is said: the project, what taught the usual, how sure the lines are', async () => {
    const answer = await find({ metrics: ['visits'] }, account);
    expect(notes(answer)).toContain('Project: Nordlicht Shop (1201).');
    expect(notes(await find({ metrics: ['visits'] }))).not.toContain('Project:');
    expect(notes(answer)).toContain('What is usual was learned from the 156 days before 2026-10-23.');
    expect(notes(answer)).toContain('false discovery rate of 5 %');
    expect(answer.structured['looked']).toMatchObject({ dataSince: '2026-05-20' });
  });

  inFullRun(() => {
    it('is told apart by goal where a project has no e-commerce', async () => {
      const answer = await find({}, content);
      expect(answer.structured['ranking']).toContain('conversions');
      const { goal } = platform().stories.mixCampaign;
      expect(answer.text).toContain(goal.name);
    });
  });
});
