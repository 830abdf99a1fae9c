import type { PeriodsResult } from '../domain/metrics/compare/comparison.ts';
import { type Contribution, type Explained, fixed } from '../domain/metrics/compare/contributions.ts';
import { isCount, nameOf, unitOf } from '../domain/metrics/metric-definitions.ts';
import type { MetricRow } from '../domain/metrics/read/metric-answers.ts';
import { type Finding, placesOf } from '../findings/finding.ts';
import type { Interval } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { todayIn } from '../lib/dates.ts';
import { formatValue, intervalIn, momentWords, type Unit, unitIn } from './charts/values.ts';
import { type BarsSpec, type ChartSpec, joined, type TrendSpec } from './spec.ts';

/** Segments beyond this make the picture longer than it is worth. */
const MAX_SEGMENTS = 4;

/** Facts that the comparison itself does not hold. */
export interface ComparisonChartOptions {
  readonly timeZone: string;
  readonly currency: string | undefined;
  /** The period is shaded. */
  readonly period: Interval;
  readonly baseline: Interval;
  /** Names of the judged selections, in order. */
  readonly labels: readonly string[];
  /** The baseline is named (last year, say): its end lies on the end of the period, though its first days may not be kept. */
  readonly endsMeet?: boolean;
}

const wholeDays = (rows: readonly MetricRow[]): readonly MetricRow[] => rows.filter(({ interval }) => !interval.isPart);

const labelsOf = (rows: readonly MetricRow[]): readonly string[] => rows.flatMap(({ interval: { label } }) => label ?? []);

/** Days between the two ranges from which a common time axis would be mostly empty. */
const FAR_DAYS = 28;

/** True where the baseline lies far before the period, as a year does. */
function isFarBefore(baseline: readonly string[], period: readonly string[]): boolean {
  const [last, first] = [baseline.at(-1), period[0]];
  return last !== undefined && first !== undefined && Date.parse(first) - Date.parse(last) > FAR_DAYS * DAY_MS;
}

const dayText = (day: string | undefined) => momentWords(day ?? '', 'day', true);
/** A name in the middle of a sentence. */
const inSentence = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

const weekdayOf = (day: string): number => new Date(Date.parse(day)).getUTCDay();

/** Days of both ranges that lie on each other, whether they hold data or not. */
interface Anchors {
  readonly period: string;
  readonly baseline: string;
}

/** The days of the baseline on those of the period: two lines, of the first selection alone. */
function overlaid([first]: readonly Ranges[], [label]: readonly string[], metric: string, anchors: Anchors) {
  const { baseline = [], period = [] } = first ?? {};
  const [times, before] = [labelsOf(period), labelsOf(baseline)];
  const dayOf = (day: string, from: string) => Math.round((Date.parse(day) - Date.parse(from)) / DAY_MS);
  // Day on day, of which some may be missing.
  const line = (rows: readonly MetricRow[], days: readonly string[], from: string) => ({
    name: `${dayText(days[0])} to ${dayText(days.at(-1))} (${days.length} days)`,
    values: times.map((time) => rows[days.findIndex((day) => dayOf(day, from) === dayOf(time, anchors.period))]?.values[metric] ?? null),
  });
  const aligned = weekdayOf(anchors.period) === weekdayOf(anchors.baseline) ? 'weekday on weekday' : 'date on date';
  return {
    times,
    series: [line(period, times, anchors.period), line(baseline, before, anchors.baseline)],
    words: `${label ?? ''}, both ranges ${aligned}`,
  };
}

/** All days one after the other, a line for each selection. */
function inSuccession(readings: readonly Ranges[], labels: readonly string[], metric: string) {
  const days = readings.map(({ baseline, period }) => [...baseline, ...period]);
  const times = [...new Set(days.flatMap(labelsOf))].toSorted();
  const series = days.map((rows, index) => ({
    name: labels[index] ?? '',
    values: times.map((time) => rows.find(({ interval }) => interval.label === time)?.values[metric] ?? null),
  }));
  return { times, series, words: 'shaded: the period' };
}

interface Ranges {
  readonly baseline: readonly MetricRow[];
  readonly period: readonly MetricRow[];
}

/** `15 – 21 Nov 2026 against 8 – 14 Nov 2026`. */
function rangesText({ timeZone, period, baseline }: ComparisonChartOptions): string {
  return `${intervalIn(timeZone, period)} against ${intervalIn(timeZone, baseline)}`;
}

/** `since 10 Nov`, or `10 Nov to 12 Nov` for what has ended. */
function sinceWords({ from, to }: { readonly from: string; readonly to?: string | undefined }): string {
  return to === undefined ? `since ${momentWords(from, 'day')}` : `${momentWords(from, 'day')} to ${momentWords(to, 'day')}`;
}

/** The finding on the metric that a picture draws, the change with a date before the ranges as wholes. */
function findingOf({ data: { findings }, headline: { metric } }: PeriodsResult): Finding | undefined {
  const own = findings.filter(({ subject }) => subject === metric);
  return own.find(({ verdict, when }) => (verdict === 'higher' || verdict === 'lower') && when.shape !== 'range') ?? own[0];
}

/** A group is most of a change from this share on, and of no more than all of it. */
const [MOST, ALL] = [0.5, 1];

/** The group that makes most of a change as the title; the change itself where none does, or the groups work against each other. */
function partsTitle(
  parts: readonly ChangePart[],
  change: number,
  unit: Unit,
  { title, name }: { readonly title: string; readonly name: string },
) {
  const [largest] = parts.filter(({ contribution }) => contribution * change > 0).toSorted((a, b) => size(b) - size(a));
  const share = largest ? largest.contribution / change : 0;
  if (!largest || share < MOST || share > ALL) return title;
  return `Mostly ${largest.name}: ${formatValue(largest.contribution, unit)} of ${formatValue(change, unit)} ${name}`;
}

/** The title of a picture, the places that it is about, and the metric within a sentence. */
interface Told {
  readonly title: string;
  readonly accent: readonly string[];
  readonly name: string;
}

/** The days of the headline, with the day on which the change began. */
function trendOf(
  { headline: { metric, since, judgement }, judged }: PeriodsResult,
  { title, accent }: Told,
  options: ComparisonChartOptions,
): TrendSpec | undefined {
  const { timeZone, period, labels } = options;
  const readings = judged.map(({ reading }) => ({ baseline: wholeDays(reading.baselineDays), period: wholeDays(reading.periodDays) }));
  const isOverlay = readings.length > 0 && readings.every((each) => isFarBefore(labelsOf(each.baseline), labelsOf(each.period)));
  const { times, series, words } = (isOverlay ? overlaid : inSuccession)(readings, labels, metric, {
    period: todayIn(timeZone, options.endsMeet ? period.endMs : period.startMs),
    baseline: todayIn(timeZone, options.endsMeet ? options.baseline.endMs : options.baseline.startMs),
  });
  if (times.length === 0) return undefined;
  const place = series.length > 1 ? series.find((each) => accent.includes(each.name)) : undefined;
  const where = place ? `${place.name}: ${inSentence(nameOf(metric))} ` : `${nameOf(metric)} `;
  return {
    kind: 'trend',
    title,
    subtitle: `${nameOf(metric)} by day, ${rangesText(options)}, ${timeZone}: ${isCount(metric) ? 'sums of ' : ''}whole days; ${words}`,
    unit: unitIn(unitOf(metric, options.currency)),
    timeZone,
    times,
    series: series.map((each) => ({ ...each, ...(each === place && { isAccent: true as const }) })),
    events: [],
    ...(since &&
      since.from >= (times[0] ?? '') && {
        change: { name: `${where}${judgement.verdict} ${sinceWords(since)}`, time: since.from },
      }),
    ...(!isOverlay && { judged: { from: todayIn(timeZone, period.startMs), to: todayIn(timeZone, period.endMs) } }),
  };
}

/** Steps below this share of the largest cannot be seen. */
const SMALL = 0.02;

/** A group and what of a change comes from it. */
type ChangePart = Pick<Contribution, 'name' | 'mix' | 'rate' | 'contribution'>;

const size = ({ contribution }: ChangePart) => Math.abs(contribution);

/** The parts of a change as bars: of a rate the own rate of each group and its share of the visits, of a count one amount. */
function partsOf(
  parts: readonly ChangePart[],
  change: number,
  told: Told,
  { by, unit }: { readonly by: string; readonly unit: Unit },
): BarsSpec {
  const largest = Math.max(...parts.map(size));
  const isSeen = (value: number | undefined) => Math.abs(value ?? 0) > SMALL * largest;
  const shown = parts.filter(({ contribution, rate, mix }) => [contribution, rate, mix].some(isSeen)).toSorted((a, b) => size(b) - size(a));
  const isSplit = shown.some(({ mix }) => isSeen(mix));
  const series = (name: string, valueOf: (part: ChangePart) => number | undefined) => ({
    name,
    values: shown.map((part) => valueOf(part) ?? null),
  });
  const accent = told.accent.filter((name) => shown.some((part) => part.name === name));
  return {
    kind: 'bars',
    title: partsTitle(shown, change, unit, told),
    subtitle: `${by}${isSplit ? ': its own rate, and its share of the visits (traffic mix)' : ''}; whole change \
${formatValue(change, unit)}`,
    unit,
    labels: shown.map(({ name }) => name),
    series: isSplit
      ? [series('own rate', ({ rate }) => rate), series('traffic mix', ({ mix }) => mix)]
      : [series('contribution', ({ contribution }) => contribution)],
    ...(accent.length > 0 && { accent }),
  };
}

/** The segments that make most of a change; what mix does is of each and of all other visits together. */
function segmentParts(all: readonly Explained[]): ChangePart[] {
  const parts = all.flatMap(({ groups: [own, others] }): ChangePart[] => {
    if (!own || !others) return [];
    const { name, contribution, rate = 0, mix } = own;
    if (mix === undefined || others.mix === undefined) return [{ name, contribution }];
    const moved = fixed(mix + others.mix);
    return [{ name, rate, mix: moved, contribution: fixed(rate + moved) }];
  });
  return parts.toSorted((a, b) => size(b) - size(a)).slice(0, MAX_SEGMENTS);
}

/**
 * The headline of a comparison by day and by what its change is made of: devices, segments where there is one device, factors of revenue;
 * undefined where nothing can be drawn.
 */
export function chartOfComparison(result: PeriodsResult, options: ComparisonChartOptions): ChartSpec | undefined {
  const { headline, byDevice, bySegment, factors } = result;
  const { metric, isPerDay, of } = headline;
  const finding = findingOf(result);
  const told = {
    title: (finding?.sentence ?? `${nameOf(metric)}${of === '' ? '' : ` (${of})`}`).replace(/\.$/, ''),
    accent: finding ? placesOf(finding) : [],
    name: inSentence(`${nameOf(metric)}${isPerDay ? ' a day' : ''}`),
  };
  const unit = unitIn(unitOf(metric, options.currency), true);
  const [segment] = bySegment;
  const ofSegments = `by segment, each against all other visits (segments overlap); \
${Math.min(MAX_SEGMENTS, bySegment.length)} of ${bySegment.length}`;
  const drawn = [
    byDevice && partsOf(byDevice.groups, byDevice.change, told, { by: 'by device', unit }),
    !byDevice && segment && partsOf(segmentParts(bySegment), segment.change, told, { by: ofSegments, unit }),
    metric === 'revenueSum' &&
      factors &&
      partsOf(
        (['visits', 'conversion', 'basket'] as const).map((name) => ({ name, contribution: factors[name] })),
        factors.change,
        told,
        { by: 'by factor: visits × conversion × basket', unit },
      ),
  ];
  const { verdict } = headline.judgement;
  // The parts of a change within noise are noise too.
  const isChanged = verdict === 'up' || verdict === 'down' || verdict === 'drift';
  const parts = drawn.flatMap((part) => (part && isChanged ? [{ ...part, subtitle: `${rangesText(options)}, ${part.subtitle}` }] : []));
  return joined([trendOf(result, told, options), ...parts]);
}
