import type { Finding } from '../findings/finding.ts';
import { percentOf } from '../journeys/proportions.ts';
import { dayAfter, daysFrom } from '../lib/calendar.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { isoAt, todayIn } from '../lib/dates.ts';
import { headlineOf, present } from '../lib/sentences.ts';
import { datedMove, leadingRow } from '../speed/clues.ts';
import type { Level, Move, Series } from '../speed/engine/run-series.ts';
import type { Runs } from '../speed/runs.ts';
import type { Row, Study } from '../speed/scenario-study.ts';
import type { ViewDrawn } from '../speed/scenario-views.ts';
import type { NearEvent } from '../speed/speed-events.ts';
import { formatValue, metricFact, UNITS } from '../speed/speed-metrics.ts';
import { ascending, median, quantile } from '../statistics/order.ts';
import { intervalIn, rangeIn, sinceWords, unitIn } from './charts/values.ts';
import { chartOfTable } from './from-table.ts';
import { type BarsSpec, MAX_BANDS, type TrendLevel, type TrendSeries, type TrendSpec } from './spec.ts';

/** More lines cannot be distinguished. */
const MAX_SERIES = 6;
/** Up to this many runs are drawn as points; more are combined by day. */
const MAX_RUNS = 60;

/** Share of the runs of a day that its range holds: the few outliers would flatten all else. */
const RANGE = 0.8;

/** The row that the title is about. */
const ANY_STEP = 'any step';

/** Options of the chart beside the reports. */
export interface TrendOptions {
  readonly title: string;
  readonly timeZone: string;
  readonly events: readonly NearEvent[];
  /** That other scenarios were not looked at, where that is so. */
  readonly yet: string;
}

/** `2026-11-20T14:05` in the zone. */
function minuteIn(timeZone: string, ms: number): string {
  return isoAt(ms, timeZone).slice(0, 16);
}

/** `since 20 Nov`, or `20 Nov to 22 Nov` where it is undone. */
function stretchIn(timeZone: string, { fromMs, untilMs }: Move): string {
  return sinceWords({ from: todayIn(timeZone, fromMs), to: untilMs === undefined ? untilMs : todayIn(timeZone, untilMs) });
}

/** The rows of one metric: that of the change, else the leading one; the step of the change first. */
function rowsToDraw(study: Study): Row[] {
  const first = leadingRow(study);
  if (!first) return [];
  const ofMetric = study.rows.filter(({ metric, step }) => metric === first.metric && (step === undefined) === (first.step === undefined));
  return [first, ...ofMetric.filter((row) => row !== first)].slice(0, MAX_SERIES);
}

function rounded(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(4));
}

function byTime({ dates, values }: Series, timeOf: (ms: number) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [index, date] of dates.entries()) {
    const value = values[index];
    const time = timeOf(date);
    if (value !== undefined) groups.set(time, [...(groups.get(time) ?? []), value]);
  }
  return groups;
}

/** Every calendar day from the first to the last, so that a day without runs is a gap. */
function daysBetween(first: string, last: string): string[] {
  return Array.from({ length: daysFrom(first, last) + 1 }, (_, index) => dayAfter(first, index));
}

function seriesOf(name: string, groups: Map<string, number[]>, times: readonly string[], isDaily: boolean): TrendSeries {
  const sorted = times.map((time) => ascending(groups.get(time) ?? []));
  const values = sorted.map((each) => rounded(median(each)));
  if (!isDaily) return { name, values };
  const at = (share: number) => sorted.map((each) => rounded(quantile(each, share)));
  return { name, values, low: at((1 - RANGE) / 2), high: at((1 + RANGE) / 2) };
}

/** The day on which an interval ends before the day is over. */
function todayOf(endMs: number, timeZone: string): string | undefined {
  const day = todayIn(timeZone, endMs);
  return todayIn(timeZone, endMs + MINUTE_MS) === day ? day : undefined;
}

/** The levels before and since a change: until the series ends, or until the change is over. */
function levelsOf({ move, series: { dates } }: Row, timeZone: string): TrendLevel[] {
  const [first, last] = [dates[0], dates.at(-1)];
  if (!move || move.shape === 'drift' || first === undefined || last === undefined) return [];
  const { fromMs, previousMs, untilMs, before, after } = move;
  const level = (startMs: number, endMs: number, { typical }: Level) => ({
    from: minuteIn(timeZone, startMs),
    to: minuteIn(timeZone, endMs),
    value: typical,
  });
  return [level(first, previousMs, before), level(fromMs, untilMs ?? last, after)];
}

/** The finding of a row: both levels and since when, else its typical value, as the answer has it. */
function findingOf({ move, metric, level, step }: Row, { state }: Study, timeZone: string): string {
  const where = step === undefined ? '' : ` on \u201c${step.name ?? ''}\u201d`;
  if (move && move.shape !== 'drift') {
    const levels = [move.before.typical, move.after.typical].map((value) => formatValue(metric, value)).join(' \u2192 ');
    return `${levels}${where} ${stretchIn(timeZone, move)}`;
  }
  return `${formatValue(metric, level?.typical ?? null)}${where}, ${state}`;
}

/** `; 16% of runs fail`, where a scenario does whose speed alone would look fine. */
function failingWords({ failures, period: { failed, all } }: Study): string {
  return failures.isFailing ? `; ${Math.round((100 * failed.length) / all.length)}% of runs fail` : '';
}

/** How many runs fail, at any step and at each, before and now, for an answer that begins with that. */
export function failingBars({ failures: { steps }, baseline, period }: Study, { sentence }: Finding, timeZone: string): BarsSpec {
  const percentIn =
    ({ all }: Runs) =>
    (failed: number) =>
      percentOf(failed, all.length) ?? null;
  // Runs may begin within a range.
  const daysIn = ({ window, all: [first] }: Runs) => ({ ...window, startMs: Math.max(window.startMs, first?.date ?? 0) });
  const [then, now] = [baseline, period].map((runs) => intervalIn(timeZone, daysIn(runs)));
  return {
    kind: 'bars',
    title: headlineOf(sentence),
    subtitle: `share of the runs that fail at each step, ${now} against ${then}, ${timeZone}`,
    unit: 'percent',
    labels: [ANY_STEP, ...steps.map(({ step }) => step)],
    series: [
      {
        name: `baseline (${baseline.all.length} runs)`,
        values: [baseline.failed.length, ...steps.map(({ trend }) => trend.before.failed)].map(percentIn(baseline)),
      },
      {
        name: `this range (${period.all.length} runs)`,
        values: [period.failed.length, ...steps.map(({ trend }) => trend.period.failed)].map(percentIn(period)),
      },
    ],
    // The step at which most runs fail is the one that the title names.
    accent: [ANY_STEP, ...steps.slice(0, 1).map(({ step }) => step)],
  };
}

/** The figure that a view begins with: of each step, in colour the one that the answer names first, or of each part of a cycle. */
export function chartOfView({ figures: { of, columns, rows }, breakdown: asked, yet, answer, ...range }: ViewDrawn) {
  const breakdown = asked !== undefined && columns.includes(asked) ? asked : undefined;
  const cellsOf = (name: string) => rows.map((row) => row[columns.indexOf(name)] ?? null);
  const scenarios = cellsOf('scenario');
  const isOne = new Set(scenarios).size === 1;
  const steps = cellsOf('step').map((step, at) => present(!isOne && scenarios[at], step).join(', '));
  const cells = [...present(breakdown).map(cellsOf), steps, ...[of, 'low', 'high'].map(cellsOf)];
  const { short, kind } = metricFact(of);
  return chartOfTable(
    {
      columns: present(breakdown, 'step', short, 'low', 'high'),
      rows: rows.map((_, at) => cells.map((column) => column[at] ?? null)),
      units: { [short]: /percent$/i.test(of) ? '%' : UNITS[kind] },
      filters: isOne ? { scenario: String(scenarios[0]) } : {},
    },
    {
      ...range,
      answers: { [short]: answer },
      words: present(yet, breakdown !== asked && `not by ${asked}`),
      ...(breakdown === undefined && { accent: steps.slice(0, 1) }),
    },
  );
}

/** The trend of a scenario: one metric, a line for each step, the change and the events near it; undefined where there is no run. */
export function trendOf(study: Study, { title, timeZone, events, yet }: TrendOptions): TrendSpec | undefined {
  const rows = rowsToDraw(study);
  const [first] = rows;
  const dates = rows.flatMap(({ series }) => series.dates);
  if (!first || dates.length === 0) return undefined;

  const isDaily = new Set(dates).size > MAX_RUNS;
  const timeOf = (ms: number) => minuteIn(timeZone, ms).slice(0, isDaily ? 10 : 16);
  const groups = rows.map(({ series }) => byTime(series, timeOf));
  const seen = [...new Set(groups.flatMap((group) => [...group.keys()]))].toSorted();
  const times = isDaily ? daysBetween(seen[0] ?? '', seen.at(-1) ?? '') : seen;
  const { short, kind } = metricFact(first.metric);
  const nameOf = ({ step }: Row) => step?.name ?? 'all steps';
  const since = datedMove(study);
  const { startMs, endMs } = study.period.window;
  const levels = levelsOf(first, timeZone);
  const band = rows.length <= MAX_BANDS ? ` and middle ${100 * RANGE}%` : '';
  const points = isDaily ? `median${band} of the runs of each day` : 'each run';
  const today = todayOf(endMs, timeZone);
  const isPart = isDaily && times.at(-1) === today;
  // All of it goes without saying.
  const isShaded = startMs > Math.min(...dates);
  const about = present(
    points,
    isShaded && 'shaded: the judged period',
    levels.length > 0 && 'level lines: the median on both sides',
    isPart && 'hollow: a part of the day only',
    yet,
  );
  return {
    kind: 'trend',
    title: `${title}: ${short} ${findingOf(first, study, timeZone)}${failingWords(study)}`,
    subtitle: `${rangeIn(timeZone, Math.min(...dates), Math.max(...dates))}, ${timeZone}: ${about.join('; ')}`,
    unit: unitIn(UNITS[kind]),
    timeZone,
    times,
    series: rows.map((row, index) => ({
      ...seriesOf(nameOf(row), groups[index] ?? new Map(), times, isDaily),
      ...(isPart && today !== undefined && { inPart: [today] }),
      ...(since && index === 0 && rows.length > 1 && { isAccent: true as const }),
    })),
    events: events.map(({ key, text, atMs }) => ({ name: text || key, time: minuteIn(timeZone, atMs) })),
    ...(since && {
      change: { name: `${nameOf(first)} ${first.state} ${stretchIn(timeZone, since)}`, time: minuteIn(timeZone, since.fromMs) },
    }),
    ...(levels.length > 0 && { levels }),
    ...(isShaded && { judged: { from: minuteIn(timeZone, startMs), to: minuteIn(timeZone, endMs) } }),
  };
}
