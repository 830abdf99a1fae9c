import * as z from 'zod';
import { rangeText } from '../../findings/wording.ts';
import { dayAfter, daysFrom } from '../../lib/calendar.ts';
import { nth } from '../../lib/nth.ts';
import { formatPercent } from '../../lib/number-text.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { isCount, metricsCountedFrom, siteMetricNames } from '../metric-definitions.ts';
import { isWholeDay, visitedSpan } from '../read/day-points.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { PARTS, type Selection } from '../read/metric-grid.ts';
import { sdOf } from './day-ratios.ts';
import { singleDays } from './single-days.ts';
import {
  areAlike,
  areTogether,
  type Counted,
  type Counts,
  type Fault,
  factors,
  faultKinds,
  type Looked,
  meanOf,
  type Site,
  siteOf,
} from './site.ts';

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
  const { scatter, error } = meanOf(looked.rates, from, to);
  const apart = Math.abs(orders.mean - visits.mean) / Math.hypot(visits.scatter, orders.scatter, Math.sqrt(error ** 2 - scatter ** 2));
  if (!isStill(looked, from, to) || Math.abs(orders.mean) >= Math.abs(visits.mean) / 3 || apart <= APART) return false;
  const isEverywhere = device === undefined && areAlike(site, from, to) && areStillOnEach(site, from, to);
  if (visits.mean < 0) return isEverywhere;
  if (areBounced(looked, from, to)) return true;
  if (visits.mean <= MANY.move || apart <= MANY.apart) return false;
  return device === undefined ? isEverywhere : isOwnRise(site, device, visits.mean, from, to);
}

/** Whether the days of a run lie about the same level: counting that breaks does so at once. */
function isLevel({ visits }: Looked, mean: number, from: number, to: number): boolean {
  for (let day = from; day <= to; day += 1) {
    if (Math.abs(nth(visits.logs, day) - mean) > Math.max(0.15, 3.5 * sdOf(visits, day))) return false;
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
      if (taken.has(to) || taken.has(from)) break;
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

/** The faults of the counting in an answer. */
export const qualityShape = z
  .array(
    z.object({
      kind: z.enum(faultKinds),
      from: z.string(),
      to: z.string(),
      device: z.string().optional(),
      /** Metrics whose figures of these days say nothing of customers. */
      metrics: z.array(z.string()),
      evidence: z.string(),
    }),
  )
  .optional();

/** A fault in words of days and metrics. */
export type CountingFault = NonNullable<z.output<typeof qualityShape>>[number];

const VISITS = metricsCountedFrom('visits');
const ORDERS = metricsCountedFrom('orders');
const COUNTS = siteMetricNames.filter(isCount);
const ALL = siteMetricNames;
const AFFECTED: Readonly<Record<Fault['kind'], readonly string[]>> = {
  'no data': ALL,
  'part of a day': COUNTS,
  'device missing': ALL,
  'counted twice': COUNTS,
  'visits not counted': VISITS,
  'visits without orders': VISITS,
  'no orders': ORDERS,
  'orders late': ORDERS,
};

const percent = (share: number) => formatPercent(100 * share, { digits: 0 });
const moved = (share: number) => formatPercent(100 * (share - 1), { sign: true, digits: 0 });

/** Figures over what is usual, 1 for the usual. */
interface Factors {
  readonly visits: number;
  readonly orders: number;
}

/** The evidence of each kind of fault, in a clause without its end. */
const EVIDENCE: Readonly<Record<Fault['kind'], (fault: Factors, when: string, on: string) => string>> = {
  'no data': (_, when) => `almost no visits were counted ${when}`,
  'part of a day': ({ visits }, when) =>
    `only ${percent(visits)} of the usual visits ${when}, on all devices, as on a holiday or where hours are missing`,
  'device missing': (_, when, on) => `almost no visits${on} were counted ${when}`,
  'counted twice': (_, when) => `visits and orders are about twice the usual ${when}, on all devices alike`,
  'visits not counted': ({ visits, orders }, when, on) =>
    `visits${on} are ${moved(visits)} ${when} while orders stay (${moved(orders)}), as where visits without consent are not counted`,
  'visits without orders': ({ visits, orders }, when, on) =>
    `visits${on} are ${moved(visits)} ${when} while orders stay (${moved(orders)}), as with automated visits`,
  'no orders': ({ visits }, when) =>
    `almost no orders were counted ${when} at ${percent(visits)} of the usual visits: check that the checkout works`,
  'orders late': ({ orders }, when) =>
    `only ${percent(orders)} of the usual orders were counted ${when} at usual visits, as where orders arrive late`,
};

/** All days between the first and the last row, so that an index stands for one weekday. */
function labelsOf(rows: readonly MetricRow[]): string[] {
  const labels = rows.flatMap(({ interval: { label } }) => label ?? []).toSorted();
  const [first, last] = [labels[0], labels.at(-1)];
  return first && last ? Array.from({ length: daysFrom(first, last) + 1 }, (_, day) => dayAfter(first, day)) : [];
}

function countsOf(rows: readonly MetricRow[], labels: readonly string[]): Counts {
  const byLabel = new Map(rows.filter(isWholeDay).map(({ interval, values }) => [interval.label, values]));
  const figures = (metric: string) => labels.map((label) => byLabel.get(label)?.[metric] ?? undefined);
  const visits = figures('visits');
  const rates = figures('bounceRate');
  const bounces = visits.map((count, day) => {
    const rate = rates[day];
    return count === undefined || rate === undefined ? undefined : (count * rate) / 100;
  });
  return { visits, orders: figures('conversionCount'), bounces };
}

/** The input of the search for faults. */
export interface CountingInput {
  /** Days of all visits that were asked for, and of the devices that divide them. */
  readonly rows: readonly MetricRow[];
  readonly whole: Pick<Selection, 'device'>;
  /** Days of segments of the same visits, where they were read. */
  readonly segments?: readonly (readonly MetricRow[])[];
  /** First day that is looked at; those before teach what is usual. */
  readonly from: string;
  readonly to: string;
  readonly known: Pick<KnownDays, 'of'>;
}

/**
 * Finds days of which the counting looks broken; none where visits were not read. Days before the first visit are no days of the site, and
 * those behind the last one none of a segment.
 */
export function countingFaults({ rows, whole, segments = [], from, to, known }: CountingInput): CountingFault[] {
  const isOwn = ({ selection: { device, zoneId } }: MetricRow) =>
    zoneId === undefined && (whole.device === 'all' || device === whole.device);
  const own = rows.filter((row) => isOwn(row) && (row.interval.label ?? '9') <= to);
  const ofWhole = own.filter(({ selection }) => selection.device === whole.device);
  const begun = ofWhole.find(({ values }) => (values['visits'] ?? 0) > 0)?.interval.label ?? '9';
  const { endMs } = visitedSpan(ofWhole.filter(({ selection }) => selection.segmentIds.length > 0));
  const labels = labelsOf(ofWhole.filter(({ interval }) => interval.endMs <= endMs)).filter((label) => label >= begun);
  const first = labels.findIndex((label) => label >= from);
  if (first < 0) return [];
  const devices = new Map(
    PARTS.filter((device) => device !== whole.device && own.some(({ selection }) => selection.device === device)).map((device) => [
      device,
      countsOf(
        own.filter(({ selection }) => selection.device === device),
        labels,
      ),
    ]),
  );
  const specialOf = (metric: string) => (day: number) => known.of(metric, labels[day] ?? '').special;
  const found = findFaults({
    all: countsOf(ofWhole, labels),
    devices,
    segments: segments.map((segment) => countsOf(segment, labels)),
    from: first,
    specials: { visits: specialOf('visits'), orders: specialOf('conversionCount'), rates: specialOf('conversionRate') },
  });
  return found.map((fault) => {
    const days = { from: labels[fault.from] ?? '', to: labels[fault.to] ?? '' };
    return {
      kind: fault.kind,
      ...days,
      ...(fault.device !== undefined && { device: fault.device }),
      metrics: [...AFFECTED[fault.kind]],
      evidence: EVIDENCE[fault.kind](
        { visits: fault.visits, orders: fault.orders ?? 1 },
        rangeText(days.from, days.to, days.to.slice(0, 4)),
        fault.device === undefined ? '' : ` on ${fault.device}`,
      ),
    };
  });
}

/** Rows without the figures that faults spoil, so that these days teach nothing and make no verdict. */
export function withoutFaults(rows: readonly MetricRow[], faults: readonly CountingFault[]): readonly MetricRow[] {
  if (faults.length === 0) return rows;
  return rows.map((row) => {
    const { label } = row.interval;
    if (label === undefined) return row;
    const { device } = row.selection;
    const spoilt = faults.filter(
      (fault) => fault.from <= label && label <= fault.to && (fault.device === undefined || device === 'all' || device === fault.device),
    );
    if (spoilt.length === 0) return row;
    const metrics = new Set(spoilt.flatMap((fault) => fault.metrics));
    return {
      ...row,
      values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, metrics.has(name) ? null : value])),
    };
  });
}
