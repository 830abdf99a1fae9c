import { mix, unit } from '../random.ts';
import { type GoalDefinition, goalsOf, type SegmentDefinition } from './catalogue.ts';
import { browsers, platforms } from './dimensions.ts';
import type { Profile } from './profiles.ts';
import { MAX_SESSION_MS, type SessionDay } from './types.ts';

/** Against the chance to buy of a direct visit, by index of `sources`. */
const SOURCE_FACTOR = [1, 1, 1.08, 1.3, 0.62, 0.9];
const NEW_FACTOR = 0.78;
const RETURNING_FACTOR = 1.3;
const SECOND_TRANSACTION = 0.05;
const MOST_VIEWS = 60;
const DESKTOP = 1;

/** A fall of the chance to buy, on some devices and perhaps deeper in one segment. */
export interface Fall {
  readonly deviceIds: readonly number[];
  readonly factor: number;
  readonly segment: SegmentDefinition | null;
  readonly segmentFactor: number;
}

function fallOf(fall: Fall | null, day: SessionDay, index: number): number {
  if (!fall?.deviceIds.includes(day.deviceId[index] ?? 0)) return 1;
  return fall.segment?.holds(day, index) ? fall.segmentFactor : fall.factor;
}

/** Uniform draw of a session; `stream` tells its uses apart. */
function draw(seed: number, stream: number): number {
  return unit(mix(seed ^ Math.imul(stream, 0x27d4eb2f)));
}

/** Draw of an exponential distribution with mean 1. */
function exponential(seed: number, stream: number): number {
  return -Math.log(1 - draw(seed, stream));
}

/** Whether a goal is reached by a session: buying, or near to it, hangs on the same draw, so that whoever buys has filled a cart. */
function reaches(
  goal: GoalDefinition,
  stream: number,
  seed: number,
  purchaseDraw: number,
  chance: number,
  buys: boolean,
  eager: boolean,
): boolean {
  const { reach } = goal;
  if (reach === 'purchase') return buys;
  if ('timesPurchase' in reach) return purchaseDraw < chance * reach.timesPurchase;
  return draw(seed, stream) < (eager ? reach.eagerRate : reach.rate);
}

/** Fills what sessions do: goals, transactions, revenue, page views, duration, versions. */
export function fillBehaviour(day: SessionDay, profile: Profile, fall: Fall | null): void {
  const goals = goalsOf(profile.projectId);
  for (let index = 0; index < day.count; index += 1) {
    const seed = day.seed[index] ?? 0;
    const deviceId = day.deviceId[index] ?? 0;
    const returns = (day.sessionNumber[index] ?? 1) > 1;
    const habit = (returns ? RETURNING_FACTOR : NEW_FACTOR) * (SOURCE_FACTOR[day.source[index] ?? 0] ?? 1);
    const chance = (profile.purchaseRate[deviceId] ?? 0) * habit;
    const purchaseDraw = draw(seed, 1);
    const buys = purchaseDraw < chance * fallOf(fall, day, index);
    let bits = 0;
    for (const [bit, goal] of goals.entries()) {
      if (reaches(goal, 20 + bit, seed, purchaseDraw, chance, buys, returns && deviceId === DESKTOP)) bits |= 1 << bit;
    }
    day.goals[index] = bits;
    if (buys) {
      const twice = draw(seed, 2) < SECOND_TRANSACTION;
      day.transactions[index] = twice ? 2 : 1;
      day.revenueCents[index] = Math.round(1_490 + 6_400 * exponential(seed, 3) + (twice ? 990 + 3_000 * exponential(seed, 4) : 0));
    }
    const isNear = purchaseDraw < chance * 3.5;
    const bounces = !isNear && bits === 0 && draw(seed, 5) < (profile.bounceRate[deviceId] ?? 0);
    const fewest = buys ? 6 : isNear ? 3 : 2;
    const views = bounces ? 1 : Math.min(MOST_VIEWS, fewest + Math.floor((profile.meanViews - 1) * exponential(seed, 6)));
    day.pageViews[index] = views;
    const seconds = bounces ? 2 + 14 * exponential(seed, 7) : views * profile.secondsPerView * (0.35 + 1.3 * draw(seed, 7));
    day.durationMs[index] = Math.min(MAX_SESSION_MS, Math.round(seconds * 1_000));

    const browser = browsers[day.browser[index] ?? 0]?.version ?? 0;
    const platform = platforms[day.platform[index] ?? 0]?.version ?? 0;
    day.browserVersion[index] = browser === 0 ? 0 : browser + Math.floor(3 * draw(seed, 8));
    day.platformVersion[index] = platform === 0 ? 0 : platform + Math.floor(2 * draw(day.userLow[index] ?? 0, 9));
  }
}
