import { ApiError, refuse } from '../../api/errors.ts';
import type { Place, Reading } from '../../domain/metrics/changes/change-series.ts';
import { planReads, type Readable, type ReadPlan } from '../../domain/metrics/changes/find-changes.ts';
import { siteMetricNames } from '../../domain/metrics/metric-definitions.ts';
import { isZoneMetric } from '../../domain/metrics/read/metric-grid.ts';
import type { NameKind } from '../../domain/names/match-name.ts';
import { hint } from '../../lib/hint.ts';
import type { Context, Lists } from '../context.ts';
import { fetchMetrics } from './fetch-metrics.ts';

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
  const read = async (place: Place): Promise<Reading> => {
    const { device, segmentId, goalId, zoneId } = place;
    const ranges = rangesFor(place);
    const metrics = zoneId === undefined ? siteMetricNames : wanted.filter(isZoneMetric);
    const segmentSets = [segmentId === undefined ? [] : [segmentId]];
    const grid = { metrics, ranges, daily: true, devices: [device], segmentSets, goalIds: [goalId], zoneIds: [zoneId] };
    const { rows, missing, calls, currency } = await fetchMetrics(grid, { ...quiet, maxCalls: ranges.length });
    facts.requests += calls;
    facts.currency ??= currency;
    for (const { reason } of missing) facts.failures.push(reason);
    if (missing.length > 0) facts.unread += 1;
    return { place: { device, segmentId, goalId, zoneId }, rows };
  };
  const readAll = async (some: readonly Place[]): Promise<Reading[]> => {
    let done = 0;
    const outcomes = await Promise.all(
      some.map(async (place) => {
        try {
          return [await read(place)];
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          facts.requests += rangesFor(place).length;
          facts.failures.push(error.message);
          facts.unread += 1;
          return [];
        } finally {
          done += 1;
          context.progress(done, some.length, `${done} of ${some.length} selections read`);
        }
      }),
    );
    return outcomes.flat();
  };
  return { facts, read, readAll };
}

const hasValues = ({ rows }: Reading, metric: string) => rows.some(({ values }) => typeof values[metric] === 'number');

const isAboutGoals = (error: unknown) => error instanceof ApiError && error.kind === 'invalid' && /goal/i.test(error.message);
/** The first day with visits; undefined where there is none. */
export const firstDayOf = ({ rows }: Reading) =>
  rows.flatMap(({ interval: { label }, values }) => (label && values['visits'] ? [label] : [])).toSorted()[0];

/** From which days before the first one it was learned what is usual. */
export function historyWords(
  { historyDays, longPlaces, places, shortHistoryDays }: ReadPlan,
  { dataSince, firstDay, historyFrom }: { readonly dataSince: string; readonly firstDay: string; readonly historyFrom: string },
): string {
  if (dataSince > historyFrom)
    return `Data since ${dataSince}: the days before ${firstDay} that say what is usual are fewer than ${historyDays}.`;
  const others = places.length - longPlaces;
  const less = others > 0 ? `; for ${others} of ${places.length} selections from ${shortHistoryDays} days, for want of requests` : '';
  return `What is usual was learned from the ${historyDays} days before ${firstDay}${less}.`;
}

/** The place under study, and the days of all visitors in it. */
interface Begun {
  readonly readable: Readable;
  readonly plan: ReadPlan;
  readonly reader: ReturnType<typeof readerOf>;
  readonly base: Reading;
}

/** Reads all visitors first: without conversions of e-commerce the first goal is the main one. */
export async function begin(
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

/** Requests for the lists that lead to zones; more zones than they show are named by `zoneIds`. */
const MOST_FOR_ZONES = 20;

/** All zones of a project, undefined where more lists lead to them than may be read, and the requests that were sent. */
async function zonesOf(lists: Lists): Promise<{ ids?: number[]; requests: number }> {
  let requests = 1;
  const steps: NameKind[] = ['mapping', 'page group', 'zoning'];
  for (const kind of steps) {
    const next = (await lists.of(kind)).length;
    if (requests + next > MOST_FOR_ZONES) return { requests };
    requests += next;
  }
  return { ids: (await lists.of('zone')).map(({ id }) => id), requests };
}

/** The zones to look at: those that are named, else all; where these are too many none, which is noted beside the site and thrown else. */
export async function zonesToLookAt(
  named: readonly number[] | undefined,
  besideSite: boolean,
  lists: Lists,
  note: Context['note'],
): Promise<{ ids: readonly number[]; requests: number }> {
  if (named) return { ids: named, requests: 0 };
  const { ids, requests } = await zonesOf(lists);
  if (ids) return { ids, requests };
  if (!besideSite)
    refuse(
      `zoneIds: the project has too many zonings to look through all; name zones.${hint('find_objects', ' find_objects finds them.')}`,
    );
  note(
    'Zones are not looked at: the project has too many zonings to look through all. Name zones of an app by zoneIds (those of web pages ' +
      `have no metrics here)${hint('find_objects', '; find_objects finds them')}.`,
  );
  return { ids: [], requests };
}
