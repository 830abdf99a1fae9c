import type { Finding } from '../findings/finding.ts';
import { dayAfter, daysFrom, type Interval } from '../lib/calendar.ts';
import { todayIn } from '../lib/dates.ts';
import { present } from '../lib/sentences.ts';
import type { ComparisonDrawn, PeriodsResult } from '../metrics/compare/comparison.ts';
import type { Contribution } from '../metrics/compare/contributions.ts';
import { isCount, unitOf } from '../metrics/metric-definitions.ts';
import { nameOf } from '../metrics/metric-names.ts';
import type { MetricRow } from '../metrics/read/metric-answers.ts';
import { meanOf } from '../statistics/order.ts';
import { digitsOf, formatValue, intervalIn, momentWords, type Unit, unitIn } from './charts/values.ts';
import { chartOfTable } from './from-table.ts';
import { type BarsSpec, type ChartSpec, joined } from './spec.ts';
import { changesIn, filterWords, notDrawn, placeBeside } from './told.ts';

/** A comparison as it is drawn, without its result. */
type ComparisonOptions = Omit<ComparisonDrawn, 'result'>;

/** Segments beyond this make the picture longer than it is worth. */
const MAX_SEGMENTS = 4;

const wholeDays = (rows: readonly MetricRow[]): readonly MetricRow[] => rows.filter(({ interval }) => !interval.isPart);

const labelsOf = (rows: readonly MetricRow[]): readonly string[] => rows.flatMap(({ interval: { label } }) => label ?? []);

/** Days between the two ranges from which a common time axis would be mostly empty. */
const FAR_DAYS = 28;

/** True where the baseline lies far before the period, as a year does. */
function isFarBefore(baseline: readonly string[], period: readonly string[]): boolean {
  const [last, first] = [baseline.at(-1), period[0]];
  return last !== undefined && first !== undefined && daysFrom(last, first) > FAR_DAYS;
}

const dayText = (day: string | undefined) => momentWords(day ?? '', 'day', true);
const weekdayOf = (day: string): number => new Date(Date.parse(day)).getUTCDay();

/** Days of both ranges that lie on each other, whether they hold data or not. */
interface Anchors {
  readonly period: string;
  readonly baseline: string;
}

type Selections = Pick<ComparisonDrawn, 'filters' | 'places'>;
/** The names of the lines, without those that the question has already. */
const linesIn = ({ filters, places }: Selections) => places.map((place) => placeBeside({ place }, filters));
const lineName = (names: readonly string[] = []) => names.join(', ') || 'all visits';

/** A point of a line, as a row of a table. */
type Point = [time: string, line: string, value: number | null];

/** The days of the baseline on those of the period: two lines, of the first selection alone. */
function overlaid([first]: readonly Ranges[], [names]: readonly (readonly string[])[], metric: string, anchors: Anchors) {
  const { baseline = [], period = [] } = first ?? {};
  const [times, before] = [labelsOf(period), labelsOf(baseline)];
  // Day on day, of which some may be missing.
  const line = (rows: readonly MetricRow[], days: readonly string[], from: string) =>
    times.map((time): Point => {
      const row = rows[days.findIndex((day) => daysFrom(from, day) === daysFrom(anchors.period, time))];
      return [time, `${dayText(days[0])} to ${dayText(days.at(-1))} (${days.length} days)`, row?.values[metric] ?? null];
    });
  const aligned = weekdayOf(anchors.period) === weekdayOf(anchors.baseline) ? 'weekday on weekday' : 'date on date';
  return {
    rows: [...line(period, times, anchors.period), ...line(baseline, before, anchors.baseline)],
    words: `${lineName(names)}, both ranges ${aligned}`,
  };
}

/** All days one after the other, a line for each selection; more than can be told apart by means of weeks. */
function inSuccession(days: readonly (readonly MetricRow[])[], lines: readonly (readonly string[])[], metric: string) {
  const all = [...new Set(days.flatMap(labelsOf))].toSorted();
  const isLong = all.length > MOST_DAYS;
  const length = isLong ? WEEK : 1;
  const rows = days.flatMap((own, index) => {
    const values = new Map(own.map(({ interval, values: { [metric]: value } }) => [interval.label, value ?? null]));
    return all.flatMap((time, at): Point[] => {
      if (at % length > 0) return [];
      const known = all.slice(at, at + length).flatMap((day) => values.get(day) ?? []);
      return [[time, lineName(lines[index]), known.length > 0 ? meanOf(known) : null]];
    });
  });
  return { rows, words: isLong && `a point is the mean of ${WEEK} days` };
}

const WEEK = 7;

interface Ranges {
  readonly baseline: readonly MetricRow[];
  readonly period: readonly MetricRow[];
}

/** `15 – 21 Nov 2026 against 8 – 14 Nov 2026`. */
const rangesIn = ({ timeZone, period, baseline }: ComparisonOptions) =>
  `${intervalIn(timeZone, period)} against ${intervalIn(timeZone, baseline)}`;

/** Days before a change that show what it changed from, and the most days that are drawn for it. */
const [DAYS_BEFORE, MOST_DAYS] = [7, 92];

/** The first change of the metric, or of what makes it, that begins among the days that can be drawn. */
function storyOf({ data, headline: { metric } }: PeriodsResult, { period, timeZone }: ComparisonOptions): Finding | undefined {
  const last = todayIn(timeZone, period.endMs);
  const earliest = dayAfter(last, DAYS_BEFORE - MOST_DAYS);
  return changesIn(data.findings, metric, [earliest, last]).find(({ when: { from = '' } }) => from >= earliest);
}

/** The lines of the headline: one range on the other where the baseline lies far before, else all days from before the change on. */
function linesOf(
  { metric, judged }: { metric: string } & Pick<PeriodsResult, 'judged'>,
  story: Finding | undefined,
  options: ComparisonOptions,
) {
  const { timeZone, period, baseline } = options;
  const lines = linesIn(options);
  const ranges = judged.map(({ reading }) => ({ baseline: wholeDays(reading.baselineDays), period: wholeDays(reading.periodDays) }));
  const isOverlay = ranges.length > 0 && ranges.every((each) => isFarBefore(labelsOf(each.baseline), labelsOf(each.period)));
  const dayOf = ({ startMs, endMs }: Interval) => todayIn(timeZone, options.endsMeet ? endMs : startMs);
  if (isOverlay) return { isOverlay, ...overlaid(ranges, lines, metric, { period: dayOf(period), baseline: dayOf(baseline) }) };
  const began = story?.when.from === undefined ? [] : [dayAfter(story.when.from, -DAYS_BEFORE)];
  const [first = ''] = [...began, ...[baseline, period].map(({ startMs }) => todayIn(timeZone, startMs))].toSorted();
  const last = todayIn(timeZone, period.endMs);
  const isDrawn = ({ interval: { label = '' } }: MetricRow) => label >= first && label <= last;
  const days = judged.map(({ reading }) => wholeDays(reading.days).filter(isDrawn));
  return { isOverlay, ...inSuccession(days, lines, metric) };
}

/** The days of the headline, with the change that they show. */
function trendOf({ headline: { metric }, data, judged }: PeriodsResult, story: Finding | undefined, options: ComparisonOptions) {
  const { timeZone, period, currency, filters } = options;
  const { isOverlay, rows, words } = linesOf({ metric, judged }, story, options);
  // Of two years both ranges are what is drawn.
  const isFirst = ({ when, subject }: Finding) => isOverlay && subject === metric && when.shape === 'range';
  const at = data.columns.indexOf('metric');
  const others = data.rows.flatMap((row) => (row[at] === metric ? [] : nameOf(String(row[at]))));
  const chart = chartOfTable(
    { columns: ['day', 'line', metric], rows, units: { [metric]: unitOf(metric, currency) ?? '' }, filters: { ...filters } },
    {
      timeZone,
      findings: data.findings.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a))),
      answers: { [metric]: nameOf(metric) },
      shows: `${nameOf(metric)} by day`,
      words: present(rangesIn(options), `${isCount(metric) ? 'sums of ' : ''}whole days`, words, notDrawn([...new Set(others)])),
      ...(isOverlay
        ? { accent: present(rows[0]?.[1]) }
        : { judged: { from: todayIn(timeZone, period.startMs), to: todayIn(timeZone, period.endMs) } }),
    },
  );
  return chart?.kind === 'trend' ? chart : undefined;
}

/** A traffic mix below this share of the largest step goes without saying. */
const SMALL = 0.02;

/** A group and what of a change comes from it. */
type ChangePart = Pick<Contribution, 'name' | 'mix' | 'rate' | 'contribution'>;

const size = ({ contribution }: ChangePart) => Math.abs(contribution);

/** The metric and visits of a change, its ranges, what contributes to it and any more words on that, and the place to point at. */
interface PartsTold {
  readonly of: string;
  readonly ranges: string;
  readonly by: string;
  readonly words?: string;
  readonly unit: Unit;
  readonly accent: readonly string[];
}

/** The contribution of each part to a change, as the answer has it; of a rate with what comes from its own and what from the mix. */
function partsOf(parts: readonly ChangePart[], change: number, { of, ranges, by, words, unit, accent: places }: PartsTold): BarsSpec {
  const shown = parts.toSorted((a, b) => size(b) - size(a));
  const labels = shown.map(({ name }) => name);
  const accent = labels.filter((name) => places.includes(name));
  const values = shown.map(({ contribution }) => contribution);
  const isSplit = shown.some(({ mix = 0 }) => Math.abs(mix) > SMALL * Math.max(...shown.map(size)));
  const said = (value: number | undefined) => formatValue(value, unit, digitsOf(values));
  return {
    kind: 'bars',
    title: `${of}, ${said(change)}: what each ${by} contributes`,
    subtitle: present(ranges, words).join(', '),
    unit,
    labels,
    series: [{ name: 'contribution', values }],
    ...(isSplit && { notes: shown.map(({ rate, mix }) => `own rate ${said(rate)}, share of the visits ${said(mix)}`) }),
    ...(accent.length > 0 && { accent }),
  };
}

const segmentWords = (count: number) =>
  present(count > MAX_SEGMENTS && `the largest ${MAX_SEGMENTS} of ${count}`, 'segments overlap: these do not add up').join(', ');

/**
 * The headline of a comparison by day and by what its change is made of: devices, segments where there is one device, factors of revenue;
 * undefined where nothing can be drawn.
 */
export function chartOfComparison({ result, ...options }: ComparisonDrawn): ChartSpec | undefined {
  const { headline, byDevice, bySegment, factors } = result;
  const { metric, isPerDay } = headline;
  const story = storyOf(result, options);
  const unit = unitIn(unitOf(metric, options.currency), true);
  const trend = trendOf(result, story, options);
  const { verdict } = headline.judgement;
  // The parts of a change within noise are noise too.
  if (verdict !== 'up' && verdict !== 'down' && verdict !== 'drift') return trend;
  const told = {
    of: `${nameOf(metric)}${isPerDay ? ' a day' : ''}`,
    ranges: present(...filterWords(options.filters, metric), rangesIn(options)).join(', '),
    unit,
    accent: story ? placeBeside(story, options.filters) : [],
  };
  const [segment] = bySegment;
  const ofSegments = bySegment.flatMap(({ groups: [own] }) => own ?? []).toSorted((a, b) => size(b) - size(a));
  const parts = byDevice
    ? partsOf(byDevice.groups, byDevice.change, { ...told, by: 'device' })
    : segment &&
      partsOf(
        ofSegments.slice(0, MAX_SEGMENTS).map(({ name, contribution }) => ({ name, contribution })),
        segment.change,
        { ...told, by: 'segment', words: segmentWords(ofSegments.length) },
      );
  // A change of a device that is not the largest part of this one lies mostly outside the two ranges.
  const isOutside = byDevice && story?.place.device !== undefined && parts?.labels[0] !== story.place.device;
  const ofFactors =
    factors &&
    partsOf(
      (['visits', 'conversion', 'basket'] as const).map((name) => ({ name, contribution: factors[name] })),
      factors.change,
      { ...told, by: 'factor', words: 'visits × conversion × basket' },
    );
  return joined([trend, isOutside ? undefined : parts, metric === 'revenueSum' ? ofFactors : undefined]);
}
