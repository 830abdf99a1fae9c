import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/tooling/results.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { truthOf, wholeDays } from '../../support/truth.ts';
import { findingsOf, notesOf, records, refusal, useTools, WEEK, whole } from '../support.ts';

const { call, platform } = useTools();
const shop = sharedAssistant(platform, { credential: 'shop' });
const noSpeed = sharedAssistant(platform, { credential: 'noSpeed' });
const content = sharedAssistant(platform, { credential: 'content' });
const compare = (args: Record<string, unknown>, assistant = shop) => assistant().call('compare_metrics', args);
let ofWeek: Promise<ToolAnswer> | undefined;
/** The answer that several tests read, asked once. */
const week = () => (ofWeek ??= compare(WEEK));
const list = ({ structured }: ToolAnswer, member: string) => (structured[member] ?? []) as Record<string, string | number | null>[];
const sum = (rows: readonly Record<string, string | number | null>[], name: string) =>
  rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);

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
    const before = truthOf(platform(), wholeDays('2026-11-02', '2026-11-08'));
    const after = truthOf(platform(), wholeDays('2026-11-09', '2026-11-15'));
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
    expect(notesOf(without)).toContain('lacks the scope speed-analysis');
  });

  it('that differ within noise have no causes: nothing is a share of such a change', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2026-10-12', endDate: '2026-10-18', metrics: ['conversionRate'], chart: true });
    expect(records(answer).map(({ verdict }) => verdict)).toEqual(['within noise']);
    expect(findingsOf(answer).map(({ verdict, place, causes }) => [verdict, place, causes])).toEqual([['unchanged', {}, []]]);
    expect(answer.structured['segments']).toBeUndefined();
    expect(list(answer, 'devices').map(({ verdict }) => verdict)).toEqual(['within noise', 'within noise', 'within noise', null]);
    expect(notesOf(answer)).toContain('Segments were not looked at: no change is clear that they could explain.');
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
    expect(notesOf(several)).toContain('explain takes one device');
  });

  it('of one device in one segment are explained by the segments within', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'], devices: ['mobile'], segmentIds: ['Germany'] });
    const truth = truthOf(platform(), {
      ...wholeDays('2026-11-09', '2026-11-15'),
      device: 'mobile',
      segment: 'Germany',
    });
    expect(records(answer)).toEqual([expect.objectContaining({ after: expect.closeTo(truth.conversionRate, 3) })]);
    for (const { place } of findingsOf(answer)) expect(place).toEqual({ device: 'mobile', segment: 'Germany' });
    expect(answer.structured['answer']).toMatch(/^Mobile conversion rate of "Germany" /);
    expect(answer.structured['devices']).toBeUndefined();
    expect(notesOf(answer)).not.toContain('Next:');
    expect(list(answer, 'segments').length).toBeGreaterThan(0);
    const ofAll = await week();
    expect(notesOf(ofAll)).toContain('Next: devices ["mobile"] shows its segments.');
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
  const [visits, revenue] = findingsOf(answer);
  expect([visits, revenue].map((own) => [own?.subject, own?.verdict, own?.causes[0]?.name])).toEqual([
    ['visits', 'higher', 'Black Friday'],
    ['revenueSum', 'higher', 'Black Friday'],
  ]);
  expect(visits?.change?.percent).toBeGreaterThan(50);
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
  expect(notesOf(answer)).toContain('cut at the same time of day (10:00)');
  expect(notesOf(answer)).toContain('Today is incomplete (2026-11-20).');
  const explained = await compare({ startDate: 'today', endDate: 'today', metrics: ['visits'] });
  expect(notesOf(explained)).toContain('Segments were not looked at: no change is clear that they could explain.');
});

it('side by side one segment has all visitors beside it, and no baseline', async () => {
  const one = await compare({ ...WEEK, by: 'segment', compareSegments: ['Germany'] });
  expect(
    records(one)
      .slice(0, 2)
      .map(({ segment }) => segment),
  ).toEqual(['all visitors', 'Germany']);
  const both = await compare({ ...WEEK, by: 'device', baseline: 'previous' });
  expect(both).toMatchObject(refusal('leave the baseline out'));
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

describe('what cannot be compared', () => {
  it('says that a goal is needed, and which there are', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'] }, content);
    expect(answer).toMatchObject(refusal('95207 "Subscription"'));
    const partly = await compare(WEEK, content);
    // Asked without metrics it is of the first goal.
    expect(records(partly).map(({ metric }) => metric)).toEqual(['conversionRate', 'visits']);
    expect(partly.structured['answer']).toMatch(/^Conversion rate for the goal "Subscription" /);
    expect(notesOf(partly)).toContain('conversions are those of "Subscription"');
  });

  it('says which side lies outside retention', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2026-01', endDate: '2026-03', baseline: 'previous_year', explain: false });
    expect(answer).toMatchObject(refusal(/^The baseline \(2025-01-02.* cannot be read: .*out of bounds/));
  });

  it('compares the days of which the baseline is kept where that is of another time, and says first which', async () => {
    const answer = await compare({
      startDate: '2026-10-14',
      endDate: '2026-11-10',
      baseline: 'previous_year',
      metrics: ['visits', 'conversionRate'],
      explain: false,
    });
    const before = truthOf(platform(), wholeDays('2025-10-21', '2025-11-11'));
    const after = truthOf(platform(), wholeDays('2026-10-20', '2026-11-10'));
    expect(records(answer)).toEqual([
      expect.objectContaining({ unit: 'sessions', before: before.visits, after: after.visits, change: after.visits - before.visits }),
      expect.objectContaining({
        before: expect.closeTo(before.conversionRate, 3),
        change: expect.closeTo(after.conversionRate - before.conversionRate, 3),
      }),
    ]);
    const days = 'Only the days from 20 Oct to 10 Nov can be compared: the platform keeps data since 21 Oct 2025.';
    expect(answer.structured['answer']).toMatch(new RegExp(`^${days}`));
    expect(answer.text).toContain('2026-10-20 … 2026-11-10');
    expect(answer.structured['baseline']).toMatchObject({ start: '2025-10-21T00:00:00.000Z', days: 22 });
  });

  it('uses what is kept of a baseline right before the period, for a day, and says how long it is', async () => {
    const answer = await compare({ startDate: '2026-05', endDate: 'yesterday', metrics: ['visits'], explain: false });
    const { days } = answer.structured['baseline'] as { days: number };
    expect(answer.structured['answer']).toMatch(
      new RegExp(`^The platform keeps data since 21 Oct 2025: the baseline is ${days} days long\\.`),
    );
    expect(records(answer)[0]).toMatchObject({ unit: 'sessions a day' });
  });

  it('says that a segment has no visits', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, segmentIds: ['Summer sale campaign'] });
    expect(notesOf(answer)).toContain('There are no visits in this selection on either side.');
    expect(records(answer).map(({ before, verdict }) => [before, verdict])).toEqual([
      [null, 'not enough data'],
      [0, 'not enough data'],
      [0, 'not enough data'],
    ]);
  });

  it('learns from the days that are kept where those before lie outside retention, and says since when', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2025-12-01', endDate: '2025-12-07', metrics: ['conversionRate'], explain: false });
    expect(notesOf(answer)).toContain('The platform keeps data since 2025-10-21: the days from there on teach what is usual.');
    expect(records(answer)).toEqual([expect.objectContaining({ verdict: 'within noise' })]);
  });

  it('says of segments without by that each is compared with itself', { tags: 'nightly' }, async () => {
    const own = await compare({ ...WEEK, metrics: ['visits'], compareSegments: ['Germany', 'France'] });
    const note = 'compareSegments: each is compared with itself in the baseline; by: "segment" puts them side by side.';
    expect(notesOf(own)).toContain(note);
    const sides = await compare({ ...WEEK, metrics: ['visits'], compareSegments: ['Germany', 'France'], by: 'segment' });
    expect(notesOf(sides)).not.toContain(note);
  });

  it('refuses zones and ranges that overlap', async () => {
    expect(await compare({ ...WEEK, metrics: ['tapRate'] })).toMatchObject(refusal('zoneIds: a zone is needed for tapRate'));
    const overlapping = { ...WEEK, baselineStartDate: '2026-11-08', baselineEndDate: '2026-11-10' };
    expect(await compare(overlapping)).toMatchObject(refusal('overlaps the period'));
  });
});

const CALM = { startDate: '2026-10-12', endDate: '2026-10-18' };
const calm = (args: object = {}) => compare({ ...CALM, metrics: ['conversionRate', 'visits'], ...args });

it('a change within noise says the smallest one that would have shown, larger than chance', { tags: 'nightly' }, async () => {
  const answer = await calm();
  const [rows, findings] = [records(answer), findingsOf(answer)];
  expect(findings.map(({ subject, verdict }) => [subject, verdict])).toEqual(rows.map(({ metric }) => [metric, 'unchanged']));
  for (const [at, { verdict, low, high }] of rows.entries()) {
    expect(verdict).toBe('within noise');
    expect(findings[at]?.detectable).toBeGreaterThan((0.8 * (Number(high) - Number(low))) / 2);
  }
  expect(answer.text).toContain(`: no significant change; one of ${Math.round(findings[0]?.detectable ?? 0)}% would have shown.`);
});

it('a change that 92 days would not show is answered with the smallest that they would', async () => {
  expect((await calm({ detect: 0.5, metrics: ['conversionRate'] })).text).toMatch(
    /^A lasting change of 0\.5% could not be seen within 92 days in conversion rate\.\sA change of [\d.]+% in .+ could be seen\./,
  );
});

it('is refused beside devices at the same time', async () => {
  const words = 'detect: how long a change takes to show is said by period only';
  expect(await calm({ detect: 5, by: 'device' })).toMatchObject(refusal(words));
});

type Row = Record<string, unknown>;

const JUDGED: ReadonlySet<unknown> = new Set(['up', 'down', 'drift', 'within noise']);

/** The rows whose verdict does not follow from the bounds that they show. */
function contradicted(rows: readonly Row[]): Row[] {
  return rows.filter(({ verdict, low, high }) => {
    if (!JUDGED.has(verdict) || typeof low !== 'number' || typeof high !== 'number') return false;
    return (verdict === 'within noise') !== (low <= 0 && high >= 0);
  });
}

it.each([
  { startDate: 'last_month', endDate: 'last_month', baseline: 'previous_year' },
  { startDate: 'last_month', endDate: 'last_month', metrics: ['visits', 'revenue'] },
  { startDate: '-28d', endDate: 'yesterday', metrics: ['visits'] },
  { startDate: '-14d', endDate: 'yesterday' },
  { startDate: '-7d', endDate: 'yesterday', metrics: ['revenue'] },
  { startDate: '-56d', endDate: '-29d', metrics: ['visits'] },
])('a verdict beside its bound follows from it in every row of %j', { tags: 'nightly' }, async (args) => {
  const answer = await compare(args);
  for (const { low, high } of records(answer)) expect(low).toBeLessThan(Number(high));
  expect(contradicted(records(answer))).toEqual([]);
});

it('figures per day stand beside the totals of ranges that differ in length', async () => {
  const answer = await compare({
    metrics: ['visits'],
    startDate: '2026-10-01',
    endDate: '2026-10-31',
    baselineStartDate: '2026-09-01',
    baselineEndDate: '2026-09-30',
  });
  const { days } = answer.structured['baseline'] as { days: number };
  expect(days).toBeLessThan(31);
  const [row] = records(answer);
  expect(row).toMatchObject({
    unit: 'sessions a day',
    before: expect.closeTo(Number(row?.['beforeTotal']) / days, 2),
    after: expect.closeTo(Number(row?.['afterTotal']) / 31, 2),
  });
  const range = findingsOf(answer).find(({ when }) => when.shape === 'range');
  expect(range).toMatchObject({ unit: 'sessions a day', now: expect.closeTo(Number(row?.['after']), 2) });
});

it('a break from before the period comes first, by the rate that sales follow from and the same in every question', {
  tags: 'nightly',
}, async () => {
  const { startDay, device } = platform().stories.conversionFall;
  const asked = { startDate: '2026-11-13', endDate: 'yesterday', devices: [device] };
  const findingsFor = async (more: object) => findingsOf(await compare({ ...asked, ...more }));
  const [first, second] = await findingsFor({});
  expect(first).toMatchObject({
    subject: 'conversionRate',
    place: { device },
    when: { shape: 'step', from: startDay, ongoing: true },
    verdict: 'lower',
    cost: { of: 'revenueSum', from: startDay },
  });
  expect(first?.cost?.high).toBeLessThan(0);
  expect(second).toMatchObject({ subject: 'conversionRate', when: { shape: 'range' }, verdict: 'lower' });
  for (const metrics of [['revenueSum'], ['conversionCount', 'revenueSum']]) expect((await findingsFor({ metrics }))[0]).toEqual(first);
});

it('side by side a device without visits is not what the others are compared with, and no finding', async () => {
  const asked = { projectId: 'Nordlicht App', startDate: '2026-10-01', endDate: '2026-10-31', by: 'device', metrics: ['conversionRate'] };
  const answer = await call('compare_metrics', asked);
  expect(records(answer).map(({ device, verdict }) => [device, typeof verdict])).toEqual([
    ['mobile', 'object'],
    ['tablet', 'string'],
    ['desktop', 'object'],
  ]);
  expect(findingsOf(answer)).toMatchObject([{ place: { device: 'tablet' }, against: { name: 'mobile', value: expect.any(Number) } }]);
  expect(answer.structured['notes']).toContain('desktop has no visits in this range.');
});
