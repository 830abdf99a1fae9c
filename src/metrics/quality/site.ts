import { nth } from '../../lib/nth.ts';
import { scoreOfTail } from '../../statistics/tails.ts';
import { type Figures, type Ratios, ratiosOf, type SpecialOf, slopeOf } from './day-ratios.ts';

/** Kinds of counting faults. */
export const faultKinds = [
  'no data',
  'part of a day',
  'device missing',
  'counted twice',
  'visits not counted',
  'visits without orders',
  'no orders',
  'orders late',
] as const;

/** Days on which the counting, not the visitors, looks different. */
export interface Fault {
  readonly kind: (typeof faultKinds)[number];
  /** First and last index of the days. */
  readonly from: number;
  readonly to: number;
  /** The device that is not counted; left out: it is about all of them. */
  readonly device?: string;
  /** The evidence: figures over the usual ones, 1 for the usual. */
  readonly visits: number;
  readonly orders: number | undefined;
}

/** The counts of a group by day. */
export interface Counts {
  readonly visits: Figures;
  readonly orders: Figures;
  /** Visits of one page alone. */
  readonly bounces: Figures;
}

/** The effects of special days on totals, and on orders by visits. */
export interface Specials {
  readonly visits: SpecialOf;
  readonly orders: SpecialOf;
  readonly rates: SpecialOf;
}

/** The searched counts: all visits and those by device, from day `from` on; days before teach what is usual. */
export interface Counted {
  readonly all: Counts;
  readonly devices: ReadonlyMap<string, Counts>;
  /** Segments, of which counting that breaks leaves out none. */
  readonly segments: readonly Counts[];
  readonly from: number;
  readonly specials: Specials;
}

/** Events a day that are needed to say that none is no chance. */
export const ENOUGH = 20;
/** Shocks last, so that the mean of n days scatters like that of half as many. */
const INFLATION = 2;

/** The counts of one place by day, as ratios to the usual. */
export type Looked = ReturnType<typeof lookAt>;

/** The counts of a site, with the groups that they are compared by. */
export type Site = ReturnType<typeof siteOf>;

/** The counts of a place; `slope` is that of the visits of the site, which all totals follow. */
function lookAt({ visits, orders, bounces }: Counts, { from, specials }: Counted, slope: number) {
  const ofVisits = ratiosOf(visits, from, specials.visits, slope);
  const perUsual = orders.map((count, day) => {
    const seen = visits[day] ?? 0;
    return count === undefined || seen <= 0 ? undefined : (count * nth(ofVisits.usual, day)) / seen;
  });
  return {
    visits: ofVisits,
    orders: ratiosOf(orders, from, specials.orders, slope),
    bounces: ratiosOf(bounces, from, specials.visits, slope),
    /** Orders as they would be at the usual visits: the noise that visits and orders share is not in them. */
    rates: ratiosOf(perUsual, from, specials.rates),
  };
}
const isLarge = ({ usual }: Ratios) => usual.some((count) => count >= ENOUGH);
/** Mean of some days, its standard error beside what special days do to all alike, and with the doubt about that. */
export function meanOf({ logs, sd, doubts }: Ratios, from: number, to: number) {
  let [sum, doubt] = [0, 0];
  for (let day = from; day <= to; day += 1) {
    sum += nth(logs, day);
    doubt += nth(doubts, day);
  }
  const days = to - from + 1;
  const scatter = sd * Math.sqrt(days === 1 ? 1 : INFLATION / days);
  return { mean: sum / days, scatter, error: Math.hypot(scatter, doubt / days) };
}

/** Mean factors over the usual from day `from` up to `to`; orders are undefined where they are always rare. */
export const factors = ({ visits, orders }: Looked, from: number, to: number) => ({
  visits: Math.exp(meanOf(visits, from, to).mean),
  orders: orders.usual.some((usual) => usual >= 1) ? Math.exp(meanOf(orders, from, to).mean) : undefined,
});
/** Chance that one of all groups that moved alike lies further off. */
const UNLIKE = 0.01;

/** Whether all devices and segments moved alike on some days, as far as chance allows of so many. */
export function areAlike({ whole, groups, reach }: Site, from: number, to: number): boolean {
  const all = meanOf(whole.visits, from, to).mean;
  return groups.every((visits) => {
    const { mean, scatter } = meanOf(visits, from, to);
    return Math.abs(mean - all) <= Math.max(0.1, reach * scatter);
  });
}

/** Whether orders moved with visits, so that their rate stayed. */
export function areTogether({ whole }: Site, from: number, to: number): boolean {
  const { mean, error } = meanOf(whole.rates, from, to);
  return Math.abs(mean) <= Math.max(0.06, 3 * error);
}
/** Puts together what is looked through and what is usual of it. */
export function siteOf(counted: Counted) {
  const { all, devices, segments, from, specials } = counted;
  const slope = slopeOf(ratiosOf(all.visits, from, specials.visits), from);
  const size = all.visits.length;
  const parts = [...devices].flatMap(([device, counts]) => {
    const own = lookAt(counts, counted, slope);
    return isLarge(own.visits) ? [[device, own, counts] as const] : [];
  });
  const ofSegments = segments.map(({ visits }) => ratiosOf(visits, from, specials.visits, slope)).filter(isLarge);
  const groups = [...parts.map(([, { visits }]) => visits), ...ofSegments];
  return {
    ...counted,
    size,
    whole: lookAt(all, counted, slope),
    parts,
    /** Visits of the devices and segments that are large enough for a comparison with all. */
    groups,
    /** Standard errors within which all groups lie that move alike. */
    reach: scoreOfTail(Math.log(UNLIKE / groups.length)),
  };
}
