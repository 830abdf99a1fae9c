import { ApiError, refuse } from '../../api/errors.ts';
import { listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import { instantOf } from '../../api/params.ts';
import { specialSentence } from '../../domain/metrics/calendar/special-words.ts';
import { comparePeriods, periodNotes } from '../../domain/metrics/compare/comparison.ts';
import type { Comparison } from '../../domain/metrics/compare/comparison-rows.ts';
import { type Windows, windowsOf } from '../../domain/metrics/compare/comparison-windows.ts';
import { outlierNote } from '../../domain/metrics/compare/comparison-words.ts';
import { detectionSentence, detectionsOf } from '../../domain/metrics/compare/detection.ts';
import { daysOf, judgeChanges } from '../../domain/metrics/compare/judged-changes.ts';
import { type Reading, readingsOf } from '../../domain/metrics/compare/readings.ts';
import { nameOf } from '../../domain/metrics/metric-definitions.ts';
import { countingFaults, countingSentence, withoutFaults } from '../../domain/metrics/quality/counting.ts';
import type { MetricAnswers, MetricRow } from '../../domain/metrics/read/metric-answers.ts';
import type { Device, MetricGrid } from '../../domain/metrics/read/metric-grid.ts';
import { refusedNotes } from '../../domain/metrics/read/query-notes.ts';
import { ALL_VISITORS } from '../../domain/names/match-name.ts';
import { daysBetween, shiftDays } from '../../lib/calendar.ts';
import { isoAt, resolveDate, todayIn } from '../../lib/dates.ts';
import type { Context } from '../context.ts';
import { type CompareInput, gridOf, type Question, questionOf } from './compare-question.ts';
import { type ChosenSegments, readSegments } from './compare-segments.ts';
import { compareAtOnce } from './compare-sides.ts';
import { fetchMetrics, keptPartOf, reachesBeyond, readDaysOrNone, requireGoal } from './fetch-metrics.ts';
import { readKnownDays, withKnownDays } from './read-known-days.ts';
import { redefinitionNotes } from './redefinitions.ts';

/** Days before and after a change in which events are looked for. */
const DAYS = 2;
const LONGEST_TEXT = 120;
const MOST_EVENTS = 6;

/** Speed events up to two days around a day, in order; none where the credential may not read them, which is noted. */
async function readEventsAround(
  day: string | undefined,
  { ask, note, timeZone, nowMs }: Pick<Context, 'ask' | 'note' | 'timeZone' | 'nowMs'>,
) {
  if (day === undefined) return [];
  const { instantMs } = resolveDate(day, { edge: 'start', timeZone, nowMs });
  const [fromMs, toMs] = [shiftDays(instantMs, -DAYS, timeZone), shiftDays(instantMs, DAYS + 1, timeZone)];
  try {
    // `dateFrom` excludes its own instant.
    const { events } = await ask(listSpeedEvents, { dateFrom: new Date(fromMs - 1).toISOString() });
    const near = events
      .map(({ key, text, date }) => ({ key, text: (text ?? '').slice(0, LONGEST_TEXT), atMs: instantOf(date ?? '') }))
      .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
      .toSorted((a, b) => a.atMs - b.atMs)
      .slice(0, MOST_EVENTS);
    if (near.length === 0) note(`No speed event lies within ${DAYS} days of ${day}.`);
    else note(`Events within ${DAYS} days of ${day}: near in time is no proof.`);
    return near.map(({ key, text, atMs }) => ({ day: todayIn(timeZone, atMs), event: text || key }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(
      error.kind === 'forbidden'
        ? 'Events were not looked for: the credential lacks the scope speed-analysis.'
        : `Events could not be read: ${error.message}`,
    );
    return [];
  }
}

const NO_SEGMENTS: ChosenSegments = { all: [], chosen: [] };
const PARTS: readonly Device[] = ['desktop', 'mobile', 'tablet'];

/** Answers a comparison of two periods, or of devices or segments at the same time. */
export async function compareMetrics(input: CompareInput, context: Context): Promise<Comparison> {
  const question = questionOf(input);
  // Bounds of the baseline are dates too; the answer is about the period.
  context.covers(instantOf(input.startDate), instantOf(input.endDate));
  return question.by === 'period' ? compareRanges(question, context) : compareAtOnce(question, context);
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

async function readRanges(grid: MetricGrid, context: Context): Promise<MetricAnswers> {
  const visits = visitsOf(grid);
  const [answers, ofSite] = await Promise.all([fetchMetrics(grid, context), visits && fetchMetrics(visits, context)]);
  return ofSite ? { ...answers, rows: withVisits(answers.rows, ofSite.rows) } : answers;
}

async function readDaysWithVisits(grid: Omit<MetricGrid, 'ranges'>, windows: Windows, context: Context) {
  const visits = visitsOf(grid);
  const [days, ofSite] = await Promise.all([
    readDaysOrNone(grid, windows, context),
    visits && readDaysOrNone(visits, windows, { ...context, note: () => undefined }),
  ]);
  return ofSite ? withVisits(days, ofSite) : days;
}

/** The bounds of a baseline that is kept in part, which is noted; undefined where the period is not there, or nothing of the baseline. */
async function keptBaseline({ rows }: MetricAnswers, { baseline }: Windows, context: Context) {
  const { timeZone, note } = context;
  if (rows.some(({ range, values }) => range === 1 && values['visits'] === null)) return undefined;
  const kept = await keptPartOf(baseline, context);
  if (!kept) return undefined;
  const lengthOf = ({ startMs, endMs }: Windows['period']) => Math.round(daysBetween(startMs, endMs + 1, timeZone));
  note(
    `The platform keeps data since ${kept.firstDay}: the baseline is used from there on, ${lengthOf(kept)} of its ` +
      `${lengthOf(baseline)} days.`,
  );
  return { baselineStartDate: isoAt(kept.startMs, timeZone), baselineEndDate: isoAt(kept.endMs, timeZone) };
}

async function compareRanges(question: Question, context: Context): Promise<Comparison> {
  const { note, timeZone, nowMs } = context;
  const { devices, goalId } = question;
  const windows = windowsOf({
    period: { startMs: instantOf(question.startDate), endMs: instantOf(question.endDate) },
    baselineStartMs: question.baselineStartDate === undefined ? undefined : instantOf(question.baselineStartDate),
    baselineEndMs: question.baselineEndDate === undefined ? undefined : instantOf(question.baselineEndDate),
    kind: question.baseline ?? 'previous',
    timeZone,
    nowMs,
  });
  const { period, baseline } = windows;
  const base = gridOf(question);
  const isOne = devices.length <= 1 && question.zoneIds.length <= 1 && (base.segmentSets?.length ?? 1) === 1;
  const mayExplain = question.explain && isOne;
  const byDevice = mayExplain && (devices[0] ?? 'all') === 'all';
  const chosen: readonly Device[] = devices.length > 0 ? devices : ['all'];
  const grid = { ...base, devices: byDevice ? [...chosen, ...PARTS] : chosen };
  let done = 0;
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    context.progress((done += 1), 3, 'reading metrics');
    return result;
  };
  const unread: string[] = [];
  const read = { startMs: windows.history.startMs, endMs: period.endMs };
  const [totals, days, known] = await Promise.all([
    step(readRanges({ ...grid, ranges: [baseline, period] }, { ...context, progress: () => undefined })),
    step(readDaysWithVisits(grid, windows, { ...context, note: (sentence) => void unread.push(sentence) })),
    readKnownDays(read, goalId, context),
  ]);
  const kept = reachesBeyond(totals) ? await keptBaseline(totals, windows, context) : undefined;
  if (kept) return compareRanges({ ...question, ...kept }, context);
  for (const sentence of unread) note(sentence);
  requireSides(totals, windows, timeZone);
  for (const { reason, parts } of totals.missing)
    note(`Missing for ${[...new Set(parts.map(({ selection }) => selection.device))].join(', ')}: ${reason}`);
  const lists = await context.lists();
  if (goalId === undefined) await requireGoal(question.metrics, totals.rows, lists, note);
  const compared = { ...question, goalIds: [goalId], startMs: baseline.startMs, endMs: period.endMs, timeZone };
  for (const sentence of await redefinitionNotes(compared, lists)) note(sentence);
  if (question.compareSegments.length > 1)
    note('compareSegments: each is compared with itself in the baseline; by: "segment" puts them side by side.');
  const labelAt = (ms: number) => todayIn(timeZone, ms);
  const faults =
    isOne && question.zoneIds.length === 0
      ? countingFaults({
          rows: days,
          whole: { device: devices[0] ?? 'all' },
          from: labelAt(windows.isAdjacent ? baseline.startMs : period.startMs),
          to: labelAt(period.endMs),
          isSpecial: (label) => known.specialDays(label) !== undefined,
        })
      : [];
  const explains = mayExplain && faults.length === 0;
  const readings = readingsOf(totals.rows, withKnownDays(withoutFaults(days, faults), known));
  const table = byDevice ? readings.slice(0, 1) : readings;
  const labelOf = ({ device, segmentIds, zoneId }: Reading) => {
    const named = segmentIds.map((id) => lists.nameOf('segment', id));
    const segments = named.length === 0 && question.compareSegments.length > 0 ? [ALL_VISITORS] : named;
    const zones = zoneId === undefined ? [] : [lists.nameOf('zone', zoneId)];
    return [...zones, ...(device === 'all' ? [] : [device]), ...segments].join(', ');
  };
  const periods = { metrics: question.metrics, windows, readings: table, devices: byDevice ? readings.slice(1) : [], labelOf };
  const judgedChanges = judgeChanges(periods);
  const [whole] = table;
  const segments = await step(
    explains && whole && !judgedChanges.isNoise
      ? readSegments({ question, metric: judgedChanges.headline.metric, whole, windows, known }, context)
      : Promise.resolve(NO_SEGMENTS),
  );
  const result = comparePeriods({
    ...periods,
    judged: judgedChanges,
    segments,
    currency: totals.currency,
    explains: question.explain && faults.length === 0,
  });
  const { data, headline, judged } = result;
  const inRanges = new Set(whole ? [...whole.baselineDays, ...whole.periodDays].flatMap(({ interval }) => interval.label ?? []) : []);
  const special = whole
    ? specialSentence(daysOf(whole, headline.metric), inRanges, known.specialDays, nameOf(headline.metric).toLowerCase())
    : '';
  const events = await readEventsAround(headline.since?.from, context);
  const baselineDays = daysBetween(baseline.startMs, baseline.endMs + 1, timeZone);
  const detect = whole && question.detect !== undefined ? detectionsOf(whole, question.metrics, question.detect) : undefined;
  const comparison = {
    ...data,
    ...(detect && detect.length > 0 && { detect }),
    answer: [countingSentence(faults), data.answer, special, detect ? detectionSentence(detect) : '']
      .filter((sentence) => sentence !== '')
      .join(' '),
    ...(faults.length > 0 && { quality: faults }),
    baseline: { start: isoAt(baseline.startMs, timeZone), end: isoAt(baseline.endMs, timeZone), days: Number(baselineDays.toFixed(2)) },
    ...(events.length > 0 && { events }),
  };
  context.draw(async () => {
    const { chartOfComparison } = await import('../../views/from-comparison.ts');
    const labels = readings.map((reading) => labelOf(reading) || 'all visits');
    return chartOfComparison(result, { timeZone, currency: totals.currency, period, baseline, labels });
  });
  const reason =
    headline.judgement.verdict === 'not enough data'
      ? 'too few days to distinguish a change from noise'
      : 'a change within noise has nothing to explain';
  const left = result.isNoise && explains ? `Segments are left out: ${reason}.` : segments.choice;
  if (left !== undefined) note(left);
  // What is in no device cannot be asked for.
  if (PARTS.some((device) => device === result.leader)) note(`Next: devices ["${result.leader}"] shows the segments within it.`);
  for (const sentence of judgedChanges.changes.flatMap((change) => outlierNote(change) ?? [])) note(sentence);
  for (const sentence of [...windows.notes, ...periodNotes(judged, windows)]) note(sentence);
  if (question.explain && !isOne) note('explain takes one device and one set of segments at a time.');
  if (question.zoneIds.length > 0)
    note(
      'The interface does not give the users of a zone: days are weighed by the visits of the site; before and after are as the ' +
        'platform gives them.',
    );
  for (const sentence of refusedNotes(totals.refused)) note(sentence);
  return comparison;
}
