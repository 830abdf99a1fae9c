import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../findings/finding.ts';
import { dayAfter, daysFrom, type Interval } from '../lib/calendar.ts';
import { todayIn } from '../lib/dates.ts';
import { headlineOf, present } from '../lib/sentences.ts';
import type { ComparisonDrawn, PeriodsResult } from '../metrics/compare/comparison.ts';
import { type Contribution, type Explained, effectsOf, isMix } from '../metrics/compare/contributions.ts';
import { isCount, unitOf } from '../metrics/metric-definitions.ts';
import { nameOf } from '../metrics/metric-names.ts';
import type { MetricRow } from '../metrics/read/metric-answers.ts';
import { meanOf } from '../statistics/order.ts';
import { digitsOf, formatValue, intervalIn, momentWords, type Unit, unitIn } from './charts/values.ts';
import { chartOfTable } from './from-table.ts';
import { type BarsSpec, type ChartSpec, joined } from './spec.ts';
import { changesIn, filterWords, isChange, notDrawn, placeBeside } from './told.ts';

/** A comparison as it is drawn, without its result. */
type ComparisonOptions = Omit<ComparisonDrawn, 'result'>;

/** Segments beyond this make the picture longer than it is worth. */
const MAX_SEGMENTS = 4;

const wholeDays = (rows: readonly MetricRow[]): readonly MetricRow[] => rows.filter(({ interval }) => !interval.isPart);

/** Days between the two ranges from which a common time axis would be mostly empty. */
const FAR_DAYS = 28;

/** A line by day. */
interface DayLine {
  readonly name: string;
  readonly values: ReadonlyMap<string, number | null>;
}

/** The days of a line, each so many days later. */
const valuesOf = (days: readonly MetricRow[], metric: string, later = 0): DayLine['values'] =>
  new Map(days.map(({ interval: { label = '' }, values }) => [dayAfter(label, later), values[metric] ?? null]));

const WEEK = 7;

/** Lines as the rows of a table; of more days than can be told apart the means of weeks. */
function rowsOf(lines: readonly DayLine[], all: readonly string[]) {
  const length = all.length > MOST_DAYS ? WEEK : 1;
  // A mean of fewer days at the end would look like a break.
  const times = all.slice(all.length % length);
  const rows = lines.flatMap(({ name, values }) =>
    times.flatMap((time, at): [string, string, number | null][] => {
      const known = times.slice(at, at + length).flatMap((day) => values.get(day) ?? []);
      return at % length > 0 ? [] : [[time, name, known.length > 0 ? meanOf(known) : null]];
    }),
  );
  return { rows, areMeans: length > 1 };
}

/** `15 – 21 Nov 2026 against 8 – 14 Nov 2026`. */
const rangesIn = ({ timeZone, period, baseline }: ComparisonOptions) =>
  `${intervalIn(timeZone, period)} against ${intervalIn(timeZone, baseline)}`;

/** Days before a change that show what it changed from, and the most days that are drawn for it. */
const [DAYS_BEFORE, MOST_DAYS] = [7, 92];
/** Days before the last one without which nobody sees what is usual. */
const LEAST_DAYS = 27;

/** The first change of the metric, or of what makes it, that begins among the days that can be drawn. */
function storyOf({ data, headline: { metric } }: PeriodsResult, { period, timeZone }: ComparisonOptions): Finding | undefined {
  const last = todayIn(timeZone, period.endMs);
  const earliest = dayAfter(last, DAYS_BEFORE - MOST_DAYS);
  return changesIn(data.findings, metric, [earliest, last]).find((each) => isChange(each) && (each.when.from ?? '') >= earliest);
}

/** The lines of the headline: one range on the other where the baseline lies far before, else all days from before the change on. */
function linesOf(
  { metric, judged }: { metric: string } & Pick<PeriodsResult, 'judged'>,
  story: Finding | undefined,
  { timeZone, period, baseline, places, filters, endsMeet }: ComparisonOptions,
) {
  const names = places.map((place) => placeBeside({ place }, filters).join(', ') || 'all visits');
  const dayIn = (ms: number) => todayIn(timeZone, ms);
  const isOverlay = daysFrom(dayIn(baseline.endMs), dayIn(period.startMs)) > FAR_DAYS;
  if (isOverlay) {
    const dayOf = ({ startMs, endMs }: Interval) => dayIn(endsMeet ? endMs : startMs);
    const later = daysFrom(dayOf(baseline), dayOf(period));
    // Of the first selection alone.
    const lines = judged.slice(0, 1).flatMap(({ reading }) =>
      [wholeDays(reading.periodDays), wholeDays(reading.baselineDays)].map((days, at): DayLine => {
        const [from, to] = [days[0], days.at(-1)].map((row) => momentWords(row?.interval.label ?? '', 'day', true));
        return { name: `${from} to ${to} (${days.length} days)`, values: valuesOf(days, metric, at * later) };
      }),
    );
    const words = `${names[0]}, both ranges ${later % WEEK === 0 ? 'weekday on weekday' : 'date on date'}`;
    return { isOverlay, ...rowsOf(lines, [...(lines[0]?.values.keys() ?? [])]), words };
  }
  const began = story?.when.from === undefined ? [] : [dayAfter(story.when.from, -DAYS_BEFORE)];
  const least = dayAfter(dayIn(period.endMs), -LEAST_DAYS);
  const [first = ''] = [...began, least, ...[baseline, period].map(({ startMs }) => dayIn(startMs))].toSorted();
  const isDrawn = ({ interval: { label = '' } }: MetricRow) => label >= first && label <= dayIn(period.endMs);
  const lines = judged.map(({ reading }, at): DayLine => {
    return { name: names[at] ?? '', values: valuesOf(wholeDays(reading.days).filter(isDrawn), metric) };
  });
  // A segment that has one device only is that device.
  const isNew = ({ values }: DayLine, at: number) => !lines.slice(0, at).some((other) => isDeepStrictEqual(other.values, values));
  return {
    isOverlay,
    ...rowsOf(lines.filter(isNew), [...new Set(lines.flatMap(({ values }) => [...values.keys()]))].toSorted()),
    words: '',
  };
}

/** The days of the headline, with the change that they show. */
function trendOf({ headline: { metric }, data, judged }: PeriodsResult, story: Finding | undefined, options: ComparisonOptions) {
  const { timeZone, period, currency, filters, kept = '' } = options;
  const { isOverlay, rows, areMeans, words } = linesOf({ metric, judged }, story, options);
  const days = { from: todayIn(timeZone, period.startMs), to: todayIn(timeZone, period.endMs) };
  // The hours of a day that is not over are not drawn.
  const isShaded = rows.some(([time]) => time >= days.from);
  // Of two years both ranges are what is drawn.
  const isFirst = ({ when, subject }: Finding) => isOverlay && subject === metric && when.shape === 'range';
  const at = data.columns.indexOf('metric');
  const others = data.rows.flatMap((row) => (row[at] === metric ? [] : nameOf(String(row[at]))));
  const chart = chartOfTable(
    {
      columns: [areMeans ? 'week' : 'day', 'line', metric],
      rows,
      units: { [metric]: unitOf(metric, currency) ?? '' },
      filters: { ...filters },
    },
    {
      timeZone,
      findings: data.findings.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a))),
      answers: { [metric]: nameOf(metric) },
      shows: `${nameOf(metric)} by day`,
      areMeans,
      words: present(
        headlineOf(kept),
        rangesIn(options),
        `${isCount(metric) ? 'sums of ' : ''}whole days`,
        areMeans && `a point is the mean of ${WEEK} days`,
        words,
        notDrawn([...new Set(others)]),
      ),
      ...(isOverlay ? { accent: present(rows[0]?.[1]) } : isShaded && { judged: days }),
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
  const most = Math.max(...parts.map(size));
  const shown = parts.toSorted((a, b) => size(b) - size(a));
  const labels = shown.map(({ name }) => name);
  const accent = labels.filter((name) => places.includes(name));
  const values = shown.map(({ contribution }) => contribution);
  const isSplit = shown.some(({ mix = 0 }) => Math.abs(mix) > SMALL * most);
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

/** The devices; where their mix made a change of a rate, all shares together: that of one has no part without the others'. */
function deviceParts(explained: Explained): readonly ChangePart[] {
  if (!isMix(explained)) return explained.groups;
  const { mix, rate } = effectsOf(explained);
  return [
    { name: 'shares of the devices', contribution: mix },
    { name: 'rates of the devices', contribution: rate },
  ];
}

const segmentWords = (count: number) =>
  present(count > MAX_SEGMENTS && `the largest ${MAX_SEGMENTS} of ${count}`, 'segments overlap: these do not add up').join(', ');

/** The place of a change, unless it is from before the ranges: then it is no part of what differs between them. */
const storyPlaces = (story: Finding | undefined, { timeZone, baseline, filters }: ComparisonOptions) =>
  story && (story.when.from ?? '') > todayIn(timeZone, baseline.startMs) ? placeBeside(story, filters) : [];

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
  // The parts of a change within noise are noise too, and what is expected of a day is not that of another.
  if (headline.judgement.expected || (verdict !== 'up' && verdict !== 'down' && verdict !== 'drift')) return trend;
  const told = {
    of: `${nameOf(metric)}${isPerDay ? ' a day' : ''}`,
    ranges: present(...filterWords(options.filters, metric), rangesIn(options)).join(', '),
    unit,
    accent: storyPlaces(story, options),
  };
  const [segment] = bySegment;
  const ofSegments = bySegment.flatMap(({ groups: [own] }) => own ?? []).toSorted((a, b) => size(b) - size(a));
  const parts = byDevice
    ? partsOf(deviceParts(byDevice), byDevice.change, { ...told, by: 'device' })
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
