import { describe, expect, it } from 'vitest';
import { countingFaults, findFaults } from '../../../src/metrics/quality/counting.ts';
import type { SpecialOf } from '../../../src/metrics/quality/day-ratios.ts';
import type { Counts } from '../../../src/metrics/quality/site.ts';
import { visitedSpan } from '../../../src/metrics/read/day-points.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { someOf } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';

const DAYS = 84;
const FROM = 70;
const DEVICES = { desktop: 4_000, mobile: 6_000, tablet: 500 } as const;
type Device = keyof typeof DEVICES;
const NAMES: readonly Device[] = ['desktop', 'mobile', 'tablet'];

/** What a day of a device is multiplied by. */
interface Factors {
  readonly visits?: number;
  readonly orders?: number;
  /** Visits of one page that are added, as a share of those that were there. */
  readonly bots?: number;
}
type Story = (day: number, device: Device) => Factors;

const nothing: Story = () => ({});

/** Sites with weekends and days of their own level of 4 %, which all devices share; three in a hundred visits buy, four in ten leave. */
function siteOf(story: Story, seed: number) {
  const random = seeded(seed);
  const shocks = times(DAYS, (day) => (day % 7 > 4 ? 0.75 : 1) * Math.exp(0.04 * random.normal()));
  const counts = NAMES.map((device): [Device, Record<keyof Counts, number[]>] => {
    const own: Record<keyof Counts, number[]> = { visits: [], orders: [], bounces: [] };
    for (const [day, shock] of shocks.entries()) {
      const { visits = 1, orders = 1, bots = 0 } = story(day, device);
      const count = random.poisson(DEVICES[device] * shock);
      const added = Math.round(bots * count);
      own.visits.push(Math.round(count * visits) + added);
      own.orders.push(Math.round(random.binomial(count, 0.03) * orders));
      own.bounces.push(Math.round(random.binomial(count, 0.4) * visits) + added);
    }
    return [device, own];
  });
  const sumOf = (part: keyof Counts) => shocks.map((_, day) => counts.reduce((sum, [, own]) => sum + (own[part][day] ?? 0), 0));
  return { all: { visits: sumOf('visits'), orders: sumOf('orders'), bounces: sumOf('bounces') }, devices: new Map<string, Counts>(counts) };
}

const specials = (of: SpecialOf = () => undefined) => ({ visits: of, orders: of, rates: of });
/** Special days of which no earlier year is known. */
const unknownOn =
  (first: number, last = first): SpecialOf =>
  (day) =>
    day >= first && day <= last ? { mean: 0, sd: 0.5 } : undefined;
const faultsOf = (story: Story, seed: number, of?: SpecialOf) =>
  findFaults({ ...siteOf(story, seed), segments: [], from: FROM, specials: specials(of) });
const from =
  (day: number, factors: Factors, to = DAYS - 1): Story =>
  (at) =>
    at >= day && at <= to ? factors : {};
const SEEDS = someOf([14, 16, 11, 12, 13, 15], 3);

describe('a segment', () => {
  /** Days of a segment, or of all visits, with visits from one day up to another. */
  const rowsOf = (segmentIds: readonly number[], first: number, last: number) =>
    times(DAYS, (day) => {
      const startMs = Date.UTC(2026, 5, 1 + day);
      const label = new Date(startMs).toISOString().slice(0, 10);
      const visits = day >= first && day <= last ? 300 + (day % 7) : 0;
      const interval = { label, isPart: false, startMs, endMs: startMs + 86_399_999 };
      return {
        selection: { device: 'all' as const, segmentIds, goalId: undefined, zoneId: undefined },
        range: 0,
        interval,
        values: { visits, conversionCount: 9, bounceRate: 40 },
      };
    });
  const known = { of: () => ({}) };
  const faults = (rows: ReturnType<typeof rowsOf>) =>
    countingFaults({ rows, whole: { device: 'all' }, from: '2026-08-01', to: '2026-08-23', known }).map(({ kind, from: first }) => [
      kind,
      first,
    ]);

  it('that ends has no counting that breaks, as all visits have that end', () => {
    expect(faults(rowsOf([1], 0, 70))).toEqual([]);
    expect(faults(rowsOf([], 0, 70))).toEqual([['no data', '2026-08-11']]);
    // One or two days may be counted later.
    expect(faults(rowsOf([1], 0, 81))).toEqual([['no data', '2026-08-22']]);
  });

  it('whose orders have fallen has days with next to none, which is no wonder there and one at the usual level', () => {
    const ordersOn = (after: number) =>
      rowsOf([1], 0, DAYS - 1).map((row, day) => ({
        ...row,
        values: { ...row.values, conversionCount: day === 76 ? 1 : day < 70 ? 24 + (day % 5) : after + (day % 3) },
      }));
    expect(faults(ordersOn(24))).toEqual([['no orders', '2026-08-16']]);
    expect(faults(ordersOn(7))).toEqual([]);
  });

  it('has a first and a last day where some days lie without visits before and behind them', () => {
    expect(visitedSpan(rowsOf([1], 14, 60))).toEqual({ startMs: Date.UTC(2026, 5, 15), endMs: Date.UTC(2026, 7, 1) - 1 });
    expect(visitedSpan(rowsOf([1], 2, DAYS - 1))).toEqual({ startMs: 0, endMs: Number.POSITIVE_INFINITY });
  });
});

describe.each(SEEDS)('counting that breaks is found with its days (site %d)', (seed) => {
  it.each<[string, Story, Record<string, unknown>]>([
    ['no data', from(76, { visits: 0, orders: 0 }, 77), { kind: 'no data', from: 76, to: 77 }],
    ['part of a day', from(78, { visits: 0.45, orders: 0.45 }, 78), { kind: 'part of a day', from: 78, to: 78 }],
    [
      'part of a day where all days lie lower',
      (day) => (day < FROM - 3 ? {} : { visits: day === 78 ? 0.42 : 0.88, orders: day === 78 ? 0.42 : 0.88 }),
      { kind: 'part of a day', from: 78, to: 78, visits: expect.closeTo(0.42 / 0.88, 1) },
    ],
    [
      'a device that is missing',
      (day, device) => (day >= 80 && device === 'mobile' ? { visits: 0, orders: 0 } : {}),
      { kind: 'device missing', from: 80, to: DAYS - 1, device: 'mobile' },
    ],
    ['everything counted twice', from(79, { visits: 2, orders: 2 }), { kind: 'counted twice', from: 79, to: DAYS - 1 }],
    ['a consent banner', from(77, { visits: 0.7 }), { kind: 'visits not counted' }],
    ['automated visits', from(77, { bots: 0.6 }), { kind: 'visits without orders' }],
    [
      'automated visits that say they are a desktop',
      (day, device) => (day >= 77 && device === 'desktop' ? { bots: 0.6 } : {}),
      { kind: 'visits without orders' },
    ],
    [
      'a desktop that reloads itself',
      (day, device) => (day >= 73 && device === 'desktop' ? { visits: 1.6 } : {}),
      { kind: 'visits without orders', device: 'desktop' },
    ],
    ['no orders', from(80, { orders: 0 }, 81), { kind: 'no orders', from: 80, to: 81 }],
    ['late orders', from(DAYS - 1, { orders: 0.4 }), { kind: 'orders late', to: DAYS - 1 }],
  ])('%s', (_, story, fault) => {
    expect(faultsOf(story, seed)).toEqual([expect.objectContaining(fault)]);
  });
});

describe.each(SEEDS)('what happens to a site is no fault of its counting (site %d)', (seed) => {
  it('no late orders where a season that ends takes visits and their rate', () => {
    expect(faultsOf(from(DAYS - 2, { visits: 0.87, orders: 0.68 }), seed)).toEqual([]);
  });

  it('late orders of a device that nothing can be compared with', () => {
    const alone = { ...siteOf(from(DAYS - 1, { orders: 0.4 }), seed), devices: new Map() };
    expect(findFaults({ ...alone, segments: [], from: FROM, specials: specials() })).toEqual([]);
  });

  it.each<[string, Story]>([
    ['nothing', nothing],
    ['a fifth fewer visits with their orders', from(76, { visits: 0.8, orders: 0.8 })],
    [
      'a desktop that sells a third from some days before the last on',
      (day, device) => (day >= 79 && device === 'desktop' ? { orders: 0.3 } : {}),
    ],
    [
      'a desktop that sells hardly anything on the last day',
      (day, device) => (day >= DAYS - 1 && device === 'desktop' ? { orders: 0.1 } : {}),
    ],
    ['a sale', from(74, { visits: 1.6, orders: 1.9 }, 80)],
    ['the day after a campaign', from(DAYS - 8, { visits: 4, orders: 3 }, DAYS - 2)],
    ['fewer orders of as many visits', from(76, { orders: 0.75 })],
    [
      'growth on all devices, and a checkout of one that breaks later',
      (day, device) => {
        if (day < 72) return {};
        return { visits: 1.35, orders: day >= 79 && device === 'desktop' ? 0.6 : 1.35 };
      },
    ],
    [
      'growth on all devices, of which one sells no more than before',
      (day, device) => (day >= 72 ? { visits: 1.6, orders: device === 'desktop' ? 1 : 1.6 } : {}),
    ],
    [
      'growth on one device, whose checkout breaks later',
      (day, device) => {
        if (day < 72 || device !== 'desktop') return {};
        return { visits: 1.35, orders: day >= 79 ? 0.6 : 1.35 };
      },
    ],
    ['mobile visits that fall with their orders', (day, device) => (day >= 77 && device === 'mobile' ? { visits: 0.5, orders: 0.5 } : {})],
  ])('%s', (_, story) => {
    expect(faultsOf(story, seed)).toEqual([]);
  });

  it('a small site whose larger device sells little on the last day, while the other sells a few less by chance', () => {
    const story: Story = (day, device) => {
      if (device !== 'desktop') return { visits: 0.5, orders: 0.35 };
      return { visits: 0.5, orders: day >= DAYS - 1 ? 0.2 : 0.5 };
    };
    const told = times(40, (site) => faultsOf(story, 100 * seed + site)).filter((faults) => faults.length > 0);
    expect(told.length).toBeLessThanOrEqual(1);
  });

  it('fewer orders since before a special day, which sold all the more', () => {
    const story: Story = (day) => {
      const special = day === DAYS - 3 ? 2.2 : 1;
      return day < DAYS - 12 ? {} : { visits: special, orders: 0.62 * special };
    };
    expect(faultsOf(story, seed, unknownOn(DAYS - 3))).toEqual([]);
  });

  it('a special day on which everything doubles', () => {
    const day = from(80, { visits: 2, orders: 2 }, 82);
    expect(faultsOf(day, seed, unknownOn(80, 82))).toEqual([]);
  });
});
