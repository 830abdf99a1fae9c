import { runsOf } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { type Figures, middleOf, type Ratios, sdOf } from './day-ratios.ts';
import { areAlike, areTogether, ENOUGH, type Fault, factors, type Looked, type Site } from './site.ts';

/** Below this share of the usual nothing was counted: a few pages kept in caches go on. */
const NOTHING = 0.05;
/** A day is cut below this share of the usual. */
const CUT = 0.6;
/** A cut day lies below the days beside it by so much, as a logarithm. */
const LEAST_GAP = 0.26;
/** Orders of a last day that are late. */
const LATE = 0.72;
/** Standard errors beyond which a day has moved. */
const MOVED = 5;
const APART = 4;

const shareOf = (ratios: Ratios, day: number) => Math.exp(nth(ratios.logs, day));

/** Days on each side by whose level a single one is judged: over a long range a season moves all of them. */
const BESIDE = 7;

/** The level of the days beside one, as a logarithm, of those with anything. */
function levelBeside({ logs }: Ratios, day: number): number {
  const beside = [...logs.slice(Math.max(0, day - BESIDE), day), ...logs.slice(day + 1, day + 1 + BESIDE)];
  return middleOf(beside.filter((log) => log > Math.log(NOTHING)));
}

/** Whether a day has next to nothing where there would be enough, by what is usual and, where these are fewer, by the days beside it. */
function isNothing(figures: Figures, ratios: Ratios, day: number): boolean {
  const [count, usual] = [figures[day], nth(ratios.usual, day)];
  if (count === undefined || count > NOTHING * usual) return false;
  return usual * Math.exp(Math.min(0, levelBeside(ratios, day))) >= ENOUGH;
}

/** Runs of days of one kind as faults. */
const faultsOf = (days: readonly number[], faultOf: (from: number, to: number) => Fault) =>
  runsOf(days, (run, day) => run.at(-1) === day - 1).map((run) => faultOf(nth(run, 0), nth(run, run.length - 1)));

/** Days without visits, without a device, without orders. */
function emptyDays({ all, whole, parts, from, size }: Site): Fault[] {
  const days = Array.from({ length: size - from }, (_, index) => from + index);
  const dark = days.filter((day) => isNothing(all.visits, whole.visits, day));
  const isLit = (day: number) => !dark.includes(day);
  const missing = parts.flatMap(([device, ratios, counts]) =>
    faultsOf(
      days.filter((day) => isLit(day) && isNothing(counts.visits, ratios.visits, day)),
      (first, last) => ({ kind: 'device missing', from: first, to: last, device, ...factors(whole, first, last) }),
    ),
  );
  const unsold = days.filter((day) => isLit(day) && isNothing(all.orders, whole.orders, day) && shareOf(whole.visits, day) > 0.5);
  return [
    ...faultsOf(dark, (first, last) => ({ kind: 'no data', from: first, to: last, ...factors(whole, first, last) })),
    ...missing,
    ...faultsOf(unsold, (first, last) => ({ kind: 'no orders', from: first, to: last, ...factors(whole, first, last) })),
  ];
}

/** Single days of which hours are missing: all devices and orders lack the same share, the days beside are as usual. */
function cutDays(site: Site): Fault[] {
  const { whole, from, size } = site;
  const { logs } = whole.visits;
  return Array.from({ length: size - from }, (_, index) => from + index).flatMap((day) => {
    const level = levelBeside(whole.visits, day);
    // Beside days of a campaign a usual day lies low.
    const own = nth(logs, day) - Math.min(0, level);
    const beside = [day - 1, day + 1].filter((at) => at >= 0 && at < size);
    const isCut =
      own < Math.log(CUT) &&
      own > Math.log(NOTHING) &&
      own < -MOVED * sdOf(whole.visits, day) &&
      beside.every((at) => Math.abs(nth(logs, at) - level) <= Math.max(0.15, 3 * sdOf(whole.visits, at))) &&
      // Where all days have fallen, one that lies a little lower lacks no hours.
      beside.every((at) => nth(logs, at) - nth(logs, day) > LEAST_GAP) &&
      areAlike(site, day, day) &&
      areTogether(site, day, day);
    const { orders } = factors(whole, day, day);
    return isCut ? [{ kind: 'part of a day' as const, from: day, to: day, visits: Math.exp(own), orders }] : [];
  });
}

/** Orders that are late lack on every device; one with fewer than this is not asked. */
const LEAST_ORDERS = 10;
const LATE_ON_DEVICE = 0.9;
/** Standard errors within which a device lacks the same share of them. */
const ALIKE = 3;
/** A device differs from the others by so much a day beside chance, as a logarithm: what moves all of them is in their share. */
const OWN_SCATTER = 0.06;

/** Standard errors by which a device is off the share of its usual orders that all devices have. */
function offShare({ logs, usual }: Ratios, day: number, share: number): number {
  return (nth(logs, day) - Math.log(share)) / Math.hypot(OWN_SCATTER, 1 / Math.sqrt(nth(usual, day) * share));
}

/** Whether a device lacks the same share of a day's orders as the site: a checkout that breaks lacks all, beside others that lack none. */
function isLateAlike(of: Ratios, day: number, share: number): boolean {
  if (nth(of.usual, day) < LEAST_ORDERS) return true;
  return shareOf(of, day) < LATE_ON_DEVICE && Math.abs(offShare(of, day, share)) <= ALIKE;
}

/**
 * Whether orders of a day lack on one device alone rather than everywhere by one share: by which of the two the devices lie less far off,
 * in squares of their standard errors.
 */
function isOfOneDevice({ parts }: Site, day: number, share: number): boolean {
  const asked = parts.flatMap(([, { orders }]) => (nth(orders.usual, day) < LEAST_ORDERS ? [] : [orders]));
  const everywhere = asked.reduce((sum, of) => sum + offShare(of, day, share) ** 2, 0);
  const usual = asked.map((of) => (nth(of.logs, day) / sdOf(of, day)) ** 2);
  return usual.reduce((sum, own) => sum + own, 0) - Math.max(0, ...usual) < everywhere;
}

/** Days before those that may be late, which must have had their orders. */
const DAYS_BEFORE = 3;

/** Whether orders of the days before the last two, each by how sure it is what was to be expected of it, were not already few. */
function wereThere({ orders }: Looked, last: number): boolean {
  const days = Array.from({ length: DAYS_BEFORE }, (_, ago) => last - 2 - ago).filter((day) => day >= 0);
  const weights = days.map((day) => sdOf(orders, day) ** -2);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const mean = days.reduce((all, day, at) => all + (nth(orders.logs, day) * nth(weights, at)) / sum, 0);
  return mean > -Math.max(0.12, 2.5 * Math.sqrt(weights.length / sum));
}

/** The last day, or the last two, where orders are still missing and visits are not. */
function lateOrders(site: Site): Fault[] {
  const { whole, size, parts } = site;
  const last = size - 1;
  const { orders, visits } = whole;
  const share = shareOf(orders, last);
  // Of one device alone, late orders look like a checkout that broke.
  if (parts.length < 2 || isOfOneDevice(site, last, share) || !parts.every(([, looked]) => isLateAlike(looked.orders, last, share)))
    return [];
  const isLate =
    nth(orders.usual, last) >= ENOUGH &&
    share < LATE &&
    share > NOTHING &&
    nth(orders.logs, last) < -APART * sdOf(orders, last) &&
    Math.abs(nth(visits.logs, last)) < Math.max(0.15, 3 * sdOf(visits, last)) &&
    wereThere(whole, last);
  if (!isLate) return [];
  const first = nth(orders.logs, last - 1) < -2 * sdOf(orders, last - 1) ? last - 1 : last;
  return [{ kind: 'orders late', from: first, to: last, ...factors(whole, first, last) }];
}

/** Orders as they would be at the usual visits: with a season that ends both are fewer. */
const atUsualVisits = (looked: Site['whole']) => ({ ...looked, orders: looked.rates });

/** Days without any visits, devices or orders, days of which hours are missing, and last days whose orders are late. */
export function singleDays(site: Site): Fault[] {
  const single = [...emptyDays(site), ...cutDays(site)];
  if (single.some(({ to }) => to === site.size - 1)) return single;
  const parts = site.parts.map(([device, looked, counts]) => [device, atUsualVisits(looked), counts] as const);
  return [...single, ...lateOrders({ ...site, whole: atUsualVisits(site.whole), parts })];
}
