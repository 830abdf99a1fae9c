import { grouped } from '../../lib/grouped.ts';
import { atItsPlace, isLikeOthers, partAlone, partCauses } from '../change-places.ts';
import { LAST } from '../engine/scan.ts';
import { areNear, keyOf, measuredAt, type SiteChange, type Visits } from '../site-changes.ts';
import { type ChangeSeries, type Cluster, type Found, type Scene, seriesId } from './change-series.ts';

/** One metric of a change where it happened, with the parts of its visits that made it. */
export interface Part extends SiteChange {
  readonly causes: ReturnType<typeof partCauses>;
}

/** One change: what began and ended together at one place, independent metrics first, then those that follow from the mix of its visits. */
export type ChangeEvent = readonly [Part, ...Part[]];

/** A metric less clear than this in all series changes no line of its own. */
const LEAST_CLEAR = 0.002;
const ORDER = ['visits', 'conversionRate', 'cartAverage', 'tapRate', 'dragFlickRate'];

const rankOf = ({ metric }: Pick<ChangeSeries, 'metric'>) => {
  const rank = ORDER.indexOf(metric);
  return rank < 0 ? ORDER.length : rank;
};

/** A metric of one goal and direction with all series that show it; the clearest first. */
interface Root {
  readonly metric: string;
  readonly members: readonly [Found, ...Found[]];
}

/** Independent changes: a metric of each goal and direction, as they are told. */
function rootsOf(members: readonly Found[]): Root[] {
  // Places that moved against each other on the same days are two changes.
  const groups = grouped(members, ({ series: { metric, reading }, finding }) =>
    [reading.zoneId, seriesId(metric, { device: 'all', segmentIds: [], goalId: reading.goalId }), Math.sign(finding.relative)].join(' '),
  );
  const all = [...groups.values()].flatMap((own): Root[] => {
    const [first, ...others] = own.toSorted((a, b) => a.finding.pValue - b.finding.pValue);
    return first ? [{ metric: first.series.metric, members: [first, ...others] }] : [];
  });
  const clear = all.filter(({ members: [first] }) => first.finding.pValue <= LEAST_CLEAR);
  return (clear.length > 0 ? clear : all.slice(0, 1)).toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** All visits that the metric of a series was read of, for the same goal. */
const readingsOf = ({ series }: Scene, { metric, reading: { goalId } }: ChangeSeries) =>
  [...series.values()].flatMap((own) =>
    own.metric === metric && own.reading.goalId === goalId && own.reading.zoneId === undefined ? [own.reading] : [],
  );

const changeIn = ({ series: { metric, reading }, finding }: Found): SiteChange => ({ metric, reading, change: finding });

/** A metric where it changed; undefined where that is chance. */
function placed(scene: Scene, { members }: Root, { lead }: Cluster): Part | undefined {
  const [first] = members;
  const { series } = first;
  if (series.reading.zoneId !== undefined) return { ...changeIn(first), causes: [] };
  const all = readingsOf(scene, series);
  const places = { all, shown: members.map(changeIn) };
  if (lead.finding.shape === 'drift') {
    const whole = all.find((each) => keyOf(each) === keyOf({ ...scene.base, goalId: series.reading.goalId }));
    // A drift that some places of many show is none of the place that is told, unless that shows it.
    const place = whole && (partAlone({ ...changeIn(first), reading: whole }, places) ?? whole);
    const own = place && members.find((each) => keyOf(each.series.reading) === keyOf(place));
    return own && { ...changeIn(own), causes: [] };
  }
  const { shape, from, to, earliest, latest } = lead.finding;
  const days = { shape, from, earliest, latest, ...(to !== undefined && { to }) };
  const there = atItsPlace(measuredAt({ ...changeIn(first), change: { ...first.finding, ...days } }), places);
  const isOver = (there.change.to ?? LAST) < scene.from;
  if (isOver || there.change.low * there.change.high <= 0 || isLikeOthers(there, places)) return undefined;
  const change = { ...there.change, pValue: first.finding.pValue };
  return { ...there, change, causes: partCauses(there, { all }, scene.nameOf) };
}

/** Whether visits of another metric make a rate what it is. */
const isOfMix = ({ causes }: Part) => causes.some(({ kind }) => kind === 'mix');

/** A part joins what began and ended with it at its place; one that only follows from the mix of visits joins those. */
function joined(events: readonly ChangeEvent[], part: Part): readonly ChangeEvent[] {
  const { reading, change } = part;
  const keyAt = (visits: Visits) => keyOf({ ...visits, goalId: undefined });
  const isTogether = ([first]: ChangeEvent) => {
    const size = { ...change, relative: first.change.relative };
    return keyAt(first.reading) === keyAt(reading) && first.change.to === change.to && areNear(first.change, size);
  };
  const isOfVisits = ([{ metric }]: ChangeEvent) => metric === 'visits';
  const known =
    (isOfMix(part) ? events.find(isOfVisits) : undefined) ?? events.find((each) => change.shape !== 'drift' && isTogether(each));
  return known ? events.map((each): ChangeEvent => (each === known ? [...each, part] : each)) : [...events, [part]];
}

/** The events of a cluster: one change, or several at different places that began together. */
export function eventsOf(scene: Scene, cluster: Cluster, limit: number): readonly ChangeEvent[] {
  const parts = rootsOf(cluster.members).flatMap((root) => placed(scene, root, cluster) ?? []);
  const events = parts.reduce<readonly ChangeEvent[]>(joined, []);
  return events.filter((event) => event.some(({ change }) => change.pValue <= limit));
}
