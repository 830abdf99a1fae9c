import { refuse } from '../../api/errors.ts';
import type { KnownDays } from '../../domain/metrics/calendar/known-days.ts';
import { type Windows, windowsOf } from '../../domain/metrics/compare/comparison-windows.ts';
import type { MetricAnswers, MetricRow } from '../../domain/metrics/read/metric-answers.ts';
import type { Device, MetricGrid } from '../../domain/metrics/read/metric-grid.ts';
import { ALL_VISITORS } from '../../domain/names/match-name.ts';
import { daysBetween } from '../../lib/calendar.ts';
import { isoAt } from '../../lib/dates.ts';
import type { Lists } from '../context.ts';
import { type CompareContext, gridOf, PARTS, type Question } from './compare-question.ts';
import { apartSentence, fetchMetrics, goalNotes, keptPartOf, reachesBeyond, readDaysOrNone } from './fetch-metrics.ts';
import { readKnownDays } from './read-known-days.ts';
import { redefinitionNotes } from './redefinitions.ts';

/** Both ranges of a comparison and the days around them. */
export interface PeriodsRead {
  /** The question, with the part of its baseline that the platform keeps. */
  readonly question: Question;
  readonly windows: Windows;
  readonly totals: MetricAnswers;
  readonly days: readonly MetricRow[];
  readonly known: KnownDays;
  readonly lists: Lists;
  readonly timeZone: string;
  /** One selection is compared, so that its change may be explained. */
  readonly isOne: boolean;
  /** The devices that divide the selection were read too. */
  readonly byDevice: boolean;
  /** That no visit lies in all of the segments; undefined where that is not so. */
  readonly apart: string | undefined;
  /** That the platform keeps only a part of the baseline, and which; undefined where it keeps all of it. */
  readonly kept?: string;
  readonly notes: readonly string[];
}

/** Throws the reason where one side as a whole could not be read. */
function requireSides({ rows, missing }: MetricAnswers, { period, baseline }: Windows, timeZone: string): void {
  for (const { reason, parts } of missing) {
    const isOf = (side: Windows['period']) =>
      parts.some(({ interval }) => interval.startMs >= side.startMs && interval.endMs <= side.endMs);
    const hasSide = (range: number) => rows.some((row) => row.range === range && row.values['visits'] !== null);
    const [name, side] = isOf(baseline) && !hasSide(0) ? (['baseline', baseline] as const) : (['period', period] as const);
    if (isOf(side) && !hasSide(side === baseline ? 0 : 1))
      refuse(`The ${name} (${isoAt(side.startMs, timeZone)} … ${isoAt(side.endMs, timeZone)}) cannot be read: ${reason}`);
  }
}

/** The site's visits of the same selections and times; undefined for metrics of the site, which have them. */
function visitsOf<Grid extends Pick<MetricGrid, 'zoneIds'>>(grid: Grid) {
  return grid.zoneIds === undefined ? undefined : { ...grid, zoneIds: [undefined], goalIds: [undefined], metrics: ['visits'] };
}

/** Adds the site's visits to rows of zones: the interface does not give the users that these are of. */
function withVisits(rows: readonly MetricRow[], ofSite: readonly MetricRow[]): readonly MetricRow[] {
  const keyOf = ({ selection: { device, segmentIds }, range, interval }: MetricRow) =>
    [range, interval.startMs, device, ...segmentIds].join(' ');
  const visits = new Map(ofSite.map((row) => [keyOf(row), row.values]));
  return rows.map((row) => ({ ...row, values: { ...visits.get(keyOf(row)), ...row.values } }));
}

async function readRanges(grid: MetricGrid, context: CompareContext): Promise<MetricAnswers> {
  const visits = visitsOf(grid);
  const [answers, ofSite] = await Promise.all([fetchMetrics(grid, context), visits && fetchMetrics(visits, context)]);
  return ofSite ? { ...answers, rows: withVisits(answers.rows, ofSite.rows) } : answers;
}

async function readDaysWithVisits(grid: Omit<MetricGrid, 'ranges'>, windows: Windows, context: CompareContext) {
  const visits = visitsOf(grid);
  const [days, ofSite] = await Promise.all([
    readDaysOrNone(grid, windows, context),
    visits && readDaysOrNone(visits, windows, { ...context, note: () => undefined }),
  ]);
  return ofSite ? withVisits(days, ofSite) : days;
}

/** The bounds of a baseline kept in part, with a sentence on it; undefined where the period is not there, or nothing of the baseline. */
async function keptBaseline({ rows }: MetricAnswers, { baseline }: Windows, context: CompareContext) {
  const { timeZone } = context;
  if (rows.some(({ range, values }) => range === 1 && values['visits'] === null)) return undefined;
  const kept = await keptPartOf(baseline, context);
  if (!kept) return undefined;
  const lengthOf = ({ startMs, endMs }: Windows['period']) => Math.round(daysBetween(startMs, endMs + 1, timeZone));
  return {
    bounds: { baselineStartMs: kept.startMs, baselineEndMs: kept.endMs },
    sentence:
      `The platform keeps data since ${kept.firstDay}: the baseline is used from there on, ${lengthOf(kept)} of its ` +
      `${lengthOf(baseline)} days.`,
  };
}

/** The selections to read: those of the question and, where one may be explained, the devices that divide it. */
function selectionOf(question: Question) {
  const { devices, zoneIds, explain } = question;
  const base = gridOf(question);
  const isOne = devices.length <= 1 && zoneIds.length <= 1 && (base.segmentSets?.length ?? 1) === 1;
  const byDevice = explain && isOne && (devices[0] ?? 'all') === 'all';
  const chosen: readonly Device[] = devices.length > 0 ? devices : ['all'];
  return { grid: { ...base, devices: byDevice ? [...chosen, ...PARTS] : chosen }, isOne, byDevice };
}

/** The ranges, their days and what is known of these, all at once. */
async function readAtOnce(grid: Omit<MetricGrid, 'ranges'>, windows: Windows, goalId: number | undefined, context: CompareContext) {
  const { period, baseline, history } = windows;
  const notes: string[] = [];
  let done = 0;
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    context.progress((done += 1), 3, 'reading metrics');
    return result;
  };
  const [totals, days, known] = await Promise.all([
    step(readRanges({ ...grid, ranges: [baseline, period] }, { ...context, progress: () => undefined })),
    step(readDaysWithVisits(grid, windows, { ...context, note: (sentence) => void notes.push(sentence) })),
    readKnownDays({ startMs: history.startMs, endMs: period.endMs }, goalId, context),
    // Without its name the goal's id stands in the answer.
    goalId !== undefined && (await context.lists()).of('goal').catch(() => undefined),
  ]);
  return { totals, days, known, notes };
}

/** Notes on missing parts, goals and definitions that changed; throws where a side or every metric has no value. */
async function readingNotes(question: Question, totals: MetricAnswers, windows: Windows, lists: Lists, timeZone: string) {
  const { goalId, metrics } = question;
  const { baseline, period } = windows;
  requireSides(totals, windows, timeZone);
  const missing = totals.missing.map(
    ({ reason, parts }) => `Missing for ${[...new Set(parts.map(({ selection }) => selection.device))].join(', ')}: ${reason}`,
  );
  const ofGoals = goalId === undefined ? await goalNotes(metrics, totals.rows, lists) : [];
  const compared = { ...question, goalIds: [goalId], startMs: baseline.startMs, endMs: period.endMs, timeZone };
  return [...missing, ...ofGoals, ...(await redefinitionNotes(compared, lists))];
}

/** Reads both ranges and the days that teach what is usual; a baseline that is kept in part is read from its first kept day on. */
export async function readPeriods(question: Question, context: CompareContext): Promise<PeriodsRead> {
  const { timeZone, nowMs } = context;
  const windows = windowsOf({ ...question, timeZone, nowMs });
  const { grid, isOne, byDevice } = selectionOf(question);
  const { totals, days, known, notes } = await readAtOnce(grid, windows, question.goalId, context);
  const kept = reachesBeyond(totals) ? await keptBaseline(totals, windows, context) : undefined;
  if (kept) {
    return { ...(await readPeriods({ ...question, ...kept.bounds }, context)), kept: kept.sentence };
  }
  const lists = await context.lists();
  const ofReading = await readingNotes(question, totals, windows, lists, timeZone);
  const sets = question.compareSegments.some((choice) => choice !== ALL_VISITORS)
    ? ['compareSegments: each is compared with itself in the baseline; by: "segment" puts them side by side.']
    : [];
  const all = [...notes, ...ofReading, ...sets];
  const apart = apartSentence(question.segmentIds, totals.rows, lists);
  return { question, windows, totals, days, known, lists, timeZone, isOne, byDevice, apart, notes: all };
}
