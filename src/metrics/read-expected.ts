import { onApiError, refuse } from '../api/errors.ts';
import { daysBetween, type Interval, shiftDays, slotsOf } from '../lib/calendar.ts';
import { resolveDate, todayIn } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import type { Context } from '../names/context.ts';
import { inTurns } from '../statistics/kept-fits.ts';
import { otherGoalsOf } from './commerce-goal.ts';
import { atTheirPlaces, changesBefore, changesFrom, inSelections, notOver } from './expected/expected-changes.ts';
import { FORECAST_DAYS, type FoundChange, TURN_DAYS, withExpected } from './expected/expected-lines.ts';
import { specialNote } from './expected/expected-words.ts';
import { fetchKept } from './fetch-metrics.ts';
import { definitionOf } from './metric-definitions.ts';
import { countingFaults, withoutFaults } from './quality/counting.ts';
import { combined } from './read/combine.ts';
import { metricsToRead } from './read/day-points.ts';
import type { MetricRow } from './read/metric-answers.ts';
import { hasAllDevices, type MetricGrid, PARTS } from './read/metric-grid.ts';
import { type MetricQuery, type QueryGrid, timeUnitOf } from './read/metric-query.ts';
import { commerceMetrics } from './read/query-notes.ts';
import { COMMERCE_GOAL, isTotal, type QueryLine } from './read/query-table.ts';
import { readKnownDays } from './read-known-days.ts';
import { latestSegments } from './read-segments.ts';
import { isDay, isOfCalendar, keyOf } from './site-changes.ts';

/** Days that two requests hold, and the least that teach. */
const READ_DAYS = 184;
const LEAST_DAYS = 84;
/** Days after the rows that show whether a change among these went on. */
const LATER_DAYS = 92;

/** Faults that only the devices tell from changes of the site. */
const OF_DEVICES: ReadonlySet<string> = new Set([
  'part of a day',
  'counted twice',
  'visits not counted',
  'visits without orders',
  'orders late',
]);

type ExpectedContext = Pick<Context, 'ask' | 'lists' | 'note' | 'signal' | 'timeZone' | 'nowMs' | 'calendar'>;

/** The query as far as a forecast reaches, which a note says; throws where it begins later. */
export function withinForecast(query: MetricQuery, { timeZone, nowMs, note }: Pick<ExpectedContext, 'timeZone' | 'nowMs' | 'note'>) {
  const { startMs, endMs } = query.interval;
  const furthestMs = shiftDays(resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs + 1, FORECAST_DAYS, timeZone) - 1;
  const reach = `a forecast reaches ${FORECAST_DAYS} days ahead, to ${todayIn(timeZone, furthestMs)}`;
  if (startMs > furthestMs) refuse(`startDate: ${reach}.`);
  if (endMs <= furthestMs) return query;
  note(`endDate was cut: ${reach}.`);
  return { ...query, interval: { startMs, endMs: furthestMs } };
}

/** The query up to the last complete day, rows of today alone up to now; undefined where all of it lies ahead. */
export function countedPart(query: MetricQuery, { timeZone, nowMs }: Pick<ExpectedContext, 'timeZone' | 'nowMs'>): MetricQuery | undefined {
  const lastMs = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const { startMs, endMs } = query.interval;
  const isOfToday = timeUnitOf(query.breakdown) === undefined && startMs <= nowMs;
  if (startMs > lastMs) return isOfToday ? { ...query, interval: { startMs, endMs: Math.min(endMs, nowMs) } } : undefined;
  return { ...query, interval: { startMs, endMs: Math.min(endMs, lastMs) } };
}

/** The lines of a query with what was to be expected of each, lines for the days ahead, and changes among them. */
export interface ExpectedRead {
  readonly lines: QueryLine[];
  /** The whole range of each selection where days of it lie ahead, or there is a total. */
  readonly whole: readonly QueryLine[];
  /** Changes that begin among the lines, with those that began shortly before the first and go on, where they happened. */
  readonly changes: readonly FoundChange[];
  /** The same in the selections of the lines. */
  readonly found: readonly FoundChange[];
  readonly currency: string | undefined;
  /** The last complete day of the query. */
  readonly last: string;
}

/** No days after the rows of a query, and no ranges that they are of. */
const NOTHING_LATER = { rows: [], ranges: [] };

/** The first of the days in an interval after the rows of a query; none where they cannot be read. */
async function readLater(daily: Parameters<typeof fetchKept>[0], { startMs, endMs }: Interval, context: ExpectedContext) {
  const ranges = [{ startMs, endMs: Math.min(endMs, shiftDays(startMs, LATER_DAYS, context.timeZone) - 1) }];
  return fetchKept({ ...daily, ranges }, context)
    .then(({ rows }) => ({ rows, ranges }))
    .catch(onApiError(() => NOTHING_LATER));
}

/** All visits, and those of each device. */
const EACH_DEVICE = ['all', ...PARTS] as const;

/** Whether all rows are of the visits of all devices, whose changes their devices may show more clearly. */
const isOfAllDevices = ({ goalIds }: Pick<MetricQuery, 'goalIds'>, { devices = ['all'] }: Pick<MetricGrid, 'devices'>) =>
  goalIds.length <= 1 && devices.every((device) => device === 'all');

/** The days up to the last complete one of a query and those before it, and what changed among them, on its device. */
async function readHistory(query: MetricQuery, grid: QueryGrid, lines: readonly QueryLine[], context: ExpectedContext, hasBefore = true) {
  const { timeZone, nowMs, note, signal } = context;
  const { interval } = query;
  const lastMs = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const endMs = Math.min(lastMs, interval.endMs);
  // Rows ahead of the last complete day are learned of from all before it.
  const firstMs = Math.min(interval.startMs, lastMs + 1);
  const teaching = READ_DAYS - Math.ceil(daysBetween(firstMs, lastMs + 1, timeZone));
  const history = { startMs: shiftDays(firstMs, -Math.max(LEAST_DAYS, teaching), timeZone), endMs };
  const metrics = metricsToRead([...query.metrics, 'revenueSum']);
  // A segment has few visits: what happened on a device may not show in them all.
  const isWhole = hasBefore && query.segmentIds.length > 0 && isOfAllDevices(query, grid);
  const daily = { ...grid, ...(isWhole && { devices: EACH_DEVICE }), metrics, ranges: [history], daily: true };
  const ownOf = (rows: readonly MetricRow[]) => rows.filter(({ selection }) => !isWhole || selection.device === 'all');
  const [read, known] = await Promise.all([
    fetchKept(daily, context).catch(
      onApiError(({ message }) => {
        note(`The days before could not be read, so nothing is expected: ${message}`);
        return { rows: [], currency: undefined };
      }),
    ),
    readKnownDays({ startMs: history.startMs, endMs: Math.max(lastMs, interval.endMs) }, query.goalIds[0], context),
  ]);
  const broken = countingFaults({
    rows: ownOf(read.rows).filter(({ selection }) => selection.segmentIds.length === query.segmentIds.length),
    whole: { device: grid.devices?.[0] ?? 'all' },
    from: todayIn(timeZone, interval.startMs),
    to: todayIn(timeZone, history.endMs),
    known,
  });
  // Visits and orders go apart where one device changes too, which only the devices tell.
  const faults = broken.filter(({ kind }) => hasAllDevices(grid) || !OF_DEVICES.has(kind));
  for (const { evidence } of faults) note(`The counting may be at fault: ${evidence}. These days teach nothing and are not judged.`);
  const input = { query, lines, days: withoutFaults(read.rows, faults), known, timeZone };
  const first = todayIn(timeZone, interval.startMs);
  const last = todayIn(timeZone, endMs);
  const search = (some: typeof input) => [...changesFrom(some, first, last), ...(hasBefore ? changesBefore(some, first) : [])];
  const found = await inTurns(signal, () => search(input));
  const later = endMs < lastMs && found.length > 0 ? await readLater(daily, { startMs: endMs + 1, endMs: lastMs }, context) : NOTHING_LATER;
  const whole = { ...input, days: [...input.days, ...later.rows] };
  const told = later.rows.length === 0 ? found : await inTurns(signal, () => search(whole));
  const own = { ...input, days: ownOf(input.days) };
  const ofPlaces = {
    grid: { ...daily, devices: grid.devices ?? ['all'], ranges: [history, ...later.ranges] },
    input: { ...whole, days: ownOf(whole.days) },
  };
  // Where it happened a change may go on that is over elsewhere.
  const changes = notOver(await atPlaces(told, ofPlaces, context), first);
  return { input: own, found: inSelections(told, own), changes, currency: read.currency, lastMs, last };
}

/** The whole range of each selection as one line, of the days of it that are over. */
function inWhole({ query, days, ...input }: Parameters<typeof withExpected>[0]): Parameters<typeof withExpected>[0] {
  const { startMs, endMs } = query.interval;
  const breakdown = query.breakdown.filter((part) => part !== timeUnitOf(query.breakdown));
  const lines = [...grouped(days, ({ selection }) => keyOf(selection)).values()].flatMap((own) => {
    const over = own.filter(({ interval }) => interval.startMs >= startMs).map(({ values }) => values);
    const values = Object.fromEntries(query.metrics.map((metric) => [metric, over.length > 0 ? combined(over, metric) : null]));
    return own.slice(0, 1).map(({ selection }) => ({ selection, range: 0, interval: { startMs, endMs }, values, order: 0 }));
  });
  return { ...input, query: { ...query, breakdown }, days, lines };
}

/** Reads what was to be expected of lines whose metrics follow from the same conversions. */
async function readTogether(
  query: MetricQuery,
  grid: QueryGrid,
  lines: readonly QueryLine[],
  context: ExpectedContext,
): Promise<ExpectedRead> {
  const { timeZone, note } = context;
  const { input, found, changes, currency, lastMs, last } = await readHistory(query, grid, lines, context);
  const labels = slotsOf('day', query.interval, timeZone).map(({ label }) => label);
  const special = specialNote(labels, input.known);
  if (special !== '') note(special);
  note(
    `expected, low and high (95%) come from the days before each row, of rows of days from those before each ${TURN_DAYS} of them; of a \
hundred rows marked high or low, about five are chance.`,
  );
  if (query.interval.endMs > lastMs)
    note(
      `Rows with the verdict forecast hold days after ${todayIn(timeZone, lastMs)}: expected is of all their days, \
and what was counted of them is not judged.`,
    );
  const own = await inTurns(context.signal, () => withExpected(input, found));
  const needsWhole = query.interval.endMs > lastMs || lines.some(isTotal);
  const whole = needsWhole ? await inTurns(context.signal, () => withExpected(inWhole(input), found)) : [];
  const wholeOf = ({ selection }: QueryLine) => whole.find((line) => keyOf(line.selection) === keyOf(selection))?.expected;
  const all = own.map((line) => (isTotal(line) && !line.isOther ? { ...line, expected: wholeOf(line) } : line));
  return { lines: all, whole, found, changes, currency, last };
}

/** Reads what was to be expected of the lines of a query: of revenue beside the purchases that it follows from, whatever goal was named. */
export async function readExpected(
  query: MetricQuery,
  grid: QueryGrid,
  lines: readonly QueryLine[],
  context: ExpectedContext,
): Promise<ExpectedRead> {
  const ofShop = query.metrics.filter((metric) => commerceMetrics.has(metric));
  const others = ofShop.length > 0 ? await otherGoalsOf({ goalIds: query.goalIds, metrics: ['revenueSum'] }, context) : new Set();
  if (others.size === 0 || query.goalIds.length > 1) return readTogether(query, grid, lines, context);
  const said = new Set<string>();
  const note = (sentence: string) => void said.add(sentence);
  const once = { ...context, note };
  const withoutGoal = lines.map((line) => ({ ...line, selection: { ...line.selection, goalId: undefined } }));
  const [shop, goal] = await Promise.all([
    readTogether({ ...query, metrics: ofShop, bases: [], goalIds: [] }, { ...grid, goalIds: [undefined] }, withoutGoal, once),
    readTogether({ ...query, metrics: query.metrics.filter((metric) => !commerceMetrics.has(metric)) }, grid, lines, once),
  ]);
  for (const sentence of said) context.note(sentence);
  const merged = (of: 'lines' | 'whole') =>
    goal[of].map((line, index) => {
      const { values, expected } = shop[of][index] ?? line;
      return { ...line, values: { ...values, ...line.values }, expected: { ...expected, ...line.expected } };
    });
  const ofOwnGoal = (own: FoundChange): FoundChange => (definitionOf(own.metric)?.perGoal ? { ...own, goal: COMMERCE_GOAL } : own);
  return {
    lines: merged('lines'),
    whole: merged('whole'),
    changes: [...shop.changes.map(ofOwnGoal), ...goal.changes],
    found: [...shop.found, ...goal.found],
    currency: shop.currency ?? goal.currency,
    last: shop.last,
  };
}

/** Parts of a breakdown whose rows a picture shows with what changed in them. */
const DRAWN: ReadonlySet<string> = new Set(['day', 'week', 'month', 'device', 'segment']);

/** Units of time on whose rows an answer has words. */
const COURSES: ReadonlySet<string> = new Set(['week', 'month', 'weekday', 'weekend']);

/**
 * Whether the rows of a query are courses, which are put into words, or what a picture shows as lines or bars, few enough to read by day.
 */
function isCourse({ breakdown, goalIds, zoneIds, shares, order, interval }: MetricQuery, timeZone: string, isDrawn: boolean): boolean {
  const [unit = ''] = breakdown;
  const isOne = goalIds.length <= 1 && zoneIds.length === 0 && order === undefined;
  const isShort = daysBetween(interval.startMs, interval.endMs + 1, timeZone) <= READ_DAYS;
  const isSeen =
    isDrawn && isShort && breakdown.every((part) => DRAWN.has(part)) && !(breakdown.includes('device') && breakdown.includes('segment'));
  return isOne && (isSeen || (COURSES.has(unit) && !shares));
}

/** The changes that begin among the rows, or the last of many, of a course: a line through a break is the rate of nothing. */
export async function readCourse(
  query: MetricQuery,
  grid: QueryGrid,
  lines: readonly QueryLine[],
  context: ExpectedContext & Pick<Context, 'isDrawn'>,
): Promise<ExpectedRead> {
  const { isDrawn } = context;
  const last = todayIn(context.timeZone, context.nowMs);
  const none = { lines: [...lines], whole: [], found: [], changes: [], currency: undefined, last };
  if (!isCourse(query, context.timeZone, isDrawn)) return none;
  const { startMs, endMs } = query.interval;
  const interval = { startMs: Math.max(startMs, shiftDays(endMs + 1, -READ_DAYS, context.timeZone)), endMs };
  const { found, changes, last: ofDays } = await readHistory({ ...query, interval }, grid, lines, context, isDrawn);
  return { ...none, found, changes, last: ofDays };
}

/** The days in which changes were found, and how to read those of other places. */
export interface PlaceRead {
  readonly grid: Parameters<typeof fetchKept>[0];
  readonly input: Pick<Parameters<typeof withExpected>[0], 'days' | 'known'> & {
    readonly query: Pick<MetricQuery, 'segmentIds' | 'goalIds'>;
  };
}

/**
 * Changes at the places where they happened: of one set of visits on its devices, and in its segments where no device or season explains
 * all, of segments in all visits and on the devices of these.
 */
export async function atPlaces(
  changes: readonly FoundChange[],
  { grid, input: { query, days, known } }: PlaceRead,
  context: ExpectedContext,
): Promise<FoundChange[]> {
  const { segmentIds } = query;
  const keys = new Set(days.map(({ selection }) => keyOf(selection)));
  const areAlike = isOfAllDevices(query, grid);
  const ofDays = () => inTurns(context.signal, () => atTheirPlaces(changes, days, known));
  if (!areAlike || changes.length === 0) return ofDays();
  const read = async (places: Pick<MetricGrid, 'devices' | 'segmentSets'>) => {
    const { rows } = await fetchKept({ ...grid, ...places }, context).catch(onApiError(() => ({ rows: [] })));
    return rows.filter(({ selection }) => !keys.has(keyOf(selection)));
  };
  const own = days.some(({ selection }) => selection.segmentIds.length > segmentIds.length);
  const ofDevices = await read({ devices: own ? EACH_DEVICE : PARTS, segmentSets: [segmentIds] });
  const placed = await inTurns(context.signal, () => atTheirPlaces(changes, [...days, ...ofDevices], known));
  const isOpen = (each: FoundChange) => !isDay(each) && each.reading.device === 'all' && !isOfCalendar(each);
  if (own || !placed.some(isOpen)) return placed;
  const { latest } = await latestSegments(segmentIds, context).catch(onApiError(() => ({ latest: [] })));
  const ofSegments = latest.length === 0 ? [] : await read({ segmentSets: latest.map(({ id }) => [...segmentIds, id]) });
  return inTurns(context.signal, () => atTheirPlaces(changes, [...days, ...ofDevices, ...ofSegments], known));
}
