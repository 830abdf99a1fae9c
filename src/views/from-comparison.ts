import { isPercent } from '../domain/metrics/compare/change.ts';
import type { PeriodsResult } from '../domain/metrics/compare/comparison.ts';
import { type Contribution, type Explained, fixed } from '../domain/metrics/compare/contributions.ts';
import { isCount } from '../domain/metrics/compare/readings.ts';
import { nameOf } from '../domain/metrics/metric-definitions.ts';
import type { MetricRow } from '../domain/metrics/read/metric-answers.ts';
import type { Interval } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { todayIn } from '../lib/dates.ts';
import { addTo } from '../lib/tally.ts';
import { formatValue, intervalIn, momentWords } from './charts/values.ts';
import { type ChartSpec, type ContributionSpec, type ContributionStep, joined, type TrendSpec } from './spec.ts';

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

/** The sentence of a picture: what is told of the metric that it draws, the change with a date before the ranges as wholes. */
function titleOf({ data: { findings }, headline: { metric, of } }: PeriodsResult): string {
  const own = findings.filter(({ subject }) => subject === metric);
  const moved = own.find(({ verdict, when }) => (verdict === 'higher' || verdict === 'lower') && when.shape !== 'range');
  const sentence = (moved ?? own[0])?.sentence ?? `${nameOf(metric)}${of === '' ? '' : ` (${of})`}`;
  return sentence.replace(/\.$/, '');
}

/** A group is most of a change from this share on, and of no more than all of it. */
const [MOST, ALL] = [0.5, 1];

/** The group that makes most of a change as the title; the change itself where none does, or the groups work against each other. */
function partsTitle({ steps, unit, change }: ContributionSpec, title: string, name: string): string {
  const sums = new Map<string, number>();
  for (const { group, part, value } of steps)
    if (group !== '' && part !== 'small' && part !== 'remainder' && part !== 'others' && part !== 'rest') addTo(sums, group, value);
  const [largest] = [...sums].filter(([, sum]) => sum * change > 0).toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const share = largest ? largest[1] / change : 0;
  if (!largest || share < MOST || share > ALL) return title;
  return `Mostly ${largest[0]}: ${formatValue(largest[1], unit)} of ${formatValue(change, unit)} ${name}`;
}

/** The days of the headline, with the day on which the change began. */
function trendOf(
  { headline: { metric, since, judgement }, judged }: PeriodsResult,
  title: string,
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
  return {
    kind: 'trend',
    title,
    subtitle: `${nameOf(metric)} by day, ${rangesText(options)}, ${timeZone}: ${isCount(metric) ? 'sums of ' : ''}whole days; ${words}`,
    unit: isPercent(metric) ? 'percent' : 'none',
    timeZone,
    times,
    series,
    events: [],
    ...(since &&
      since.from >= (times[0] ?? '') && {
        change: { name: `${nameOf(metric)} ${judgement.verdict} ${sinceWords(since)}`, time: since.from },
      }),
    ...(!isOverlay && { judged: { from: todayIn(timeZone, period.startMs), to: todayIn(timeZone, period.endMs) } }),
  };
}

/** The steps of one group: of a rate its moved share and its moved rate, of a count one amount. */
function stepsOf({ name, mix, rate, contribution }: Contribution): ContributionStep[] {
  if (mix === undefined || rate === undefined) return [{ group: name, part: 'amount', value: contribution }];
  return [
    { group: name, part: 'rate', value: rate },
    { group: name, part: 'mix', value: mix },
  ];
}

const size = ({ contribution }: Contribution) => Math.abs(contribution);

/** Steps below this share of the largest cannot be seen. */
const SMALL = 0.02;

/** Draws what is too small to be seen as one step, so that all still add up; nothing where it is nothing. */
function folded(steps: readonly ContributionStep[]): ContributionStep[] {
  const largest = Math.max(...steps.map(({ value }) => Math.abs(value)));
  const [shown, small] = [true, false].map((isShown) => steps.filter(({ value }) => Math.abs(value) >= SMALL * largest === isShown));
  const parts = small?.filter(({ value }) => value !== 0) ?? [];
  if (parts.length < 2) return [...(shown ?? []), ...parts];
  const sum = fixed(parts.reduce((total, { value }) => total + value, 0));
  return [...(shown ?? []), { group: `${parts.length} smaller parts`, part: 'small', value: sum }];
}

function byDeviceOf({ metric, change, groups, remainder }: Explained, title: string): ContributionSpec {
  const steps = groups.toSorted((a, b) => size(b) - size(a)).flatMap(stepsOf);
  return {
    kind: 'contribution',
    title,
    subtitle: isPercent(metric) ? 'by device: its own rate, and its share of the visits (traffic mix)' : 'by device',
    unit: isPercent(metric) ? 'points' : 'change',
    change,
    steps: folded([...steps, { group: '', part: 'remainder', value: remainder }]),
  };
}

/** Each segment and all other visits add up to the change; what mix does is of both together. */
function stepsApart({ groups: [own, others], remainder }: Explained): ContributionStep[] {
  if (!own || !others) return [];
  const group = own.name;
  const rest: ContributionStep = { group, part: 'remainder', value: remainder };
  if (own.mix === undefined || others.mix === undefined)
    return [...stepsOf(own), { group, part: 'rest', value: others.contribution }, rest];
  return [
    { group, part: 'rate', value: own.rate ?? 0 },
    { group, part: 'mix', value: fixed(own.mix + others.mix) },
    { group, part: 'others', value: others.rate ?? 0 },
    rest,
  ];
}

function bySegmentOf(all: readonly Explained[], title: string): ContributionSpec | undefined {
  const [first] = all;
  if (!first) return undefined;
  const effect = ({ groups: [own] }: Explained) => (own ? Math.abs(own.mix ?? 0) + Math.abs(own.rate ?? own.contribution) : 0);
  const shown = all.toSorted((a, b) => effect(b) - effect(a)).slice(0, MAX_SEGMENTS);
  return {
    kind: 'contribution',
    title,
    subtitle: `by segment, each against all other visits (segments overlap); ${shown.length} of ${all.length}`,
    unit: isPercent(first.metric) ? 'points' : 'change',
    change: first.change,
    steps: shown.flatMap(stepsApart),
    overlap: true,
  };
}

function factorsOf(
  { change, visits, conversion, basket, remainder }: NonNullable<PeriodsResult['factors']>,
  title: string,
): ContributionSpec {
  const amounts = { visits, conversion, basket };
  const steps = Object.entries(amounts).map(([group, value]): ContributionStep => ({ group, part: 'amount', value }));
  return {
    kind: 'contribution',
    title,
    subtitle: 'by factor: visits × conversion × basket',
    unit: 'change',
    change,
    steps: [...steps, { group: '', part: 'remainder', value: remainder }],
  };
}

/**
 * The headline of a comparison by day and by what its change is made of: devices, segments where there is one device, factors of revenue;
 * undefined where nothing can be drawn.
 */
export function chartOfComparison(result: PeriodsResult, options: ComparisonChartOptions): ChartSpec | undefined {
  const { headline, byDevice, bySegment, factors } = result;
  const { metric, isPerDay } = headline;
  const name = `${nameOf(metric)}${isPerDay ? ' a day' : ''}`;
  const title = titleOf(result);
  const groups = byDevice ? byDeviceOf(byDevice, title) : bySegmentOf(bySegment, title);
  const { verdict } = headline.judgement;
  // The parts of a change within noise are noise too.
  const isChanged = verdict === 'up' || verdict === 'down' || verdict === 'drift';
  const parts = isChanged ? [groups, metric === 'revenueSum' && factors ? factorsOf(factors, title) : undefined] : [];
  const ranges = rangesText(options);
  const trend = trendOf(result, title, options);
  return joined([
    trend,
    ...parts.map((part) => part && { ...part, title: partsTitle(part, title, inSentence(name)), subtitle: `${ranges}, ${part.subtitle}` }),
  ]);
}
