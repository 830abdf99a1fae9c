import { onApiError, refuse } from '../api/errors.ts';
import { listGoals } from '../api/operations/objects.ts';
import { listSpeedEvents } from '../api/operations/speed-analysis.ts';
import { instantOf } from '../api/params.ts';
import { dateText, listed, rangeText } from '../findings/wording.ts';
import { daysBetween, type Interval, shiftDays } from '../lib/calendar.ts';
import { isoAt, resolveDate, todayIn } from '../lib/dates.ts';
import { capital } from '../lib/sentences.ts';
import type { Context, Drawing, Lists } from '../names/context.ts';
import { ALL_VISITORS } from '../names/match-name.ts';
import { inTurns } from '../statistics/kept-fits.ts';
import type { KnownDays } from './calendar/known-days.ts';
import { isCommerceGoal } from './commerce-goal.ts';
import { explainHeadline } from './compare/causes.ts';
import { type ComparisonDrawn, type PeriodsResult, wordComparison } from './compare/comparison.ts';
import type { Comparison } from './compare/comparison-rows.ts';
import { type Windows, windowsOf } from './compare/comparison-windows.ts';
import { datedChanges } from './compare/dated-changes.ts';
import { detectionSentences, detectionsOf } from './compare/detection.ts';
import { type JudgedChanges, judgeChanges, type PeriodsInput } from './compare/judged-changes.ts';
import { type Reading, readingsOf } from './compare/readings.ts';
import { type CompareContext, type CompareInput, filtersOf, gridOf, type Question, questionOf } from './compare-question.ts';
import { compareAtOnce } from './compare-sides.ts';
import type { DatedChange } from './engine/changes.ts';
import { apartSentence, fetchMetrics, goalNotes, keptPartOf, reachesBeyond, readDaysOrNone, reasonsOf } from './fetch-metrics.ts';
import { grammarOf, placeBy, visitedWords } from './findings.ts';
import { zoneMetricWords } from './metric-definitions.ts';
import { type CountingFault, countingFaults, withoutFaults } from './quality/counting.ts';
import { visitedSpan, withVisits } from './read/day-points.ts';
import type { MetricAnswers, MetricRow } from './read/metric-answers.ts';
import { type Device, type MetricGrid, PARTS } from './read/metric-grid.ts';
import { DEFAULT_METRICS } from './read/metric-query.ts';
import { refusedNotes } from './read/query-notes.ts';
import type { TableDrawn } from './read/query-table.ts';
import { readKnownDays, withKnownDays } from './read-known-days.ts';
import { NO_SEGMENTS, readSegments } from './read-segments.ts';
import { redefinitionNotes } from './redefinitions.ts';
import { isOfCalendar } from './site-changes.ts';

/** Both ranges of a comparison and the days around them. */
interface PeriodsRead {
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
  /** The devices that divide each selection were read too. */
  readonly byDevice: boolean;
  /** That no visit lies in all of the segments; undefined where that is not so. */
  readonly apart: string | undefined;
  /** That the platform, or the segments, have only a part of the ranges, and which; undefined where they have all of them. */
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

/**
 * The ranges where the platform keeps a part of the baseline, with a sentence on it: a period that has a day for each of another time loses
 * as many, because a season is no answer to a part of it. Undefined where the period is not there, or nothing of the baseline.
 */
async function keptRanges({ rows }: MetricAnswers, { baseline, period, isAdjacent, factors }: Windows, context: CompareContext) {
  const { timeZone, nowMs } = context;
  if (rows.some(({ range, values }) => range === 1 && values['visits'] === null)) return undefined;
  const kept = await keptPartOf(baseline, context);
  if (!kept) return undefined;
  const lost = Math.round(daysBetween(baseline.startMs, kept.startMs, timeZone));
  const cut = isAdjacent || factors.before !== 1 ? period : { ...period, startMs: shiftDays(period.startMs, lost, timeZone) };
  const [from = '', to = '', today = ''] = [cut.startMs, cut.endMs, nowMs].map((ms) => todayIn(timeZone, ms));
  const year = today.slice(0, 4);
  const since = `the platform keeps data since ${dateText(kept.firstDay, year)}`;
  const sentence =
    cut === period
      ? `${capital(since)}: the baseline is ${Math.round(daysBetween(kept.startMs, kept.endMs + 1, timeZone))} days long.`
      : `Only the days ${rangeText(from, to, year)} can be compared: ${since}.`;
  return { bounds: { baselineStartMs: kept.startMs, baselineEndMs: kept.endMs, period: cut }, sentence };
}

const isWithin = (ms: number, { startMs, endMs }: Interval) => ms > startMs && ms < endMs;

/**
 * One sentence: since when and until when the segments of the question have visits, where that is not all of both ranges, with the bounds
 * of the part of these on which they have; undefined where they have on all.
 */
function visitedRanges({ question, windows: { baseline, period }, days, lists, timeZone, isOne }: PeriodsRead, nowMs: number) {
  const { segmentIds, devices } = question;
  if (!isOne || segmentIds.length === 0) return undefined;
  const span = visitedSpan(days.filter(({ selection }) => selection.device === (devices[0] ?? 'all')));
  const { startMs, endMs } = span;
  const both = { startMs: baseline.startMs, endMs: period.endMs };
  const when = visitedWords(span, both, timeZone, todayIn(timeZone, nowMs).slice(0, 4));
  if (when === undefined) return undefined;
  const [isLate, isEarly] = [isWithin(startMs, baseline), isWithin(endMs, period)];
  const bounds = {
    baselineStartMs: isLate ? startMs : baseline.startMs,
    baselineEndMs: baseline.endMs,
    period: isEarly ? { ...period, endMs } : period,
  };
  const has = `${listed(segmentIds.map((id) => `"${lists.nameOf('segment', id)}"`))} has visits only ${when}`;
  return isLate || isEarly ? { sentence: `${has}: both ranges are of its days.`, bounds } : { sentence: `${has}.` };
}

/** The selections to read: those of the question and, where one may be explained, the devices that divide it. */
function selectionOf(question: Question) {
  const { devices, zoneIds, explain } = question;
  const base = gridOf(question);
  const isOne = devices.length <= 1 && zoneIds.length <= 1 && (base.segmentSets?.length ?? 1) === 1;
  const chosen: readonly Device[] = devices.length > 0 ? devices : ['all'];
  const byDevice = explain && chosen.join() === 'all';
  return { grid: { ...base, devices: byDevice ? [...chosen, ...PARTS] : chosen }, isOne, byDevice };
}

/** The ranges, their days and what is known of these, all at once. */
async function readAtOnce(grid: Omit<MetricGrid, 'ranges'>, windows: Windows, goalId: number | undefined, context: CompareContext) {
  const { period, baseline, history, later = period } = windows;
  const notes: string[] = [];
  let done = 0;
  const step = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    context.progress((done += 1), 3, 'reading metrics');
    return result;
  };
  const readRanges = (own: typeof grid) => fetchMetrics({ ...own, ranges: [baseline, period] }, { ...context, progress: () => undefined });
  const readAll = (own: typeof grid, note: Context['note']) => readDaysOrNone(own, windows, { ...context, note });
  const visits = grid.zoneIds && { ...grid, zoneIds: [undefined], goalIds: [undefined], metrics: ['visits'] };
  const [totals, days, known, visitTotals, visitDays] = await Promise.all([
    step(readRanges(grid)),
    step(readAll(grid, (sentence) => void notes.push(sentence))),
    readKnownDays({ startMs: history.startMs, endMs: later.endMs }, goalId, context),
    visits && readRanges(visits),
    visits && readAll(visits, () => undefined),
    // Without its name the goal's id stands in the answer.
    goalId !== undefined && (await context.lists()).of('goal').catch(() => undefined),
  ]);
  return {
    totals: { ...totals, rows: withVisits(totals.rows, visitTotals?.rows) },
    days: withVisits(days, visitDays),
    known,
    notes,
  };
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
async function readPeriods(question: Question, context: CompareContext): Promise<PeriodsRead> {
  const { timeZone, nowMs } = context;
  const windows = windowsOf({ ...question, timeZone, nowMs });
  const { grid, isOne, byDevice } = selectionOf(question);
  const { totals, days, known, notes } = await readAtOnce(grid, windows, question.goalId, context);
  const kept = reachesBeyond(reasonsOf(totals)) ? await keptRanges(totals, windows, context) : undefined;
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
  const read = { question, windows, totals, days, known, lists, timeZone, isOne, byDevice, apart, notes: all };
  const { sentence, bounds } = visitedRanges(read, nowMs) ?? {};
  const own = bounds ? await readPeriods({ ...question, ...bounds }, context) : read;
  return { ...own, ...(sentence !== undefined && { kept: sentence }) };
}

/** The change of each metric with its verdict. */
interface PeriodsJudged {
  /** Days on which the counting looks broken; these are left out of the verdicts. */
  readonly faults: readonly CountingFault[];
  readonly periods: PeriodsInput;
  readonly changes: JudgedChanges;
}

/** Days on which the counting of the one selection looks broken. */
function faultsOf({ question, windows, days, known, timeZone, isOne }: PeriodsRead): readonly CountingFault[] {
  if (!isOne || question.zoneIds.length > 0) return [];
  const { isAdjacent, baseline, period } = windows;
  return countingFaults({
    rows: days,
    whole: { device: question.devices[0] ?? 'all' },
    from: todayIn(timeZone, isAdjacent ? baseline.startMs : period.startMs),
    to: todayIn(timeZone, period.endMs),
    known,
  });
}

/** Names a selection: zone, device, segments; empty for all visits. */
function labelOf({ device, segmentIds, zoneId }: Reading, { lists, question }: PeriodsRead): string {
  const named = segmentIds.map((id) => lists.nameOf('segment', id));
  const segments = named.length === 0 && question.compareSegments.length > 0 ? [ALL_VISITORS] : named;
  const zones = zoneId === undefined ? [] : [lists.nameOf('zone', zoneId)];
  return [...zones, ...(device === 'all' ? [] : [device]), ...segments].join(', ');
}

/** Judges each metric of what was read, without the days on which the counting looks broken. */
async function judgePeriodsRead(read: PeriodsRead, signal: AbortSignal): Promise<PeriodsJudged> {
  const { question, windows, totals, days, known, byDevice, isOne } = read;
  const faults = faultsOf(read);
  const readings = readingsOf(totals.rows, withKnownDays(withoutFaults(days, faults), known));
  const parts = readings.filter(({ device }) => device !== 'all');
  const periods = {
    metrics: question.metrics,
    windows,
    readings: byDevice ? readings.filter(({ device }) => device === 'all') : readings,
    devices: byDevice && isOne ? parts : [],
    parts,
    labelOf: (reading: Reading) => labelOf(reading, read),
  };
  return { faults, periods, changes: await inTurns(signal, () => judgeChanges(periods)) };
}

/** Days before a change in which events are looked for. */
const DAYS = 2;
const LONGEST_TEXT = 120;
const MOST_EVENTS = 6;

/**
 * Speed events, in order, of the two days before changes up to the last day on which each may have begun: a later one is no cause. None
 * where the credential may not read them, or where there is no change.
 */
async function readEventsBefore(
  changes: readonly Pick<DatedChange, 'from' | 'latest'>[],
  { ask, timeZone, nowMs }: Pick<Context, 'ask' | 'timeZone' | 'nowMs'>,
) {
  if (changes.length === 0) return { events: [], notes: [] };
  const startOf = (day: string) => resolveDate(day, { edge: 'start', timeZone, nowMs }).instantMs;
  const windows = changes.map(({ from, latest }) => ({
    fromMs: shiftDays(startOf(from), -DAYS, timeZone),
    toMs: shiftDays(startOf(latest > from ? latest : from), 1, timeZone),
  }));
  // `dateFrom` excludes its own instant.
  const dateFrom = new Date(Math.min(...windows.map(({ fromMs }) => fromMs)) - 1).toISOString();
  const refused = 'Events were not looked for: the credential lacks the scope speed-analysis.';
  const read = await ask(listSpeedEvents, { dateFrom }).catch(
    onApiError(({ kind, message }) => (kind === 'forbidden' ? refused : `Events could not be read: ${message}`)),
  );
  if (typeof read === 'string') return { events: [], notes: [read] };
  const near = read.events
    .map(({ key, text, date }) => ({ event: (text ?? '').slice(0, LONGEST_TEXT) || key, atMs: instantOf(date ?? '') }))
    .filter(({ atMs }) => windows.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs))
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(0, MOST_EVENTS);
  return {
    events: near.map(({ event, atMs }) => ({ day: todayIn(timeZone, atMs), event })),
    notes: near.length > 0 ? ['Near events prove nothing.'] : [],
  };
}

/** Causes of the headline, and what lies near it. */
type PeriodsExplained = Awaited<ReturnType<typeof explainPeriods>>;

/** Reads segments and events where there is a change to explain, and searches its causes. */
async function explainPeriods(read: PeriodsRead, judged: PeriodsJudged, context: CompareContext) {
  const { question, windows, known, isOne } = read;
  const { faults, periods, changes } = judged;
  const [whole] = periods.readings;
  const explains = question.explain && faults.length === 0;
  const wantsSegments = explains && isOne && !context.isOneOfSeveral;
  const input = { ...periods, judged: changes, segments: NO_SEGMENTS, explains };
  const isCalm = changes.isNoise && (await inTurns(context.signal, () => datedChanges(input))).length === 0;
  const { notes, ...segments } =
    wantsSegments && whole && !isCalm
      ? await readSegments({ question, metric: changes.headline.metric, whole, windows, known }, context)
      : { ...NO_SEGMENTS, notes: [] };
  context.progress(3, 3, 'reading metrics');
  const withSegments = { ...input, segments };
  const causes = await inTurns(context.signal, () => explainHeadline(withSegments));
  const located = await inTurns(context.signal, () => datedChanges(withSegments));
  const near = await readEventsBefore(
    located.flatMap((own) => (isOfCalendar(own) ? [] : own.change)),
    context,
  );
  const { detect: size } = question;
  const detect = whole && size !== undefined ? await inTurns(context.signal, () => detectionsOf(whole, question.metrics, size)) : undefined;
  const unseen = 'Segments were not looked at: no change is clear that they could explain.';
  // They may say where a change lies without a table of their own.
  const choice = causes.bySegment || segments.chosen.length === 0 ? segments.choice : undefined;
  return {
    input: withSegments,
    causes,
    located,
    /** Which segments were looked at, or why none were; undefined where there is nothing to say. */
    ofSegments: wantsSegments && isCalm ? unseen : choice,
    /** How long a change of the size that was asked for takes to show. */
    detect,
    events: near.events,
    notes: [...notes, ...near.notes],
  };
}

function notesOf(result: PeriodsResult, read: PeriodsRead, { ofSegments }: PeriodsExplained): string[] {
  const { question, windows, totals, isOne } = read;
  // Visits of no known device cannot be asked for.
  const hasLeader = PARTS.some((device) => device === result.leader);
  return [
    ...(ofSegments === undefined ? [] : [ofSegments]),
    ...(hasLeader ? [`Next: devices ["${result.leader}"] shows its segments.`] : []),
    ...windows.notes,
    ...(result.judged.slice(0, 1).some(({ reading }) => reading.periodDays.every(({ interval }) => interval.isPart))
      ? ['Verdicts are of whole days, and the period holds none.']
      : []),
    ...(question.explain && !isOne ? ['explain takes one device and one set of segments at a time.'] : []),
    ...(question.zoneIds.length > 0
      ? [
          'The interface does not give the users of a zone: days are weighed by the visits of the site; before and after are as the ' +
            'platform gives them.',
        ]
      : []),
    ...refusedNotes(Object.fromEntries(Object.entries(totals.refused).filter(([metric]) => question.metrics.includes(metric)))),
  ];
}

/** Of several projects each says its first finding and what that costs. */
const MOST_OF_SEVERAL = 2;

/** Words the answer and its notes. */
function wordPeriods(
  read: PeriodsRead,
  judged: PeriodsJudged,
  explained: PeriodsExplained,
  { nowMs, isOneOfSeveral }: Pick<CompareContext, 'nowMs' | 'isOneOfSeveral'>,
): { comparison: Comparison; result: PeriodsResult } {
  const { question, windows, totals, timeZone, apart, kept, known, lists } = read;
  const { baseline } = windows;
  const { input, causes, located, detect, events } = explained;
  const { goalId } = question;
  const place = placeBy(lists.nameOf);
  const daysOf = ({ startMs, endMs }: Interval) => ({ from: todayIn(timeZone, startMs), to: todayIn(timeZone, endMs) });
  const result = wordComparison({
    causes,
    located,
    input,
    grammar: grammarOf(todayIn(timeZone, nowMs)),
    faults: judged.faults,
    specialDays: known.specialDays,
    currency: totals.currency,
    placeOf: (reading, metric) => place({ ...reading, goalId }, metric),
    whole: place({ device: question.devices[0] ?? 'all', segmentIds: question.segmentIds }, 'visits'),
    period: daysOf(windows.period),
    baseline: daysOf(baseline),
    first: [...(kept === undefined ? [] : [kept]), ...(detect ? detectionSentences(detect) : [])],
    isGoalNamed: question.isOfFirstGoal === undefined,
    most: isOneOfSeveral ? MOST_OF_SEVERAL : undefined,
  });
  const days = daysBetween(baseline.startMs, baseline.endMs + 1, timeZone);
  const comparison = {
    ...result.data,
    ...(detect && detect.length > 0 && { detect }),
    ...(apart !== undefined && { answer: apart, findings: [], details: [] }),
    ...(judged.faults.length > 0 && { quality: [...judged.faults] }),
    baseline: { start: isoAt(baseline.startMs, timeZone), end: isoAt(baseline.endMs, timeZone), days: Number(days.toFixed(2)) },
    ...(events.length > 0 && { events }),
  };
  return { comparison, result };
}

/** A question that names neither metric nor goal, asked of the first goal where the project has none of e-commerce. */
async function withGoal(
  question: Question,
  { metrics, goalId, zoneIds }: CompareInput,
  { lists, note }: CompareContext,
): Promise<Question> {
  if (metrics !== undefined || goalId !== undefined || zoneIds !== undefined) return question;
  const goals = await (await lists()).ask(listGoals, {}).catch(onApiError(() => []));
  const [first] = goals.some(isCommerceGoal) ? [] : goals;
  if (first?.id === undefined) return question;
  note(`The project has no goal of e-commerce: conversions are those of "${first.name}", its first; goalId names another.`);
  return {
    ...question,
    goalId: Number(first.id),
    metrics: DEFAULT_METRICS.filter((metric) => metric !== 'revenueSum'),
    isOfFirstGoal: true,
  };
}

/** Answers a comparison of two periods, or of devices or segments at the same time. */
export async function compareMetrics(
  input: CompareInput,
  context: CompareContext & Drawing<ComparisonDrawn | TableDrawn>,
): Promise<Comparison> {
  const question = await withGoal(questionOf(input), input, context);
  for (const words of zoneMetricWords(input)) context.note(words);
  if (question.by === 'period') return comparePeriods(question, context);
  context.covers(question.period.startMs, question.period.endMs);
  return compareAtOnce(question, context);
}

/** Read, judge, explain, word. */
async function comparePeriods(question: Question, context: CompareContext & Drawing<ComparisonDrawn>): Promise<Comparison> {
  const read = await readPeriods(question, context);
  const { startMs, endMs } = read.question.period;
  // Bounds of the baseline are dates too; the answer is about the period.
  context.covers(startMs, endMs);
  const judged = await judgePeriodsRead(read, context.signal);
  const explained = await explainPeriods(read, judged, context);
  const { comparison, result } = await inTurns(context.signal, () => wordPeriods(read, judged, explained, context));
  const notes = read.apart === undefined ? notesOf(result, read, explained) : [];
  for (const sentence of [...read.notes, ...explained.notes, ...notes]) context.note(sentence);
  const { windows, totals, timeZone } = read;
  const { readings, devices } = judged.periods;
  const placeOf = placeBy(read.lists.nameOf);
  context.draw({
    result,
    timeZone,
    currency: totals.currency,
    period: windows.period,
    baseline: windows.baseline,
    filters: filtersOf(read.question, read.lists),
    places: [...readings, ...devices].map((reading) => placeOf(reading, 'visits')),
    kept: read.kept,
    endsMeet: question.kind !== undefined,
  });
  return comparison;
}
