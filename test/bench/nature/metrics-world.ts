import {
  basketsOf,
  COMMON,
  DEVICE_RATES,
  DEVICE_SHARES,
  DEVICES,
  type Device,
  factorOf,
  SEGMENT_RATES,
  SEGMENT_SHARES,
  SEGMENTS,
  type Segment,
  shocksOf,
} from '../verdicts/metrics/world.ts';
import { between, type Random, seeded } from '../verdicts/random.ts';

const DAY_MS = 86_400_000;

/** Gauss's Easter algorithm in the form of Meeus, Jones and Butcher: month and day. */
function easterMs(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return Date.UTC(year, month - 1, ((h + l - 7 * m + 114) % 31) + 1);
}

/** Days after Black Friday (the day after the fourth Thursday of November) and what each does to visits and rates. */
const BLACK = new Map([
  [-4, [1.15, 1.05]],
  [-3, [1.18, 1.05]],
  [-2, [1.25, 1.08]],
  [-1, [1.5, 1.15]],
  [0, [2.4, 1.45]],
  [1, [1.7, 1.25]],
  [2, [1.55, 1.2]],
  [3, [1.8, 1.35]],
]);
const FIXED: Readonly<Record<string, readonly [number, number]>> = {
  '01-01': [0.7, 0.8],
  '05-01': [0.8, 0.9],
  '10-03': [0.85, 0.92],
  '12-23': [0.85, 0.85],
  '12-24': [0.5, 0.6],
  '12-25': [0.55, 0.65],
  '12-26': [0.75, 0.8],
  '12-27': [0.95, 0.9],
  '12-31': [0.65, 0.7],
};
const AFTER_EASTER = new Map([
  [-2, [0.8, 0.9]],
  [0, [0.8, 0.9]],
  [1, [0.85, 0.9]],
  [39, [0.85, 0.93]],
  [50, [0.85, 0.93]],
]);

/** What a day of Black Friday, Christmas or a public holiday of Germany does to visits and to rates; both 1 on others. */
function specialFactors(ms: number): readonly number[] {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const november = new Date(Date.UTC(year, 10, 1)).getUTCDay();
  const black = Date.UTC(year, 10, 1 + ((4 - november + 7) % 7) + 21 + 1);
  return (
    BLACK.get(Math.round((ms - black) / DAY_MS)) ??
    AFTER_EASTER.get(Math.round((ms - easterMs(year)) / DAY_MS)) ??
    FIXED[date.toISOString().slice(5, 10)] ?? [1, 1]
  );
}

/** What some days of some visits are multiplied by; `from` and `to` count from the last day backwards, 1 being the last one. */
export interface Event {
  readonly on: 'visits' | 'rate' | 'basket' | 'bounce';
  readonly from: number;
  readonly to: number;
  readonly factor: number;
  readonly device?: Device;
  readonly segment?: Segment;
  /** The factor is reached by equal steps on the last day. */
  readonly isGradual?: true;
}

/** What is wrong with the counting on some days, counted as in `Event`. */
export interface Fault {
  readonly kind: 'outage' | 'partial' | 'device' | 'doubled' | 'consent' | 'late' | 'bots' | 'no orders';
  readonly from: number;
  readonly to: number;
}

export interface Nature {
  readonly visits: number;
  readonly lastDay: string;
  /** Days that it has lived; default two years. */
  readonly age?: number;
  /** Growth in the first weeks after the launch, as a share of the final level. */
  readonly ramp?: number;
  readonly season?: number;
  readonly growth?: number;
  readonly payDays?: number;
  /** Black Friday, Christmas and public holidays of Germany move visits and rates. */
  readonly holidays?: boolean;
  /** How much of what these do to rates they do to leaving after one page, the other way round (an exponent). */
  readonly behaviour?: number;
  readonly carry?: number;
  readonly events?: readonly Event[];
  readonly faults?: readonly Fault[];
}

/** What is counted of visits. */
export const COUNTS = ['visits', 'orders', 'revenue', 'bounces', 'views', 'seconds'] as const;
type Of<T> = Record<(typeof COUNTS)[number], T>;
/** Something for each count. */
export const ofCounts = <T>(value: () => T) => Object.fromEntries(COUNTS.map((count) => [count, value()])) as Of<T>;

/** One device and segment by day. */
interface Cell extends Of<Float64Array> {
  readonly device: Device;
  readonly segment: Segment;
}

export interface World {
  readonly firstMs: number;
  readonly days: number;
  readonly cells: readonly Cell[];
  /** Expected visits of a day by nature, without chance, events and faults. */
  readonly usual: Float64Array;
  /** Growth from the first to the last of some days by season and trend alone, log scale. */
  readonly growthOver: (days: number) => number;
}

/** A sum over visits of what has this mean and standard deviation in each and is never negative (gamma). */
function sumOf({ gamma }: Random, visits: number, mean: number, sd: number): number {
  return visits > 0 ? gamma((visits * mean ** 2) / sd ** 2) * (sd ** 2 / mean) : 0;
}

const OF_ORDERS = ['orders', 'revenue'] as const;
/** What faults multiply which counts by. */
const MISCOUNTED: Partial<Record<Fault['kind'], readonly [readonly (typeof COUNTS)[number][], number]>> = {
  outage: [COUNTS, 0],
  partial: [COUNTS, 0.42],
  device: [COUNTS, 0],
  doubled: [COUNTS, 2],
  consent: [['visits', 'bounces', 'views', 'seconds'], 0.72],
  late: [OF_ORDERS, 0.85],
  'no orders': [OF_ORDERS, 0],
};

/** What faults make of a cell's day after it was drawn. */
function miscount(random: Random, cell: Cell, day: number, left: number, faults: readonly Fault[], usual: number): void {
  for (const { kind, from, to } of faults) {
    if (left > from || left < to || (kind === 'device' && cell.device !== 'mobile')) continue;
    const [counts, factor] = MISCOUNTED[kind] ?? [[], 1];
    for (const count of counts) cell[count][day] = Math.round((cell[count][day] ?? 0) * (kind === 'late' && left === to ? 0.45 : factor));
    if (kind === 'bots' && cell.device === 'desktop' && cell.segment === 'new') {
      const extra = random.poisson(usual * 0.45);
      const more = { visits: extra, bounces: random.binomial(extra, 0.97), views: extra, seconds: extra };
      for (const count of ['visits', 'bounces', 'views', 'seconds'] as const) cell[count][day] = (cell[count][day] ?? 0) + more[count];
    }
  }
}

/** Draws a site of some nature. */
export function drawWorld(nature: Nature, seed: number): World {
  const { visits: level, lastDay, age = 760, ramp = 0, season = 0, growth = 0, payDays = 0, holidays = false, carry = 0.2 } = nature;
  const { events = [], faults = [], behaviour = 0 } = nature;
  const random = seeded(seed);
  const days = age;
  const planted = events.map((own) => ({ ...own, from: days - own.from, to: days - own.to + 1 }));
  const firstMs = Date.parse(lastDay) - (days - 1) * DAY_MS;
  const weekend = between(random, 0.7, 1.3);
  const weekdays = Array.from({ length: 7 }, (_, day) => (day % 6 === 0 ? weekend : 1) * Math.exp(0.04 * random.normal()));
  const weekdayRates = Array.from({ length: 7 }, () => Math.exp(0.03 * random.normal()));
  const phase = between(random, 0, 2 * Math.PI);
  const sds = { visits: between(random, 0.03, 0.06), rate: between(random, 0.02, 0.04), basket: between(random, 0.01, 0.03) };
  const common = {
    visits: shocksOf(random, days, sds.visits * Math.sqrt(COMMON), carry),
    rate: shocksOf(random, days, sds.rate * Math.sqrt(COMMON), carry),
    basket: shocksOf(random, days, sds.basket, carry),
  };
  const basket = 80 * Math.exp(0.3 * random.normal());
  const quality = Math.exp(0.2 * random.normal());
  const slowAt = (day: number) =>
    season * Math.sin((2 * Math.PI * (firstMs / DAY_MS + day)) / 365.25 + phase) + (growth * (day - days)) / 365;
  const usual = new Float64Array(days);
  const usualRate = new Float64Array(days);
  const usualBounce = new Float64Array(days);
  for (let day = 0; day < days; day += 1) {
    const ms = firstMs + day * DAY_MS;
    const date = new Date(ms);
    const [moved = 1, movedRate = 1] = holidays ? specialFactors(ms) : [];
    const yearly = Math.exp(slowAt(day));
    const ofMonth = date.getUTCDate() >= 26 || date.getUTCDate() <= 3 ? 1 + payDays : 1 - payDays / 2;
    const launched = 1 - ramp * Math.exp(-day / 12);
    const weekday = date.getUTCDay();
    usual[day] = level * (weekdays[weekday] ?? 1) * yearly * ofMonth * launched * moved;
    usualRate[day] = quality * (weekdayRates[weekday] ?? 1) * movedRate;
    usualBounce[day] = 0.42 * movedRate ** -behaviour;
  }
  const cells = DEVICES.flatMap((device) =>
    SEGMENTS.map((segment): Cell => {
      const cell = { device, segment, ...ofCounts(() => new Float64Array(days)) };
      const own = {
        visits: shocksOf(random, days, sds.visits * Math.sqrt(1 - COMMON), carry),
        rate: shocksOf(random, days, sds.rate * Math.sqrt(1 - COMMON), carry),
        bounce: shocksOf(random, days, 0.015, carry),
      };
      for (let day = 0; day < days; day += 1) {
        const left = days - day;
        const expected = (usual[day] ?? 0) * DEVICE_SHARES[device] * SEGMENT_SHARES[segment];
        const mean = expected * Math.exp((common.visits[day] ?? 0) + (own.visits[day] ?? 0)) * factorOf(planted, 'visits', cell, day);
        const chance =
          DEVICE_RATES[device] *
          SEGMENT_RATES[segment] *
          (usualRate[day] ?? 1) *
          Math.exp((common.rate[day] ?? 0) + (own.rate[day] ?? 0)) *
          factorOf(planted, 'rate', cell, day);
        const count = random.negativeBinomial(mean, 4_000);
        cell.visits[day] = count;
        cell.orders[day] = random.binomial(count, Math.min(0.9, chance));
        const worth = basket * Math.exp(common.basket[day] ?? 0) * factorOf(planted, 'basket', cell, day);
        cell.revenue[day] = Math.round(100 * basketsOf(random, cell.orders[day] ?? 0, worth, 100)) / 100;
        const bounce = (usualBounce[day] ?? 0.42) * Math.exp(own.bounce[day] ?? 0) * factorOf(planted, 'bounce', cell, day);
        cell.bounces[day] = random.binomial(count, bounce);
        cell.views[day] = count + Math.round(sumOf(random, count, 3.2 * (1 - bounce), 4));
        cell.seconds[day] = Math.round(sumOf(random, count, 150 * (1.4 - bounce), 200));
        if (faults.length > 0) miscount(random, cell, day, left, faults, (usual[day] ?? 0) * DEVICE_SHARES.desktop);
      }
      return cell;
    }),
  );
  return { firstMs, days, cells, usual, growthOver: (some) => slowAt(days - 1) - slowAt(days - 1 - some) };
}

/** Whether percents are of what nature did, as a share: its way, and neither less than half of it nor more than twice as much. */
export const isLikeNature = (percent: number, natural: number) =>
  percent * natural > 0 && Math.abs(Math.log2(percent / (100 * natural))) <= 1;

/** The day `left` days before the end, 1 being the last one: `2026-09-30`. */
export function dayOf({ firstMs, days }: World, left: number): string {
  return new Date(firstMs + (days - left) * DAY_MS).toISOString().slice(0, 10);
}

/** Whose visits a request is about. */
export interface Selection {
  readonly device: string;
  readonly segment: string | undefined;
}

/** The metrics of the site: what is divided by what. */
export const METRICS: Readonly<Record<string, (sums: Of<number>) => readonly [number, number]>> = {
  visits: ({ visits }) => [visits, 1],
  conversionCount: ({ orders }) => [orders, 1],
  revenueSum: ({ revenue }) => [revenue, 1],
  conversionRate: ({ orders, visits }) => [100 * orders, visits],
  bounceRate: ({ bounces, visits }) => [100 * bounces, visits],
  cartAverage: ({ revenue, orders }) => [revenue, orders],
  pageviewAverage: ({ views, visits }) => [views, visits],
  sessionTimeAverage: ({ seconds, visits }) => [seconds, visits],
};

/** The eight metrics of the site over some days, as the platform rounds them. */
export function valuesOf({ cells }: World, { device, segment }: Selection, from: number, to: number): Record<string, number | null> {
  const sums = ofCounts(() => 0);
  for (const cell of cells) {
    if ((device !== 'all' && cell.device !== device) || (segment !== undefined && cell.segment !== segment)) continue;
    for (let day = from; day < to; day += 1) for (const key of COUNTS) sums[key] += cell[key][day] ?? 0;
  }
  const rounded = Object.entries(METRICS).map(([name, of]) => {
    const [above, below] = of(sums);
    const digits = name === 'revenueSum' ? 100 : 1e4;
    return [name, below > 0 ? Math.round((digits * above) / below) / digits : null] as const;
  });
  return Object.fromEntries(rounded);
}

/** A site without events. */
export const CALM: Nature = { visits: 25_000, lastDay: '2026-09-30' };
/** What is planted from `from` days before the end to the last. */
export const event = (on: Event['on'], from: number, factor: number, more: Partial<Event> = {}): Event => ({
  on,
  from,
  to: 1,
  factor,
  ...more,
});
