import { nthUnsigned } from '../../../lib/nth.ts';
import { DRAWS, draw24, scramble } from '../random.ts';
import { tapShock } from './day-noise.ts';
import { dayNumberOf, SESSION_STREAMS, type SessionDay } from './session-day.ts';
import type { SessionWorld } from './session-world.ts';
import { type Bucket, bucketsOf, type Selection, scan } from './site-totals.ts';
import { pageGroupsOf } from './structure.ts';

/** Sessions that touch a zone touch it again on that share of the later views of its screen. */
const TOUCHES_AGAIN = 0.25;
const MOST_AT_ONCE = 12;

/** Counts of one period about one zone. */
const NOTHING = {
  /** Sessions that saw the zone's screen. */
  sessions: 0,
  tapSessions: 0,
  /** Screen views with a tap. */
  tapViews: 0,
  taps: 0,
  /** Sum over the screen views with a tap. */
  firstTapMs: 0,
  swipeSessions: 0,
  swipeViews: 0,
  swipes: 0,
  /** Of the sessions with a tap, and so the three that follow. */
  transactions: 0,
  revenueCents: 0,
  conversions: 0,
};

/** Counts of one period about one zone. */
export type ZoneTotals = Bucket & typeof NOTHING;

/** How often a session shows a screen: the first view is Home, each other one falls on a screen by its share. */
function viewsOf(screen: PlacedZone['screen'], seed: number, pageViews: number): number {
  let views = screen.isHome ? 1 : 0;
  for (let view = 1; view < pageViews; view += 1) {
    const draw = draw24(seed + Math.imul(view, SESSION_STREAMS.screen));
    if (draw >= screen.from && draw < screen.to) views += 1;
  }
  return views;
}

/** A zone of an app, and where the screen that it lies on lies among the draws that say which one a view shows. */
type PlacedZone = NonNullable<ReturnType<typeof zoneOf>>;

/** Finds a zone of the project; undefined where it has no zone metrics for it. */
export function zoneOf(projectId: number, zoneId: number) {
  let from = 0;
  for (const [at, { viewShare = 0, zonings }] of pageGroupsOf(projectId).entries()) {
    const to = from + viewShare;
    const touch = zonings.flatMap(({ zones }) => zones).find(({ id }) => id === zoneId)?.touch;
    if (touch) return { id: zoneId, touch, screen: { from: Math.round(from * DRAWS), to: Math.round(to * DRAWS), isHome: at === 0 } };
    from = to;
  }
  return undefined;
}

/**
 * Calls `touched` for each of the screen views that a session touches the zone in, with the hash and the number of touches of that view.
 */
function eachTouch(views: number, sessionHash: number, again: number, touched: (count: number, viewHash: number) => void): void {
  for (let view = 0; view < views; view += 1) {
    const viewHash = scramble(sessionHash + view + 1);
    if (view > 0 && viewHash >>> 8 >= TOUCHES_AGAIN * DRAWS) continue;
    let count = 1;
    while (count < MOST_AT_ONCE && draw24(viewHash + count) < again * DRAWS) count += 1;
    touched(count, viewHash);
  }
}

/** A zone as the loop over sessions needs it. */
interface Target extends PlacedZone {
  readonly goalBit: number;
  readonly tapRateOn: (dayNumber: number, buys: boolean) => number;
}

function addSession(sum: ZoneTotals, day: SessionDay, index: number, { id, touch, screen, goalBit, tapRateOn }: Target): void {
  const seed = nthUnsigned(day.seed, index) | 0;
  const views = viewsOf(screen, seed, nthUnsigned(day.pageViews, index));
  if (views === 0) return;
  sum.sessions += 1;
  const transactions = nthUnsigned(day.transactions, index);
  const tapHash = scramble(seed ^ Math.imul(id, SESSION_STREAMS.taps));
  if (tapHash >>> 8 < tapRateOn(day.dayNumber, transactions > 0) * DRAWS) {
    sum.tapSessions += 1;
    sum.transactions += transactions;
    sum.revenueCents += nthUnsigned(day.revenueCents, index);
    if ((nthUnsigned(day.goals, index) & goalBit) !== 0) sum.conversions += 1;
    eachTouch(views, tapHash, touch.tapAgain, (count, viewHash) => {
      sum.tapViews += 1;
      sum.taps += count;
      sum.firstTapMs += Math.round(touch.firstTapSeconds * (0.3 + (1.4 * draw24(viewHash ^ SESSION_STREAMS.taps)) / DRAWS) * 1_000);
    });
  }
  const swipeHash = scramble(seed ^ Math.imul(id, SESSION_STREAMS.swipes));
  if (swipeHash >>> 8 < touch.swipeRate * DRAWS) {
    sum.swipeSessions += 1;
    eachTouch(views, swipeHash, touch.swipeAgain, (count) => {
      sum.swipeViews += 1;
      sum.swipes += count;
    });
  }
}

/** Adds up what the sessions of a selection do with one zone. */
export function zoneTotals(world: SessionWorld, selection: Selection, zone: PlacedZone, goalBit: number): ZoneTotals[] {
  const totals = bucketsOf(selection).map((bucket) => ({ ...bucket, ...NOTHING }));
  const target = { ...zone, goalBit, tapRateOn: tapRates(world, zone) };
  scan(world, selection, (day, index, bucket) => {
    const sum = totals[bucket];
    if (sum) addSession(sum, day, index, target);
  });
  return totals;
}

/** The share of sessions that tap the zone on a day, buyers more often; the story changes it from its first day on. */
function tapRates({ origin, stories: { zoneTapChange } }: SessionWorld, { id, touch }: PlacedZone): Target['tapRateOn'] {
  const changesOn = zoneTapChange.zone.id === id ? dayNumberOf(Date.parse(zoneTapChange.startDay)) : Number.POSITIVE_INFINITY;
  const shocks = new Map<number, number>();
  return (dayNumber, buys) => {
    const ofDay = shocks.get(dayNumber) ?? tapShock(origin.seed, id, dayNumber);
    shocks.set(dayNumber, ofDay);
    const usual = Math.min(0.9, touch.tapRate * ofDay * (buys ? touch.buyers : 1));
    return dayNumber >= changesOn ? Math.min(0.97, usual * zoneTapChange.factor) : usual;
  };
}
