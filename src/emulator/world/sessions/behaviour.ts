import { nth, nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { DRAWS, draw24, exponential, normal, scramble, unit } from '../random.ts';
import type { DayNoise } from './day-noise.ts';
import { browsers, type Profile, platforms } from './profiles.ts';
import { goalsOf } from './segments-and-goals.ts';
import { type Fall, MAX_SESSION_MS, SESSION_STREAMS, type SessionDay } from './session-day.ts';

/** Against the chance to buy of a direct visit, by index of `sources`. */
const sourceFactors = Float64Array.of(1, 1, 1.08, 1.3, 0.62, 0.9);
const NEW_FACTOR = 0.78;
const RETURNING_FACTOR = 1.3;
const SECOND_TRANSACTION = 0.05;
const MOST_VIEWS = 60;
/** Sessions close to buying view more pages and never bounce; their number as a multiple of the buyers. */
export const NEAR = 3.5;

/** Groups of sessions with one chance each: by device, and new or returning. */
const CELLS = 12;
/** Returning visitors on a desktop. */
const EAGER_CELL = 3;

const browserVersions = Uint8Array.from(browsers, ({ version }) => version);
const platformVersions = Uint8Array.from(platforms, ({ version }) => version);

/** A goal that sessions reach by a chance of their own. */
interface OwnGoal {
  readonly bit: number;
  readonly stream: number;
  /** Chances times `DRAWS`. */
  readonly rate: number;
  readonly eagerRate: number;
}

/** The goals of a project by how they are reached, each with its bit and its chances of the day. */
function goalPlan(projectId: number, noise: DayNoise) {
  const near: { bit: number; times: number }[] = [];
  const own: OwnGoal[] = [];
  let purchaseBit = 0;
  for (const [index, { reach }] of goalsOf(projectId).entries()) {
    const bit = 1 << index;
    const stream = Math.imul(SESSION_STREAMS.goal, index + 1);
    if (reach === 'purchase') purchaseBit = bit;
    else if ('timesPurchase' in reach) near.push({ bit, times: reach.timesPurchase });
    else {
      const scale = DRAWS * (noise.goals[index] ?? 1);
      own.push({ bit, stream, rate: reach.rate * scale, eagerRate: reach.eagerRate * scale });
    }
  }
  return { purchaseBit, near, own };
}

function fallOf(fall: Fall, day: SessionDay, index: number): number {
  if (!fall.deviceIds.includes(nthUnsigned(day.deviceId, index))) return 1;
  return (nthUnsigned(day.segments, index) & fall.segmentBit) === 0 ? fall.factor : fall.segmentFactor;
}

/** Chance to buy on a day times `DRAWS`, by cell and source, before any fall. */
export function chanceTable({ purchaseRate }: Profile, noise: DayNoise): Float64Array {
  const sources = sourceFactors.length;
  return Float64Array.from({ length: CELLS * sources }, (_, at) => {
    const cell = Math.floor(at / sources);
    const habit = cell % 2 === 1 ? RETURNING_FACTOR : NEW_FACTOR;
    return nth(purchaseRate, cell >> 1) * habit * (sourceFactors[at % sources] ?? 1) * noise.purchases * DRAWS;
  });
}

function cellOf(day: SessionDay, index: number): number {
  return nthUnsigned(day.deviceId, index) * 2 + ((day.sessionNumber[index] ?? 1) > 1 ? 1 : 0);
}

/** The chance of a session to buy on a day without a fall, times `DRAWS`. */
function chanceOf(day: SessionDay, index: number, cell: number): number {
  return nthDouble(day.buying.chances, cell * sourceFactors.length + nthUnsigned(day.source, index));
}

/** How near a session came to buying: its draw over the chance of a usual day, and over that of its own. */
export type Nearness = ReturnType<typeof nearnessOf>;

/** How near a session came to buying. */
export function nearnessOf(day: SessionDay, index: number) {
  const { fall } = day.buying;
  const chance = chanceOf(day, index, cellOf(day, index));
  if (chance === 0) return { usual: Number.POSITIVE_INFINITY, onTheDay: Number.POSITIVE_INFINITY };
  const usual = draw24(nthUnsigned(day.seed, index) ^ SESSION_STREAMS.purchase) / chance;
  return { usual, onTheDay: fall ? usual / fallOf(fall, day, index) : usual };
}

/** The body of baskets is log-normal; a few are drawn from a Pareto tail, whose sums a single order can move. */
const BASKET_MEDIAN_CENTS = 4_700;
const BASKET_SIGMA = 0.8;
const LARGE_BASKET = { share: 0.03, fromCents: 22_000, alpha: 2.1 };
const LEAST_BASKET_CENTS = 490;
const MOST_BASKET_CENTS = 1_200_000;

/** Revenue of one basket: heavy-tailed, mean about 80 euros. */
function basketCents(h: number): number {
  const { share, fromCents, alpha } = LARGE_BASKET;
  const tail = unit(scramble(h + 1) >>> 0);
  // Below `share` the draw says where in the tail: uniform there, and so the inverse of Pareto's distribution.
  const cents = tail < share ? fromCents * (1 - tail / share) ** (-1 / alpha) : BASKET_MEDIAN_CENTS * Math.exp(BASKET_SIGMA * normal(h));
  return Math.round(Math.min(MOST_BASKET_CENTS, Math.max(LEAST_BASKET_CENTS, cents)));
}

/**
 * Fills goals, transactions and revenue, each session by draws of its own. Buying, or coming near to it, hangs on one draw: buyers have
 * filled a cart.
 */
function fillConversions(day: SessionDay, profile: Profile, noise: DayNoise): void {
  const { purchaseBit, near, own } = goalPlan(profile.projectId, noise);
  const { fall } = day.buying;
  for (let index = 0; index < day.count; index += 1) {
    const seed = nthUnsigned(day.seed, index) | 0;
    const cell = cellOf(day, index);
    let bits = 0;
    for (let at = 0; at < own.length; at += 1) {
      const goal = own[at];
      if (goal && draw24(seed ^ goal.stream) < (cell === EAGER_CELL ? goal.eagerRate : goal.rate)) bits |= goal.bit;
    }
    const chance = chanceOf(day, index, cell);
    const draw = draw24(seed ^ SESSION_STREAMS.purchase);
    if (draw < chance * NEAR) {
      for (const goal of near) if (draw < chance * goal.times) bits |= goal.bit;
      if (draw < (fall ? chance * fallOf(fall, day, index) : chance)) {
        const basket = scramble(seed ^ SESSION_STREAMS.basket);
        const isSecond = draw24(basket) < SECOND_TRANSACTION * DRAWS;
        bits |= purchaseBit;
        day.transactions[index] = isSecond ? 2 : 1;
        day.revenueCents[index] = basketCents(basket) + (isSecond ? basketCents(basket ^ SESSION_STREAMS.secondBasket) : 0);
      }
      // Marks who came near to buying until the page views are filled.
      day.pageViews[index] = bits & purchaseBit ? 6 : 3;
    } else if (bits !== 0) day.pageViews[index] = 2;
    day.goals[index] = bits;
  }
}

/** Fills page views, duration and versions; `pageViews` holds the fewest that fit the goals, 0 where a session may bounce. */
function fillReading(day: SessionDay, profile: Profile, noise: DayNoise): void {
  const bounceRates = Float64Array.from(profile.bounceRate, (rate) => rate * noise.bounces * DRAWS);
  const moreViews = (profile.meanViews - 1) * noise.reading;
  const viewMs = profile.secondsPerView * 1_000;
  for (let index = 0; index < day.count; index += 1) {
    const bits = scramble(nthUnsigned(day.seed, index) ^ SESSION_STREAMS.reading);
    const fewest = nthUnsigned(day.pageViews, index);
    if (fewest === 0 && draw24(bits) < nthDouble(bounceRates, nthUnsigned(day.deviceId, index))) {
      day.pageViews[index] = 1;
      day.durationMs[index] = Math.round(2_000 + 14_000 * exponential(bits));
    } else {
      const views = Math.min(MOST_VIEWS, Math.max(2, fewest) + Math.floor(moreViews * exponential(bits)));
      const pace = 0.35 + (1.3 * ((bits >>> 12) & 4_095)) / 4_096;
      day.pageViews[index] = views;
      day.durationMs[index] = Math.min(MAX_SESSION_MS, Math.round(views * viewMs * pace));
    }
    const browser = nthUnsigned(browserVersions, nthUnsigned(day.browser, index));
    const platform = nthUnsigned(platformVersions, nthUnsigned(day.platform, index));
    day.browserVersion[index] = browser === 0 ? 0 : browser + ((bits >>> 16) % 3);
    day.platformVersion[index] = platform === 0 ? 0 : platform + ((nthUnsigned(day.userLow, index) >>> 4) & 1);
  }
}

/** Fills what sessions do, from who they are. */
export function fillBehaviour(day: SessionDay, profile: Profile, noise: DayNoise): void {
  fillConversions(day, profile, noise);
  fillReading(day, profile, noise);
}
