import { grouped } from '../../lib/grouped.ts';
import { Z_99 } from '../../statistics/tails.ts';
import type { DatedChange } from '../engine/changes.ts';
import { findReasons, type GroupChange, type Reasons } from '../engine/reasons.ts';
import { type Days, type Effect, effectOnDays, type ScanFinding } from '../engine/scan.ts';
import { movedOn } from '../site-changes.ts';
import {
  areNeighbours,
  areSameVisitors,
  type ChangeSeries,
  type Cluster,
  type Found,
  type Place,
  type Scene,
  seriesId,
} from './change-series.ts';

/** Where a metric changed. */
interface Located {
  readonly place: Place;
  /** The part of the place that moved most, where all did. */
  readonly most?: Place | undefined;
  /** The part that made the change although its days before are too few to judge it, as one that rose from nothing. */
  readonly maker?: Place | undefined;
  /** Whether it comes from more or fewer visits of a place, which changed by `relative`. Undefined: it does not. */
  readonly mixOf: (place: Place, relative: number) => Mix | undefined;
  /** How much it changed there; undefined where that is not known. */
  readonly relative: number | undefined;
}

/** Whether a part of all visitors being more or fewer explains a change of all; `maybe` where the days of that part do not show it. */
type Mix = 'yes' | 'maybe';

interface EventQuestion {
  readonly metric: string;
  readonly goalId: number | undefined;
  readonly members: readonly Found[];
  readonly days: Pick<ScanFinding, 'from' | 'to' | 'shape'>;
  readonly others: readonly Days[];
}

/** A change lies in a group alone if the others moved by less than this share of it. */
const ELSEWHERE = 0.35;
/** A part is named beside the whole if it moved this many times as much as the others. */
const MUCH_MORE = 1.5;
/**
 * Of a change of visits of a part, the most that the mix makes of a rate: shares move by a quarter of it, rates differ by about as much.
 */
const MOST_BY_MIX = 0.35;
/** Score from which on all visitors together have changed, and a metric is shown beside the one that it follows from. */
const CLEAR = 3;

// What moved against it is another change.
const isApart = ({ relative, relativeOfOthers }: GroupChange) => (relativeOfOthers ?? 0) * (relative ?? 0) <= 0;
const isAlone = (group: GroupChange) => isApart(group) || Math.abs(group.relativeOfOthers ?? 0) < ELSEWHERE * Math.abs(group.relative ?? 0);
const isLikeOthers = (group: GroupChange | undefined) => group?.verdict === 'alike' && !isAlone(group);
const isMuchMore = ({ relative, relativeOfOthers }: GroupChange) => Math.abs(relative ?? 0) > MUCH_MORE * Math.abs(relativeOfOthers ?? 0);

/** Series of the same metric and goal for parts of all visitors. */
function partsOf({ series, base }: Scene, metric: string, goalId: number | undefined): ChangeSeries[] {
  const whole = seriesId(metric, { ...base, goalId });
  return [...series.values()].filter(
    ({ id, metric: own, place }) =>
      own === metric && id !== whole && id === seriesId(metric, { ...place, goalId }) && place.zoneId === undefined,
  );
}

/** How all visitors and their parts moved on the days of a change. */
type Moves = ReturnType<typeof movesOf>;

function reasonsOf(scene: Scene, whole: ChangeSeries, { metric, goalId, days, others }: EventQuestion): Reasons {
  const occasion = {
    kind: whole.kind,
    whole: whole.days,
    from: days.from,
    to: days.to ?? scene.to,
    periodFrom: scene.from,
    isDrift: days.shape === 'drift',
    others: others.map((other) => ({ from: other.from, to: other.to ?? scene.to })),
  };
  const parts = partsOf(scene, metric, goalId).map(({ id, days: own }) => ({ name: id, days: own }));
  return findReasons(occasion, parts);
}

function movesOf(scene: Scene, whole: ChangeSeries, question: EventQuestion) {
  const { metric, goalId, members, days } = question;
  const { groups, maker } = reasonsOf(scene, whole, question);
  const byId = new Map(groups.map((group) => [group.name, group]));
  const study = scene.studies.get(whole.id);
  const found = members.find(({ series: own }) => own.id === whole.id)?.finding;
  const onDays = days.shape === 'drift' || !study ? undefined : effectOnDays(study, { from: days.from, to: days.to ?? scene.to });
  const ofAll = (days.shape === 'drift' ? found : onDays)?.relative;
  const isShown = found !== undefined || (onDays !== undefined && Math.abs(onDays.score) >= CLEAR);
  return {
    groups,
    groupAt: (place: Place) => byId.get(seriesId(metric, { ...place, goalId })),
    maker: maker === undefined ? undefined : scene.series.get(maker)?.place,
    /** Relative change of all visitors; undefined where it is not known. */
    ofAll,
    /** All visitors together moved, and the way that the change goes. */
    hasMoved: isShown && isLikewise(ofAll, members[0]?.finding.relative),
    isDrift: days.shape === 'drift',
  };
}

const isLikewise = (relative: number | null | undefined, first: number | undefined) => (relative ?? 0) * (first ?? 0) > 0;

/**
 * The part that moved more than the rest the way that the change goes: the clearest that moved alone, else the clearest. One without which
 * nothing is left comes first: without one browser of a device that broke, the others of it still show the break.
 */
function clearestGroup({ groups }: Moves, first: number | undefined): GroupChange | undefined {
  const clearer = groups
    .filter(({ verdict, relative }) => verdict === 'more' && isLikewise(relative, first))
    .toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score));
  const alone = clearer.filter(isAlone);
  return alone.find((group) => isApart(group) || group.scoreOfOthers <= Z_99) ?? alone[0] ?? clearer[0];
}

/** Whether a change of all visitors comes from more or fewer visits of a place, which changed by `relative`. */
function mixFrom({ groupAt, ofAll = 0 }: Moves, place: Place, relative: number, isDrift: boolean): Mix | undefined {
  const own = groupAt(place);
  const change = Math.abs(ofAll);
  const isStill = own && Math.abs(own.relative ?? 0) < change / 2;
  if (isStill && Math.abs(own.relativeOfOthers ?? 0) < change / 2) return 'yes';
  return !isDrift && change < MOST_BY_MIX * Math.abs(relative) ? 'maybe' : undefined;
}

/** The share of a change that its part has at least where it is above all there. */
const MOST = 0.5;

/** The place of a change and its size there, and the part of it that moved most, where all did. */
function widestPlace(scene: Scene, moves: Moves, all: Place, question: EventQuestion) {
  const { members } = question;
  const [clearest] = members;
  const first = clearest?.finding.relative;
  const group = clearestGroup(moves, first);
  const place = group && scene.series.get(group.name)?.place;
  if (place && isAlone(group)) return { isNarrow: true, place, relative: group.relative ?? undefined };
  // All parts drift with the whole: which of them shows it is chance.
  if (!moves.hasMoved && !moves.isDrift) {
    const at = clearest?.series.place ?? all;
    // So it is of what the others did too and all together do not show, as the slow growth of a season.
    return isLikeOthers(moves.groupAt(at)) ? undefined : { isNarrow: false, place: at, relative: first };
  }
  const { metric, goalId, days } = question;
  const movedAt = (at: Place, relative: number | null | undefined) => {
    const points = scene.series.get(seriesId(metric, { ...at, goalId }))?.days ?? [];
    return Math.abs(movedOn(points, { ...days, relative: relative ?? 0 }).moved);
  };
  const isMost = place && isMuchMore(group) && movedAt(place, group.relative) >= MOST * movedAt(all, moves.ofAll);
  return { isNarrow: false, place: all, relative: moves.ofAll, ...(isMost && { most: place }) };
}

/** Whether visits of a place moved so much on the days of a change that the mix of them may have made it. */
function isOutgrown(
  { studies }: Scene,
  { place, relative = 0 }: Pick<Located, 'place' | 'relative'>,
  days: EventQuestion['days'],
): boolean {
  const study = days.shape === 'drift' ? undefined : studies.get(seriesId('visits', place));
  const visits = study && effectOnDays(study, days);
  return visits !== undefined && Math.abs(visits.score) >= CLEAR && Math.abs(relative) < MOST_BY_MIX * Math.abs(visits.relative);
}

/** Finds the widest place where all parts moved alike, or the narrow one where it happened; undefined where that is chance. */
function locate(scene: Scene, question: EventQuestion): Located | undefined {
  const { metric, goalId, days } = question;
  const all: Place = { ...scene.base, goalId };
  const whole = scene.series.get(seriesId(metric, all));
  if (!whole) return undefined; // what could not be read is told
  const moves = movesOf(scene, whole, question);
  const widest = widestPlace(scene, moves, all, question);
  if (!widest) return undefined;
  const { isNarrow, ...where } = widest;
  return {
    ...where,
    maker: isLikewise(moves.ofAll, where.relative) ? moves.maker : undefined,
    mixOf(other, relative) {
      const own = moves.groupAt(other);
      const fits = own?.verdict === 'more' && isAlone(own);
      if (isNarrow) return (areSameVisitors(other, where.place) || !fits) && isOutgrown(scene, where, days) ? 'maybe' : undefined;
      return areSameVisitors(other, all) || !moves.hasMoved ? undefined : mixFrom(moves, other, relative, days.shape === 'drift');
    },
  };
}

/** How one metric moved on the days of a change. */
export interface Part extends Effect {
  readonly metric: string;
  readonly place: Place;
  /** All visitors' figure moved because a part of them are more or fewer. */
  readonly mix?: { readonly of: Mix /** The part that is more; undefined of fewer. */; readonly grown: Place | undefined };
}

/** One change: what happened on some days at one place. */
export interface ChangeEvent {
  readonly shape: DatedChange['shape'] | 'drift';
  readonly from: string;
  /** Left out where it goes on. */
  readonly to?: string | undefined;
  readonly days: number;
  readonly earliest: string;
  readonly latest: string;
  readonly place: Place;
  /** A part of the place where it is larger than elsewhere. */
  readonly most?: Place | undefined;
  /** The part that made the change, where too little is known of its days before to measure it there. */
  readonly maker?: Place | undefined;
  /** Independent changes first, then those that follow from them. */
  readonly parts: readonly Part[];
  readonly pValue: number;
}

/** A metric less clear than this in all series changes no line of its own. */
const LEAST_CLEAR = 0.002;
const ORDER = ['visits', 'conversionRate', 'cartAverage', 'tapRate', 'dragFlickRate'];

const rankOf = ({ metric }: Pick<ChangeSeries, 'metric'>) => {
  const rank = ORDER.indexOf(metric);
  return rank < 0 ? ORDER.length : rank;
};

/** A metric of one goal with all series that show it; the clearest first. */
interface Root {
  readonly metric: string;
  readonly goalId: number | undefined;
  readonly members: readonly Found[];
}

/** Independent changes: a metric of each goal and direction, as they are told. */
function rootsOf(members: readonly Found[]): Root[] {
  // Places that moved against each other on the same days are two changes.
  const groups = grouped(members, ({ series: { metric, place }, finding }) =>
    [seriesId(metric, { device: 'all', goalId: place.goalId }), Math.sign(finding.relative)].join(' '),
  );
  const all = [...groups.values()].map((own): Root => {
    const clearest = own.toSorted((a, b) => a.finding.pValue - b.finding.pValue);
    const { metric = '', place } = clearest[0]?.series ?? {};
    return { metric, goalId: place?.goalId, members: clearest };
  });
  const clear = all.filter(({ members: [first] }) => (first?.finding.pValue ?? 1) <= LEAST_CLEAR);
  return (clear.length > 0 ? clear : all.slice(0, 1)).toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** A metric of a place on some days; undefined where it was not read, or these cannot be distinguished from the rest. */
function partAt({ series, studies }: Scene, metric: string, place: Place, days: Days): Part | undefined {
  const own = series.get(seriesId(metric, place));
  const study = own && studies.get(own.id);
  const effect = study && effectOnDays(study, days);
  return effect && own ? { metric, place: own.place, ...effect } : undefined;
}

interface Draft {
  readonly place: Place;
  /** Of its first root. */
  readonly relative: number | undefined;
  readonly most?: Place | undefined;
  readonly maker?: Place | undefined;
  readonly roots: readonly Root[];
  readonly mixed: readonly (Root & { readonly mix: NonNullable<Part['mix']>; readonly at: Place })[];
}

/** A root joins what already has its place; one that only follows from the mix of visits joins those. */
function placed(drafts: readonly Draft[], root: Root, located: Located | undefined, { lead }: Cluster) {
  if (!located) return drafts;
  const isDrift = lead.finding.shape === 'drift';
  const { place, relative, most, maker } = located;
  const visits = root.metric === 'visits' ? undefined : drafts.find(({ roots }) => roots.some(({ metric }) => metric === 'visits'));
  const of = visits && located.mixOf(visits.place, visits.relative ?? 0);
  if (of) {
    const grown = (visits.relative ?? 0) > 0 ? (visits.maker ?? visits.most ?? visits.place) : undefined;
    const mixed = { ...root, mix: { of, grown }, at: place };
    return drafts.map((each) => (each === visits ? { ...each, mixed: [...each.mixed, mixed] } : each));
  }
  // What drifts drifts by itself.
  const beside = drafts.filter(({ roots }) => !roots.some(({ metric, goalId }) => metric === root.metric && goalId === root.goalId));
  const known = isDrift ? undefined : beside.find((each) => areSameVisitors(each.place, place));
  if (!known) return [...drafts, { place, relative, most, maker, roots: [root], mixed: [] }];
  return drafts.map((each) => (each === known ? { ...each, roots: [...each.roots, root] } : each));
}

function eventOf(scene: Scene, { lead, members }: Cluster, draft: Draft): ChangeEvent {
  const { finding } = lead;
  const days: Days = finding.shape === 'drift' ? { from: scene.from } : finding;
  const { place, roots, mixed, most, maker } = draft;
  const rootParts = roots.flatMap(({ metric, goalId }): Part[] => {
    // What was found at the very place says it best; of a drift it is the slope.
    const exact = members.find(({ series }) => series.id === seriesId(metric, { ...place, goalId }));
    const found = exact?.finding;
    // What drifts at some places of many and not where it is told is no drift of that.
    if (!found && finding.shape === 'drift') return [];
    if (found && (finding.shape === 'drift' || (found.from === finding.from && found.to === finding.to)))
      return [{ metric, place: { ...place, goalId }, relative: found.relative, low: found.low, high: found.high, score: CLEAR }];
    const part = partAt(scene, metric, { ...place, goalId }, days);
    return part ? [part] : [];
  });
  const mixParts = mixed.flatMap(({ metric, goalId, mix, at }): Part[] => {
    const part = partAt(scene, metric, { ...at, goalId }, days);
    return part && part.low * part.high > 0 ? [{ ...part, place: { ...at, goalId }, mix }] : [];
  });
  const goalIds = [...new Set(roots.map(({ goalId }) => goalId))];
  const own: Place = { ...place, goalId: goalIds.includes(scene.base.goalId) ? scene.base.goalId : goalIds[0] };
  const { shape, from, to, days: length, earliest, latest } = finding;
  const shown = [...roots, ...mixed].flatMap((root) => root.members);
  return {
    shape,
    from,
    to,
    days: length,
    earliest,
    latest,
    place: own,
    most,
    ...(maker && { maker }),
    parts: [...rootParts, ...mixParts],
    pValue: Math.min(...shown.map((each) => each.finding.pValue)),
  };
}

/** Days of other changes, which must not disturb where this one is. */
function otherDays(cluster: Cluster, accepted: readonly Cluster[]): Days[] {
  const own = cluster.lead.finding;
  return accepted.map(({ lead }) => lead.finding).filter((other) => other.shape !== 'drift' && !areNeighbours(other, own));
}

/** The events of a cluster: one change, or several at different places that began together. */
export function eventsOf(scene: Scene, cluster: Cluster, accepted: readonly Cluster[], limit: number): ChangeEvent[] {
  const others = otherDays(cluster, accepted);
  const ofZones = grouped(cluster.members, ({ series }) => series.place.zoneId);
  const events = [...ofZones].flatMap(([zoneId, members]) => {
    const roots = rootsOf(members);
    if (zoneId !== undefined) {
      const [first] = roots;
      const place = first?.members[0]?.series.place;
      return place ? [eventOf(scene, cluster, { place, relative: undefined, roots, mixed: [] })] : [];
    }
    const drafts = roots.reduce<readonly Draft[]>(
      (known, root) => placed(known, root, locate(scene, { ...root, days: cluster.lead.finding, others }), cluster),
      [],
    );
    return drafts.map((draft) => eventOf(scene, cluster, draft));
  });
  return events.filter(({ pValue, parts }) => pValue <= limit && parts.length > 0);
}
