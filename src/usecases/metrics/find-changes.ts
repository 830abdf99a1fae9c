import { ApiError } from '../../api/errors.ts';
import { siteMetricNames, zoneMetricNames } from '../../api/metric-names.ts';
import { listGoals } from '../../api/operations/objects.ts';
import { changeSeriesOf, type Place, type Reading } from '../../domain/metrics/changes/change-series.ts';
import { type Changes, changesAnswer } from '../../domain/metrics/changes/changes-answer.ts';
import { findChanges as scan } from '../../domain/metrics/changes/find-changes.ts';
import { planReads, type Readable, type ReadPlan } from '../../domain/metrics/changes/plan-reads.ts';
import { type Device, isZoneMetric } from '../../domain/metrics/read/metric-grid.ts';
import type { NameKind } from '../../domain/names/match-name.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import { shiftDays } from '../../lib/time-zone.ts';
import type { Context, Lists } from '../context.ts';
import { fetchMetrics } from './fetch-metrics.ts';

/** What may be looked at besides the site. */
export const changeSubjects = ['site', 'zones'] as const;

/** Requests for one answer, lists and a token included. */
const MOST_REQUESTS = 40;
/** A token and the lists of segments and goals, with one to spare. */
const RESERVED = 4;
/** Requests for the lists that lead to zones; more zones than they show are named by `zoneIds`. */
const MOST_FOR_ZONES = 20;
/** Zone metrics may be corrected for so long. */
const PROVISIONAL_DAYS = 7;

type Uses = Pick<Context, 'ask' | 'lists' | 'note' | 'progress' | 'signal' | 'timeZone' | 'nowMs' | 'covers'>;

/** What a caller says; names are ids by now. */
export interface FindInput {
  readonly days: number;
  readonly metrics?: readonly string[] | undefined;
  readonly devices?: readonly Device[] | undefined;
  readonly segmentIds?: readonly number[] | undefined;
  readonly goalIds?: readonly number[] | undefined;
  readonly zoneIds?: readonly number[] | undefined;
  readonly include?: readonly (typeof changeSubjects)[number][] | undefined;
  readonly limit: number;
}

const DEVICES: readonly Device[] = ['all', 'desktop', 'mobile', 'tablet'];
const once = <T>(values: readonly T[]) => [...new Set(values)];

/** A list, or nothing with a note where it cannot be had. */
async function listed<T>(what: string, list: Promise<readonly T[]>, note: Uses['note']): Promise<readonly T[]> {
  try {
    return await list;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(`${what} could not be listed and are not looked at: ${error.message}`);
    return [];
  }
}

/** Segments, those changed last first. */
async function segmentsOf(lists: Lists): Promise<number[]> {
  const all = await lists.of('segment');
  return all.toSorted((a, b) => (b.changedAt ?? '').localeCompare(a.changedAt ?? '')).map(({ id }) => id);
}

/** All zones of a project and the requests that list them; throws before there would be too many. */
async function zonesOf(lists: Lists): Promise<{ ids: number[]; requests: number }> {
  let requests = 1;
  const steps: NameKind[] = ['mapping', 'page group', 'zoning'];
  for (const kind of steps) {
    requests += (await lists.of(kind)).length;
    if (requests > MOST_FOR_ZONES)
      throw new ApiError('invalid', 'zoneIds: the project has too many zonings to look through all; name zones. find_objects finds them.');
  }
  return { ids: (await lists.of('zone')).map(({ id }) => id), requests };
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

/** Reads the days of one place, and counts what is sent. */
function readerOf({ ranges }: Pick<ReadPlan, 'ranges'>, wanted: readonly string[], context: Uses) {
  const facts: { requests: number; currency: string | undefined; failures: string[] } = { requests: 0, currency: undefined, failures: [] };
  const quiet = { ...context, progress: () => undefined };
  const read = async ({ device, segmentId, goalId, zoneId }: Place): Promise<Reading> => {
    const metrics = zoneId === undefined ? siteMetricNames : wanted.filter(isZoneMetric);
    const segmentSets = [segmentId === undefined ? [] : [segmentId]];
    const grid = { metrics, ranges, daily: true, devices: [device], segmentSets, goalIds: [goalId], zoneIds: [zoneId] };
    const { rows, missing, calls, currency } = await fetchMetrics(grid, { ...quiet, maxCalls: ranges.length });
    facts.requests += calls;
    facts.currency ??= currency;
    for (const { reason } of missing) facts.failures.push(reason);
    return { place: { device, segmentId, goalId, zoneId }, rows };
  };
  const readAll = async (places: readonly Place[]): Promise<Reading[]> => {
    let done = 0;
    const outcomes = await Promise.all(
      places.map(async (place) => {
        try {
          return [await read(place)];
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          facts.requests += ranges.length;
          facts.failures.push(error.message);
          return [];
        } finally {
          done += 1;
          context.progress(done, places.length, `${done} of ${places.length} selections read`);
        }
      }),
    );
    return outcomes.flat();
  };
  return { facts, read, readAll };
}

const hasValues = ({ rows }: Reading, metric: string) => rows.some(({ values }) => typeof values[metric] === 'number');

/** Says what was left out for want of requests. */
function roomNotes(readable: Readable, plan: ReadPlan, note: Uses['note']): void {
  const parts = [
    ['segments', plan.segments, readable.segmentIds.length, ', those changed last', 'segmentIds'],
    ['goals', plan.goals, readable.goalIds.length, '', 'goalIds'],
    ['zones', plan.zones, readable.zoneIds.length, '', 'zoneIds'],
  ] as const;
  for (const [what, taken, all, which, parameter] of parts) {
    if (taken < all)
      note(
        `${taken} of ${all} ${what} looked at${taken > 0 ? which : ''}: ${MOST_REQUESTS} requests allow no more; name fewer objects, ` +
          `or these by ${parameter}.`,
      );
  }
}

/** Goals but that of e-commerce, which metrics without a goal are about. */
interface Goals {
  readonly names: ReadonlyMap<number, string>;
  readonly others: readonly number[];
}

async function goalsOf(lists: Lists, note: Uses['note']): Promise<Goals> {
  const goals = await listed('Goals', lists.ask(listGoals, {}), note);
  const known = goals.flatMap(({ id, name, type }) => (typeof id === 'number' ? [{ id, name, type }] : []));
  return {
    names: new Map(known.map(({ id, name }) => [id, name])),
    others: known.filter(({ type }) => !/commerce/i.test(type ?? '')).map(({ id }) => id),
  };
}

const isAboutGoals = (error: unknown) => error instanceof ApiError && error.kind === 'invalid' && /goal/i.test(error.message);
const firstDayOf = ({ rows }: Reading) =>
  rows.flatMap(({ interval: { label }, values }) => (label && values['visits'] ? [label] : [])).toSorted()[0];

/** What is looked at, and the days of all visitors in it. */
interface Begun {
  readonly readable: Readable;
  readonly plan: ReadPlan;
  readonly reader: ReturnType<typeof readerOf>;
  readonly base: Reading;
}

/** Reads all visitors first: without conversions of e-commerce the first goal is the main one. */
async function begin(
  readable: Readable,
  bounds: Parameters<typeof planReads>[1],
  metrics: readonly string[],
  context: Uses,
): Promise<Begun> {
  const plan = planReads(readable, bounds);
  const reader = readerOf(plan, metrics, context);
  const [place] = plan.places;
  const [goalId, ...others] = readable.goalIds;
  const begun = { readable, plan, reader };
  const isLast = goalId !== undefined || others.length === 0;
  try {
    const base = await reader.read(place ?? { device: 'all' });
    if (isLast || hasValues(base, 'conversionCount')) return { ...begun, base };
  } catch (error) {
    if (isLast || !isAboutGoals(error)) throw error;
  }
  const requests = bounds.requests - reader.facts.requests;
  const next = await begin({ ...readable, goalIds: others }, { ...bounds, requests }, metrics, context);
  next.reader.facts.requests += reader.facts.requests;
  return next;
}

/** Looks through everything that was measured in the last complete days and answers what changed, each change once. */
export async function findChanges(input: FindInput, context: Uses): Promise<Changes> {
  const { note, timeZone, nowMs, covers } = context;
  const { days, limit } = input;
  const include = input.include ?? ['site'];
  const [site, zones] = [include.includes('site'), include.includes('zones') || input.zoneIds !== undefined];
  const metrics = metricsOf(input, site, zones);
  const { instantMs: endMs } = resolveDate('yesterday', { edge: 'end', timeZone, nowMs });
  const startMs = shiftDays(endMs + 1, -days, timeZone);
  covers(startMs, endMs);
  const lists = await context.lists();
  const [goals, allSegments] = await Promise.all([goalsOf(lists, note), site ? listed('Segments', segmentsOf(lists), note) : []]);
  const ofZones = zones && !input.zoneIds ? await zonesOf(lists) : { ids: input.zoneIds ?? [], requests: 0 };
  const devices = input.devices ?? DEVICES;
  const goalIds = input.goalIds ? once(input.goalIds) : [undefined, ...goals.others];
  const asked: Readable = {
    devices: site ? once(devices) : devices.slice(0, 1),
    segmentIds: site ? once(input.segmentIds ?? allSegments) : [],
    goalIds: site ? goalIds : [undefined],
    zoneIds: once(ofZones.ids),
  };
  const bounds = { days, endMs, timeZone, requests: MOST_REQUESTS - RESERVED - ofZones.requests };
  const { readable, plan, reader, base } = await begin(asked, bounds, metrics, context);
  const readings = [base, ...(await reader.readAll(plan.places.slice(1)))];
  const { requests, currency, failures } = reader.facts;
  const [firstDay, lastDay] = [todayIn(timeZone, startMs), todayIn(timeZone, endMs)];
  const { changes, looked, tooFew, outcome } = scan({
    series: changeSeriesOf(readings, [...siteMetricNames, ...metrics.filter(isZoneMetric)], base.place),
    metrics,
    base: base.place,
    from: firstDay,
    to: lastDay,
  });

  roomNotes(readable, plan, note);
  const dataSince = firstDayOf(base) ?? lastDay;
  const historyFrom = todayIn(timeZone, shiftDays(startMs, -plan.historyDays, timeZone));
  note(
    dataSince > historyFrom
      ? `Data since ${dataSince}: the days before ${firstDay} that say what is usual are fewer than ${plan.historyDays}.`
      : `What is usual was learned from the ${plan.historyDays} days before ${firstDay}.`,
  );
  if (tooFew > 0) note(`${tooFew} series had too little data to be looked at.`);
  for (const reason of once(failures)) note(`Some days or selections could not be read and are not looked at: ${reason}`);
  note('At a false discovery rate of 5 %: of twenty changes listed, about one may be chance.');
  return changesAnswer(changes, {
    names: {
      segment: (id) => lists.nameOf('segment', id),
      goal: (id) => goals.names.get(id) ?? String(id),
      zone: (id) => lists.nameOf('zone', id),
    },
    currency,
    firstDay,
    lastDay,
    days,
    looked,
    tooFew,
    requests,
    dataSince,
    outcome,
    provisionalFrom: todayIn(timeZone, shiftDays(nowMs, -PROVISIONAL_DAYS, timeZone)),
    limit,
  });
}
