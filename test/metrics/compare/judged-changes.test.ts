import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { knownDaysOf } from '../../../src/metrics/calendar/known-days.ts';
import { specialDaysOf } from '../../../src/metrics/calendar/special-days.ts';
import { explainHeadline } from '../../../src/metrics/compare/causes.ts';
import { wordComparison } from '../../../src/metrics/compare/comparison.ts';
import type { Windows } from '../../../src/metrics/compare/comparison-windows.ts';
import { datedChanges } from '../../../src/metrics/compare/dated-changes.ts';
import { judgeChanges } from '../../../src/metrics/compare/judged-changes.ts';
import { readingsOf } from '../../../src/metrics/compare/readings.ts';
import { grammarOf } from '../../../src/metrics/findings.ts';
import { dayPoints } from '../../../src/metrics/read/day-points.ts';
import { dayOf, drawWorld, valuesOf, type World } from '../../bench/nature/metrics-world.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { readingWith } from '../points.ts';

type Events = NonNullable<Parameters<typeof drawWorld>[0]['events']>;
const LAST = '2026-09-30';
const DEVICES = ['all', 'desktop', 'mobile', 'tablet'] as const;
const WEEK = 7;
const windows = { isAdjacent: true, factors: { before: 1, after: 1 } } as Windows; // of the rest nothing is read

const selectionOf = (device: (typeof DEVICES)[number]) => ({ device, segmentIds: [], zoneId: undefined, goalId: undefined });

/** The days of a device, `from` to `to` days before the end, as a range of a question. */
function daysOf(world: World, device: (typeof DEVICES)[number], range: number, from: number, to: number, segment?: string) {
  return times(from - to + 1, (index) => {
    const at = world.days - from + index;
    const startMs = world.firstMs + at * DAY_MS;
    const interval = { startMs, endMs: startMs + DAY_MS, label: dayOf(world, from - index), isPart: false };
    const values = valuesOf(world, { device, segment }, at, at + 1);
    return { selection: selectionOf(device), range, interval, values };
  });
}

/** The last week of a site against the one before. */
function headlineOf(world: World, metrics: readonly string[] = ['conversionRate']) {
  const days = DEVICES.flatMap((device) => {
    const teaching = daysOf(world, device, 0, 184, 2 * WEEK + 1);
    const known = knownDaysOf(specialDaysOf([]), (metric) => dayPoints(daysOf(world, device, 0, world.days, 2 * WEEK + 1), metric));
    const rows = [...teaching, ...daysOf(world, device, 1, 2 * WEEK, WEEK + 1), ...daysOf(world, device, 2, WEEK, 1)];
    return rows.map((row) => ({ ...row, known }));
  });
  const totals = DEVICES.flatMap((device) =>
    [0, 1].map((range) => {
      const from = world.days - (2 - range) * WEEK;
      const interval = { startMs: world.firstMs + from * DAY_MS, endMs: world.firstMs + (from + WEEK) * DAY_MS };
      const values = valuesOf(world, { device, segment: undefined }, from, from + WEEK);
      return { selection: selectionOf(device), range, interval, values };
    }),
  );
  const [whole, ...devices] = readingsOf(totals, days);
  const input = { metrics, windows, readings: whole ? [whole] : [], devices, parts: devices, labelOf: () => '' };
  const judged = judgeChanges(input);
  const explained = { ...input, judged, segments: { all: [], chosen: [] }, explains: true };
  return { judged, input: explained, ...explainHeadline(explained) };
}

it('a checkout that breaks on one device before Black Friday has its day, its place and the size of these days', () => {
  const events = [{ on: 'rate', from: 6, to: 1, factor: 0.45, device: 'desktop' }] as const;
  const world = drawWorld(
    { visits: 4_000, lastDay: '2025-11-28', holidays: true, season: 0.2, events },
    62_002 * 1_000_003 + 4 * 7_919 + 29,
  );
  const { judged, input } = headlineOf(world);
  const [whole] = judged.judgedOf('conversionRate');
  expect(whole?.main?.from).toBe('2025-11-25'); // all visits alone show it two days late, and larger than it is since it began
  expect(datedChanges(input)).toMatchObject([{ metric: 'conversionRate', reading: { device: 'desktop' }, change: { from: '2025-11-23' } }]);
});

it('a checkout that breaks on one device leads before a smaller change of another metric that is clear over all devices', () => {
  const fall = { on: 'rate', from: 7, to: 1, factor: 0.62, device: 'mobile' } as const;
  const bounce = { on: 'bounce', from: 7, to: 1, factor: 1.07 } as const;
  const headline = (events: Events) => {
    const { judged } = headlineOf(drawWorld({ visits: 1_000, lastDay: LAST, events }, 62_003), ['conversionRate', 'bounceRate']);
    return { metric: judged.headline.metric, device: judged.hidden?.reading.device };
  };
  expect(headline([bounce])).toEqual({ metric: 'bounceRate', device: undefined });
  expect(headline([bounce, fall])).toEqual({ metric: 'conversionRate', device: 'mobile' });
});

it('a checkout that broke on one device within the baseline of a small site is told, though neither range shows it', () => {
  const broken = { on: 'rate', from: 11, to: 1, factor: 0.25, device: 'mobile' } as const;
  const { judged, input } = headlineOf(drawWorld({ visits: 400, lastDay: LAST, events: [broken] }, 62_006));
  expect([judged.headline.since, judged.hidden]).toEqual([undefined, undefined]);
  expect(datedChanges(input)).toMatchObject([{ metric: 'conversionRate', reading: { device: 'mobile' }, change: { from: '2026-09-20' } }]);
});

it('a change and the factor that made it are placed on the segments that were read, whatever comes first', () => {
  const fall = { on: 'visits', from: 12, to: 1, factor: 0.5, segment: 'returning' } as const;
  const world = drawWorld({ visits: 4_000, lastDay: LAST, events: [fall] }, 62_004);
  const { judged, input } = headlineOf(world, ['revenueSum', 'visits']);
  const chosen = ['new', 'returning'].map((name) => {
    const days = daysOf(world, 'all', 0, 184, 1, name);
    return { name, reading: { ...readingWith(days), segmentIds: [name === 'new' ? 1 : 2] } };
  });
  const segments = { all: [], chosen };
  const [revenue, visits] = judged.changes;
  const placesOf = (headline = judged.headline, of = headline) =>
    datedChanges({ ...input, judged: { ...judged, headline, changes: [of] }, segments }).map(({ reading }) => reading.segmentIds);
  expect([placesOf(revenue)[0], placesOf(visits)[0], placesOf(revenue, visits)[0]]).toEqual([[2], [2], [2]]);
});

/** What is told of the last week of a site against the one before. */
function toldOf(
  site: Partial<Parameters<typeof drawWorld>[0]>,
  metrics?: readonly string[],
  changed = (input: ReturnType<typeof headlineOf>['input']) => input,
  own: Parameters<typeof specialDaysOf>[1] = [],
) {
  const world = drawWorld({ visits: 25_000, lastDay: LAST, ...site }, 62_005);
  const { input, judged: _judged, ...causes } = headlineOf(world, metrics);
  const { data } = wordComparison({
    input: changed(input),
    causes,
    located: datedChanges(input),
    grammar: grammarOf('2026-10-01'),
    faults: [],
    specialDays: specialDaysOf([], own),
    currency: 'EUR',
    period: { from: dayOf(world, WEEK), to: dayOf(world, 1) },
    baseline: { from: dayOf(world, 2 * WEEK), to: dayOf(world, WEEK + 1) },
    placeOf: ({ device }) => (device === 'all' ? {} : { device }),
    whole: {},
    first: [],
    isGoalNamed: true,
    most: undefined,
  });
  return data;
}

const findingsOf = (...site: Parameters<typeof toldOf>) => toldOf(...site).findings;

it('a row whose sentence says that nothing changed significantly has no other verdict and no day', () => {
  const onLastDay = { shape: 'outlier', from: '2026-09-30', to: '2026-09-30', relative: 3, days: 1 };
  const made = { verdict: 'up', main: onLastDay, changes: [onLastDay], relative: 0.3, noise: 0.6 };
  const { findings, columns, rows } = toldOf({}, ['revenueSum'], (input) => {
    const changes = input.judged.changes.map((own) => ({ ...own, since: onLastDay, judgement: { ...own.judgement, ...made } }));
    return { ...input, judged: { ...input.judged, changes } as never }; // of a change no more is read
  });
  expect(findings.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(/^Revenue went from .*: no significant change/)]);
  expect([rows[0]?.[columns.indexOf('verdict')], rows[0]?.[columns.indexOf('since')]]).toEqual(['within noise', null]);
});

it('a device alone is the cause only where no other one moved', () => {
  const broken = (device: 'mobile' | 'tablet', from: number, factor: number) => ({ on: 'rate', from, to: 1, factor, device }) as const;
  const ofDevices = (...events: Events) =>
    findingsOf({ events }).flatMap(({ place: { device }, causes }) => (device ? [{ device, causes: causes.map(({ kind }) => kind) }] : []));
  expect(ofDevices(broken('mobile', 6, 0.5))).toEqual([{ device: 'mobile', causes: ['place'] }]);
  expect(ofDevices(broken('mobile', 6, 0.5), broken('tablet', 3, 0.5))).toEqual([{ device: 'mobile', causes: [] }]);
});

it('a rate that only the mix of visits moved says so, though visits lead the answer', () => {
  const campaign = { on: 'visits', from: 7, to: 1, factor: 8, device: 'mobile' } as const;
  const findings = findingsOf({ events: [campaign] }, ['conversionRate', 'visits']);
  expect(findings[0]).toMatchObject({ subject: 'visits', place: { device: 'mobile' } });
  const ofRange = findings.find(({ subject, place, when }) => subject === 'conversionRate' && !place.device && when.shape === 'range');
  expect(ofRange?.sentence).toMatch(/^Conversion rate fell .*, mostly because of a larger share of mobile\.$/);
});

it.each([1_000, 1_400])(
  'visits that all devices lost are told of all, though revenue shows it on one of them alone (%i a day)',
  (visits) => {
    const lost = { on: 'visits', from: 5, to: 4, factor: 0.6 } as const;
    const told = findingsOf({ visits, events: [lost] }, ['visits', 'revenueSum']).filter(({ when }) => when.shape !== 'range');
    expect(told.map(({ subject, place }) => [subject, place])).toEqual([['visits', {}]]);
  },
);

it('a campaign that ended is why visits are fewer, and no change of comparable days', () => {
  const campaign = { on: 'visits', from: 14, to: 8, factor: 4, device: 'mobile' } as const;
  const visits = findingsOf({ events: [campaign] }, ['visits']).find(({ place }) => !place.device);
  expect(visits?.sentence).toMatch(/^Visits went from .*, because of the rise from 17 to 23 Sept\. Otherwise no significant change\.$/);
});

it('days of a change that goes on are left out of no verdict, though its product shows their end', () => {
  const broken = { on: 'rate', from: 13, to: 1, factor: 0.4, device: 'mobile' } as const;
  const episode = { shape: 'episode', from: '2026-09-18', to: '2026-09-26', earliest: '2026-09-18', latest: '2026-09-18', days: 9 };
  const { findings, details } = toldOf({ events: [broken] }, ['conversionCount'], (input) => {
    const changes = input.judged.changes.map((own) => {
      const judgement = { ...own.judgement, verdict: 'within noise', relative: -0.01, noise: 0.1, main: undefined };
      return {
        ...own,
        since: undefined,
        compared: { before: 90, after: 100 },
        judgement: { ...judgement, changes: [{ ...episode, relative: -0.3 }] },
      };
    });
    return { ...input, judged: { ...input.judged, changes } as never }; // of a change no more is read
  });
  expect(findings[0]).toMatchObject({ subject: 'conversionRate', when: { shape: 'step', from: '2026-09-18' } });
  expect(findings.find(({ when }) => when.shape === 'range')?.causes).toEqual([]);
  expect(details.join(' ')).not.toContain('leaves out');
});

it('a week of nothing but special days has more visits because of these, and not in part', () => {
  const [name, from] = ['Trade fair', '2026-09-24'];
  const known = { of: (_: string, label: string) => (label >= from ? { unseen: name } : {}) };
  const { findings } = toldOf(
    { events: [{ on: 'visits', from: 7, to: 1, factor: 1.5 }] },
    ['visits'],
    ({ readings, ...input }) => ({
      ...input,
      readings: readings.map((each) => ({ ...each, known: each.known.map((row) => ({ ...row, known: known as never })) })),
    }),
    [{ name, from, to: LAST }],
  );
  expect(findings.find(({ when }) => when.shape === 'range')?.sentence).toMatch(/^Visits rose .*, (mostly )?because of Trade fair\.$/);
});

it('a change of one device, of which all together show another day, is told once, and of the device', () => {
  const broken = { on: 'rate', from: 13, to: 1, factor: 0.4, device: 'mobile' } as const;
  const told = times(sampleSize({ full: 12, short: 6 }), (seed) => {
    const { input } = headlineOf(drawWorld({ visits: 700, lastDay: LAST, events: [broken] }, 62_011 + seed));
    return datedChanges(input).map(({ reading }) => reading.device);
  });
  // With 25 orders a day some of them show nothing yet.
  const shown = told.filter((devices) => devices.length > 0);
  expect(shown.length).toBeGreaterThan(told.length / 2);
  expect(shown.filter((devices) => devices.length > 1)).toEqual([]);
  expect(shown.filter((devices) => devices.join() === 'mobile').length).toBeGreaterThanOrEqual(0.8 * shown.length);
});

it('a week of Black Friday is why each figure rose', () => {
  const findings = findingsOf({ lastDay: '2026-11-29', holidays: true }, ['visits', 'revenueSum']);
  expect(findings).toHaveLength(2);
  for (const { sentence, causes } of findings) {
    expect(sentence).toMatch(/, (mostly )?because of Black Friday week to Black Friday weekend/);
    expect(causes[0]?.share).toBeGreaterThan(0.5);
  }
});
