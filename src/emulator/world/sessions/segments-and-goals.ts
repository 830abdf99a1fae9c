import { app, content, shop } from '../../credentials.ts';

/** Age of a record before the clock at start. */
export interface Aged {
  readonly createdDaysAgo: number;
  readonly updatedDaysAgo: number;
}

/** Columns that decide about a segment: what a session is by visitor and origin, not by what it does. */
export const segmentColumns = ['sessionNumber', 'country', 'source', 'campaign', 'platform', 'deviceId', 'browser'] as const;
type SegmentColumn = (typeof segmentColumns)[number];

/** A segment; its place in the list is its bit in `SessionDay.segments`. */
export interface SegmentDefinition extends Aged {
  readonly id: number;
  readonly name: string;
  readonly source: string;
  /** A session lies in it when each column named here passes. */
  readonly rule: { readonly [Column in SegmentColumn]?: (value: number) => boolean };
}

/** A goal; its place in the list is its bit in `SessionDay.goals`. */
export interface GoalDefinition extends Aged {
  readonly id: number;
  readonly name: string;
  readonly type: 'ECOMMERCE' | 'EVENT' | 'PAGE_VIEW';
  /**
   * How it is reached: by a transaction; by `timesPurchase` as many sessions as buy, the buyers among them;
   * or at `rate`, and at `eagerRate` by returning visitors on a desktop.
   */
  readonly reach: 'purchase' | { readonly timesPurchase: number } | { readonly rate: number; readonly eagerRate: number };
}

type Rule = SegmentDefinition['rule'];
const isNew: Rule = { sessionNumber: (visit) => visit === 1 };
const returns: Rule = { sessionNumber: (visit) => visit > 1 };
const loyal = (visits: number): Rule => ({ sessionNumber: (visit) => visit >= visits });
const from = (code: number): Rule => ({ country: (country) => country === code });
const by = (code: number): Rule => ({ source: (source) => source === code });
const through = (code: number): Rule => ({ campaign: (campaign) => campaign === code });
const on = (...codes: number[]): Rule => ({ platform: (platform) => codes.includes(platform) });
const mobileSafari: Rule = { deviceId: (device) => device === 2, browser: (browser) => browser === 2 };

function segment(id: number, name: string, rule: Rule, createdDaysAgo: number, updatedDaysAgo: number): SegmentDefinition {
  return { id, name, source: 'CUSTOM', createdDaysAgo, updatedDaysAgo, rule };
}

/** The two segments that every project has from its first day on; the second one has the next id. */
function newAndReturning(id: number, who: string, daysAgo: number): SegmentDefinition[] {
  return [segment(id, `New ${who}`, isNew, daysAgo, daysAgo), segment(id + 1, `Returning ${who}`, returns, daysAgo, daysAgo)].map(
    (each) => ({ ...each, source: 'PREDEFINED' }),
  );
}

function goal(
  id: number,
  name: string,
  type: GoalDefinition['type'],
  reach: GoalDefinition['reach'],
  createdDaysAgo: number,
  updatedDaysAgo: number,
): GoalDefinition {
  return { id, name, type, reach, createdDaysAgo, updatedDaysAgo };
}

const segmentsByProject: Record<number, readonly SegmentDefinition[]> = {
  [shop.id]: [
    ...newAndReturning(418203, 'visitors', 820),
    segment(431877, 'Paid search', by(2), 640, 122),
    segment(431902, 'Newsletter', by(3), 640, 77),
    segment(440156, 'Germany', from(0), 511, 511),
    segment(440158, 'France', from(1), 511, 511),
    segment(452390, 'Mobile Safari', mobileSafari, 402, 31),
    segment(467741, 'Summer sale campaign', through(1), 190, 120),
    segment(467749, 'Summer sale returning visitors', { ...through(1), ...returns }, 186, 119),
    segment(470415, 'Acheteurs fidèles', { ...from(1), ...loyal(3) }, 145, 12),
  ],
  [app.id]: [
    ...newAndReturning(518020, 'users', 560),
    segment(524466, 'iOS', on(4, 5), 498, 498),
    segment(524467, 'Android', on(6), 498, 498),
    segment(530912, 'Germany', from(0), 377, 377),
    segment(530913, 'France', from(1), 377, 377),
    segment(536608, 'Newsletter', by(3), 240, 54),
    segment(536615, 'Newsletter France', { ...by(3), ...from(1) }, 232, 54),
    segment(541077, 'Clients fidèles', loyal(6), 131, 18),
  ],
  [content.id]: [
    ...newAndReturning(602114, 'visitors', 710),
    segment(609338, 'Germany', from(0), 455, 455),
    segment(609340, 'France', from(1), 455, 455),
    segment(613871, 'Newsletter', by(3), 420, 96),
    segment(613880, 'Newsletter regulars', { ...by(3), ...loyal(4) }, 418, 96),
    segment(617250, 'Lecteurs fidèles', loyal(5), 260, 41),
    segment(621493, 'Reader boost campaign', through(5), 75, 60),
  ],
};

const goalsByProject: Record<number, readonly GoalDefinition[]> = {
  [shop.id]: [
    goal(73310, 'Purchase', 'ECOMMERCE', 'purchase', 820, 820),
    goal(73342, 'Newsletter sign-up', 'EVENT', { rate: 0.017, eagerRate: 0.017 }, 640, 201),
    goal(74905, 'Account created', 'PAGE_VIEW', { rate: 0.023, eagerRate: 0.009 }, 511, 88),
    goal(75118, 'Add to cart', 'EVENT', { timesPurchase: 3.1 }, 470, 470),
  ],
  [app.id]: [
    goal(88126, 'Purchase', 'ECOMMERCE', 'purchase', 560, 560),
    goal(88130, 'Checkout started', 'EVENT', { timesPurchase: 1.9 }, 560, 143),
    goal(89574, 'Wish list filled', 'EVENT', { rate: 0.061, eagerRate: 0.061 }, 377, 64),
    goal(90233, 'Account created', 'PAGE_VIEW', { rate: 0.019, eagerRate: 0.019 }, 298, 298),
  ],
  [content.id]: [
    goal(95207, 'Subscription', 'PAGE_VIEW', { rate: 0.004, eagerRate: 0.021 }, 710, 333),
    goal(95211, 'Newsletter sign-up', 'EVENT', { rate: 0.016, eagerRate: 0.16 }, 640, 150),
    goal(97064, 'Article shared', 'EVENT', { rate: 0.027, eagerRate: 0.027 }, 455, 29),
  ],
};

/** Segments of a project, in the order of their bits. */
export function segmentsOf(projectId: number): readonly SegmentDefinition[] {
  return segmentsByProject[projectId] ?? [];
}

/** Goals of a project, in the order of their bits. */
export function goalsOf(projectId: number): readonly GoalDefinition[] {
  return goalsByProject[projectId] ?? [];
}

/** Ids of what only makes an account large begin here; none that is always there is as large. */
export const FIRST_ID = 9_000_000;

/** Where a segment or goal stands among those that are always there: the others hold the same sessions as one of these. */
export function placeAmong(list: readonly { readonly id: number }[], id: number): number {
  return id >= FIRST_ID ? (id - FIRST_ID) % list.length : list.findIndex((each) => each.id === id);
}
