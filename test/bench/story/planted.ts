import { dayAfter } from '../../../src/lib/calendar.ts';
import { COUNTS, dayOf, drawWorld, type Event, METRICS, ofCounts, type World } from '../nature/metrics-world.ts';
import { type Random, seeded } from '../verdicts/random.ts';

const DAY_MS = 86_400_000;
/** Whole days since the first day of the change on which the world is asked. */
export const ASKED_AFTER = [2, 6, 13, 27] as const;
/** Days that a world lives before the change begins, and from its first day on. */
const [BEFORE, FROM_FIRST] = [450, 28];
const EARLIEST_FIRST = Date.UTC(2026, 2, 1);
const FIRST_DAYS = 210;

const PLANTED_KINDS = ['rate of a device', 'visits of a segment', 'basket', 'episode', 'single day'] as const;
/** The only change of a world: which kind it is of. */
export type PlantedKind = (typeof PLANTED_KINDS)[number];

/** Whose visits a figure is of; an absent member narrows nothing. */
export interface Place {
  readonly device?: string;
  readonly segment?: string;
}

/** The world of an index of a seed and the one change in it; days as 2026-09-04, `to` undefined where the change lasts. */
export interface Planted {
  readonly seed: number;
  readonly index: number;
  readonly kind: PlantedKind;
  readonly world: World;
  readonly on: 'visits' | 'rate' | 'basket';
  readonly place: Place;
  readonly factor: number;
  readonly from: string;
  readonly to: string | undefined;
}

/** The metric that a change of each kind is asked about alone. */
export const METRIC_OF = { visits: 'visits', rate: 'conversionRate', basket: 'cartAverage' } as const;

/** The day some days after another one. */
export function dayPlus(day: string, days: number): string {
  return dayAfter(day, days);
}

/** One of several, each as likely as the others. */
function oneOf<T>({ integer }: Random, choices: readonly [T, ...T[]]): T {
  return choices[integer(0, choices.length - 1)] ?? choices[0];
}

type Drawn = Pick<Planted, 'on' | 'place' | 'factor'> & { readonly days: number };

/** A change that nobody who looks at its place can miss. */
function drawChange(random: Random, kind: PlantedKind): Drawn {
  const { uniform, integer } = random;
  const isFall = uniform() < 0.6;
  const [strength, chance] = [uniform(), uniform()];
  const lasting = isFall ? 0.5 + 0.2 * strength : 1.4 + 0.4 * strength;
  const ofDevice = { device: oneOf(random, ['desktop', 'mobile']) };
  const ofSegment = { segment: oneOf(random, ['new', 'returning']) };
  if (kind === 'rate of a device') return { on: 'rate', place: ofDevice, factor: lasting, days: FROM_FIRST };
  if (kind === 'visits of a segment') return { on: 'visits', place: ofSegment, factor: lasting, days: FROM_FIRST };
  if (kind === 'basket') return { on: 'basket', place: chance < 0.5 ? {} : ofDevice, factor: lasting, days: FROM_FIRST };
  const on = chance < 0.5 ? 'rate' : 'visits';
  const place = on === 'rate' ? ofDevice : oneOf<Place>(random, [ofSegment, ofDevice]);
  if (kind === 'episode') return { on, place, factor: lasting, days: integer(4, 9) };
  return { on, place, factor: isFall ? 0.35 + 0.2 * strength : 1.8 + 0.6 * strength, days: 1 };
}

/** Draws a world with natural noise, weekdays, a season, special days and one change; `index` decides the kind, the seed all else. */
export function plant(seed: number, index: number): Planted {
  const own = seed * 1_000_003 + index * 7_919 + 41;
  const random = seeded(own);
  const kind = PLANTED_KINDS[index % PLANTED_KINDS.length] ?? 'single day';
  const { on, place, factor, days } = drawChange(random, kind);
  const from = new Date(EARLIEST_FIRST + random.integer(0, FIRST_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  // `Place` is looser than the places of a world, out of which it was drawn.
  const event = { on, from: FROM_FIRST, to: FROM_FIRST - days + 1, factor, ...place } as Event;
  const nature = {
    visits: 15_000 + 20_000 * random.uniform(),
    lastDay: dayPlus(from, FROM_FIRST - 1),
    age: BEFORE + FROM_FIRST,
    season: 0.08,
    growth: 0.1,
    holidays: true,
  };
  const world = drawWorld({ ...nature, events: [event] }, own);
  return { seed, index, kind, world, on, place, factor, from, to: days < FROM_FIRST ? dayOf(world, event.to) : undefined };
}

/** What the change multiplies. */
const MULTIPLIED = {
  visits: new Set<string>(COUNTS),
  rate: new Set<string>(['orders', 'revenue']),
  basket: new Set<string>(['revenue']),
} as const;

/** What a change made of a metric. */
interface Effect {
  readonly actual: number;
  /** Without the change: the drawn counts of its place and days, divided by its factor. */
  readonly without: number;
}

/** A metric of a place over some days, both included, with and without the change; undefined of a metric that the worlds do not have. */
export function effectAt({ world, ...change }: Planted, metric: string, { device, segment }: Place, from: string, to: string) {
  const ratioOf = METRICS[metric];
  if (!ratioOf) return undefined;
  const [actual, without] = [ofCounts(() => 0), ofCounts(() => 0)];
  const at = (day: string) => Math.round((Date.parse(day) - world.firstMs) / DAY_MS);
  const [first, last] = [at(change.from), at(change.to ?? '2100-01-01')];
  for (const cell of world.cells) {
    if ((device ?? cell.device) !== cell.device || (segment ?? cell.segment) !== cell.segment) continue;
    const isOfPlace = (change.place.device ?? cell.device) === cell.device && (change.place.segment ?? cell.segment) === cell.segment;
    for (let day = at(from); day <= at(to); day += 1) {
      const isChanged = isOfPlace && day >= first && day <= last;
      for (const count of COUNTS) {
        const value = cell[count][day] ?? 0;
        actual[count] += value;
        without[count] += isChanged && MULTIPLIED[change.on].has(count) ? value / change.factor : value;
      }
    }
  }
  const valueOf = (sums: typeof actual) => ratioOf(sums).reduce((above, below) => above / below);
  return { actual: valueOf(actual), without: valueOf(without) } satisfies Effect;
}

/** The world as it is known on the morning some whole days after the change began: days after that do not exist yet. */
export function knownAfter({ world, from }: Planted, days: number): World {
  return { ...world, days: Math.round((Date.parse(dayPlus(from, days)) - world.firstMs) / DAY_MS) };
}
