import { type Figures, type Ratios, ratiosOf } from './day-ratios.ts';

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
  /** What shows it: figures over what is usual, 1 for the usual. */
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

/** What is looked through: all visits and the devices that they are of, from day `from` on; days before teach what is usual. */
export interface Counted {
  readonly all: Counts;
  readonly devices: ReadonlyMap<string, Counts>;
  readonly from: number;
  readonly isSpecial: (day: number) => boolean;
}

/** Below this share of the usual nothing was counted: a few pages kept in caches go on. */
const NOTHING = 0.05;
/** Events a day that are needed to say that none is no chance. */
const ENOUGH = 20;
/** A day is cut below this share of the usual. */
const CUT = 0.72;
/** Orders of a last day that are late. */
const LATE = 0.72;
/** Visits must move by so much, as a logarithm, before orders can be held against them. */
const LEAST_MOVE = 0.12;
/** Twice as much, give or take. */
const TWICE = { is: Math.log(2), within: 0.16 };
/** Standard errors beyond which figures have moved, and within which they have not. */
const MOVED = 5;
const APART = 4;
const STILL = 2.3;
/** Shocks last, so that the mean of n days scatters like that of half as many. */
const INFLATION = 2;
/** Longest run of days that is taken for a fault. */
const LONGEST = 45;

/** Visits that are added leave after one page in at least this share where nobody is behind them; usual ones do so less. */
const BOUNCED = { added: 0.75, usual: 0.65 };
/** Without that evidence, visits must rise by so much, and so clearly beside orders. */
const MANY = { move: 0.25, apart: 6 };
/** Orders a day of a device that can be held against its visits. */
const FEW_ORDERS = 5;

interface Looked {
  readonly visits: Ratios;
  readonly orders: Ratios;
  readonly bounces: Ratios;
}

interface Site extends Counted {
  readonly whole: Looked;
  readonly parts: readonly (readonly [string, Looked, Counts])[];
  readonly size: number;
}

const lookAt = ({ visits, orders, bounces }: Counts, { from, isSpecial }: Counted): Looked => ({
  bounces: ratiosOf(bounces, from, isSpecial),
  visits: ratiosOf(visits, from, isSpecial),
  orders: ratiosOf(orders, from, isSpecial),
});
const shareOf = (ratios: Ratios, day: number) => Math.exp(ratios.logs[day] ?? 0);
const isNothing = (figures: Figures, ratios: Ratios, day: number) =>
  figures[day] !== undefined && (ratios.usual[day] ?? 0) >= ENOUGH && (figures[day] ?? 0) <= NOTHING * (ratios.usual[day] ?? 0);

/** Runs of days of one kind as faults. */
function runsOf(days: readonly number[], faultOf: (from: number, to: number) => Fault): Fault[] {
  const runs: { from: number; to: number }[] = [];
  for (const day of days) {
    const open = runs.at(-1);
    if (open && open.to === day - 1) open.to = day;
    else runs.push({ from: day, to: day });
  }
  return runs.map(({ from, to }) => faultOf(from, to));
}

/** Mean of some days, and its standard error. */
function meanOf({ logs, sd }: Ratios, from: number, to: number) {
  let sum = 0;
  for (let day = from; day <= to; day += 1) sum += logs[day] ?? 0;
  const days = to - from + 1;
  return { mean: sum / days, error: sd * Math.sqrt(days === 1 ? 1 : INFLATION / days) };
}

const factors = ({ visits, orders }: Looked, from: number, to: number) => ({
  visits: Math.exp(meanOf(visits, from, to).mean),
  orders: orders.usual.some((usual) => usual >= 1) ? Math.exp(meanOf(orders, from, to).mean) : undefined,
});

/** Days without visits, without a device, without orders. */
function emptyDays({ all, whole, parts, from, size }: Site): Fault[] {
  const days = Array.from({ length: size - from }, (_, index) => from + index);
  const dark = days.filter((day) => isNothing(all.visits, whole.visits, day));
  const isLit = (day: number) => !dark.includes(day);
  const missing = parts.flatMap(([device, ratios, counts]) =>
    runsOf(
      days.filter((day) => isLit(day) && isNothing(counts.visits, ratios.visits, day)),
      (first, last) => ({ kind: 'device missing', from: first, to: last, device, ...factors(whole, first, last) }),
    ),
  );
  const unsold = days.filter((day) => isLit(day) && isNothing(all.orders, whole.orders, day) && shareOf(whole.visits, day) > 0.5);
  return [
    ...runsOf(dark, (first, last) => ({ kind: 'no data', from: first, to: last, ...factors(whole, first, last) })),
    ...missing,
    ...runsOf(unsold, (first, last) => ({ kind: 'no orders', from: first, to: last, ...factors(whole, first, last) })),
  ];
}

/** Whether all devices moved alike on some days, as far as chance allows. */
function areAlike({ whole, parts }: Site, from: number, to: number): boolean {
  const all = meanOf(whole.visits, from, to).mean;
  return parts.every(([, { visits }]) => {
    const { mean, error } = meanOf(visits, from, to);
    return Math.abs(mean - all) <= Math.max(0.1, 3 * error);
  });
}

/** Whether orders moved with visits. */
function areTogether({ whole }: Site, from: number, to: number): boolean {
  const [visits, orders] = [meanOf(whole.visits, from, to), meanOf(whole.orders, from, to)];
  return Math.abs(visits.mean - orders.mean) <= Math.max(0.06, 3 * Math.hypot(visits.error, orders.error));
}

/** Single days of which hours are missing: all devices and orders lack the same share, the days beside are as usual. */
function cutDays(site: Site): Fault[] {
  const { whole, from, size } = site;
  const isUsual = (day: number) => day < 0 || day >= size || Math.abs(whole.visits.logs[day] ?? 0) <= Math.max(0.15, 3 * whole.visits.sd);
  const days = Array.from({ length: size - from }, (_, index) => from + index).filter(
    (day) =>
      !site.isSpecial(day) &&
      shareOf(whole.visits, day) < CUT &&
      shareOf(whole.visits, day) > NOTHING &&
      (whole.visits.logs[day] ?? 0) < -MOVED * whole.visits.sd &&
      isUsual(day - 1) &&
      isUsual(day + 1) &&
      areAlike(site, day, day) &&
      areTogether(site, day, day),
  );
  return days.map((day) => ({ kind: 'part of a day', from: day, to: day, ...factors(whole, day, day) }));
}

/** The last day, or the last two, where orders are still missing and visits are not. */
function lateOrders(site: Site): Fault[] {
  const { whole, size } = site;
  const last = size - 1;
  const { orders, visits } = whole;
  const isLate =
    (orders.usual[last] ?? 0) >= ENOUGH &&
    shareOf(orders, last) < LATE &&
    shareOf(orders, last) > NOTHING &&
    (orders.logs[last] ?? 0) < -APART * orders.sd &&
    Math.abs(visits.logs[last] ?? 0) < Math.max(0.15, 3 * visits.sd) &&
    meanOf(orders, last - 3, last - 2).mean > -Math.max(0.12, 2.5 * orders.sd) &&
    !site.isSpecial(last);
  if (!isLate) return [];
  const first = (orders.logs[last - 1] ?? 0) < -2 * orders.sd ? last - 1 : last;
  return [{ kind: 'orders late', from: first, to: last, ...factors(whole, first, last) }];
}

/** What some days are taken for, and how clearly. */
interface Candidate extends Fault {
  readonly score: number;
}

/** Whether orders stayed as they were on some days. */
function isStill({ orders }: Looked, from: number, to: number): boolean {
  const { mean, error } = meanOf(orders, from, to);
  return Math.abs(mean) < STILL * error;
}

/** Whether the visits that were added on some days left after one page; undefined where that is not known. */
function areBounced({ visits, bounces }: Looked, from: number, to: number): boolean | undefined {
  let [usual, seen, usualBounces, seenBounces] = [0, 0, 0, 0];
  for (let day = from; day <= to; day += 1) {
    const [expected, bounced] = [visits.usual[day] ?? 0, bounces.usual[day] ?? 0];
    usual += expected;
    usualBounces += bounced;
    seen += expected * Math.exp(visits.logs[day] ?? 0);
    seenBounces += bounced * Math.exp(bounces.logs[day] ?? 0);
  }
  if (usualBounces <= 0 || usual <= 0) return undefined;
  return usualBounces / usual < BOUNCED.usual && (seenBounces - usualBounces) / (seen - usual) >= BOUNCED.added;
}

/** Whether orders and visits go apart as they do where visits are not counted, or are nobody's. */
function isApart(site: Site, looked: Looked, isPart: boolean, from: number, to: number): boolean {
  const [visits, orders] = [meanOf(looked.visits, from, to), meanOf(looked.orders, from, to)];
  const apart = Math.abs(orders.mean - visits.mean) / Math.hypot(visits.error, orders.error);
  if (!isStill(looked, from, to) || Math.abs(orders.mean) >= Math.abs(visits.mean) / 3 || apart <= APART) return false;
  const isEverywhere = !isPart && areAlike(site, from, to);
  if (visits.mean > 0) {
    if (areBounced(looked, from, to)) return true;
    return visits.mean > MANY.move && apart > MANY.apart && (isPart || isEverywhere);
  }
  // A banner is shown on each device; what falls on one may have a reason there.
  const ordering = site.parts.filter(([, { orders: own }]) => (own.usual[from] ?? 0) >= FEW_ORDERS);
  return isEverywhere && ordering.every(([, part]) => isStill(part, from, to));
}

/** Whether the days of a run lie about the same level: counting that breaks does so at once. */
function isLevel({ visits: { logs, sd } }: Looked, mean: number, from: number, to: number): boolean {
  for (let day = from; day <= to; day += 1) {
    if (Math.abs((logs[day] ?? 0) - mean) > Math.max(0.15, 3.5 * sd)) return false;
  }
  return true;
}

function runAt(site: Site, looked: Looked, device: string | undefined, from: number, to: number): Candidate | undefined {
  const visits = meanOf(looked.visits, from, to);
  const score = Math.abs(visits.mean / visits.error);
  if (Math.abs(visits.mean) < LEAST_MOVE || score < MOVED || !isLevel(looked, visits.mean, from, to)) return undefined;
  if ((looked.orders.usual[from] ?? 0) < FEW_ORDERS) return undefined;
  const days = { from, to, ...(device !== undefined && { device }), ...factors(looked, from, to) };
  const isPart = device !== undefined;
  if (isApart(site, looked, isPart, from, to))
    return { kind: visits.mean < 0 ? 'visits not counted' : 'visits without orders', ...days, score };
  const isTwice =
    !isPart &&
    site.parts.length > 1 &&
    Math.abs(visits.mean - TWICE.is) <= TWICE.within &&
    areAlike(site, from, to) &&
    areTogether(site, from, to);
  return isTwice ? { kind: 'counted twice', ...days, score } : undefined;
}

/** The clearest run of two days or more that is counted twice, or in which visits and orders go apart. */
function clearestRun(site: Site, looked: Looked, device: string | undefined, taken: ReadonlySet<number>): Fault[] {
  let best: Candidate | undefined;
  for (let from = site.from; from < site.size - 1; from += 1) {
    for (let to = from + 1; to < Math.min(site.size, from + LONGEST); to += 1) {
      if (taken.has(to) || taken.has(from) || site.isSpecial(to) || site.isSpecial(from)) break;
      const found = runAt(site, looked, device, from, to);
      if (found && found.score > (best?.score ?? 0)) best = found;
    }
  }
  if (!best) return [];
  const { score: _score, ...fault } = best;
  return [fault];
}

/** Days on which figures move as counting does and customers do not, in order; empty where all of it looks sound. */
export function findFaults(counted: Counted): Fault[] {
  const { all, devices } = counted;
  const size = all.visits.length;
  const site: Site = {
    ...counted,
    size,
    whole: lookAt(all, counted),
    parts: [...devices].flatMap(([device, counts]) => {
      const own = lookAt(counts, counted);
      return own.visits.usual.some((usual) => usual >= ENOUGH) ? [[device, own, counts] as const] : [];
    }),
  };
  const single = [...emptyDays(site), ...cutDays(site)];
  const late = single.some(({ to }) => to === size - 1) ? [] : lateOrders(site);
  const found = [...single, ...late];
  const taken = new Set(found.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)));
  const ofAll = clearestRun(site, site.whole, undefined, taken);
  const runs = ofAll.length > 0 ? ofAll : site.parts.flatMap(([device, looked]) => clearestRun(site, looked, device, taken));
  return [...found, ...runs].toSorted((a, b) => a.from - b.from);
}
