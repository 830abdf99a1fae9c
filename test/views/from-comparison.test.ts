import { expect, it } from 'vitest';
import type { Change } from '../../src/metrics/compare/change.ts';
import type { PeriodsResult } from '../../src/metrics/compare/comparison.ts';
import type { Contribution, Explained } from '../../src/metrics/compare/contributions.ts';
import type { Judged, Reading } from '../../src/metrics/compare/readings.ts';
import type { DatedChange } from '../../src/metrics/engine/changes.ts';
import type { Verdict } from '../../src/metrics/engine/judge.ts';
import { chartOfComparison } from '../../src/views/from-comparison.ts';
import { panelsOf } from '../../src/views/spec.ts';
import { times } from '../support/times.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-11-01T00:00Z');
const row = (day: number, value: number) => ({
  selection: { device: 'all' as const, segmentIds: [], zoneId: undefined },
  range: 0,
  interval: {
    startMs: START_MS + day * DAY_MS,
    endMs: START_MS + (day + 1) * DAY_MS - 1,
    label: new Date(START_MS + day * DAY_MS).toISOString().slice(0, 10),
    isPart: false,
  },
  values: { visits: value },
});

const group = (name: string, contribution: number): Contribution => ({ name, before: 10, after: 10 + contribution, contribution });

/** A comparison of two weeks of visits, 700 and 770 of them, or of as many days as are given. */
function compared(verdict: Verdict, since?: DatedChange, groups: readonly Contribution[] = [], daysEach = 7): PeriodsResult {
  const judgement = { verdict, changes: [], relative: 0.1, noise: 0.05, score: 4 };
  const [baselineDays, periodDays] = [100, 110].map((value, range) => times(daysEach, (day) => row(range * daysEach + day, value)));
  if (!baselineDays || !periodDays) throw new Error('two ranges');
  const reading = { baselineDays, periodDays, days: [...baselineDays, ...periodDays] } as unknown as Reading;
  const headline: Change = {
    metric: 'visits',
    before: 700,
    after: 770,
    compared: { before: 700, after: 770 },
    isPerDay: false,
    judgement,
    since,
    days: { first: '2026-11-08', last: '2026-11-14' },
    of: '',
    detectable: null,
  };
  const change = groups.reduce((sum, { contribution }) => sum + contribution, 0);
  const byDevice: Explained = { metric: 'visits', change, groups: [...groups], remainder: 0 };
  return {
    data: { answer: '', findings: [finding(since)], columns: [], rows: [], details: [] },
    headline,
    judged: [{ ...judgement, reading, metric: 'visits' } satisfies Judged],
    isNoise: verdict === 'within noise',
    byDevice: groups.length > 0 ? byDevice : undefined,
    leader: undefined,
    bySegment: [],
    factors: undefined,
  };
}

function panels(result: PeriodsResult, daysEach = 7) {
  const chart = chartOfComparison({
    result,
    timeZone: 'UTC',
    currency: undefined,
    baseline: { startMs: START_MS, endMs: START_MS + daysEach * DAY_MS - 1 },
    period: { startMs: START_MS + daysEach * DAY_MS, endMs: START_MS + 2 * daysEach * DAY_MS - 1 },
    filters: {},
    places: [{}, { device: 'desktop' }],
  });
  return chart ? panelsOf(chart) : [];
}

const dates = ({ from, to }: DatedChange) => ({ from, ...(to !== undefined && { to }) });

/** The finding that a change makes; only its sentence is drawn. */
function finding(since: DatedChange | undefined): PeriodsResult['data']['findings'][number] {
  const when = since ? { shape: 'episode' as const, ...dates(since), ongoing: false } : { shape: 'range' as const, ongoing: false };
  const sentence = since ? 'Visits were 30% higher.' : 'Visits.';
  return { subject: 'visits', unit: '', place: {}, when, now: null, verdict: since ? 'higher' : 'unchanged', causes: [], sentence };
}

const episode = { shape: 'episode', from: '2026-11-09', days: 2, earliest: '2026-11-09', latest: '2026-11-09' } as const;
const sizes = { relative: 0.3, low: 0.2, high: 0.4, pValue: 1e-6 };

it('says both ends of what has ended, and the first day of what goes on', () => {
  const [ended] = panels(compared('up', { ...episode, ...sizes, to: '2026-11-10' }));
  expect(ended).toMatchObject({
    title: 'Visits were 30% higher',
    change: { name: 'from 9 to 10 Nov', time: '2026-11-09' },
  });
  expect(panels(compared('up', { ...episode, ...sizes }))[0]).toMatchObject({
    change: { name: 'since 9 Nov', time: '2026-11-09' },
  });
});

it('takes apart what changed, and nothing that is within noise or of another device than the change', () => {
  const groups = [group('mobile', 50), group('desktop', 20), group('tablet', 0)];
  // A part that did not change is one too.
  const parts = { title: 'Visits, +70: what each device contributes', labels: ['mobile', 'desktop', 'tablet'] };
  expect(panels(compared('drift', undefined, groups))).toMatchObject([{ title: 'Visits' }, parts]);
  expect(panels(compared('within noise', undefined, groups))).toHaveLength(1);
  const { data, ...result } = compared('up', { ...episode, ...sizes }, groups);
  const findings = data.findings.map((each) => ({ ...each, place: { device: 'desktop' } }));
  expect(panels({ ...result, data: { ...data, findings } })).toHaveLength(1);
});

/** The same comparison where the first finding is this one. */
function told(first: Partial<PeriodsResult['data']['findings'][number]>, history: readonly number[] = []): PeriodsResult {
  const result = compared('within noise');
  const readings = result.judged.map((judged) => ({
    ...judged,
    reading: { ...judged.reading, days: [...history.map((day) => row(day, 100)), ...judged.reading.days] } as unknown as Reading,
  }));
  const dated = { ...finding(undefined), verdict: 'lower' as const, ...first };
  return { ...result, judged: readings, data: { ...result.data, findings: [dated, finding(undefined)] } };
}

it('begins a week before a change that the range alone would not show', () => {
  const when = { shape: 'step' as const, from: '2026-10-16', ongoing: true };
  const days = times(30, (day) => day - 30);
  const [trend] = panels(told({ when, sentence: 'Visits have been lower since 16 Oct.' }, days));
  expect(trend).toMatchObject({ title: 'Visits have been lower since 16 Oct', change: { name: 'since 16 Oct', time: '2026-10-16' } });
  expect(trend).toHaveProperty('times.0', '2026-10-09');
});

it.each([
  [{ subject: 'conversionRate' }, []],
  [{ place: { device: 'mobile' } }, [{ name: 'It has been lower since 9 Nov', time: '2026-11-09' }]],
])('says of %o, which has no line, at most a mark', (other, events) => {
  const when = { shape: 'step' as const, from: '2026-11-09', ongoing: true };
  const [trend] = panels(
    told({ ...other, when, change: { percent: -50, low: -60, high: -40 }, sentence: 'It has been lower since 9 Nov.' }),
  );
  expect(trend).toMatchObject({ title: 'Visits', events });
  expect(trend).not.toHaveProperty('change');
});

it('draws more days than can be told apart by the means of weeks', () => {
  const [trend] = panels(compared('up', undefined, [], 49), 49);
  const values = [...times(7, () => 100), ...times(7, () => 110)];
  expect(trend).toMatchObject({ series: [{ values }], subtitle: expect.stringContaining('the mean of 7 days') });
});
