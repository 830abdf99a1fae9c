import { daysFrom } from '../../../lib/calendar.ts';
import type { DatedChange } from '../engine/changes.ts';
import type { Sums } from '../engine/decompose.ts';
import { type Judgement, judgePeriods, type Question } from '../engine/judge.ts';
import { type DayJudgement, judgeDay } from '../engine/judge-day.ts';
import type { DailyPoint, MetricKind } from '../engine/series.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { ingredientsOf, type MetricValues, sumsOf } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { type Device, isZoneMetric, type Selection } from '../read/metric-grid.ts';
import type { Windows } from './comparison-windows.ts';

/** A value that was computed, as the platform writes it: counts whole, money with cents. */
export function rounded(metric: string, value: number): number {
  if (definitionOf(metric)?.unit === 'currency') return Math.round(100 * value) / 100;
  return isCount(metric) ? Math.round(value) : Math.round(1e4 * value) / 1e4;
}

/** Metrics whose change has a cost in revenue. */
const OF_REVENUE: ReadonlySet<string> = new Set(['visits', 'conversionRate', 'conversionCount', 'cartAverage']);

/** The metrics to read so that these can be judged and explained; those of zones alone, because visits are no metric of a zone. */
export function metricsToRead(metrics: readonly string[]): readonly string[] {
  if (metrics.some(isZoneMetric)) return metrics;
  // Revenue is what a change of its factors costs, whatever was asked for.
  const costs = metrics.some((metric) => OF_REVENUE.has(metric)) ? ['revenueSum'] : [];
  return [...new Set([...metrics, ...ingredientsOf(metrics), 'visits', 'conversionCount', 'bounceRate', ...costs])];
}

/** The kind of a metric, as the engine of verdicts distinguishes it. */
export function kindOf(metric: string): MetricKind {
  const unit = definitionOf(metric)?.unit;
  if (isCount(metric)) return unit === 'currency' ? 'amount' : 'count';
  return unit === '%' && !isUncounted(metric) ? 'share' : 'average';
}

/** Whether what a metric is made of is in no answer, as the users of a tap rate. */
function isUncounted(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'refusal';
}

/** The weight of a day: the sums of its metric; of one whose counts are in no answer its value, weighed by the visits of the site. */
function termsOf(metric: string, values: MetricRow['values']): Sums | undefined {
  if (!isUncounted(metric)) return sumsOf(metric, values);
  const { [metric]: value, visits } = values;
  return typeof value === 'number' && visits ? { numerator: value * visits, denominator: visits } : undefined;
}

/** Days by the rows that they were made of and their metric: the very same list each time, so that what was fitted to it is known again. */
const made = new WeakMap<readonly MetricRow[], Map<string, readonly DailyPoint[]>>();

/**
 * The whole days among the rows of one selection, in order; days without a value are left out. Percentages become events of their trials.
 */
export function dayPoints(rows: readonly MetricRow[], metric: string): readonly DailyPoint[] {
  const ofRows = made.get(rows) ?? new Map<string, readonly DailyPoint[]>();
  const points = ofRows.get(metric) ?? pointsOf(rows, metric);
  made.set(rows, ofRows.set(metric, points));
  return points;
}

function pointsOf(rows: readonly MetricRow[], metric: string): DailyPoint[] {
  const kind = kindOf(metric);
  const times = kind === 'share' ? 0.01 : 1;
  return rows
    .filter(({ interval }) => interval.label !== undefined && !interval.isPart)
    .flatMap(({ interval, values, known }) => {
      const terms = termsOf(metric, values);
      if (!terms || terms.denominator === 0) return [];
      const { conversionCount: events } = values;
      const isSumOf = kind === 'amount' && typeof events === 'number' ? { events } : {};
      const label = interval.label ?? '';
      const own = known?.of(metric, label);
      return [{ label, ...terms, ...isSumOf, ...own, numerator: terms.numerator * times, isWhole: true }];
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

/** The readings of one selection: both sides as a whole, and its days. */
export interface Reading {
  readonly device: Device;
  readonly segmentIds: readonly number[];
  readonly zoneId: number | undefined;
  /** Its conversions are of another goal than that of e-commerce: revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean;
  readonly before: MetricValues;
  readonly after: MetricValues;
  readonly history: readonly MetricRow[];
  readonly baselineDays: readonly MetricRow[];
  readonly periodDays: readonly MetricRow[];
  /** Days after the baseline and before the period. */
  readonly betweenDays?: readonly MetricRow[];
  /** Days after the period. */
  readonly laterDays?: readonly MetricRow[];
}

const joined = new WeakMap<Reading, readonly MetricRow[]>();

/** All days of a reading that were read. */
export function allDaysOf(reading: Reading): readonly MetricRow[] {
  const { history, baselineDays, betweenDays = [], periodDays } = reading;
  const all = joined.get(reading) ?? [...history, ...baselineDays, ...betweenDays, ...periodDays];
  joined.set(reading, all);
  return all;
}

/** The same and the days after the period, by which a change is dated and sized in every question alike. */
export const knownDaysOf = (reading: Reading) => [...allDaysOf(reading), ...(reading.laterDays ?? [])];

/** Whether the period of a reading holds no whole day, as today so far. */
export function isWithoutDays({ periodDays }: Pick<Reading, 'periodDays'>): boolean {
  return periodDays.every(({ interval: { isPart } }) => isPart);
}

/** A metric of one reading, judged. */
export interface Judged extends DayJudgement {
  readonly reading: Reading;
  readonly metric: string;
}

const isOf = ({ device, segmentIds, zoneId }: Selection, of: Pick<Selection, 'device' | 'segmentIds' | 'zoneId'>) =>
  device === of.device && segmentIds.join() === of.segmentIds.join() && zoneId === of.zoneId;

/** A day's basket, which was not asked for, is its revenue over its conversions. */
function withBasket(row: MetricRow): MetricRow {
  const { revenueSum, conversionCount, cartAverage } = row.values;
  if (cartAverage !== undefined || !revenueSum || !conversionCount || row.isOfOtherGoal) return row;
  return { ...row, values: { ...row.values, cartAverage: revenueSum / conversionCount } };
}

/** Joins the rows of ranges (baseline, period) and of days (history, baseline, period) by selection. */
export function readingsOf(totals: readonly MetricRow[], days: readonly MetricRow[]): Reading[] {
  return totals
    .filter(({ range }) => range === 0)
    .map(({ selection, values, isOfOtherGoal = false }) => {
      const daily = days.filter((row) => isOf(row.selection, selection)).map(withBasket);
      return {
        device: selection.device,
        segmentIds: selection.segmentIds,
        zoneId: selection.zoneId,
        isOfOtherGoal,
        before: values,
        after: totals.find((row) => row.range === 1 && isOf(row.selection, selection))?.values ?? {},
        history: daily.filter(({ range }) => range === 0),
        baselineDays: daily.filter(({ range }) => range === 1),
        periodDays: daily.filter(({ range }) => range === 2),
        betweenDays: daily.filter(({ range }) => range === 3),
        laterDays: daily.filter(({ range }) => range === 4),
      };
    });
}

type Window = Pick<Question['period'], 'from' | 'to'>;

function windowOf(days: readonly DailyPoint[]): Window | undefined {
  const [from, to] = [days[0]?.label, days.at(-1)?.label];
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}

function judgement(
  metric: string,
  days: readonly DailyPoint[],
  before: readonly DailyPoint[],
  after: readonly DailyPoint[],
  share: number,
): DayJudgement {
  const [baseline, period] = [windowOf(before), windowOf(after)];
  if (!baseline || !period) return { verdict: 'not enough data', changes: [], relative: null, noise: null, score: 0 };
  const question = { kind: kindOf(metric), days, baseline, period, share };
  const isDay = period.from === period.to && baseline.from === baseline.to;
  const judged = isDay ? judgeDay(question) : judgePeriods(question);
  if (baseline.from <= period.to) return judged;
  // What changed up to a baseline that lies after the period is no change of the period.
  return { ...judged, changes: [] };
}

/** Judges one metric of a reading by its days, those before the period first; `share` is that of the usual error that it may have. */
export function judgeReading(reading: Reading, metric: string, share = 1): Judged {
  const [before, after] = [dayPoints(reading.baselineDays, metric), dayPoints(reading.periodDays, metric)];
  const days = dayPoints(allDaysOf(reading), metric);
  return { ...judgement(metric, days, before, after, share), reading, metric };
}

/** Whether a verdict says that the level is another. */
export function isChanged({ verdict }: Pick<Judgement, 'verdict'>): boolean {
  return verdict === 'up' || verdict === 'down' || verdict === 'drift';
}

/** The bounds of a doubling and of a halving. */
const [DOUBLED, HALVED] = [1, 0.5];

/** A verdict as it is told: where chance alone may double or halve a level, what lies within noise is not judged at all. */
export function toldVerdict({ verdict, noise, relative }: Judgement): Judgement['verdict'] | 'cannot be judged' {
  const isBlind = verdict === 'within noise' && noise !== null && noise >= ((relative ?? 0) < 0 ? HALVED : DOUBLED);
  return isBlind ? 'cannot be judged' : verdict;
}

/** A part dates a change beyond the days that the whole allows where it shows it so many times more clearly and makes half of it. */
const CLEARER = 1_000;
const DATING_SHARE = 0.5;
const NEAR_DAYS = 7;

/** Whether a change of a part is most of that of the whole and far clearer than it: other parts and special days blur its days there. */
function isBehind({ main, reading, metric }: Judged, { main: ofWhole, reading: whole }: Judged): boolean {
  if (!main || !ofWhole || main.shape !== ofWhole.shape || main.pValue * CLEARER > ofWhole.pValue) return false;
  if (Math.abs(daysFrom(ofWhole.from, main.from)) > NEAR_DAYS) return false;
  const [own, all] = [sumsOf(metric, reading.before), sumsOf(metric, whole.before)];
  return own !== undefined && all !== undefined && (main.relative * own.numerator) / (ofWhole.relative * all.numerator) >= DATING_SHARE;
}

/**
 * When the change of a verdict began: by the selection that shows it best, where several are judged. Undefined where the days between
 * the ranges are not known and it may have begun among them, and for a drift.
 */
export function sinceOf(own: Judged, candidates: readonly Judged[], { isAdjacent }: Windows): DatedChange | undefined {
  const { main } = own;
  if (!main || (!isAdjacent && main.from === own.reading.periodDays[0]?.interval.label)) return undefined;
  const agreeing = candidates.filter((other) => {
    if (other.verdict !== own.verdict || !other.main) return false;
    return (other.main.from <= main.latest && other.main.from >= main.earliest) || isBehind(other, own);
  });
  const [clearest] = agreeing.toSorted((a, b) => (a.main?.pValue ?? 1) - (b.main?.pValue ?? 1));
  if (!clearest?.main) return main;
  // The size is that of the selection itself; another one may only show the day more sharply.
  const { from, earliest, latest } = clearest.main;
  const isWithin = from <= main.latest && from >= main.earliest;
  const days = main.days - daysFrom(main.from, from);
  return { ...main, from, days, ...(!isWithin && { earliest, latest }) };
}
