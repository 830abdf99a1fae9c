import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { countTokens } from '../../../src/tooling/results.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { truthOf } from '../../support/truth.ts';
import { findingsOf, records, whole } from '../support.ts';

const platform = sharedPlatform();
const shop = sharedAssistant(platform, { credential: 'shop' });
const content = sharedAssistant(platform, { credential: 'content' });
const noSpeed = sharedAssistant(platform, { credential: 'noSpeed' });
const paris = sharedAssistant(platform, { credential: 'shop', timeZone: 'Europe/Paris' });
const compare = (args: Record<string, unknown>, assistant = shop) => assistant().call('compare_metrics', args);
const WEEK = { startDate: '2026-11-09', endDate: '2026-11-15' };
let ofWeek: Promise<ToolAnswer> | undefined;
/** The answer that several tests read, asked once. */
const week = () => (ofWeek ??= compare(WEEK));
const list = ({ structured }: ToolAnswer, member: string) => (structured[member] ?? []) as Record<string, string | number | null>[];
const sum = (rows: readonly Record<string, string | number | null>[], name: string) =>
  rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
const notes = ({ structured }: ToolAnswer) => (structured['notes'] as string[]).join('\n');

/** The seven days from a day on. */
const daysFrom = (day: string) =>
  Array.from({ length: 7 }, (_, index) => new Date(Date.parse(day) + index * DAY_MS).toISOString().slice(0, 10));

/** The pictures of an answer, from top to bottom. */
function panelsIn({ structured }: ToolAnswer): Panel[] {
  const { chart } = structured as { chart: Panel & { panels?: Panel[] } };
  return chart.panels ?? [chart];
}
interface Panel {
  readonly title?: string;
  readonly kind: string;
  readonly times?: string[];
  readonly series?: { readonly name: string }[];
  readonly change?: number & { readonly time: string };
  readonly steps?: { readonly group: string; readonly part: string; readonly value: number }[];
}

describe('two weeks', () => {
  it('are compared in one answer, whose text is at most 700 tokens long', { tags: 'nightly' }, async () => {
    const answer = await week();
    expect(whole(answer)).toMatchSnapshot();
    expect(countTokens(answer.text)).toBeLessThanOrEqual(700);
    expect(countTokens(JSON.stringify(answer.structured))).toBeLessThanOrEqual(1_500);
  });

  it('hold what the sessions hold, and add up: devices, segments, factors of revenue', async () => {
    const answer = await week();
    const before = truthOf(platform(), { from: '2026-11-02T00:00:00.000Z', to: '2026-11-08T23:59:59.999Z' });
    const after = truthOf(platform(), { from: '2026-11-09T00:00:00.000Z', to: '2026-11-15T23:59:59.999Z' });
    const [rate, visits, revenue] = records(answer);
    expect(rate).toMatchObject({ before: expect.closeTo(before.conversionRate, 3), after: expect.closeTo(after.conversionRate, 3) });
    expect(visits).toMatchObject({ before: before.visits, after: after.visits, change: after.visits - before.visits });
    expect(revenue).toMatchObject({ before: expect.closeTo(before.revenue, 2), after: expect.closeTo(after.revenue, 2) });

    const sums = list(answer, 'sums').find(({ metric }) => metric === 'conversionRate');
    const devices = list(answer, 'devices');
    expect(devices.map(({ device }) => device)).toEqual(['desktop', 'mobile', 'tablet', 'other or unknown device']);
    const change = Number(rate?.['change']);
    expect(sum(devices, 'contribution') + Number(sums?.['remainder'])).toBeCloseTo(change, 6);
    expect(sum(devices, 'mix') + sum(devices, 'rate') + Number(sums?.['remainder'])).toBeCloseTo(change, 6);
    expect(sum(devices, 'shareAfter')).toBeCloseTo(100, 1);
    expect(list(answer, 'segments')).toHaveLength(4);
    const split = answer.structured['revenue'] as Record<string, number>;
    expect(Number(split['visits']) + Number(split['conversion']) + Number(split['basket']) + Number(split['remainder'])).toBeCloseTo(
      after.revenue - before.revenue,
      2,
    );
  });

  it('name what else happened near the first day, where the credential may know', { tags: 'nightly' }, async () => {
    const { slowTag, conversionFall } = platform().stories;
    const firstDay = { startDate: conversionFall.startDay, endDate: conversionFall.startDay };
    for (const answer of [await week(), await compare(firstDay)])
      expect(list(answer, 'events').map(({ event }) => event)).toContain(slowTag.eventText);
    const without = await compare(WEEK, noSpeed);
    expect(without.structured['events']).toBeUndefined();
    expect(notes(without)).toContain('lacks the scope speed-analysis');
  });

  it('that differ within noise have no causes: nothing is a share of such a change', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2026-10-12', endDate: '2026-10-18', metrics: ['conversionRate'], chart: true });
    expect(records(answer).map(({ verdict }) => verdict)).toEqual(['within noise']);
    expect(findingsOf(answer).map(({ verdict, place, causes }) => [verdict, place, causes])).toEqual([['unchanged', {}, []]]);
    expect(answer.structured['segments']).toBeUndefined();
    expect(list(answer, 'devices').map(({ verdict }) => verdict)).toEqual(['within noise', 'within noise', 'within noise', null]);
    expect(notes(answer)).toContain('Segments were not looked at: no change is clear that they could explain.');
    expect(panelsIn(answer).map(({ kind }) => kind)).toEqual(['trend']);
  });

  it('are not explained where that is not wanted, nor for several devices', { tags: 'nightly' }, async () => {
    const plain = await compare({ ...WEEK, explain: false });
    for (const explained of ['devices', 'sums', 'segments', 'revenue']) expect(plain.structured).not.toHaveProperty(explained);
    const several = await compare({ ...WEEK, metrics: ['conversionRate'], devices: ['mobile', 'desktop'] });
    expect(records(several)).toEqual([
      expect.objectContaining({ of: 'mobile', verdict: 'down' }),
      expect.objectContaining({ of: 'desktop', verdict: 'within noise' }),
    ]);
    expect(notes(several)).toContain('explain takes one device');
  });

  it('of one device in one segment are explained by the segments within', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'], devices: ['mobile'], segmentIds: ['Germany'] });
    const truth = truthOf(platform(), {
      from: '2026-11-09T00:00:00.000Z',
      to: '2026-11-15T23:59:59.999Z',
      device: 'mobile',
      segment: 'Germany',
    });
    expect(records(answer)).toEqual([expect.objectContaining({ after: expect.closeTo(truth.conversionRate, 3) })]);
    for (const { place } of findingsOf(answer)) expect(place).toEqual({ device: 'mobile', segment: 'Germany' });
    expect(answer.structured['answer']).toMatch(/^Mobile conversion rate of "Germany" /);
    expect(answer.structured['devices']).toBeUndefined();
    expect(notes(answer)).not.toContain('Next:');
    expect(list(answer, 'segments').length).toBeGreaterThan(0);
    const ofAll = await week();
    expect(notes(ofAll)).toContain('Next: devices ["mobile"] shows its segments.');
    // Mobile Safari moved as all phones did.
    expect(findingsOf(ofAll)[0]?.causes).toEqual([expect.objectContaining({ kind: 'place', name: 'mobile' })]);
  });

  it('in another zone are days of that zone', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['visits'], explain: false }, paris);
    const after = truthOf(platform(), { from: '2026-11-08T23:00:00.000Z', to: '2026-11-15T22:59:59.999Z' });
    expect(records(answer)).toEqual([expect.objectContaining({ after: after.visits })]);
    expect(answer.structured['baseline']).toMatchObject({ start: '2026-11-02T00:00:00.000+01:00', days: 7 });
  });

  it('are drawn where a picture is wanted: day by day, and what the change is made of', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'], chart: true });
    const [trend, parts] = panelsIn(answer);
    expect(trend).toMatchObject({ kind: 'trend', unit: 'percent', judged: { from: '2026-11-09', to: '2026-11-15' } });
    expect(trend?.times).toHaveLength(14);
    expect(trend?.series?.map(({ name }) => name)).toEqual(['all visits', 'desktop', 'mobile', 'tablet']);
    expect(trend?.change?.time).toBe(platform().stories.conversionFall.startDay);
    expect(parts).toMatchObject({ kind: 'contribution', unit: 'points', change: records(answer)[0]?.['change'] });
    const steps = parts?.steps ?? [];
    const ofDevices = list(answer, 'devices').flatMap(({ device, rate, mix }) => [
      [device, 'rate', rate],
      [device, 'mix', mix],
    ]);
    const all = [...ofDevices, ['', 'remainder', list(answer, 'sums')[0]?.['remainder']]].filter(([, , value]) => value !== 0);
    const largest = Math.max(...all.map(([, , value]) => Math.abs(Number(value))));
    // What is below a fiftieth of the largest cannot be seen, and is one step.
    const [seen, small] = [true, false].map((isSeen) =>
      all.filter(([, , value]) => Math.abs(Number(value)) >= largest / 50 === isSeen),
    ) as [unknown[][], unknown[][]];
    expect(small.length).toBeGreaterThan(1);
    expect(new Set(steps.slice(0, -1).map(({ group, part, value }) => `${group} ${part} ${value}`))).toEqual(
      new Set(seen.map((each) => each.join(' '))),
    );
    expect(steps[0]).toMatchObject({ group: 'mobile', part: 'rate' });
    expect(steps.at(-1)).toMatchObject({ part: 'small', group: `${small.length} smaller parts` });
    expect(steps.reduce((total, { value }) => total + value, 0)).toBeCloseTo(parts?.change ?? Number.NaN, 6);
  });

  it.each([
    ['previous_year', '2025-11-10', '2025-11-16', 'weekday on weekday'],
    ['same_dates_last_year', '2025-11-09', '2025-11-15', 'date on date'],
  ])('against %s are drawn on the same days', { tags: 'nightly' }, async (baseline, from, to, aligned) => {
    const [trend] = panelsIn(await compare({ ...WEEK, metrics: ['visits'], baseline, chart: true }));
    expect(trend).toMatchObject({ subtitle: expect.stringContaining(aligned), times: { length: 7 } });
    expect(trend).not.toHaveProperty('judged');
    expect(trend?.times?.[0]).toBe(WEEK.startDate);
    const truth = (day: string) => truthOf(platform(), { from: `${day}T00:00:00.000Z`, to: `${day}T23:59:59.999Z` }).visits;
    const style = { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' } as const;
    const inWords = (day: string) => new Intl.DateTimeFormat('en-GB', style).format(new Date(day));
    expect(trend?.series).toEqual([
      { name: `${inWords(WEEK.startDate)} to ${inWords(WEEK.endDate)} (7 days)`, values: daysFrom(WEEK.startDate).map(truth) },
      { name: `${inWords(from)} to ${inWords(to)} (7 days)`, values: daysFrom(from).map(truth) },
    ]);
  });

  it('of one device are drawn by segments, each of which adds up by itself', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'], devices: ['mobile'], chart: true });
    const parts = panelsIn(answer)[1];
    expect(parts).toMatchObject({ kind: 'contribution', overlap: true, subtitle: expect.stringContaining('; 4 of 4') });
    const steps = parts?.steps ?? [];
    const groups = [...new Set(steps.map(({ group }) => group))];
    expect(groups).toHaveLength(4);
    for (const name of groups) {
      const own = steps.filter(({ group }) => group === name);
      expect(own.map(({ part }) => part)).toEqual(['rate', 'mix', 'others', 'remainder']);
      expect(own.reduce((total, { value }) => total + value, 0)).toBeCloseTo(parts?.change ?? Number.NaN, 6);
    }
  });

  it('of counts on one device are drawn by segments and what all others add', { tags: 'nightly' }, async () => {
    const { startDay, endDay, device } = platform().stories.mixCampaign;
    const answer = await compare({ startDate: startDay, endDate: endDay, metrics: ['visits'], devices: [device], chart: true }, content);
    expect(records(answer)).toEqual([expect.objectContaining({ verdict: 'up' })]);
    const steps = panelsIn(answer)[1]?.steps ?? [];
    expect(steps.slice(0, 3).map(({ part }) => part)).toEqual(['amount', 'rest', 'remainder']);
    expect(steps.slice(0, 3).reduce((total, { value }) => total + value, 0)).toBeCloseTo(Number(records(answer)[0]?.['change']), 6);
  });

  it('of revenue are drawn by factors where it changed, and not taken apart within noise', { tags: 'nightly' }, async () => {
    const calm = await compare({ ...WEEK, metrics: ['revenueSum'], devices: ['desktop'], chart: true });
    expect(records(calm)).toEqual(expect.arrayContaining([expect.objectContaining({ verdict: 'within noise' })]));
    expect(panelsIn(calm).map(({ kind, title }) => [kind, title])).toEqual([
      ['trend', expect.stringMatching(/^Desktop revenue went from .*: no significant change; one of \d+% would have shown$/)],
    ]);
    const fallen = panelsIn(await compare({ ...WEEK, metrics: ['revenueSum'], devices: ['mobile'], chart: true }));
    const factors = fallen.at(-1);
    expect(factors?.steps?.map(({ group, part }) => `${group} ${part}`)).toEqual([
      'visits amount',
      'conversion amount',
      'basket amount',
      ' remainder',
    ]);
    const added = factors?.steps?.reduce((total, { value }) => total + value, 0);
    expect(added).toBeCloseTo(typeof factors?.change === 'number' ? factors.change : Number.NaN, 2);
  });

  it('side by side are drawn as bars, a picture for each metric', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, by: 'device', chart: true });
    const devices = ['desktop', 'mobile', 'tablet'];
    const values = (metric: string) =>
      records(answer)
        .filter((row) => row['metric'] === metric)
        .map(({ value }) => value);
    expect(panelsIn(answer)).toEqual(
      [
        ['conversionRate', 'Conversion rate', '%', 'percent'],
        ['visits', 'Visits', 'sessions', 'none'],
        ['revenueSum', 'Revenue', 'EUR', 'none'],
      ].map(([metric = '', name, measure, unit]) => ({
        kind: 'bars',
        title: expect.stringMatching(new RegExp(`^${name} by device: highest (desktop|mobile) [\\d.,]+`)),
        subtitle: `Nordlicht Shop, 9 – 15 Nov 2026, UTC: ${measure}, verdicts against desktop`,
        unit,
        labels: devices,
        series: [{ name, values: values(metric) }],
        notes: records(answer).flatMap((row) => (row['metric'] === metric ? [row['verdict'] ?? ''] : [])),
      })),
    );
  });
});

describe('a special day', () => {
  it('is named where noise is too wide for a verdict', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2025-11-28', endDate: '2025-11-28' });
    expect(answer.structured['answer']).toContain('Black Friday');
    expect(answer.text).toMatch(/Black Friday \(2025-11-28\) \+\d+%/);
    expect(findingsOf(answer).map(({ verdict }) => verdict)).toEqual(['uncertain', 'uncertain']);
    expect(records(answer).map(({ verdict }) => verdict)).toEqual(['cannot be judged', 'cannot be judged', 'cannot be judged']);
  });
});

describe('today', () => {
  it('is compared with the same hours', async () => {
    const answer = await compare({ startDate: 'today', endDate: 'today', metrics: ['visits'], explain: false });
    const yesterday = truthOf(platform(), { from: '2026-11-19T00:00:00.000Z', to: '2026-11-19T10:00:00.000Z' });
    expect(records(answer)).toEqual([expect.objectContaining({ before: yesterday.visits, verdict: 'not enough data' })]);
    expect(notes(answer)).toContain('cut at the same time of day (10:00)');
    expect(notes(answer)).toContain('Today is incomplete (2026-11-20).');
    const explained = await compare({ startDate: 'today', endDate: 'today', metrics: ['visits'] });
    expect(notes(explained)).toContain('Segments were not looked at: no change is clear that they could explain.');
  });
});

describe('side by side', () => {
  it('segments need two names, and no baseline', async () => {
    const one = await compare({ ...WEEK, by: 'segment', compareSegments: ['Germany'] });
    expect([one.isError, one.text]).toEqual([true, expect.stringContaining('name at least two segments')]);
    const both = await compare({ ...WEEK, by: 'device', baseline: 'previous' });
    expect([both.isError, both.text]).toEqual([true, expect.stringContaining('leave the baseline out')]);
  });

  it('a few days are not enough to tell two devices apart', async () => {
    const answer = await compare({ startDate: '2026-11-09', endDate: '2026-11-11', by: 'device', metrics: ['bounceRate'] });
    expect(records(answer).map(({ verdict }) => verdict)).toEqual([null, 'not enough data', 'not enough data']);
  });

  it('a segment that is named twice is one', async () => {
    const answer = await compare({
      ...WEEK,
      by: 'segment',
      metrics: ['visits'],
      compareSegments: ['Mobile Safari', 'Mobile Safari', 'France'],
      devices: ['mobile'],
    });
    expect(records(answer).map(({ segment, verdict }) => [segment, verdict])).toEqual([
      ['Mobile Safari', null],
      ['France', 'lower'],
    ]);
  });
});
