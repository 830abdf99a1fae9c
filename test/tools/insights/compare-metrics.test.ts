import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/tooling/results.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { truthOf } from '../../support/truth.ts';
import { findingsOf, records, whole } from '../support.ts';

const platform = sharedPlatform();
const shop = sharedAssistant(platform, { credential: 'shop' });
const noSpeed = sharedAssistant(platform, { credential: 'noSpeed' });
const compare = (args: Record<string, unknown>, assistant = shop) => assistant().call('compare_metrics', args);
const WEEK = { startDate: '2026-11-09', endDate: '2026-11-15' };
let ofWeek: Promise<ToolAnswer> | undefined;
/** The answer that several tests read, asked once. */
const week = () => (ofWeek ??= compare(WEEK));
const list = ({ structured }: ToolAnswer, member: string) => (structured[member] ?? []) as Record<string, string | number | null>[];
const sum = (rows: readonly Record<string, string | number | null>[], name: string) =>
  rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
const notes = ({ structured }: ToolAnswer) => (structured['notes'] as string[]).join('\n');

/** The pictures of an answer, from top to bottom. */
function panelsIn({ structured }: ToolAnswer): Panel[] {
  const { chart } = structured as { chart: Panel & { panels?: Panel[] } };
  return chart.panels ?? [chart];
}
interface Panel {
  readonly title?: string;
  readonly kind: string;
  readonly times?: string[];
  readonly subtitle?: string;
  readonly labels?: string[];
  readonly accent?: string[];
  readonly series?: { readonly name: string; readonly values: number[]; readonly isAccent?: true }[];
  readonly change?: { readonly time: string };
}

/** What each label of a picture adds, over its series. */
const addedBy = ({ labels = [], series = [] }: Panel) =>
  new Map(labels.map((label, at) => [label, series.reduce((total, { values }) => total + (values[at] ?? 0), 0)]));

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

    expect(answer.structured['explained']).toBe('conversionRate');
    const [sums] = list(answer, 'sums');
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
    for (const explained of ['explained', 'devices', 'sums', 'segments', 'revenue']) expect(plain.structured).not.toHaveProperty(explained);
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

  it('are drawn where a picture is wanted: day by day, and what the change is made of', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'], chart: true });
    const [trend, parts] = panelsIn(answer);
    expect(trend).toMatchObject({ kind: 'trend', unit: 'percent', judged: { from: '2026-11-09', to: '2026-11-15' } });
    expect(trend?.times).toHaveLength(14);
    expect(trend?.series?.map(({ name }) => name)).toEqual(['all visits', 'desktop', 'mobile', 'tablet']);
    expect(trend?.change?.time).toBe(platform().stories.conversionFall.startDay);
    expect(trend?.series?.filter(({ isAccent }) => isAccent).map(({ name }) => name)).toEqual(['mobile']);
    const change = Number(records(answer)[0]?.['change']);
    expect(parts).toMatchObject({ kind: 'bars', unit: 'points', accent: ['mobile'], labels: { 0: 'mobile' } });
    expect(parts?.title).toBe(`Conversion rate, ${change.toPrecision(2)} pp: what each device contributes`);
    const devices = list(answer, 'devices');
    for (const [device, value] of addedBy(parts ?? { kind: '' }))
      expect(value).toBeCloseTo(Number(devices.find((row) => row['device'] === device)?.['contribution']), 3);
    // Also of what hardly changed.
    expect(parts?.labels).toHaveLength(devices.length);
  });
});

it('a special day of which no earlier year is known is held against ordinary ones, and named', { tags: 'nightly' }, async () => {
  const answer = await compare({ startDate: '2025-11-28', endDate: '2025-11-28' });
  expect(answer.structured['answer']).toContain('Black Friday');
  expect(answer.text).toMatch(/Black Friday \(2025-11-28\) \+\d+%/);
  expect(findingsOf(answer).map(({ verdict }) => verdict)).toEqual(['higher', 'higher']);
  expect(records(answer).map(({ verdict }) => verdict)).toEqual(['within noise', 'up', 'up']);
});

it('a break has one day, size and cost in ranges of whole days, in one that ends now, and in one behind it', async () => {
  const told = async (startDate: string, endDate: string, of = {}) =>
    findingsOf(await compare({ startDate, endDate, metrics: ['conversionRate'], ...of })).filter(({ when }) => when.shape === 'step');
  const [[days], ...others] = [
    await told('-7d', 'yesterday'),
    await told('this_week', 'now'),
    await told('yesterday', 'yesterday'),
    await told('-7d', 'yesterday', { baseline: 'previous_year' }),
  ];
  const { startDay, device } = platform().stories.conversionFall;
  expect(days).toMatchObject({ place: { device }, when: { from: startDay, ongoing: true } });
  const ofSegments = await told('-7d', 'yesterday', { compareSegments: ['Germany', 'France'] });
  expect(ofSegments.map(({ place }) => place)).toEqual(['Germany', 'France'].map((segment) => ({ device, segment })));
  for (const [other] of others) {
    expect(other).toMatchObject({ place: { device }, when: { from: startDay, ongoing: true } });
    expect((other?.change?.percent ?? 0) / (days?.change?.percent ?? 1)).toBeCloseTo(1, 2);
    expect((other?.cost?.value ?? 0) / (days?.cost?.value ?? 1)).toBeCloseTo(1, 2);
    // Its causes are those of its days, wherever the ranges lie.
    expect(other?.causes).toEqual(days?.causes);
  }
});

it('today is compared with the same hours', async () => {
  const answer = await compare({ startDate: 'today', endDate: 'today', metrics: ['visits'], explain: false });
  const yesterday = truthOf(platform(), { from: '2026-11-19T00:00:00.000Z', to: '2026-11-19T10:00:00.000Z' });
  expect(records(answer)).toEqual([expect.objectContaining({ before: yesterday.visits, verdict: 'not enough data' })]);
  expect(notes(answer)).toContain('cut at the same time of day (10:00)');
  expect(notes(answer)).toContain('Today is incomplete (2026-11-20).');
  const explained = await compare({ startDate: 'today', endDate: 'today', metrics: ['visits'] });
  expect(notes(explained)).toContain('Segments were not looked at: no change is clear that they could explain.');
});

it('side by side one segment has all visitors beside it, and no baseline', async () => {
  const one = await compare({ ...WEEK, by: 'segment', compareSegments: ['Germany'] });
  expect(
    records(one)
      .slice(0, 2)
      .map(({ segment }) => segment),
  ).toEqual(['all visitors', 'Germany']);
  const both = await compare({ ...WEEK, by: 'device', baseline: 'previous' });
  expect([both.isError, both.text]).toEqual([true, expect.stringContaining('leave the baseline out')]);
});

it('side by side a few days are not enough to tell two devices apart', async () => {
  const answer = await compare({ startDate: '2026-11-09', endDate: '2026-11-11', by: 'device', metrics: ['bounceRate'] });
  expect(records(answer).map(({ verdict }) => verdict)).toEqual([null, 'not enough data', 'not enough data']);
});

it('side by side a segment that is named twice is one', async () => {
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
