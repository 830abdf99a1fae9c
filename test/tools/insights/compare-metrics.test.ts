import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/tooling/results.ts';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { wholeDays } from '../../support/truth.ts';
import { findingsOf, listIn, notesOf, records, refusal, useTools, WEEK, whole } from '../support.ts';

const { platform, truth } = useTools();
const shop = sharedAssistant(platform, { credential: 'shop' });
const noSpeed = sharedAssistant(platform, { credential: 'noSpeed' });
const content = sharedAssistant(platform, { credential: 'content' });
const account = sharedAssistant(platform);
/** Compares the test week with the one before, unless a question says otherwise. */
const compare = (args: Record<string, unknown> = {}, assistant = shop) => assistant().call('compare_metrics', { ...WEEK, ...args });
let ofWeek: Promise<ToolAnswer> | undefined;
/** The answer that several tests read, asked once. */
const week = () => (ofWeek ??= compare());
/** The sum of these members of all rows. */
const sum = (rows: readonly Record<string, string | number | null>[], ...names: string[]) =>
  rows.flatMap((row) => names.map((name) => Number(row[name] ?? 0))).reduce((total, value) => total + value, 0);
const verdictsOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ verdict }) => verdict);

/** The pictures of an answer, from top to bottom. */
function panelsIn({ structured }: ToolAnswer): Panel[] {
  const { chart } = structured as { chart: Panel & { panels?: Panel[] } };
  return chart.panels ?? [chart];
}
interface Panel {
  readonly kind: string;
  readonly labels?: string[];
  readonly series?: { readonly name: string; readonly values: number[]; readonly isAccent?: true }[];
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
    const [before, after] = [truth(wholeDays('2026-11-02', '2026-11-08')), truth()];
    const rows = records(answer);
    expect(rows).toMatchObject([
      { before: expect.closeTo(before.conversionRate, 3), after: expect.closeTo(after.conversionRate, 3) },
      { before: before.visits, after: after.visits, change: after.visits - before.visits },
      { before: expect.closeTo(before.revenue, 2), after: expect.closeTo(after.revenue, 2) },
    ]);

    expect(answer.structured['explained']).toBe('conversionRate');
    const devices = listIn(answer, 'devices');
    expect(devices.map(({ device }) => device)).toEqual(['desktop', 'mobile', 'tablet', 'other or unknown device']);
    const remainder = sum(listIn(answer, 'sums').slice(0, 1), 'remainder');
    for (const parts of [['contribution'], ['mix', 'rate']])
      expect(sum(devices, ...parts) + remainder).toBeCloseTo(Number(rows[0]?.['change']), 6);
    expect(sum(devices, 'shareAfter')).toBeCloseTo(100, 1);
    expect(listIn(answer, 'segments')).toHaveLength(4);
    const split = answer.structured['revenue'] as Record<string, number>;
    expect(sum([split], 'visits', 'conversion', 'basket', 'remainder')).toBeCloseTo(after.revenue - before.revenue, 2);
  });

  it('name what else happened near the first day, where the credential may know', { tags: 'nightly' }, async () => {
    const { slowTag, conversionFall } = platform().stories;
    const { startDay } = conversionFall;
    for (const answer of [await week(), await compare({ startDate: startDay, endDate: startDay })])
      expect(listIn(answer, 'events').map(({ event }) => event)).toContain(slowTag.eventText);
    const without = await compare({}, noSpeed);
    expect(without.structured['events']).toBeUndefined();
    expect(notesOf(without)).toContain('lacks the scope speed-analysis');
  });

  it('that differ within noise have no causes: nothing is a share of such a change', { tags: 'nightly' }, async () => {
    const answer = await calm({ metrics: ['conversionRate'], chart: true });
    expect(verdictsOf(records(answer))).toEqual(['within noise']);
    expect(findingsOf(answer).map(({ verdict, place, causes }) => [verdict, place, causes])).toEqual([['unchanged', {}, []]]);
    expect(answer.structured['segments']).toBeUndefined();
    expect(verdictsOf(listIn(answer, 'devices'))).toEqual(['within noise', 'within noise', 'within noise', null]);
    expect(notesOf(answer)).toContain('Segments were not looked at: no change is clear that they could explain.');
    expect(panelsIn(answer).map(({ kind }) => kind)).toEqual(['trend']);
  });

  it('are not explained where that is not wanted, nor for several devices', { tags: 'nightly' }, async () => {
    const plain = await compare({ explain: false });
    for (const explained of ['explained', 'devices', 'sums', 'segments', 'revenue']) expect(plain.structured).not.toHaveProperty(explained);
    const several = await compare({ metrics: ['conversionRate'], devices: ['mobile', 'desktop'] });
    expect(records(several)).toEqual([
      expect.objectContaining({ of: 'mobile', verdict: 'down' }),
      expect.objectContaining({ of: 'desktop', verdict: 'within noise' }),
    ]);
    expect(notesOf(several)).toContain('explain takes one device');
  });

  it('of one device in one segment are explained by the segments within', { tags: 'nightly' }, async () => {
    const answer = await compare({ metrics: ['conversionRate'], devices: ['mobile'], segmentIds: ['Germany'] });
    const { conversionRate } = truth({ device: 'mobile', segment: 'Germany' });
    expect(records(answer)).toMatchObject([{ after: expect.closeTo(conversionRate, 3) }]);
    for (const { place } of findingsOf(answer)) expect(place).toEqual({ device: 'mobile', segment: 'Germany' });
    expect(answer.structured['answer']).toMatch(/^Mobile conversion rate of "Germany" /);
    expect(answer.structured['devices']).toBeUndefined();
    expect(notesOf(answer)).not.toContain('Next:');
    expect(listIn(answer, 'segments').length).toBeGreaterThan(0);
    const ofAll = await week();
    expect(notesOf(ofAll)).toContain('Next: devices ["mobile"] shows its segments.');
    // Mobile Safari moved as all phones did.
    expect(findingsOf(ofAll)[0]?.causes).toEqual([expect.objectContaining({ kind: 'place', name: 'mobile' })]);
  });

  it('are drawn where a picture is wanted: day by day, and what the change is made of', { tags: 'nightly' }, async () => {
    const answer = await compare({ metrics: ['conversionRate'], chart: true });
    const [trend, parts] = panelsIn(answer);
    expect(trend).toMatchObject({
      kind: 'trend',
      unit: 'percent',
      judged: { from: '2026-11-09', to: '2026-11-15' },
      change: { time: platform().stories.conversionFall.startDay },
      times: { length: 28 },
    });
    expect(trend?.series?.map(({ name, isAccent }) => [name, isAccent])).toEqual(
      ['all visits', 'desktop', 'mobile', 'tablet'].map((name) => [name, name === 'mobile' ? true : undefined]),
    );
    const change = Number(records(answer)[0]?.['change']).toPrecision(2);
    expect(parts).toMatchObject({
      kind: 'bars',
      unit: 'points',
      accent: ['mobile'],
      labels: { 0: 'mobile' },
      title: `Conversion rate, ${change} pp: what each device contributes`,
    });
    const { labels = [], series = [] } = parts ?? {};
    // Also of what hardly changed.
    expect(
      Object.fromEntries(
        labels.map((device, at) => [
          device,
          sum(
            series.map(({ values }) => ({ at: values[at] ?? 0 })),
            'at',
          ),
        ]),
      ),
    ).toEqual(
      Object.fromEntries(listIn(answer, 'devices').map(({ device, contribution }) => [device, expect.closeTo(Number(contribution), 3)])),
    );
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
  expect(verdictsOf(records(answer))).toEqual(['within noise', 'up', 'up']);
});

it('a break has one day, size and cost in ranges of whole days, in one that ends now, and in one behind it', async () => {
  const told = async (startDate: string, endDate: string, of = {}) =>
    findingsOf(await compare({ startDate, endDate, metrics: ['conversionRate'], ...of })).filter(({ when }) => when.shape === 'step');
  const [days] = await told('-7d', 'yesterday');
  const others = [
    await told('this_week', 'now'),
    await told('yesterday', 'yesterday'),
    await told('-7d', 'yesterday', { baseline: 'previous_year' }),
  ];
  const { startDay, device } = platform().stories.conversionFall;
  const ofSegments = await told('-7d', 'yesterday', { compareSegments: ['Germany', 'France'] });
  expect(ofSegments.map(({ place }) => place)).toEqual(['Germany', 'France'].map((segment) => ({ device, segment })));
  for (const other of [days, ...others.map(([first]) => first)]) {
    expect(other).toMatchObject({ place: { device }, when: { from: startDay, ongoing: true } });
    for (const of of ['change', 'cost'] as const) {
      const sizeIn = (finding = days) => (of === 'change' ? finding?.change?.percent : finding?.cost?.value) ?? 0;
      expect(sizeIn(other) / sizeIn()).toBeCloseTo(1, 2);
    }
    // Its causes are those of its days, wherever the ranges lie.
    expect(other?.causes).toEqual(days?.causes);
  }
});

it('today is compared with the same hours', async () => {
  const today = { startDate: 'today', endDate: 'today', metrics: ['visits'] };
  const answer = await compare({ ...today, explain: false });
  const { visits } = truth({ from: '2026-11-19T00:00:00.000Z', to: '2026-11-19T10:00:00.000Z' });
  expect(records(answer)).toMatchObject([{ before: visits, verdict: 'not enough data' }]);
  for (const note of ['cut at the same time of day (10:00)', 'Today is incomplete (2026-11-20).']) expect(notesOf(answer)).toContain(note);
  expect(notesOf(await compare(today))).toContain('Segments were not looked at: no change is clear that they could explain.');
});

describe('side by side', () => {
  it('one segment has all visitors beside it', async () => {
    const rows = records(await compare({ by: 'segment', compareSegments: ['Germany'] }));
    expect(rows.slice(0, 2)).toMatchObject(['all visitors', 'Germany'].map((segment) => ({ segment })));
  });

  it('a few days are not enough to tell two devices apart', async () => {
    const rows = records(await compare({ endDate: '2026-11-11', by: 'device', metrics: ['bounceRate'] }));
    expect(verdictsOf(rows)).toEqual([null, 'not enough data', 'not enough data']);
  });

  it('a segment that is named twice is one', async () => {
    const compareSegments = ['Mobile Safari', 'Mobile Safari', 'France'];
    const rows = records(await compare({ by: 'segment', metrics: ['visits'], compareSegments, devices: ['mobile'] }));
    expect(rows.map(({ segment, verdict }) => [segment, verdict])).toEqual([
      ['Mobile Safari', null],
      ['France', 'lower'],
    ]);
  });

  it('a device without visits is not what the others are compared with, and no finding', async () => {
    const october = { startDate: '2026-10-01', endDate: '2026-10-31' };
    const asked = { ...october, projectId: 'Nordlicht App', by: 'device', metrics: ['conversionRate'] };
    const answer = await compare(asked, account);
    expect(records(answer).map(({ device, verdict }) => [device, typeof verdict])).toEqual([
      ['mobile', 'object'],
      ['tablet', 'string'],
      ['desktop', 'object'],
    ]);
    expect(findingsOf(answer)).toMatchObject([{ place: { device: 'tablet' }, against: { name: 'mobile', value: expect.any(Number) } }]);
    expect(answer.structured['notes']).toContain('desktop has no visits in this range.');
  });
});

describe('what cannot be compared', () => {
  it('says that a goal is needed, and which there are', { tags: 'nightly' }, async () => {
    const answer = await compare({ metrics: ['conversionRate'] }, content);
    expect(answer).toMatchObject(refusal('95207 "Subscription"'));
    const partly = await compare({}, content);
    // Asked without metrics it is of the first goal.
    expect(records(partly).map(({ metric }) => metric)).toEqual(['conversionRate', 'visits']);
    expect(partly.structured['answer']).toMatch(/^Conversion rate for the goal "Subscription" /);
    expect(notesOf(partly)).toContain('conversions are those of "Subscription"');
  });

  it('compares the days of which the baseline is kept where that is of another time, and says first which', async () => {
    const range = { startDate: '2026-10-14', endDate: '2026-11-10', baseline: 'previous_year' };
    const answer = await compare({ ...range, metrics: ['visits', 'conversionRate'], explain: false });
    const [before, after] = [truth(wholeDays('2025-10-21', '2025-11-11')), truth(wholeDays('2026-10-20', '2026-11-10'))];
    const change = expect.closeTo(after.conversionRate - before.conversionRate, 3);
    expect(records(answer)).toMatchObject([
      { unit: 'sessions', before: before.visits, after: after.visits, change: after.visits - before.visits },
      { before: expect.closeTo(before.conversionRate, 3), change },
    ]);
    expect(answer.structured['answer']).toMatch(
      /^Only the days from 20 Oct to 10 Nov can be compared: the platform keeps data since 21 Oct 2025\./,
    );
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
    const answer = await compare({ segmentIds: ['Summer sale campaign'] });
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
    expect(verdictsOf(records(answer))).toEqual(['within noise']);
  });

  it('says of segments without by that each is compared with itself', { tags: 'nightly' }, async () => {
    const asked = { metrics: ['visits'], compareSegments: ['Germany', 'France'] };
    const note = 'compareSegments: each is compared with itself in the baseline; by: "segment" puts them side by side.';
    expect(notesOf(await compare(asked))).toContain(note);
    expect(notesOf(await compare({ ...asked, by: 'segment' }))).not.toContain(note);
  });
});

/** Compares weeks of which none changed. */
function calm(args: object) {
  return compare({ startDate: '2026-10-12', endDate: '2026-10-18', ...args });
}

it('a change within noise says the smallest one that would have shown, larger than chance', { tags: 'nightly' }, async () => {
  const answer = await calm({ metrics: ['conversionRate', 'visits'] });
  const [rows, findings] = [records(answer), findingsOf(answer)];
  expect(findings.map(({ subject, verdict }) => [subject, verdict])).toEqual(rows.map(({ metric }) => [metric, 'unchanged']));
  for (const [at, { verdict, low, high }] of rows.entries()) {
    expect(verdict).toBe('within noise');
    expect(findings[at]?.detectable).toBeGreaterThan((0.8 * (Number(high) - Number(low))) / 2);
  }
  expect(answer.text).toContain(`: no significant change; one of ${Math.round(findings[0]?.detectable ?? 0)}% would have shown.`);
});

it('a change that 92 days would not show is answered with the smallest that they would', async () => {
  const [size, least] = (await calm({ detect: 0.5, metrics: ['conversionRate'] })).text.split('\n');
  expect(size).toBe('A lasting change of 0.5% could not be seen within 92 days in conversion rate.');
  expect(least).toMatch(/^A change of [\d.]+% in .+ could be seen in that time\./);
});

const JUDGED: ReadonlySet<unknown> = new Set(['up', 'down', 'drift', 'within noise']);

it.each([
  { startDate: 'last_month', endDate: 'last_month', baseline: 'previous_year' },
  { startDate: 'last_month', endDate: 'last_month', metrics: ['visits', 'revenue'] },
  { startDate: '-28d', endDate: 'yesterday', metrics: ['visits'] },
  { startDate: '-14d', endDate: 'yesterday' },
  { startDate: '-7d', endDate: 'yesterday', metrics: ['revenue'] },
  { startDate: '-56d', endDate: '-29d', metrics: ['visits'] },
])('a verdict beside its bound follows from it in every row of %j', { tags: 'nightly' }, async (args) => {
  const rows = records(await compare(args));
  for (const { low, high } of rows) expect(low).toBeLessThan(Number(high));
  for (const { verdict, low, high } of rows.filter((row) => JUDGED.has(row['verdict'])))
    expect(verdict === 'within noise').toBe(Number(low) <= 0 && Number(high) >= 0);
});

it('figures per day stand beside the totals of ranges that differ in length', async () => {
  const baseline = { baselineStartDate: '2026-09-01', baselineEndDate: '2026-09-30' };
  const answer = await compare({ metrics: ['visits'], startDate: '2026-10-01', endDate: '2026-10-31', ...baseline });
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
