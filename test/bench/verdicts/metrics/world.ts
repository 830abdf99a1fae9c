import type { DailyPoint, MetricKind } from '../../../../src/metrics/engine/series.ts';
import { times } from '../../../support/times.ts';
import { between, type Random, seeded } from '../random.ts';

export const DEVICES = ['desktop', 'mobile', 'tablet'] as const;
export const SEGMENTS = ['new', 'returning'] as const;
export type Device = (typeof DEVICES)[number];
export type Segment = (typeof SEGMENTS)[number];

/** What of the site a change touches; left out: all of it. */
export interface Selection {
  readonly device?: Device;
  readonly segment?: Segment;
}

/** A planted change: from one day to another (not included), times a factor. */
export interface Planted extends Selection {
  readonly on: 'visits' | 'rate' | 'basket';
  readonly from: number;
  readonly to: number;
  readonly factor: number;
  /** The factor is reached little by little on the last day. */
  readonly isGradual?: true;
}

export interface WorldOptions {
  readonly seed: number;
  readonly visitsPerDay: number;
  readonly days: number;
  /** Autocorrelation of the shocks of days. */
  readonly carry?: number;
  /** Seasons and growth. */
  readonly drifts?: boolean;
  readonly planted?: readonly Planted[];
  /** Days with a holiday beside those that history has. */
  readonly holidays?: readonly number[];
  /** Days of the beginning among which history has two holidays. */
  readonly history: number;
}

interface Cell {
  readonly device: Device;
  readonly segment: Segment;
  readonly visits: Float64Array;
  readonly conversions: Float64Array;
  readonly revenue: Float64Array;
  readonly bounces: Float64Array;
  readonly views: Float64Array;
}

/** A site day by day. */
export interface World {
  readonly labels: readonly string[];
  readonly cells: readonly Cell[];
  readonly holidays: ReadonlySet<number>;
}

const FIRST_MS = Date.parse('2026-03-02');
const DAY_MS = 86_400_000;
/** Shares of the visits. */
export const DEVICE_SHARES: Readonly<Record<Device, number>> = { desktop: 0.36, mobile: 0.58, tablet: 0.06 };
/** Chances that a visit buys. */
export const DEVICE_RATES: Readonly<Record<Device, number>> = { desktop: 0.042, mobile: 0.024, tablet: 0.033 };
export const SEGMENT_SHARES: Readonly<Record<Segment, number>> = { new: 0.62, returning: 0.38 };
export const SEGMENT_RATES: Readonly<Record<Segment, number>> = { new: 0.65, returning: 1.55 };
/** Chance of a visit to convert, up to what all cells of a day have in common. */
export const chanceOf = ({ device, segment }: Pick<Cell, 'device' | 'segment'>) => DEVICE_RATES[device] * SEGMENT_RATES[segment];

/** Share of the variance of a day's shock that all devices and segments have in common. */
export const COMMON = 0.85;
/** Counts of gamma–Poisson visits vary by themselves as if drawn from this many: 1.6 % beside the shocks. */
const SIZE = 4_000;

/** Shocks of days, an autoregression of order 1 with this standard deviation. */
export function shocksOf({ normal }: Random, days: number, sd: number, carry: number): Float64Array {
  const shocks = new Float64Array(days);
  let state = normal();
  for (let day = 0; day < days; day += 1) {
    shocks[day] = sd * state;
    state = carry * state + Math.sqrt(1 - carry ** 2) * normal();
  }
  return shocks;
}

/** Baskets of which one in fifty is Pareto distributed (2.2) and the rest lognormal; more of those than `singly` are drawn by their sum. */
export function basketsOf({ normal, uniform, binomial }: Random, count: number, mean: number, singly = 150): number {
  const large = binomial(count, 0.02);
  const small = count - large;
  const sigma = 0.8;
  let sum = 0;
  if (small > singly) sum = mean * (small + Math.sqrt(small * Math.expm1(sigma ** 2)) * normal());
  else for (let each = 0; each < small; each += 1) sum += mean * Math.exp(sigma * normal() - sigma ** 2 / 2);
  for (let each = 0; each < large; each += 1) sum += 3 * mean * (1 - uniform()) ** (-1 / 2.2);
  return sum;
}

/** A slow relative change: a season of the year and growth. */
function driftOf(random: Random, size: number): (day: number) => number {
  const [amplitude, phase, growth] = [between(random, 0, size), between(random, 0, 2 * Math.PI), between(random, -size, 1.5 * size)];
  return (day) => amplitude * Math.sin((2 * Math.PI * day) / 365 + phase) + (growth * day) / 365;
}

const touches = (selection: Selection, { device, segment }: Selection) =>
  (selection.device ?? device) === device && (selection.segment ?? segment) === segment;

/** What a day's visits, rates and baskets are multiplied by where changes were planted. */
export function factorOf<On extends string>(
  planted: readonly (Omit<Planted, 'on'> & { readonly on: On })[],
  on: On,
  cell: Selection,
  day: number,
): number {
  return planted
    .filter((change) => change.on === on && day >= change.from && day < change.to && touches(change, cell))
    .reduce((product, { factor, isGradual, from, to }) => product * (isGradual ? factor ** ((day - from + 1) / (to - from)) : factor), 1);
}

/** Draws a site: shocks of days mostly common, weekdays, binomial conversions, heavy-tailed baskets, holidays, drift where asked. */
export function drawWorld(options: WorldOptions): World {
  const { seed, visitsPerDay, days, carry = 0, drifts = false, planted = [], history } = options;
  const random = seeded(seed);
  const holidays = new Set([random.integer(3, history - 1), random.integer(3, history - 1), ...(options.holidays ?? [])]);
  const weekend = between(random, 0.65, 1.35);
  const weekdayVisits = times(7, (day) => (day === 0 || day === 6 ? weekend : 1) * Math.exp(0.04 * random.normal()));
  const weekdayRates = Array.from(
    { length: 7 },
    (_, day) => (day === 0 || day === 6 ? between(random, 0.85, 1.1) : 1) * Math.exp(0.02 * random.normal()),
  );
  const sizes = {
    visits: between(random, 0.04, 0.08),
    rate: between(random, 0.02, 0.06),
    basket: between(random, 0.01, 0.03),
    bounce: between(random, 0.01, 0.03),
  };
  const shocksFor = (sd: number) => {
    const common = shocksOf(random, days, sd * Math.sqrt(COMMON), carry);
    return () => {
      const own = shocksOf(random, days, sd * Math.sqrt(1 - COMMON), carry);
      return common.map((value, day) => value + (own[day] ?? 0));
    };
  };
  const drawn = {
    visits: shocksFor(sizes.visits),
    rate: shocksFor(sizes.rate),
    basket: shocksFor(sizes.basket),
    bounce: shocksFor(sizes.bounce),
  };
  const drift = { visits: driftOf(random, 0.15), rate: driftOf(random, 0.06) };
  const event = new Map(
    [...holidays].map((day) => [
      day,
      {
        visits: Math.log(random.uniform() < 0.7 ? between(random, 0.5, 0.75) : between(random, 1.3, 1.6)),
        rate: Math.log(between(random, 0.75, 0.95)),
      },
    ]),
  );
  const level = Math.exp(0.25 * random.normal());
  const basket = 80 * Math.exp(0.3 * random.normal());
  const cells = DEVICES.flatMap((device) =>
    SEGMENTS.map((segment): Cell => {
      const shocks = { visits: drawn.visits(), rate: drawn.rate(), basket: drawn.basket(), bounce: drawn.bounce() };
      const share = DEVICE_SHARES[device] * SEGMENT_SHARES[segment];
      const rate = DEVICE_RATES[device] * SEGMENT_RATES[segment] * level;
      const cell = { device, segment };
      const empty = () => new Float64Array(days);
      const [visits, conversions, revenue, bounces, views] = [empty(), empty(), empty(), empty(), empty()];
      for (let day = 0; day < days; day += 1) {
        const weekday = day % 7;
        const slow = (of: 'visits' | 'rate') => (drifts ? drift[of](day) : 0);
        const mean =
          visitsPerDay *
          share *
          (weekdayVisits[weekday] ?? 1) *
          Math.exp((shocks.visits[day] ?? 0) + slow('visits') + (event.get(day)?.visits ?? 0)) *
          factorOf(planted, 'visits', cell, day);
        const chance =
          rate *
          (weekdayRates[weekday] ?? 1) *
          Math.exp((shocks.rate[day] ?? 0) + slow('rate') + (event.get(day)?.rate ?? 0)) *
          factorOf(planted, 'rate', cell, day);
        const count = random.negativeBinomial(mean, SIZE);
        visits[day] = count;
        conversions[day] = random.binomial(count, Math.min(0.9, chance));
        revenue[day] =
          Math.round(
            100 *
              basketsOf(random, conversions[day] ?? 0, basket * Math.exp(shocks.basket[day] ?? 0) * factorOf(planted, 'basket', cell, day)),
          ) / 100;
        bounces[day] = random.binomial(count, Math.min(0.95, 0.45 * Math.exp(shocks.bounce[day] ?? 0)));
        views[day] = count + Math.round(count * 3.2 * Math.exp((shocks.bounce[day] ?? 0) / -2) + 4.5 * Math.sqrt(count) * random.normal());
      }
      return { ...cell, visits, conversions, revenue, bounces, views };
    }),
  );
  return {
    labels: times(days, (day) => new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10)),
    cells,
    holidays,
  };
}

type Measure = 'visits' | 'conversions' | 'revenue' | 'bounces' | 'views';

/** The metrics of a site: what they count and over what. */
export const METRICS = {
  visits: { kind: 'count', above: 'visits', below: undefined },
  conversionCount: { kind: 'count', above: 'conversions', below: undefined },
  conversionRate: { kind: 'share', above: 'conversions', below: 'visits' },
  bounceRate: { kind: 'share', above: 'bounces', below: 'visits' },
  revenueSum: { kind: 'amount', above: 'revenue', below: undefined },
  cartAverage: { kind: 'average', above: 'revenue', below: 'conversions' },
  pageviewAverage: { kind: 'average', above: 'views', below: 'visits' },
} as const satisfies Readonly<Record<string, { kind: MetricKind; above: Measure; below: Measure | undefined }>>;
export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as Metric[];

/** The days of a metric of a part of the site. */
export function pointsOf({ cells, labels }: World, metric: Metric, selection: Selection = {}): DailyPoint[] {
  const { above, below } = METRICS[metric];
  const own = cells.filter((cell) => touches(selection, cell));
  const sum = (measure: Measure, day: number) => own.reduce((total, cell) => total + (cell[measure][day] ?? 0), 0);
  return labels.map((label, day) => ({
    label,
    numerator: sum(above, day),
    denominator: below ? sum(below, day) : 1,
    ...(above === 'revenue' && { events: sum('conversions', day) }),
    isWhole: true,
  }));
}

/** The relative change that planted changes make of a metric of a part of the site on a day, in expectation. */
export function plantedEffect(planted: readonly Planted[], metric: Metric, selection: Selection, day: number): number {
  const { above, below } = METRICS[metric];
  const sumOf = (measure: Measure, changes: readonly Planted[]) =>
    DEVICES.flatMap((device) => SEGMENTS.map((segment) => ({ device, segment })))
      .filter((cell) => touches(selection, cell))
      .reduce((sum, cell) => {
        const visits = DEVICE_SHARES[cell.device] * SEGMENT_SHARES[cell.segment] * factorOf(changes, 'visits', cell, day);
        if (measure === 'visits' || measure === 'bounces' || measure === 'views') return sum + visits;
        const conversions = visits * DEVICE_RATES[cell.device] * SEGMENT_RATES[cell.segment] * factorOf(changes, 'rate', cell, day);
        return sum + conversions * (measure === 'revenue' ? factorOf(changes, 'basket', cell, day) : 1);
      }, 0);
  const valueOf = (changes: readonly Planted[]) => sumOf(above, changes) / (below ? sumOf(below, changes) : 1);
  return valueOf(planted) / valueOf([]) - 1;
}
