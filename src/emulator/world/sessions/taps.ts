import { nthUnsigned } from '../../../lib/nth.ts';
import { DRAWS, draw24, scramble } from '../random.ts';
import { tapShock } from './day-noise.ts';
import { dayNumberOf, SESSION_STREAMS, type SessionDay } from './session-day.ts';
import type { SessionWorld } from './session-world.ts';
import { type Bucket, bucketsOf, type Selection, scan } from './site-totals.ts';
import { type PageGroup, pageGroupsOf, type Touch, type Zone } from './structure.ts';

/** Sessions that touch a zone touch it again on that share of the later views of its screen. */
const TOUCHES_AGAIN = 0.25;
const MOST_AT_ONCE = 12;

/** A zone with the screen it lies on. */
export interface PlacedZone {
  readonly pageGroup: PageGroup;
  readonly zone: Zone;
}

/** Counts of one period about one zone. */
export interface ZoneTotals extends Bucket {
  /** Sessions that saw the zone's screen. */
  sessions: number;
  tapSessions: number;
  /** Screen views with a tap. */
  tapViews: number;
  taps: number;
  /** Sum over the screen views with a tap. */
  firstTapMs: number;
  swipeSessions: number;
  swipeViews: number;
  swipes: number;
  /** Of the sessions with a tap, and so the three that follow. */
  transactions: number;
  revenueCents: number;
  conversions: number;
}

/** Finds a zone of the project. */
export function zoneOf(projectId: number, zoneId: number): PlacedZone | undefined {
  for (const pageGroup of pageGroupsOf(projectId)) {
    const zone = pageGroup.zonings.flatMap(({ zones }) => zones).find(({ id }) => id === zoneId);
    if (zone) return { pageGroup, zone };
  }
  return undefined;
}

/** Where a screen lies among the draws that say which one a view shows. */
interface Screen {
  readonly from: number;
  readonly to: number;
  readonly isHome: boolean;
}

/** How often a session shows a screen: the first view is Home, each other one falls on a screen by its share. */
function viewsOf(screen: Screen, seed: number, pageViews: number): number {
  let views = screen.isHome ? 1 : 0;
  for (let view = 1; view < pageViews; view += 1) {
    const draw = draw24(seed + Math.imul(view, SESSION_STREAMS.screen));
    if (draw >= screen.from && draw < screen.to) views += 1;
  }
  return views;
}

function screenOf(projectId: number, pageGroupId: number): Screen {
  const screens = pageGroupsOf(projectId);
  const at = screens.findIndex(({ id }) => id === pageGroupId);
  const from = screens.slice(0, at).reduce((sum, { viewShare = 0 }) => sum + viewShare, 0);
  return { from: Math.round(from * DRAWS), to: Math.round((from + (screens[at]?.viewShare ?? 0)) * DRAWS), isHome: at === 0 };
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
interface Target {
  readonly zone: Zone;
  readonly touch: Touch;
  readonly screen: Screen;
  readonly goalBit: number;
  readonly tapRateOn: (dayNumber: number, buys: boolean) => number;
}

function addSession(sum: ZoneTotals, day: SessionDay, index: number, { zone, touch, screen, goalBit, tapRateOn }: Target): void {
  const seed = nthUnsigned(day.seed, index) | 0;
  const views = viewsOf(screen, seed, nthUnsigned(day.pageViews, index));
  if (views === 0) return;
  sum.sessions += 1;
  const transactions = nthUnsigned(day.transactions, index);
  const tapHash = scramble(seed ^ Math.imul(zone.id, SESSION_STREAMS.taps));
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
  const swipeHash = scramble(seed ^ Math.imul(zone.id, SESSION_STREAMS.swipes));
  if (swipeHash >>> 8 < touch.swipeRate * DRAWS) {
    sum.swipeSessions += 1;
    eachTouch(views, swipeHash, touch.swipeAgain, (count) => {
      sum.swipeViews += 1;
      sum.swipes += count;
    });
  }
}

/** Adds up what the sessions of a selection do with one zone; null where the project has no zone metrics for it. */
export function zoneTotals(
  world: SessionWorld,
  selection: Selection,
  { pageGroup, zone }: PlacedZone,
  goalBit: number,
): ZoneTotals[] | null {
  const { touch } = zone;
  if (!touch) return null;
  const totals = bucketsOf(selection).map(emptyTotals);
  const screen = screenOf(selection.projectId, pageGroup.id);
  const target = { zone, touch, screen, goalBit, tapRateOn: tapRates(world, zone.id, touch) };
  scan(world, selection, (day, index, bucket) => {
    const sum = totals[bucket];
    if (sum) addSession(sum, day, index, target);
  });
  return totals;
}

function emptyTotals(bucket: Bucket): ZoneTotals {
  return {
    ...bucket,
    sessions: 0,
    tapSessions: 0,
    tapViews: 0,
    taps: 0,
    firstTapMs: 0,
    swipeSessions: 0,
    swipeViews: 0,
    swipes: 0,
    transactions: 0,
    revenueCents: 0,
    conversions: 0,
  };
}

/** The share of sessions that tap the zone on a day, buyers more often; the story changes it from its first day on. */
function tapRates(
  { origin, stories: { zoneTapChange } }: SessionWorld,
  zoneId: number,
  touch: Touch,
): (dayNumber: number, buys: boolean) => number {
  const changesOn = zoneTapChange.zone.id === zoneId ? dayNumberOf(Date.parse(zoneTapChange.startDay)) : Number.POSITIVE_INFINITY;
  const shocks = new Map<number, number>();
  return (dayNumber, buys) => {
    const ofDay = shocks.get(dayNumber) ?? tapShock(origin.seed, zoneId, dayNumber);
    shocks.set(dayNumber, ofDay);
    const usual = Math.min(0.9, touch.tapRate * ofDay * (buys ? touch.buyers : 1));
    return dayNumber >= changesOn ? Math.min(0.97, usual * zoneTapChange.factor) : usual;
  };
}
