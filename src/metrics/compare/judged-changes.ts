import { daysFrom } from '../../lib/calendar.ts';
import { Z_99 } from '../../statistics/tails.ts';
import type { DatedChange } from '../engine/changes.ts';
import { detectableChange } from '../engine/detectable.ts';
import { isCount } from '../metric-definitions.ts';
import { factorsOf } from '../metric-names.ts';
import { dayPoints, kindOf } from '../read/day-points.ts';
import { areNear, goesAlong, measuredAt } from '../site-changes.ts';
import { type Change, differenceOf, earlierOf } from './change.ts';
import type { Windows } from './comparison-windows.ts';
import { isChanged, type Judged, judgeReading, type Reading } from './readings.ts';

/** The readings of two periods. */
export interface PeriodsInput {
  readonly metrics: readonly string[];
  readonly windows: Windows;
  /** Those of the table; with `devices`, the first is the whole. */
  readonly readings: readonly Reading[];
  /** The devices of the whole, which share no visit. */
  readonly devices: readonly Reading[];
  /** The devices of all readings, on which a change of one may lie. */
  readonly parts: readonly Reading[];
  readonly labelOf: (reading: Reading) => string;
}

/** The change of each metric with its verdict, and which of them is the headline. */
export type JudgedChanges = ReturnType<typeof judgeChanges>;

/** A device that stands out alone must do so at 0.1 %, because there are several. */
const CLEAR_SCORE = 3.3;
/** The same as a probability. */
export const CLEAR_P_VALUE = 0.001;

/** Metrics that are the product of others. */
const PRODUCTS: ReadonlySet<string> = new Set(['conversionCount', 'revenueSum']);
const SHARE_OF_PRODUCT = 0.75;

function standsAlone(judged: Judged): boolean {
  return isChanged(judged) && (Math.abs(judged.score) > CLEAR_SCORE || (judged.main?.pValue ?? 1) < CLEAR_P_VALUE);
}

/** Up to this number each verdict errs in about 1 %; more verdicts share that sum of errors. */
const MANY = 4;

const pValueOf = ({ main, score }: Judged) => main?.pValue ?? Math.exp(-(score ** 2) / 2);

/** When the change of a verdict began; undefined where that may be among unknown days between the ranges, and for a drift. */
function sinceOf({ main, reading }: Judged, { isAdjacent, between }: Windows): DatedChange | undefined {
  return isAdjacent || between || main?.from !== reading.periodDays[0]?.interval.label ? main : undefined;
}

const timesOf = (value: number | null, factor: number) => value && value * factor;

/** A metric of one reading on both sides, with its verdict. */
export function changeOf(metric: string, own: Judged, windows: Windows, label: string): Change {
  const { reading } = own;
  const { factors } = windows;
  const [before, after] = [reading.before[metric] ?? null, reading.after[metric] ?? null];
  const isPerDay = isCount(metric) && (factors.before !== 1 || factors.after !== 1);
  const of = isPerDay ? factors : { before: 1, after: 1 };
  const whole = reading.periodDays.flatMap(({ interval }) => (interval.isPart ? [] : (interval.label ?? [])));
  const labels = whole.length > 0 ? whole : reading.periodDays.flatMap(({ interval }) => interval.label ?? []);
  const since = sinceOf(own, windows);
  return {
    metric,
    before,
    after,
    compared: { before: timesOf(before, of.before), after: timesOf(after, of.after) },
    isPerDay,
    // Without a value on each side, or with none but zeros, there is nothing that the verdict of the days could be about.
    judgement: before === null || after === null || (before === 0 && after === 0) ? { ...own, verdict: 'not enough data' } : own,
    since: since && measuredAt({ metric, reading, change: since }).change,
    days: { first: labels[0] ?? '', last: labels.at(-1) ?? '' },
    of: label,
    detectable: own.verdict === 'within noise' ? detectableOf(own, windows) : null,
  };
}

/** The days of a period, and those before it. */
function apart({ metric, reading }: Judged) {
  const period = dayPoints(reading.periodDays, metric);
  return { period, before: dayPoints(reading.days, metric).slice(0, -period.length || undefined) };
}

/** Standard normals of what four of five cases pass, in those of a verdict at 1 %. */
const SHOWN = 1 + 0.8416 / Z_99;

/**
 * The smallest lasting change since the first day of the period, the way the levels differ, that would show in four of five cases: by its
 * first day where that is more than the noise of the levels, else by these; against days far from the period by these alone.
 */
function detectableOf(own: Judged, { isAdjacent }: Windows): number | null {
  const { relative, noise } = own;
  const sign = (relative ?? 0) < 0 ? -1 : 1;
  const byLevels = noise === null ? null : Math.expm1(SHOWN * Math.log1p(sign * noise));
  if (!isAdjacent) return byLevels;
  const { period, before } = apart(own);
  const since = detectableChange(kindOf(own.metric), before, period, sign) ?? null;
  const isBetween = since !== null && byLevels !== null && Math.abs(since) >= (noise ?? 0) && Math.abs(since) < Math.abs(byLevels);
  return isBetween ? since : byLevels;
}

/** Share of the usual error that a product may have whose factors all lie within noise: what moves it moves one of them. */
const SHARE_WITHOUT_FACTORS = 0.1;

/**
 * Judges a metric; a product that changed beside the lasting changes of its factors: where none of these did, it must stand out by more,
 * and so must each change of it that none of them shows.
 */
function judgeWithFactors(reading: Reading, metric: string, share: number): Judged {
  const alone = judgeReading(reading, metric, share);
  const isCalm = !isChanged(alone) && alone.changes.every(({ shape }) => shape === 'outlier');
  const factors = isCalm ? [] : factorsOf(metric, reading).map((factor) => judgeReading(reading, factor, share));
  if (factors.length === 0) return alone;
  const shown = factors.flatMap(({ changes }) => changes);
  const steps = shown.flatMap(({ from, to, pValue }) => (to === undefined && pValue < CLEAR_P_VALUE ? from : []));
  const isKnown = (change: DatedChange) =>
    change.shape === 'outlier' || change.pValue < CLEAR_P_VALUE || shown.some((each) => areNear(each, change));
  const usual = steps.length === 0 ? alone : judgeReading(reading, metric, share, steps);
  const isWithout = isChanged(usual) && !(usual.main ? isKnown(usual.main) : factors.some(isChanged));
  const own = isWithout ? judgeReading(reading, metric, share * SHARE_WITHOUT_FACTORS, steps) : usual;
  return { ...own, changes: own.changes.filter(isKnown) };
}

/** How large a change is in its period. What revenue and conversions follow from says more than they do. */
function sizeOf({ metric, judgement, since, days }: Change): number {
  const size = Math.abs(Math.log(Math.max(0.01, 1 + (since?.relative ?? judgement.relative ?? 0))));
  // A change that goes on counts as it is now, not by the days of the period that lie before it; one that is over by its days.
  const part = since?.to === undefined ? 1 : since.days / (daysFrom(days.first, days.last) + 1);
  return size * part * (PRODUCTS.has(metric) ? SHARE_OF_PRODUCT : 1);
}

/** How large a change is that began before the period and goes on. */
const earlierSizeOf = (change: Change) => sizeOf({ ...change, since: earlierOf(change) });

/** Whether a product goes on as one of its factors does, the same way and since about the same day, in the period or before it. */
function follows(product: Change, factor: Change, reading: Reading | undefined): boolean {
  const [own, since] = [product, factor].map((change) => change.since ?? earlierOf(change));
  const isFactor = factorsOf(product.metric, reading).includes(factor.metric);
  if (!own || !since || factor.of !== product.of || !isFactor) return false;
  return own.to === undefined && since.to === undefined && areNear(own, since);
}

/** Judges each metric of each reading and device; the headline is the largest clear change, or one that a device alone shows. */
export function judgeChanges({ metrics, windows, readings, devices, labelOf }: PeriodsInput) {
  const share = Math.min(1, MANY / (metrics.length * readings.length));
  const judged = new Map(
    metrics.map((metric) => [metric, [...readings, ...devices].map((reading) => judgeWithFactors(reading, metric, share))]),
  );
  const judgedOf = (metric: string) => judged.get(metric) ?? [];
  const devicesOf = (metric: string) => judgedOf(metric).slice(readings.length);
  const changes = metrics.flatMap((metric) =>
    judgedOf(metric)
      .slice(0, readings.length)
      .map((own) => changeOf(metric, own, windows, labelOf(own.reading))),
  );
  // A change that all devices share is none of one, however clear it is there.
  const isApart = (own: Judged, all: readonly Judged[]) =>
    all.some((other) => other !== own && !goesAlong(other.relative ?? 0, own.relative ?? 0));
  const hiddenOf = (metric: string) =>
    devicesOf(metric)
      .filter((own, _, all) => standsAlone(own) && isApart(own, all))
      .toSorted((a, b) => pValueOf(a) - pValueOf(b))[0];
  const moved = changes.filter(({ judgement }) => isChanged(judgement));
  const [changed] = moved
    .filter((change) => !moved.some((other) => follows(change, other, readings[0])))
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const uneven = changes.find(({ metric, judgement }) => !isChanged(judgement) && hiddenOf(metric));
  // A break on one device that moved its metric by more than the clear change of another one is not left out for that.
  const leads = !changed || (uneven !== undefined && sizeOf(uneven) > sizeOf(changed)) ? uneven : changed;
  // Without a change, one that goes on from before the period comes first.
  const [begun] = changes.filter(earlierOf).toSorted((a, b) => earlierSizeOf(b) - earlierSizeOf(a));
  const headline = leads ?? begun ?? changes.find((change) => differenceOf(change) !== null) ?? changes[0];
  if (!headline) throw new TypeError('There is nothing to compare.');
  return {
    changes,
    headline,
    /** The device that stands out although the headline as a whole does not. */
    hidden: headline === changed ? undefined : hiddenOf(headline.metric),
    /** Neither the headline nor a device of it stands out: there is nothing to explain. */
    isNoise: !changed && !uneven,
    /** The judged whole and devices of a metric, in the order of the readings. */
    judgedOf,
    devicesOf,
  };
}
