import { goalsOf } from './catalogue.ts';
import { MAX_SESSION_MS } from './days.ts';
import { browsers, platforms } from './dimensions.ts';
import { DRAWS, draw24, scramble } from './draws.ts';
import type { Profile } from './profiles.ts';
import type { SessionDay } from './types.ts';

/** Against the chance to buy of a direct visit, by index of `sources`. */
const sourceFactors = Float64Array.of(1, 1, 1.08, 1.3, 0.62, 0.9);
const NEW_FACTOR = 0.78;
const RETURNING_FACTOR = 1.3;
const SECOND_TRANSACTION = 0.05;
const MOST_VIEWS = 60;
/** Sessions that come near to buying look at more and never bounce: so many times the buyers. */
const NEAR = 3.5;
/** Tell the uses of a session's hash apart. */
const PURCHASE = 0x27d4eb2f;
const BASKET = 0x165667b1;
const READING = 0x3c6ef372;
const GOAL = 0x1b56c4e9;

/** Groups of sessions with one chance each: by device, and new or returning. */
const CELLS = 12;
/** Returning visitors on a desktop. */
const EAGER_CELL = 3;
/** Of `DRAWS`: multiples of it, taken modulo `DRAWS`, fill the range evenly. */
const GOLDEN_SECTION = Math.round(0.618_033_988_75 * DRAWS);
const LAST_DRAW = DRAWS - 1;

/** A fall of the chance to buy, on some devices and perhaps deeper in one segment. */
export interface Fall {
  readonly deviceIds: readonly number[];
  readonly factor: number;
  /** Its bit in `SessionDay.segments`; 0: none. */
  readonly segmentBit: number;
  readonly segmentFactor: number;
}

/** Exponential distribution with mean 1 by twelve bits of a hash: a logarithm for each session would take longer than all the rest. */
const exponentials = Float32Array.from({ length: 4_096 }, (_, index) => -Math.log(1 - (index + 0.5) / 4_096));

function exponential(bits: number): number {
  return exponentials[bits & 4_095] ?? 0;
}

const browserVersions = Uint8Array.from(browsers, ({ version }) => version);
const platformVersions = Uint8Array.from(platforms, ({ version }) => version);

/** A goal that sessions reach by a chance of their own. */
interface OwnGoal {
  readonly bit: number;
  readonly stream: number;
  /** Where the day's even sequence begins for it. */
  readonly shift: number;
  /** Chances times `DRAWS`. */
  readonly rate: number;
  readonly eagerRate: number;
}

/** The goals of a project by how they are reached, each with its bit. */
function goalPlan(projectId: number, dayHash: number) {
  const near: { bit: number; times: number }[] = [];
  const own: OwnGoal[] = [];
  let purchaseBit = 0;
  for (const [index, { reach }] of goalsOf(projectId).entries()) {
    const bit = 1 << index;
    const stream = Math.imul(GOAL, index + 1);
    if (reach === 'purchase') purchaseBit = bit;
    else if ('timesPurchase' in reach) near.push({ bit, times: reach.timesPurchase });
    else own.push({ bit, stream, shift: draw24(dayHash ^ stream), rate: reach.rate * DRAWS, eagerRate: reach.eagerRate * DRAWS });
  }
  return { purchaseBit, near, own };
}

function fallOf(fall: Fall, day: SessionDay, index: number): number {
  if (!fall.deviceIds.includes(day.deviceId[index] ?? 0)) return 1;
  return ((day.segments[index] ?? 0) & fall.segmentBit) === 0 ? fall.factor : fall.segmentFactor;
}

/** Chance to buy times `DRAWS`, by cell and source. */
function chanceTable({ purchaseRate }: Profile): Float64Array {
  const sources = sourceFactors.length;
  return Float64Array.from({ length: CELLS * sources }, (_, at) => {
    const cell = Math.floor(at / sources);
    const habit = cell % 2 === 1 ? RETURNING_FACTOR : NEW_FACTOR;
    return (purchaseRate[cell >> 1] ?? 0) * habit * (sourceFactors[at % sources] ?? 1) * DRAWS;
  });
}

/** Revenue of one or two transactions; small baskets are the most frequent. */
function basketCents(bits: number, transactions: number): number {
  const first = 1_490 + 6_400 * exponential(bits);
  return Math.round(transactions === 2 ? first + 990 + 3_000 * exponential(bits >>> 12) : first);
}

/**
 * Fills goals, transactions and revenue. Buying, or coming near to it, hangs on one draw, so that whoever buys has filled a cart.
 * Every second session draws from an even sequence of its cell instead of at random: rates keep about seven tenths of their natural noise,
 * so that chance rarely looks like a story.
 */
function fillConversions(day: SessionDay, profile: Profile, dayHash: number, fall: Fall | null): void {
  const { purchaseBit, near, own } = goalPlan(profile.projectId, dayHash);
  const chances = chanceTable(profile);
  const purchaseShift = draw24(dayHash ^ PURCHASE);
  const sequence = Int32Array.from({ length: CELLS }, (_, cell) => draw24(dayHash + cell));
  for (let index = 0; index < day.count; index += 1) {
    const seed = (day.seed[index] ?? 0) | 0;
    const deviceId = day.deviceId[index] ?? 0;
    const returns = (day.sessionNumber[index] ?? 1) > 1;
    const cell = deviceId * 2 + (returns ? 1 : 0);
    const isEven = (seed & 1) === 1;
    const even = (sequence[cell] ?? 0) + GOLDEN_SECTION;
    if (isEven) sequence[cell] = even & LAST_DRAW;
    let bits = 0;
    for (let nth = 0; nth < own.length; nth += 1) {
      const goal = own[nth];
      if (!goal) continue;
      const goalDraw = isEven ? (even + goal.shift) & LAST_DRAW : draw24(seed ^ goal.stream);
      if (goalDraw < (cell === EAGER_CELL ? goal.eagerRate : goal.rate)) bits |= goal.bit;
    }
    const chance = chances[cell * sourceFactors.length + (day.source[index] ?? 0)] ?? 0;
    const draw = isEven ? (even + purchaseShift) & LAST_DRAW : draw24(seed ^ PURCHASE);
    if (draw < chance * NEAR) {
      for (const goal of near) if (draw < chance * goal.times) bits |= goal.bit;
      if (draw < (fall ? chance * fallOf(fall, day, index) : chance)) {
        const basket = scramble(seed ^ BASKET);
        const transactions = draw24(basket) < SECOND_TRANSACTION * DRAWS ? 2 : 1;
        bits |= purchaseBit;
        day.transactions[index] = transactions;
        day.revenueCents[index] = basketCents(basket, transactions);
      }
      // Marks who came near to buying until the page views are filled.
      day.pageViews[index] = bits & purchaseBit ? 6 : 3;
    } else if (bits !== 0) day.pageViews[index] = 2;
    day.goals[index] = bits;
  }
}

/** Fills page views, duration and versions; `pageViews` holds the fewest that fit the goals, 0 where a session may bounce. */
function fillReading(day: SessionDay, profile: Profile): void {
  const bounceRates = Uint16Array.from(profile.bounceRate, (rate) => Math.round(rate * 256));
  const moreViews = profile.meanViews - 1;
  const viewMs = profile.secondsPerView * 1_000;
  for (let index = 0; index < day.count; index += 1) {
    const bits = scramble((day.seed[index] ?? 0) ^ READING);
    const fewest = day.pageViews[index] ?? 0;
    if (fewest === 0 && bits >>> 24 < (bounceRates[day.deviceId[index] ?? 0] ?? 0)) {
      day.pageViews[index] = 1;
      day.durationMs[index] = Math.round(2_000 + 14_000 * exponential(bits));
    } else {
      const views = Math.min(MOST_VIEWS, Math.max(2, fewest) + Math.floor(moreViews * exponential(bits)));
      const pace = 0.35 + (1.3 * ((bits >>> 12) & 4_095)) / 4_096;
      day.pageViews[index] = views;
      day.durationMs[index] = Math.min(MAX_SESSION_MS, Math.round(views * viewMs * pace));
    }
    const browser = browserVersions[day.browser[index] ?? 0] ?? 0;
    const platform = platformVersions[day.platform[index] ?? 0] ?? 0;
    day.browserVersion[index] = browser === 0 ? 0 : browser + ((bits >>> 16) % 3);
    day.platformVersion[index] = platform === 0 ? 0 : platform + (((day.userLow[index] ?? 0) >>> 4) & 1);
  }
}

/** Fills what sessions do, from who they are. */
export function fillBehaviour(day: SessionDay, profile: Profile, dayHash: number, fall: Fall | null): void {
  fillConversions(day, profile, dayHash, fall);
  fillReading(day, profile);
}
