import { nth } from '../../../lib/nth.ts';
import { singleDays } from './single-days.ts';
import { areAlike, areTogether, type Counted, type Fault, factors, type Looked, meanOf, type Site, siteOf } from './site.ts';

/** Visits must move by this much, as a logarithm, before orders can be compared with them. */
const LEAST_MOVE = 0.12;
/** Twice as much, give or take what chance makes of the mean of some days, in its standard errors, and at least and at most so much. */
const TWICE = { is: Math.log(2), errors: 2.5, least: 0.07, most: 0.16, beside: 0.25 };
/** Standard errors beyond which figures have moved, and within which they have not. */
const MOVED = 5;
const APART = 4;
const STILL = 2.3;
/** Parts of a run in each of which figures have not moved, and the standard errors that they may be off: several are looked at. */
const STRETCHES = 3;
const STILL_IN_PART = 3;
/** Longest run of days that is taken for a fault. */
const LONGEST = 45;

/** Visits that are added leave after one page in at least this share where nobody is behind them; usual ones do so less. */
const BOUNCED = { added: 0.75, usual: 0.65 };
/** Without that evidence, visits must rise by so much, and so clearly beside orders. */
const MANY = { move: 0.25, apart: 6 };
/** The least orders a day of a device that can be compared with its visits. */
const FEW_ORDERS = 5;

/** Whether the days beside some days are not part of the same rise: counting that doubles does so from one day to the next. */
function isAlone({ whole: { visits }, from: first, size }: Site, from: number, to: number): boolean {
  return [from - 1, to + 1].every((day) => day < first || day >= size || nth(visits.logs, day) < TWICE.beside);
}

/** A fault that some days may be, and how clearly. */
interface FaultCandidate extends Fault {
  readonly score: number;
}

/** Whether orders stayed as they were on some days, all along: a rise and a fall that follows it are no stay, though they cancel out. */
function isStill({ orders }: Looked, from: number, to: number): boolean {
  const { mean, error } = meanOf(orders, from, to);
  if (Math.abs(mean) >= STILL * error) return false;
  const days = to - from + 1;
  const parts = Math.min(STRETCHES, Math.floor(days / 2));
  return Array.from({ length: parts }, (_, part) => {
    const start = from + Math.floor((part * days) / parts);
    return meanOf(orders, start, from + Math.floor(((part + 1) * days) / parts) - 1);
  }).every((stretch) => Math.abs(stretch.mean) < STILL_IN_PART * stretch.error);
}

/** Whether visits of a device rose beyond those of all others; a device alone does. */
function isOwnRise({ parts }: Site, device: string, mean: number, from: number, to: number): boolean {
  return parts.every(([name, { visits }]) => name === device || mean - meanOf(visits, from, to).mean >= LEAST_MOVE);
}

/** Whether the visits that were added on some days left after one page; undefined where that is not known. */
function areBounced({ visits, bounces }: Looked, from: number, to: number): boolean | undefined {
  let [usual, seen, usualBounces, seenBounces] = [0, 0, 0, 0];
  for (let day = from; day <= to; day += 1) {
    const [expected, bounced] = [nth(visits.usual, day), nth(bounces.usual, day)];
    usual += expected;
    usualBounces += bounced;
    seen += expected * Math.exp(nth(visits.logs, day));
    seenBounces += bounced * Math.exp(nth(bounces.logs, day));
  }
  if (usualBounces <= 0 || usual <= 0) return undefined;
  return usualBounces / usual < BOUNCED.usual && (seenBounces - usualBounces) / (seen - usual) >= BOUNCED.added;
}

/**
 * Whether orders stayed on each device that has enough of them. A banner is shown on all and so are visits of nobody: where orders of one
 * fell and those of another rose, visitors did, though their sum stays.
 */
function areStillOnEach({ parts }: Site, from: number, to: number): boolean {
  return parts.every(([, part]) => nth(part.orders.usual, from) < FEW_ORDERS || isStill(part, from, to));
}

/** Whether orders and visits go apart as they do where visits are not counted, or are nobody's. */
function isApart(site: Site, looked: Looked, device: string | undefined, from: number, to: number): boolean {
  const [visits, orders] = [meanOf(looked.visits, from, to), meanOf(looked.orders, from, to)];
  const apart = Math.abs(orders.mean - visits.mean) / Math.hypot(visits.error, orders.error);
  if (!isStill(looked, from, to) || Math.abs(orders.mean) >= Math.abs(visits.mean) / 3 || apart <= APART) return false;
  const isEverywhere = device === undefined && areAlike(site, from, to) && areStillOnEach(site, from, to);
  if (visits.mean < 0) return isEverywhere;
  if (areBounced(looked, from, to)) return true;
  if (visits.mean <= MANY.move || apart <= MANY.apart) return false;
  return device === undefined ? isEverywhere : isOwnRise(site, device, visits.mean, from, to);
}

/** Whether the days of a run lie about the same level: counting that breaks does so at once. */
function isLevel({ visits: { logs, sd } }: Looked, mean: number, from: number, to: number): boolean {
  for (let day = from; day <= to; day += 1) {
    if (Math.abs(nth(logs, day) - mean) > Math.max(0.15, 3.5 * sd)) return false;
  }
  return true;
}

function runAt(site: Site, looked: Looked, device: string | undefined, from: number, to: number): FaultCandidate | undefined {
  const visits = meanOf(looked.visits, from, to);
  const score = Math.abs(visits.mean / visits.error);
  if (Math.abs(visits.mean) < LEAST_MOVE || score < MOVED || !isLevel(looked, visits.mean, from, to)) return undefined;
  if (nth(looked.orders.usual, from) < FEW_ORDERS) return undefined;
  const days = { from, to, ...(device !== undefined && { device }), ...factors(looked, from, to) };
  const isPart = device !== undefined;
  if (isApart(site, looked, device, from, to))
    return { kind: visits.mean < 0 ? 'visits not counted' : 'visits without orders', ...days, score };
  const isTwice =
    !isPart &&
    site.parts.length > 1 &&
    Math.abs(visits.mean - TWICE.is) <= Math.min(TWICE.most, Math.max(TWICE.least, TWICE.errors * visits.error)) &&
    isAlone(site, from, to) &&
    areAlike(site, from, to) &&
    areTogether(site, from, to);
  return isTwice ? { kind: 'counted twice', ...days, score } : undefined;
}

/** The clearest run of two days or more that is counted twice, or in which visits and orders go apart. */
function clearestRun(site: Site, looked: Looked, device: string | undefined, taken: ReadonlySet<number>): Fault[] {
  let best: FaultCandidate | undefined;
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
  const site = siteOf(counted);
  const found = singleDays(site);
  const taken = new Set(found.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)));
  const ofAll = clearestRun(site, site.whole, undefined, taken);
  const runs = ofAll.length > 0 ? ofAll : site.parts.flatMap(([device, looked]) => clearestRun(site, looked, device, taken));
  return [...found, ...runs].toSorted((a, b) => a.from - b.from);
}
