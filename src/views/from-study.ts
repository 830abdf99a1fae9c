import type { Finding } from '../findings/finding.ts';
import { percentOf } from '../journeys/proportions.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { isoAt, todayIn } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import { nth } from '../lib/nth.ts';
import { present } from '../lib/sentences.ts';
import { PART_MARK } from '../metrics/read/query-table.ts';
import { leadingRow } from '../speed/clues.ts';
import type { Runs } from '../speed/runs.ts';
import type { Row, Study } from '../speed/scenario-study.ts';
import type { ViewDrawn } from '../speed/scenario-views.ts';
import type { NearEvent } from '../speed/speed-events.ts';
import { placeOfStudy, tellSpeed } from '../speed/speed-findings.ts';
import { metricFact, UNITS } from '../speed/speed-metrics.ts';
import { ascending, median, quantile } from '../statistics/order.ts';
import { intervalIn, rangeIn } from './charts/values.ts';
import { chartOfTable } from './from-table.ts';
import type { ChartSpec } from './spec.ts';

/** More lines cannot be distinguished. */
const MAX_SERIES = 6;
/** Up to this many runs are drawn as points; more are combined by day. */
const MAX_RUNS = 60;

/** Shares of the runs of a day between which its band lies: the few outliers would flatten all else. */
const BAND = [0.1, 0.9];

/** The row that the title is about. */
const ANY_STEP = 'any step';

/** Options of the chart beside the reports. */
export interface TrendOptions {
  /** Of the scenario. */
  readonly name: string;
  readonly timeZone: string;
  readonly events: readonly NearEvent[];
  /** That other scenarios were not looked at, where that is so. */
  readonly yet: string;
}

/** `2026-11-20T14:05` in the zone. */
function minuteIn(timeZone: string, ms: number): string {
  return isoAt(ms, timeZone).slice(0, 16);
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

/** The day on which an interval ends before the day is over. */
function todayOf(endMs: number, timeZone: string): string | undefined {
  const day = todayIn(timeZone, endMs);
  return todayIn(timeZone, endMs + MINUTE_MS) === day ? day : undefined;
}

/** How many runs fail, at any step and at each, before and now, for an answer that begins with that. */
export function failingBars({ failures: { steps }, baseline, period }: Study, { sentence }: Finding, timeZone: string) {
  // Runs may begin within a range.
  const daysIn = ({ window, all: [first] }: Runs) =>
    intervalIn(timeZone, { ...window, startMs: Math.max(window.startMs, first?.date ?? 0) });
  const sides = [
    { name: 'baseline', runs: baseline, failed: steps.map(({ trend }) => trend.before.failed) },
    { name: 'this range', runs: period, failed: steps.map(({ trend }) => trend.period.failed) },
  ];
  const names = [ANY_STEP, ...steps.map(({ step }) => step)];
  return chartOfTable(
    {
      columns: ['step', 'range', 'failed'],
      rows: sides.flatMap(({ name, runs: { all, failed }, failed: bySteps }) =>
        [failed.length, ...bySteps].map((count, at) => [
          names[at] ?? '',
          `${name} (${all.length} runs)`,
          percentOf(count, all.length) ?? null,
        ]),
      ),
      units: { failed: '%' },
    },
    {
      timeZone,
      answers: { failed: sentence },
      // The step at which most runs fail is the one that the title names.
      accent: names.slice(0, 2),
      shows: 'share of the runs that fail at each step',
      words: [`${daysIn(period)} against ${daysIn(baseline)}`, timeZone],
    },
  );
}

/** The figure that a view begins with: of each step, in colour the one that the answer names first, or of each part of a cycle. */
export function chartOfView({ figures: { of, told = [], columns, rows }, breakdown: asked, yet, answer, ...range }: ViewDrawn) {
  const breakdown = asked !== undefined && columns.includes(asked) ? asked : undefined;
  const cellsOf = (name: string) => rows.map((row) => row[columns.indexOf(name)] ?? null);
  const scenarios = cellsOf('scenario');
  const isOne = new Set(scenarios).size === 1;
  const steps = cellsOf('step').map((step, at) => present(!isOne && scenarios[at], step).join(', '));
  const cells = [...present(breakdown).map(cellsOf), steps, ...[of, 'low', 'high'].map(cellsOf)];
  const { short, kind } = metricFact(of);
  const [from, to] = [told[0], told.at(-1)];
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
      accent: breakdown === undefined ? steps.slice(0, 1) : told,
      ...(from !== undefined && to !== undefined && { judged: { from, to } }),
    },
  );
}

/**
 * The trend of a scenario: one metric, a line for each step, with what was found of it and the events near that; undefined where there is
 * no run.
 */
export function trendOf(study: Study, { name, timeZone, events, yet }: TrendOptions): ChartSpec | undefined {
  const rows = rowsToDraw(study);
  const [first] = rows;
  const dates = rows.flatMap(({ series }) => series.dates);
  if (!first || dates.length === 0) return undefined;
  const isDaily = new Set(dates).size > MAX_RUNS;
  const { startMs, endMs } = study.period.window;
  const timeIn = (ms: number) => minuteIn(timeZone, ms).slice(0, isDaily ? 10 : 16);
  const today = isDaily ? todayOf(endMs, timeZone) : undefined;
  const cells = rows.flatMap(({ step, series }) =>
    [...grouped([...series.values.entries()], ([at]) => timeIn(nth(series.dates, at)))].map(([time, runs]) => {
      const sorted = ascending(runs.map(([, value]) => value));
      const ends = BAND.map((share) => (isDaily ? rounded(quantile(sorted, share)) : null));
      return [time === today ? `${time}${PART_MARK}` : time, step?.name ?? 'all steps', rounded(median(sorted)), ...ends];
    }),
  );
  const { short, kind } = metricFact(first.metric);
  const { findings } = tellSpeed(study, placeOfStudy(name, study));
  return chartOfTable(
    { columns: ['day', 'step', short, 'low', 'high'], rows: cells, units: { [short]: UNITS[kind] }, filters: { scenario: name } },
    {
      timeZone,
      answers: { [short]: findings[0]?.sentence ?? '' },
      findings: findings.map((each) => (each.subject === first.metric ? { ...each, subject: short } : each)),
      events: events.map(({ key, text, atMs }) => ({ name: text || key, time: minuteIn(timeZone, atMs) })),
      // All of it goes without saying.
      ...(startMs > Math.min(...dates) && { judged: { from: minuteIn(timeZone, startMs), to: minuteIn(timeZone, endMs) } }),
      bands: 'the middle 80% of the runs',
      shows: isDaily ? `${short}, medians of the runs of each day` : `${short} of each run`,
      words: present(rangeIn(timeZone, Math.min(...dates), Math.max(...dates)), yet),
    },
  );
}
