import { ApiError, onApiError, refuse } from '../api/errors.ts';
import { listGoals } from '../api/operations/objects.ts';
import { instantOf } from '../api/params.ts';
import { dateText } from '../findings/wording.ts';
import { daysBetween, daysFrom, type Interval, shiftDays, slotsOf } from '../lib/calendar.ts';
import { yieldTurn } from '../lib/concurrency.ts';
import { resolveDate, todayIn } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { onceByGist } from '../lib/sentences.ts';
import type { Context, Lists } from '../names/context.ts';
import type { NameKind } from '../names/match-name.ts';
import { chooseScenarios, findSpeedChanges } from '../speed/find-speed-changes.ts';
import type { SpeedFacts } from '../speed/scenario-study.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import type { KnownDays } from './calendar/known-days.ts';
import { clearOccasions } from './calendar/special-words.ts';
import { changeSeriesOf } from './changes/change-series.ts';
import { type Changes, type changeSubjects, changesAnswer, partName, type SiteFacts } from './changes/changes-answer.ts';
import {
  isOfClockChange,
  planReads,
  type Readable,
  type ReadPlan,
  type ScanRequest,
  findChanges as scan,
} from './changes/locate-changes.ts';
import { isCommerceGoal } from './commerce-goal.ts';
import { laterDays } from './compare/comparison-windows.ts';
import { sizeOfDays } from './engine/measure.ts';
import { fetchMetrics, type Kept, readKept } from './fetch-metrics.ts';
import { visitedWords } from './findings.ts';
import { siteMetricNames, zoneMetricNames } from './metric-definitions.ts';
import { countingFaults, withoutFaults } from './quality/counting.ts';
import { metricsToRead, visitedSpan, withVisits } from './read/day-points.ts';
import { type Device, isZoneMetric, PARTS } from './read/metric-grid.ts';
import { readKnownDays, withKnownDays } from './read-known-days.ts';
import { type Compared, redefinitionNotes } from './redefinitions.ts';
import { type Place, pointsKnown, type Visits } from './site-changes.ts';

type PlacesContext = Pick<Context, 'ask' | 'progress' | 'signal' | 'timeZone'>;

/** Requests that were sent, and places that could not be read, or not whole, with the reasons. */
interface ReadFacts {
  requests: number;
  currency: string | undefined;
  unread: number;
  readonly failures: string[];
}

/** Reads the days of one place, and counts what is sent. */
function readerOf({ ranges: long, shortRanges, longPlaces, places }: ReadPlan, wanted: readonly string[], context: PlacesContext) {
  const facts: ReadFacts = { requests: 0, currency: undefined, failures: [], unread: 0 };
  const quiet = { ...context, progress: () => undefined };
  const later = new Set(places.slice(longPlaces));
  const rangesFor = (place: Place) => (later.has(place) ? shortRanges : long);
  const read = async (place: Place): Promise<Visits> => {
    const { device, segmentIds, goalId, zoneId } = place;
    const ranges = rangesFor(place);
    const metrics = zoneId === undefined ? siteMetricNames : wanted.filter(isZoneMetric);
    const grid = { metrics, ranges, daily: true, devices: [device], segmentSets: [segmentIds], goalIds: [goalId], zoneIds: [zoneId] };
    const { rows, missing, calls, currency } = await fetchMetrics(grid, { ...quiet, maxCalls: ranges.length });
    facts.requests += calls;
    facts.currency ??= currency;
    for (const { reason } of missing) facts.failures.push(reason);
    if (missing.length > 0) facts.unread += 1;
    return { device, segmentIds, goalId, zoneId, isOfOtherGoal: rows.some((row) => row.isOfOtherGoal), known: rows };
  };
  const readAll = async (some: readonly Place[]): Promise<Visits[]> => {
    let done = 0;
    const outcomes = some.map(async (place) => {
      const own = await read(place).catch(
        onApiError(({ message }) => {
          facts.requests += rangesFor(place).length;
          facts.failures.push(message);
          facts.unread += 1;
        }),
      );
      done += 1;
      context.progress(done, some.length, `${done} of ${some.length} selections read`);
      return own ?? [];
    });
    return (await Promise.all(outcomes)).flat();
  };
  return { facts, read, readAll };
}

const isAboutGoals = (error: unknown) => error instanceof ApiError && error.kind === 'invalid' && /goal/i.test(error.message);
/** The first day with visits; undefined where there is none. */
const firstDayOf = ({ known }: Visits) =>
  known.flatMap(({ interval: { label }, values }) => (label && values['visits'] ? [label] : [])).toSorted()[0];

/** From which days before the first one it was learned what is usual. */
function historyWords(
  { historyDays, longPlaces, places, shortHistoryDays }: ReadPlan,
  { dataSince, firstDay, historyFrom, of }: Readonly<Record<'dataSince' | 'firstDay' | 'historyFrom' | 'of', string>>,
): string {
  const isYoung = dataSince > historyFrom;
  const days = isYoung ? Math.max(0, daysFrom(dataSince, firstDay)) : historyDays;
  const others = places.length - longPlaces;
  const less = others > 0 && shortHistoryDays < days ? `; for ${others} of ${places.length} selections among ${shortHistoryDays}` : '';
  const known = isYoung ? `Data since ${dataSince}: what` : 'What';
  return `${known} is usual${of} was learned from the ordinary days among the ${days} before ${firstDay}${less}.`;
}

/** The place under study, and the days of all visitors in it. */
interface Begun {
  readonly readable: Readable;
  readonly plan: ReadPlan;
  readonly reader: ReturnType<typeof readerOf>;
  readonly base: Visits;
}

/** Reads all visitors first: without conversions of e-commerce the first goal is the main one. */
async function begin(
  readable: Readable,
  bounds: Parameters<typeof planReads>[1],
  metrics: readonly string[],
  context: PlacesContext,
): Promise<Begun> {
  const plan = planReads(readable, bounds);
  const reader = readerOf(plan, metrics, context);
  const [place] = plan.places;
  const [goalId, ...others] = readable.goalIds;
  const begun = { readable, plan, reader };
  const isLast = goalId !== undefined || others.length === 0;
  try {
    const base = await reader.read(place ?? { device: 'all', segmentIds: [] });
    if (isLast || base.known.some(({ values }) => typeof values['conversionCount'] === 'number')) return { ...begun, base };
  } catch (error) {
    if (isLast || !isAboutGoals(error)) throw error;
  }
  const requests = bounds.requests - reader.facts.requests;
  const next = await begin({ ...readable, goalIds: others }, { ...bounds, requests }, metrics, context);
  next.reader.facts.requests += reader.facts.requests;
  return next;
}

/** Requests for the lists that lead to zones; more zones than they show are named by `zoneIds`. */
const MOST_FOR_ZONES = 20;

/** All zones of a project; undefined where more lists lead to them than may be read. */
async function zonesOf(lists: Lists): Promise<number[] | undefined> {
  let requests = 1;
  const steps: NameKind[] = ['mapping', 'page group', 'zoning'];
  for (const kind of steps) {
    requests += (await lists.of(kind)).length;
    if (requests > MOST_FOR_ZONES) return undefined;
  }
  return (await lists.of('zone')).map(({ id }) => id);
}

/** The zones to look at: those that are named, else all; where these are too many none, which is noted beside the site and thrown else. */
async function zonesToLookAt(
  named: readonly number[] | undefined,
  besideSite: boolean,
  lists: Lists,
  note: Context['note'],
): Promise<readonly number[]> {
  const ids = named ?? (await zonesOf(lists));
  if (ids) return ids;
  if (!besideSite)
    refuse(
      `zoneIds: the project has too many zonings to look through all; name zones.${hint('find_objects', ' find_objects finds them.')}`,
    );
  note(
    'Zones are not looked at: the project has too many zonings to look through all. Name zones of an app by zoneIds (those of web pages ' +
      `have no metrics here)${hint('find_objects', '; find_objects finds them')}.`,
  );
  return [];
}

/** Requests for one look at a site or at the zones of its app, a token and lists included, but not the kept ones of zones. */
const MOST_REQUESTS = 44;
/** A token, the lists of segments and goals, and up to seven for last year. */
const RESERVED = 10;
/** Of these, all visitors read in vain and the halving that finds the first day which the platform keeps. */
const TO_FIND_KEPT = 10;
/** Scenarios that are looked at beside the site or its zones, each a request, after one for their list. */
const MOST_SCENARIOS = 12;

type FindChangesContext = Pick<Context, 'ask' | 'lists' | 'note' | 'progress' | 'signal' | 'timeZone' | 'nowMs' | 'calendar' | 'covers'>;

/** Arguments of the search; names are ids by now. */
export interface FindInput {
  readonly days: number;
  /** The last complete days before now where they are left out. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly metrics?: readonly string[] | undefined;
  readonly devices?: readonly Device[] | undefined;
  readonly segmentIds?: readonly number[] | undefined;
  readonly goalIds?: readonly number[] | undefined;
  readonly zoneIds?: readonly number[] | undefined;
  readonly include?: readonly (typeof changeSubjects)[number][] | undefined;
  readonly limit: number;
}

const once = <T>(values: readonly T[]) => [...new Set(values)];

/** A list, or nothing with a note where it cannot be had. */
function listed<T>(what: string, list: Promise<readonly T[]>, note: FindChangesContext['note']): Promise<readonly T[]> {
  return list.catch(
    onApiError(({ message }) => {
      note(`${what} could not be listed and are not looked at: ${message}`);
      return [];
    }),
  );
}

/** Segments, those changed last first. */
async function segmentsOf(lists: Lists): Promise<number[]> {
  const all = await lists.of('segment');
  return all.toSorted((a, b) => (b.changedAt ?? '').localeCompare(a.changedAt ?? '')).map(({ id }) => id);
}

/** The metrics whose changes are wanted; throws where they do not go with what is looked at. */
function metricsOf({ metrics = ['all'] }: FindInput, site: boolean, zones: boolean): string[] {
  const all = [...(site ? siteMetricNames : []), ...(zones ? zoneMetricNames : [])];
  const chosen = once(metrics.flatMap((metric) => (metric === 'all' ? all : [metric])));
  const wrong = chosen.filter((metric) => (isZoneMetric(metric) ? !zones : !site));
  if (wrong.length === 0) return chosen;
  const way = wrong.some(isZoneMetric) ? 'include: ["site", "zones"] or zoneIds looks at zones' : 'include: ["site"] looks at the site';
  throw new ApiError('invalid', `metrics: ${wrong.join(', ')} cannot be looked at here; ${way}.`);
}

/** Says what was left out for want of requests: a sentence on each kind, and how to look at the rest in a note. */
function unseenPlaces(readable: Readable, plan: ReadPlan, note: FindChangesContext['note']): string[] {
  const parts = [
    ['segments', plan.segments, readable.segmentIds.length, 'segmentIds'],
    ['goals', plan.goals, readable.goalIds.length, 'goalIds'],
    ['zones', plan.zones, readable.zoneIds.length, 'zoneIds'],
  ] as const;
  return parts.flatMap(([what, taken, all, parameter]) => {
    if (taken >= all) return [];
    note(`${taken} of ${all} ${what} looked at, as many as one call reads; name those that matter by ${parameter}.`);
    return [`Of ${all} ${what}, ${taken === 0 ? 'none' : `only ${taken}`} ${taken > 1 ? 'were' : 'was'} looked at.`];
  });
}

/** Goals but that of e-commerce, which metrics without a goal are about. */
interface Goals {
  readonly names: ReadonlyMap<number, string>;
  readonly others: readonly number[];
}

async function goalsOf(lists: Lists, note: FindChangesContext['note']): Promise<Goals> {
  const goals = await listed('Goals', lists.ask(listGoals, {}), note);
  const known = goals.flatMap(({ id, name, type }) => (typeof id === 'number' ? [{ id, name: name ?? String(id), type }] : []));
  return {
    names: new Map(known.map(({ id, name }) => [id, name])),
    others: known.filter((goal) => !isCommerceGoal(goal)).map(({ id }) => id),
  };
}

/** The part of the question about the site and its zones. */
interface SiteRequest {
  readonly input: FindInput;
  /** The site itself; else only its zones. */
  readonly site: boolean;
  readonly zones: boolean;
  readonly metrics: readonly string[];
  readonly days: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Requests that may be sent, lists aside that lead to no zones. */
  readonly room: number;
}

/** The objects that select the visits of these places. */
function objectsOf(places: readonly Place[]): Pick<Compared, 'segmentIds' | 'goalIds' | 'zoneIds'> {
  return {
    segmentIds: places.flatMap(({ segmentIds }) => segmentIds),
    goalIds: places.map(({ goalId }) => goalId),
    zoneIds: places.flatMap(({ zoneId }) => zoneId ?? []),
  };
}

/** Days behind a range that are read with it; of more the days before the first one, which say what is usual, would be too few. */
const MOST_LATER = 28;

type Scanned = Pick<ScanRequest, 'from' | 'to'>;
/** Days on which the counting looks broken. */
function judgeCounting(readings: readonly Visits[], base: Visits, { from, to }: Scanned, known: KnownDays): SiteFacts['faults'] {
  const ofGoal = readings.filter(({ goalId }) => goalId === base.goalId);
  const isOfAll = ({ segmentIds }: Visits) => segmentIds.join() === base.segmentIds.join();
  const ofSegments = ofGoal.filter((reading) => !isOfAll(reading) && reading.device === base.device);
  return countingFaults({
    rows: ofGoal.filter(isOfAll).flatMap((reading) => reading.known),
    whole: base,
    segments: ofSegments.map((reading) => reading.known),
    from,
    to,
    known,
  });
}

/** Special days that moved visits, beside what changed them. */
function specialOf(base: Visits, { from, to }: Scanned, { specialDays }: KnownDays, changes: SiteFacts['changes']): string[] {
  const days = pointsKnown(base, 'visits');
  const scanned = new Set(base.known.flatMap(({ interval: { label = '' } }) => (label >= from && label <= to ? [label] : [])));
  const levels = changes.flat().flatMap(({ metric, change }) => {
    const size = metric === 'visits' && change.shape !== 'drift' ? sizeOfDays('count', days, change) : undefined;
    return size ? [{ ...change, relative: size.relative }] : [];
  });
  return clearOccasions(days, scanned, specialDays, levels);
}

/** Since when and until when segments have visits, where that is not all of the days asked for: they are judged on these alone. */
function spansOf(readings: readonly Visits[], base: Place, asked: Interval, timeZone: string, lists: Lists): string[] {
  const year = todayIn(timeZone, asked.endMs).slice(0, 4);
  return readings.flatMap(({ device, segmentIds: [segmentId], goalId, known: rows }) => {
    if (segmentId === undefined || device !== base.device || goalId !== base.goalId) return [];
    const words = visitedWords(visitedSpan(rows), asked, timeZone, year);
    const [first = ''] = rows.flatMap(({ interval: { label } }) => label ?? []).toSorted();
    // A year ago, as a campaign of each summer, it may have had visits too.
    return words === undefined
      ? []
      : [`Of the days since ${dateText(first, year)}, "${lists.nameOf('segment', segmentId)}" has visits only ${words}.`];
  });
}

/** Everything that was asked for and could be read. */
function readableOf(
  { input, site }: Pick<SiteRequest, 'input' | 'site'>,
  { others }: Goals,
  segmentIds: readonly number[],
  zoneIds: readonly number[],
): Readable {
  const devices = input.devices ?? ['all', ...PARTS];
  // The goal of e-commerce is looked at whatever was asked for: a change has the same cost in every answer.
  const asked = once(input.goalIds ?? []);
  const commerce = asked.find((id) => !others.includes(id));
  const goalIds = [commerce, ...(input.goalIds ? asked.filter((id) => id !== commerce) : others)];
  const named = once(input.segmentIds ?? segmentIds);
  // What is asked of one segment is told of it, by its own size and cost.
  const within = input.segmentIds && named.length === 1 ? named[0] : undefined;
  return {
    devices: site ? once(devices) : devices.slice(0, 1),
    segmentIds: site && within === undefined ? named : [],
    within,
    goalIds: site ? goalIds : [undefined],
    areGoalsAsked: input.goalIds !== undefined,
    zoneIds: once(zoneIds),
  };
}

/** Whether a project is an app, which no one visits on a desktop and whose zones alone have metrics. */
function isOfApp(readings: readonly Visits[]): boolean {
  const isVisited = ({ device, known }: Visits) => device === 'desktop' && known.some(({ values }) => values['visits']);
  return readings.some(({ device }) => device === 'desktop') && !readings.some(isVisited);
}

const namedIn = ({ metrics = [] }: FindInput) => metrics.filter((metric) => metric !== 'all');

/** Looks through the metrics of the site and its zones. */
async function lookAtSite(
  { input, days, site, zones, metrics, startMs, endMs, room }: SiteRequest,
  context: FindChangesContext,
): Promise<SiteFacts & { readonly isApp: boolean }> {
  const { note, timeZone } = context;
  const lists = await context.lists();
  const [goals, allSegments] = await Promise.all([goalsOf(lists, note), site ? listed('Segments', segmentsOf(lists), note) : []]);
  const zoneIds = zones ? await zonesToLookAt(input.zoneIds, site, lists, note) : [];
  const asked = readableOf({ input, site }, goals, allSegments, zoneIds);
  // What was found in the range is dated and sized by the days behind it too, as every tool does.
  const knownMs = laterDays({ period: { startMs, endMs }, timeZone, nowMs: context.nowMs })?.endMs ?? endMs;
  const later = Math.min(MOST_LATER, Math.round(daysBetween(endMs, knownMs, timeZone)));
  const lastMs = shiftDays(endMs + 1, later, timeZone) - 1;
  const bounds = { days: days + later, endMs: lastMs, timeZone, requests: room };
  const ofDays = metricsToRead(metrics);
  const most = { startMs: shiftDays(startMs, -2 * MOST_DAYS, timeZone), endMs: lastMs };
  const beginIn = (kept?: Kept) =>
    begin(asked, kept ? { ...bounds, keptMs: kept.startMs, requests: bounds.requests - TO_FIND_KEPT } : bounds, ofDays, context);
  const { readable, plan, reader, base } = await readKept(most, context, beginIn, (begun) => begun.reader.facts.failures);
  const read = { startMs: shiftDays(startMs, -plan.historyDays, timeZone), endMs: lastMs };
  const [others, known] = await Promise.all([reader.readAll(plan.places.slice(1)), readKnownDays(read, base.goalId, context)]);
  const readings = [base, ...others];
  const { requests, currency, failures, unread } = reader.facts;
  const [firstDay, lastDay] = [todayIn(timeZone, startMs), todayIn(timeZone, endMs)];
  const scanned: Scanned = { from: firstDay, to: lastDay };
  const faults = site ? judgeCounting(readings, base, scanned, known) : [];
  await yieldTurn(context.signal);
  const sound = readings.map((reading) => ({
    ...reading,
    known: withKnownDays(withoutFaults(withVisits(reading.known, reading.zoneId === undefined ? undefined : base.known), faults), known),
  }));
  const series = changeSeriesOf(sound, [...siteMetricNames, ...ofDays.filter(isZoneMetric)], base);
  const nameOf: SiteFacts['nameOf'] = (kind, id) => (kind === 'goal' ? (goals.names.get(id) ?? String(id)) : lists.nameOf(kind, id));
  const named = (place: Place) => partName(place, nameOf);
  const { changes, ...found } = await scan({ series, metrics, base, nameOf: named, ...scanned }, context.signal);
  const odd = slotsOf('day', { startMs, endMs }, timeZone).filter(isOfClockChange);
  const clockChange = odd.map(({ label }) => `${dateText(label, lastDay.slice(0, 4))}, when clocks changed, was not looked at.`);
  const dataSince = firstDayOf(base) ?? lastDay;
  note(historyWords(plan, { dataSince, firstDay, historyFrom: todayIn(timeZone, read.startMs), of: site ? '' : ' of zones' }));
  const compared = { ...objectsOf(changes.map(([{ reading }]) => reading)), metrics, startMs, endMs, timeZone };
  for (const sentence of await redefinitionNotes(compared, lists)) note(sentence);
  if (found.tooFew > 0) note(`${found.tooFew} series had too little data to be looked at.`);
  for (const reason of onceByGist(failures)) note(`Some days or selections could not be read and are not looked at: ${reason}`);
  return {
    ...found,
    isApp: site && isOfApp(readings),
    unseen: [...unseenPlaces(readable, plan, note), ...clockChange],
    changes,
    faults,
    special: site ? specialOf(base, scanned, known, changes) : [],
    asked: { metrics: namedIn(input), place: base },
    askedGoals: asked.areGoalsAsked ? asked.goalIds.flatMap((id) => id ?? []) : [],
    spans: spansOf(readings, base, { startMs, endMs }, timeZone, lists),
    nameOf,
    currency,
    unread: { selections: unread, of: plan.places.length },
    requests,
    dataSince,
  };
}

const MOST_DAYS = 92;

/** Whole days: those that were named, else the last complete ones. */
function rangeOf({ days, startDate, endDate }: FindInput, { timeZone, nowMs }: Pick<FindChangesContext, 'timeZone' | 'nowMs'>) {
  const yesterday = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const endMs = Math.min(yesterday, endDate === undefined ? yesterday : instantOf(endDate));
  if (startDate === undefined) return { startMs: shiftDays(endMs + 1, -days, timeZone), endMs, days };
  const startMs = instantOf(startDate);
  const named = Math.round(daysBetween(startMs, endMs + 1, timeZone));
  if (named < 2 || named > MOST_DAYS)
    refuse(`startDate and endDate must hold 2 to ${MOST_DAYS} complete days; these hold ${Math.max(0, named)}.`);
  return { startMs, endMs, days: named };
}

/** The site, and in an app its zones too where nothing else was asked for: they may hold all that changed. */
async function lookAround(request: Omit<SiteRequest, 'metrics'>, context: FindChangesContext) {
  const { input, site, zones } = request;
  const found = await lookAtSite({ ...request, metrics: metricsOf(input, site, zones) }, context);
  if (!found.isApp || zones || input.include !== undefined) return found;
  const named = input.metrics?.filter((metric) => metric === 'all' || isZoneMetric(metric));
  if (named?.length === 0) return found;
  const left = { ...request, site: false, zones: true };
  const ofZones = await lookAtSite({ ...left, metrics: metricsOf({ ...input, metrics: named }, false, true) }, context);
  context.note('Zone metrics of the last 7 days may still be corrected.');
  return {
    ...found,
    changes: [...found.changes, ...ofZones.changes],
    looked: found.looked + ofZones.looked,
    tooFew: found.tooFew + ofZones.tooFew,
    requests: found.requests + ofZones.requests,
    unread: { selections: found.unread.selections + ofZones.unread.selections, of: found.unread.of + ofZones.unread.of },
    unseen: [...found.unseen, ...ofZones.unseen],
  };
}

/** Notes on the false discovery rate of an answer, and how to look at more. */
function scopeNotes(input: FindInput, isOfSite: boolean, speed: SpeedFacts | undefined, isSpeedAsked: boolean): string[] {
  const narrowed = (['devices', 'segmentIds', 'goalIds'] as const).filter((name) => input[name] !== undefined);
  const rate = 100 * FALSE_DISCOVERY_RATES.speedChanges;
  return [
    ...(isOfSite ? [`${speed ? 'Site: at' : 'At'} a false discovery rate of 5 %: of twenty changes listed, about one may be chance.`] : []),
    ...(isSpeedAsked ? [] : ['Speed was not looked at: include ["site", "speed"] does.']),
    ...(speed && narrowed.length > 0 ? [`${narrowed.join(', ')}: speed scenarios have none, so all are looked at.`] : []),
    ...(speed
      ? [
          `Speed: at a false discovery rate of ${rate} % over all its scenarios${hint('analyze_scenario', ', as in analyze_scenario')}; ` +
            `of a hundred changes listed, about ${rate} may be chance.`,
        ]
      : []),
  ];
}

/** Sentences on parts that a reader would expect to be looked at and that were not. */
function unseenOf(
  site: { readonly isApp: boolean } | undefined,
  { include }: FindInput,
  zones: boolean,
  isSpeedMissing: boolean,
): string[] {
  if (isSpeedMissing) return ['Speed could not be looked at.'];
  return site?.isApp && !zones && include !== undefined ? ['The zones of this app were not looked at.'] : [];
}

/** The subjects that are looked at: the site unless others are named, by themselves or by their metrics. */
function includedIn({ include, metrics = ['all'] }: FindInput): NonNullable<FindInput['include']> {
  const isSite = metrics.some((metric) => !isZoneMetric(metric));
  return include ?? [...(isSite ? ['site' as const] : []), ...(metrics.some(isZoneMetric) ? ['zones' as const] : [])];
}

/** Looks through everything that was measured in the last complete days and answers what changed, each change once. */
export async function findChanges(input: FindInput, context: FindChangesContext): Promise<Changes> {
  const { note, timeZone, covers } = context;
  const { startMs, endMs, days } = rangeOf(input, context);
  const include = includedIn(input);
  const [site, zones] = [include.includes('site'), include.includes('zones') || input.zoneIds !== undefined];
  const isOfSite = site || zones;
  metricsOf(input, site, zones);
  covers(startMs, endMs);
  const room = MOST_REQUESTS - RESERVED;
  const chosen = include.includes('speed') ? await chooseScenarios(isOfSite ? MOST_SCENARIOS : room, isOfSite, context) : undefined;
  const ofSpeed = chosen ? chosen.length + 1 : 0;
  const [ofSite, speed] = await Promise.all([
    isOfSite
      ? lookAround({ input, days, site, zones, startMs, endMs, room: site && zones ? 2 * room - ofSpeed : room - ofSpeed }, context)
      : undefined,
    chosen && findSpeedChanges({ scenarioIds: chosen, startMs, endMs, isAlone: !isOfSite }, context),
  ]);
  for (const sentence of scopeNotes(input, ofSite !== undefined, speed, chosen !== undefined)) note(sentence);
  return changesAnswer({
    site: ofSite,
    speed,
    limit: input.limit,
    timeZone,
    firstDay: todayIn(timeZone, startMs),
    lastDay: todayIn(timeZone, endMs),
    today: todayIn(timeZone, context.nowMs),
    unseen: unseenOf(ofSite, input, zones, chosen !== undefined && !speed),
  });
}
