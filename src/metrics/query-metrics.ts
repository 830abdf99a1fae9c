import { setTimeout } from 'node:timers/promises';
import { ApiError, onApiError } from '../api/errors.ts';
import { type Facts, mayBeSeason } from '../findings/finding.ts';
import { paragraphOf, ranked } from '../findings/paragraph.ts';
import { type Grammar, intervalSentence, saidOf } from '../findings/sentence.ts';
import { daysBetween, shiftDays } from '../lib/calendar.ts';
import { isoAt, minuteAt, todayIn } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import type { Context, Drawing, Lists } from '../names/context.ts';
import type { NameKind } from '../names/match-name.ts';
import { compareMetrics } from './compare-metrics.ts';
import type { CompareContext } from './compare-question.ts';
import type { FoundChange } from './expected/expected-lines.ts';
import { type ExpectedTold, forecastSentences, tellExpected } from './expected/expected-words.ts';
import { rowVerdicts, usualRows } from './expected/row-verdicts.ts';
import { apartSentence, fetchMetrics, goalWords, type Kept, readKept, reasonsOf } from './fetch-metrics.ts';
import { changeFacts, grammarOf, placeBy, wordedAll } from './findings.ts';
import { definitionOf } from './metric-definitions.ts';
import type { MetricAnswers, MetricRow } from './read/metric-answers.ts';
import { hasAllDevices, isZoneMetric } from './read/metric-grid.ts';
import { askedOf, gridOf, isOfDays, isOfLongRows, type MetricQuery, type QueryGrid, timeUnitOf } from './read/metric-query.ts';
import { leadOf } from './read/query-lead.ts';
import { commerceMetrics, commerceNote, needsGoal, queryNotes } from './read/query-notes.ts';
import { inOrder, isTotal, linesOf, type QueryLine, type QueryTable, queryTable, type TableDrawn } from './read/query-table.ts';
import { countedPart, type ExpectedRead, readCourse, readExpected, withinForecast } from './read-expected.ts';
import { readSpecialDays } from './read-known-days.ts';

/** One figure over fewer days is of about each of them; over more the days take requests of their own. */
const [LEAST_DAYS, MOST_DAYS] = [14, 92];

/** The metric of a query that is one figure of one zone, or its course; undefined of any other. */
function onlyFigure({ breakdown, zoneIds, devices, goalIds, ...query }: MetricQuery): string | undefined {
  const [metric, ...more] = askedOf(query);
  const isOne = zoneIds.length === 1 && devices.length <= 1 && goalIds.length <= 1 && more.length === 0;
  const isWhole = breakdown.every((part) => part === timeUnitOf(breakdown));
  return isOne && isWhole && metric !== undefined && isZoneMetric(metric) ? metric : undefined;
}

/** The change of the figures of a zone within the range, if any; none where the days cannot be read. */
async function zoneChanges(query: MetricQuery, context: CompareContext): Promise<Facts[]> {
  const { interval, devices, segmentIds, zoneIds, goalIds } = query;
  const metric = onlyFigure(query);
  const days = daysBetween(interval.startMs, interval.endMs + 1, context.timeZone);
  if (metric === undefined || days < LEAST_DAYS || days > MOST_DAYS) return [];
  const nothing = () => undefined;
  const silent = { ...context, note: nothing, progress: nothing, draw: nothing, covers: nothing };
  const [startDate, endDate] = [isoAt(interval.startMs, context.timeZone), isoAt(interval.endMs, context.timeZone)];
  const goal = goalIds[0] === undefined ? {} : { goalId: goalIds[0] };
  const asked = { metrics: [metric], startDate, endDate, by: 'period', explain: false, devices, segmentIds, zoneIds, ...goal } as const;
  const compared = await compareMetrics(asked, silent).catch(onApiError(() => undefined));
  const isWithin = ({ when: { shape, from = '' } }: Facts) => shape !== 'range' && from > startDate.slice(0, 10);
  return compared?.findings.filter(isWithin).slice(0, 1) ?? [];
}

/** More objects than this are not put side by side without being named. */
const MAX_SIDE_BY_SIDE = 20;

type QueryMetricsContext = Pick<
  Context,
  'ask' | 'covers' | 'isDrawn' | 'isOneOfSeveral' | 'lists' | 'note' | 'nowMs' | 'calendar' | 'progress' | 'signal' | 'timeZone'
>;

/** The ids that a breakdown is over, all of the project where none is named. */
async function sideBySide<T>(kind: NameKind, named: readonly T[], asked: boolean, lists: Lists): Promise<readonly (T | number)[]> {
  if (named.length > 0 || !asked) return named;
  const all = await lists.of(kind);
  if (all.length <= MAX_SIDE_BY_SIDE) return all.map(({ id }) => id);
  const parameter = kind === 'goal' ? 'goalIds' : 'compareSegments';
  throw new ApiError('invalid', `${parameter}: the project has ${all.length} ${kind}s; name up to ${MAX_SIDE_BY_SIDE} of them.`);
}

const NOTHING_READ: MetricAnswers = { rows: [], missing: [], refused: {}, calls: 0 };

/** The whole range of each selection, where rows of time have a total; none where it cannot be read, which is noted. */
async function readTotals(
  { totals, breakdown, interval, metrics }: MetricQuery,
  grid: QueryGrid,
  context: QueryMetricsContext,
): Promise<MetricAnswers> {
  if (!totals || timeUnitOf(breakdown) === undefined) return NOTHING_READ;
  const whole = { ...grid, metrics: hasAllDevices(grid) ? grid.metrics : metrics, ranges: [interval], daily: false };
  return fetchMetrics(whole, { ...context, progress: () => undefined }).catch(
    onApiError(({ message }) => {
      context.note(`The total could not be read: ${message}`);
      return NOTHING_READ;
    }),
  );
}

/** A tree of zones that is not listed by then leaves the ids in the table. */
const NAMING_MS = 2_000;

/** Lists the zones where one of these is not known by name yet. */
function zoneNames(zoneIds: readonly number[], lists: Lists): Promise<unknown> | false {
  const isKnown = (id: number) => lists.nameOf('zone', id) !== String(id);
  if (zoneIds.every(isKnown)) return false;
  return Promise.race([lists.of('zone'), setTimeout(NAMING_MS, undefined, { ref: false })]);
}

/** Reads rows and totals; `complete` is the query that they answer. */
async function readQuery(complete: MetricQuery, context: QueryMetricsContext) {
  const grid = gridOf(complete, context.timeZone);
  const [read, totals] = await Promise.all([fetchMetrics(grid, context), readTotals(complete, grid, context)]);
  return { complete, grid, read, totals };
}

/** The same; where the range begins before what the platform keeps, of the part that is there, which is noted. */
async function readKeptQuery(asked: MetricQuery, context: QueryMetricsContext): ReturnType<typeof readQuery> {
  let notes: string[] = [];
  const own = { ...context, note: (sentence: string) => void notes.push(sentence) };
  const read = (kept?: Kept) => {
    if (!kept) return readQuery(asked, own);
    const { firstDay, ...interval } = kept;
    context.covers(interval.startMs, interval.endMs);
    notes = [`The platform keeps data since ${firstDay}: all figures are from that day on; what lies before is not there.`];
    return readQuery({ ...asked, interval }, { ...own, progress: () => undefined });
  };
  const answered = await readKept(asked.interval, context, read, (answers) => [answers.read, answers.totals].flatMap(reasonsOf));
  for (const sentence of notes) context.note(sentence);
  return answered;
}

/** Names what rows are of beside their time: `mobile, Germany`; empty for all visitors. */
function selectionNames(lists: Lists) {
  return ({ selection: { device, segmentIds, goalId } }: Pick<MetricRow, 'selection'>): string =>
    [
      ...(device === 'all' ? [] : [device]),
      ...segmentIds.map((id) => lists.nameOf('segment', id)),
      ...(goalId === undefined ? [] : [lists.nameOf('goal', goalId)]),
    ].join(', ');
}

/** The table with what is said of it first, and what was found. */
function withFindings(
  answer: QueryTable,
  told: ExpectedTold,
  grammar: Grammar,
  { isOneOfSeveral }: Pick<QueryMetricsContext, 'isOneOfSeveral'>,
) {
  if (told.lead.length === 0) return answer;
  // Of several projects each has its own first sentence.
  const { answer: said, rest } = paragraphOf(told.lead, isOneOfSeveral ? 1 : undefined);
  const findings = wordedAll(told.facts, grammar);
  const details = [...rest, ...told.details];
  return { answer: said, ...(findings.length > 0 && { findings }), ...answer, ...(details.length > 0 && { details }) };
}

/** Changes with their sentences. */
const saidFacts = (facts: readonly Facts[], grammar: Grammar): ExpectedTold => ({
  facts,
  lead: wordedAll(facts, grammar).map((finding) => saidOf(finding, grammar)),
  details: facts.map((each) => intervalSentence(each, grammar)).filter((sentence) => sentence !== ''),
});

/**
 * Changes among the rows of a query or shortly before them: `first` before the words on rows, `last` behind: what may be the season, and
 * single days of weeks and months.
 */
function changesTold(
  { changes, currency, last }: ExpectedRead,
  { breakdown }: MetricQuery,
  placeOf: Naming['placeOf'],
  grammar: Grammar,
): { readonly first: ExpectedTold; readonly last: ExpectedTold } {
  const factsOf = (own: FoundChange) => {
    const { metric, reading, goal } = own;
    const place = { ...placeOf(reading, metric), ...(goal !== undefined && { goal }) };
    return changeFacts({ ...own, place, last }, currency);
  };
  const facts = ranked(changes.map(factsOf));
  const isBehind = (each: Facts) => mayBeSeason(each) || (isOfLongRows(breakdown) && each.when.shape === 'day');
  return {
    first: saidFacts(
      facts.filter((each) => !isBehind(each)),
      grammar,
    ),
    last: saidFacts(facts.filter(isBehind), grammar),
  };
}

const textsTold = (...lead: ExpectedTold['lead']): ExpectedTold => ({ facts: [], lead: lead.filter((text) => text !== ''), details: [] });
const together = (...parts: readonly ExpectedTold[]): ExpectedTold => ({
  facts: parts.flatMap(({ facts }) => facts),
  lead: parts.flatMap(({ lead }) => lead),
  details: parts.flatMap(({ details }) => details),
});

/** Up to when the figures of a day that is not over may reach; empty where a query is of other days too. */
function todaySentence({ interval }: MetricQuery, { nowMs, timeZone }: QueryMetricsContext): string {
  const today = todayIn(timeZone, nowMs);
  if (todayIn(timeZone, interval.startMs) !== today) return '';
  return `Today is not over: its figures are of the hours until ${minuteAt(nowMs, timeZone)}, as far as they have arrived.`;
}

/** Up to when the days of a forecast are counted: the last complete one, of today alone the present. */
function countedTo({ interval }: MetricQuery, { nowMs, timeZone }: QueryMetricsContext): string {
  const [first, today] = [interval.startMs, nowMs].map((ms) => todayIn(timeZone, ms));
  return first === today ? minuteAt(nowMs, timeZone) : todayIn(timeZone, shiftDays(nowMs, -1, timeZone));
}

/** Whether a platform refused metrics because they are of e-commerce, which the project has none of. */
function isAboutCommerce(metrics: readonly string[], error: unknown): boolean {
  return error instanceof ApiError && /e-?commerce/i.test(error.message) && metrics.every((metric) => commerceMetrics.has(metric));
}

/** Reads the names that a table will need: without them the ids stand in it. */
function readNames({ goalIds, compareSegments, segmentIds, zoneIds }: MetricQuery, lists: Lists) {
  const naming = [
    goalIds.length > 0 && lists.of('goal'),
    (compareSegments.length > 0 || segmentIds.length > 0) && lists.of('segment'),
    zoneNames(zoneIds, lists),
  ];
  return naming.map((list) => list && list.catch(() => undefined));
}

/** A query as it was asked and answered. */
interface Queried {
  readonly asked: MetricQuery;
  /** The same over its days ahead too. */
  readonly whole: MetricQuery;
  readonly complete: MetricQuery;
  readonly lines: readonly QueryLine[];
  readonly rows: readonly MetricRow[];
  readonly currency: string | undefined;
  readonly table: QueryTable;
  readonly isDrawn?: true;
}

/** The names of rows, and the grammar of sentences on them. */
interface Naming {
  readonly placeOf: ReturnType<typeof placeBy>;
  readonly nameOf: ReturnType<typeof selectionNames>;
  readonly grammar: Grammar;
}

/** The days of a query that are not usual. */
async function unusualDays({ interval }: MetricQuery, { found }: ExpectedRead, context: QueryMetricsContext) {
  const special = await readSpecialDays(interval, context);
  return { found, isSpecial: (day: string) => special(day) !== undefined };
}

/** Tells the changes among the rows of a query, then which are unusual, or how they run. */
async function tellQuery(queried: Queried, read: ExpectedRead, naming: Naming, context: QueryMetricsContext): Promise<ExpectedTold> {
  const { asked, whole, complete, lines, rows, currency, table } = queried;
  const { grammar, placeOf, nameOf } = naming;
  const { first, last } = changesTold({ ...read, currency: read.currency ?? currency }, whole, placeOf, grammar);
  if (asked.expected) {
    const words = {
      query: whole,
      timeZone: context.timeZone,
      currency,
      grammar,
      placeOf: ({ selection }: QueryLine, metric: string) => placeOf(selection, metric),
      countedTo: countedTo(asked, context),
    };
    const timed = read.lines.filter((line) => !isTotal(line));
    const ofTotals = tellExpected(timed.length < read.lines.length ? read.whole : [], { ...words, query: { ...whole, breakdown: [] } });
    const ahead = textsTold(...forecastSentences(timed, read.whole, words));
    const judged = tellExpected(timed, words);
    // A range that was asked for comes before why, and further ones behind.
    const [range, ...ranges] = judged.lead;
    const ofRanges = [ofTotals, { ...judged, lead: range === undefined ? [] : [range] }, first, textsTold(...ranges)];
    return together(...(timeUnitOf(whole.breakdown) === undefined ? [ahead, ...ofRanges] : [first, ahead, ofTotals, judged]), last);
  }
  const unusual = await unusualDays(complete, read, context);
  const course = rowVerdicts(complete, lines, rows, { nameOf, ...unusual });
  // Verdicts on days of the week are what was asked, and better than ranks of their sums.
  if (course !== '' && isOfDays(timeUnitOf(complete.breakdown))) return together(textsTold(course), first, last);
  const [from, to] = [complete.interval.startMs, complete.interval.endMs].map((ms) => todayIn(context.timeZone, ms));
  const ofToday = todaySentence(complete, context);
  const lead = leadOf(table, {
    query: complete,
    from: from ?? '',
    to: to ?? '',
    isOpen: ofToday !== '',
    isDrawn: queried.isDrawn,
    grammar,
  });
  const ofZone = saidFacts(await zoneChanges(complete, context), grammar);
  return together(first, ofZone, textsTold(course, lead, ofToday), last);
}

/**
 * The table of a query as it is drawn: each metric with what would be said first if it alone had been asked for and nothing had
 * changed, and with what the answer tells of its days.
 */
async function drawnOf(
  queried: Queried & { readonly ofRows: (rows: readonly MetricRow[]) => QueryTable },
  read: ExpectedRead,
  naming: Naming,
  told: readonly Facts[],
  context: QueryMetricsContext,
): Promise<TableDrawn> {
  const { asked, whole, complete, rows } = queried;
  const silent = { ...context, note: () => undefined };
  const answers = askedOf(complete).map(async (metric) => {
    // Rows in the order of another are no rank of it.
    const isRanked = (complete.order?.metric ?? metric) === metric;
    // The words on unusual rows point at sentences on changes.
    const alone = { ...read, changes: [], ...(asked.expected && { found: [] }) };
    const metrics = [metric];
    const queries = { asked: { ...asked, metrics }, whole: { ...whole, metrics }, complete: { ...complete, metrics } };
    const { lead } = isRanked ? await tellQuery({ ...queried, ...queries, isDrawn: true }, alone, naming, silent) : { lead: [] };
    return [metric, lead.flat()[0] ?? ''] as const;
  });
  // Words on weekdays are of usual weeks.
  const usual = isOfDays(timeUnitOf(complete.breakdown)) && usualRows(rows, askedOf(complete), await unusualDays(complete, read, context));
  return {
    table: usual ? queried.ofRows(usual) : queried.table,
    words: usual && usual.length < rows.length ? ['without special days and days of changes'] : [],
    timeZone: context.timeZone,
    interval: asked.expected ? whole.interval : complete.interval,
    undrawn: asked.bases,
    isOrdered: asked.order !== undefined,
    findings: wordedAll(told, naming.grammar),
    answers: Object.fromEntries(await Promise.all(answers)),
  };
}

/** Whether the platform refused a call for want of a goal. */
const isAboutGoal = (error: unknown) =>
  error instanceof ApiError && error.kind === 'invalid' && error.status !== undefined && /goal/i.test(error.message);

/** Answers one query as one table, which can be drawn; what a reader must know besides goes into the notes. */
export async function queryMetrics(
  query: MetricQuery,
  context: QueryMetricsContext & Drawing<() => Promise<TableDrawn>>,
): Promise<QueryTable> {
  const { note, timeZone } = context;
  const lists = await context.lists();
  const { breakdown } = query;
  const [goalIds, compareSegments] = await Promise.all([
    sideBySide('goal', query.goalIds, breakdown.includes('goal'), lists),
    sideBySide('segment', query.compareSegments, breakdown.includes('segment'), lists),
  ]);
  const isOfZones = query.zoneIds.length > 0;
  if (query.expected && isOfZones)
    note(`Of zones nothing is expected.${hint('compare_metrics', ' compare_metrics says whether one changed.')}`);
  const isExpected = query.expected && !isOfZones;
  const asked = { ...(isExpected ? withinForecast(query, context) : query), goalIds, compareSegments, expected: isExpected };
  const counted = asked.expected ? countedPart(asked, context) : asked;
  const perGoal = query.metrics.filter((metric) => definitionOf(metric)?.perGoal);
  const isPerGoal = goalIds.length === 0 && perGoal.length === query.metrics.length - query.bases.length;
  const needed = () => goalWords(perGoal, 'goalIds', lists);
  const [{ complete, grid, read, totals }] = await Promise.all([
    (counted
      ? readKeptQuery(counted, context)
      : Promise.resolve({ complete: asked, grid: gridOf(asked, timeZone), read: NOTHING_READ, totals: NOTHING_READ })
    ).catch(async (error: unknown) => {
      if (isPerGoal && isAboutGoal(error)) throw new ApiError('invalid', await needed());
      throw isAboutCommerce(query.metrics, error) ? new ApiError('missing', commerceNote(query.metrics), { saysWayOn: true }) : error;
    }),
    ...readNames(asked, lists),
  ]);
  const answers = { ...read, missing: [...read.missing, ...totals.missing], refused: { ...read.refused, ...totals.refused } };
  if (needsGoal(complete, answers)) {
    if (isPerGoal) throw new ApiError('invalid', await needed());
    note(ofAnswer(await needed()));
  }
  const whole = { ...asked, interval: { startMs: complete.interval.startMs, endMs: asked.interval.endMs } };
  const found = linesOf(complete, grid, read, totals.rows);
  const { lines, ...expected } = await (asked.expected ? readExpected : readCourse)(whole, grid, found.lines, context);
  const currency = read.currency ?? expected.currency;
  const table = { ...found, lines: asked.expected ? inOrder(asked, lines) : lines };
  for (const sentence of queryNotes(complete, answers, found, timeZone)) note(sentence);
  const tableOf = (own: readonly QueryLine[]) => queryTable(complete, grid, { lines: own, currency }, lists.nameOf);
  const answer = tableOf(table.lines);
  const apart = apartSentence(asked.segmentIds, read.rows, lists);
  const grammar = grammarOf(todayIn(timeZone, context.nowMs));
  const named = { placeOf: placeBy(lists.nameOf), nameOf: selectionNames(lists) };
  const queried = { asked, whole, complete, lines: table.lines, rows: read.rows, currency, table: answer };
  const said = await tellQuery(queried, { lines, ...expected }, { ...named, grammar }, context);
  const told = withFindings(answer, said, grammar, context);
  const ofRows = (rows: readonly MetricRow[]) => tableOf(linesOf(complete, grid, { ...read, rows }, totals.rows).lines);
  context.draw(() => drawnOf({ ...queried, ofRows }, { lines, ...expected }, { ...named, grammar }, said.facts, context));
  if (apart !== undefined) return { answer: apart, ...answer };
  return told;
}
