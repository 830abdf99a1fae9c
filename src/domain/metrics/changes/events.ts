import { grouped } from '../../../lib/grouped.ts';
import type { DatedChange } from '../engine/changes.ts';
import { findReasons, type GroupChange } from '../engine/reasons.ts';
import { type Days, type Effect, effectOnDays, type Finding } from '../engine/scan.ts';
import {
  areNeighbours,
  type ChangeSeries,
  type Cluster,
  type Found,
  isProduct,
  type Place,
  type Scene,
  seriesId,
} from './change-series.ts';

/** Where a metric changed. */
export interface Located {
  readonly place: Place;
  /** The part of the place that moved most, where all did. */
  readonly most?: Place | undefined;
  /** Whether the change lies at another place as well as at its own, as far as the days show. */
  readonly fits: (place: Place) => boolean;
  /** Whether it comes from more or fewer visits of a place, which changed by `relative`. Undefined: it does not. */
  readonly mixOf: (place: Place, relative: number) => Mix | undefined;
  /** How much it changed there; undefined where that is not known. */
  readonly relative: number | undefined;
}

/** Whether a part of all visitors being more or fewer explains a change of all; `maybe` where the days of that part do not show it. */
export type Mix = 'yes' | 'maybe';

interface EventQuestion {
  readonly metric: string;
  readonly goalId: number | undefined;
  readonly members: readonly Found[];
  readonly days: Pick<Finding, 'from' | 'to' | 'shape'>;
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

const isWithin = (group: GroupChange) => group.verdict === 'more' && isAlone(group);
const isAlone = ({ relative, relativeOfOthers }: GroupChange) =>
  relativeOfOthers === null ||
  // What moved against it is another change.
  relativeOfOthers * (relative ?? 0) <= 0 ||
  Math.abs(relativeOfOthers) < ELSEWHERE * Math.abs(relative ?? 0);
const isMuchMore = ({ relative, relativeOfOthers }: GroupChange) => Math.abs(relative ?? 0) > MUCH_MORE * Math.abs(relativeOfOthers ?? 0);
const holdsZero = ({ low, high }: GroupChange) => low !== null && high !== null && low <= 0 && high >= 0;

/** Series of the same metric and goal for parts of all visitors. */
function partsOf({ series, base }: Scene, metric: string, goalId: number | undefined): ChangeSeries[] {
  const whole = seriesId(metric, { ...base, goalId });
  return [...series.values()].filter(
    ({ id, metric: own, place }) =>
      own === metric && id !== whole && id === seriesId(metric, { ...place, goalId }) && place.zoneId === undefined,
  );
}

/** Finds the widest place where all parts moved alike, or the narrow one where it happened. */
function locate(scene: Scene, question: EventQuestion): Located {
  const { metric, goalId, members, days, others } = question;
  const { series, studies, base } = scene;
  const all: Place = { ...base, goalId };
  const clearest = members[0]?.series.place ?? all;
  const whole = series.get(seriesId(metric, all));
  const first = members[0]?.finding.relative;
  if (!whole) return { place: clearest, fits: () => false, mixOf: () => undefined, relative: first };
  const parts = partsOf(scene, metric, goalId);
  const isDrift = days.shape === 'drift';
  const to = days.to ?? scene.to;
  const occasion = {
    kind: whole.kind,
    whole: whole.days,
    from: days.from,
    to,
    periodFrom: scene.from,
    isDrift,
    others: others.map((other) => ({ from: other.from, to: other.to ?? scene.to })),
  };
  const { groups } = findReasons(
    occasion,
    parts.map(({ id, days: own }) => ({ name: id, days: own })),
  );
  const byId = new Map(groups.map((group) => [group.name, group]));
  const groupAt = (place: Place) => byId.get(seriesId(metric, { ...place, goalId }));
  const study = studies.get(whole.id);
  const ofWhole = members.find(({ series: own }) => own.id === whole.id);
  const effect = isDrift ? ofWhole?.finding : study && effectOnDays(study, { from: days.from, to });
  const isLikewise = (relative: number | null | undefined) => (relative ?? 0) * (first ?? 0) > 0;
  const isClear = effect !== undefined && 'score' in effect && Math.abs(effect.score) >= CLEAR;
  const hasMoved = isLikewise(effect?.relative) && (ofWhole !== undefined || isClear);
  const clearer = groups
    .filter(({ verdict, relative }) => verdict === 'more' && isLikewise(relative))
    .toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score));
  const group = clearer.find(isAlone) ?? clearer[0];
  const place = group && series.get(group.name)?.place;
  const isNarrow = group !== undefined && isAlone(group);
  const wide = hasMoved ? all : clearest;
  const ofWide = hasMoved ? effect?.relative : first;
  return {
    place: place && isNarrow ? place : wide,
    ...(place && !isNarrow && hasMoved && isMuchMore(group) && { most: place }),
    fits(other) {
      const own = groupAt(other);
      return own !== undefined && isWithin(own);
    },
    relative: isNarrow ? (group.relative ?? undefined) : ofWide,
    mixOf(other, relative) {
      const own = groupAt(other);
      const isWhole = seriesId('visits', other) === seriesId('visits', all);
      if (isNarrow || isWhole || !hasMoved) return undefined;
      const change = Math.abs(effect?.relative ?? 0);
      const isStill = own && (holdsZero(own) || Math.abs(own.relative ?? 0) < change / 2);
      if (isStill && Math.abs(own.relativeOfOthers ?? 0) < change / 2) return 'yes';
      return !isDrift && change < MOST_BY_MIX * Math.abs(relative) ? 'maybe' : undefined;
    },
  };
}

/** How one metric moved on the days of a change. */
export interface Part extends Effect {
  readonly metric: string;
  readonly place: Place;
  /** All visitors' figure moved because a part of them are more or fewer; `maybe` where what was read does not show it. */
  readonly mix?: Mix;
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
  /** Independent changes first, then those that follow from them. */
  readonly parts: readonly Part[];
  readonly pValue: number;
  /** Series that show it. */
  readonly seriesCount: number;
}

/** A metric less clear than this in all series changes no line of its own. */
const LEAST_CLEAR = 0.002;
const ORDER = ['visits', 'conversionRate', 'cartAverage', 'tapRate', 'dragFlickRate'];

const rankOf = ({ metric }: Pick<ChangeSeries, 'metric'>) => {
  const rank = ORDER.indexOf(metric);
  return rank < 0 ? ORDER.length : rank;
};

const sameVisitors = (a: Place, b: Place) => seriesId('visits', a) === seriesId('visits', b);

/** A metric of one goal with all series that show it; the clearest first. */
interface Root {
  readonly metric: string;
  readonly goalId: number | undefined;
  readonly members: readonly Found[];
}

/** Independent changes: factors before their products, which are roots only where no factor shows. */
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
  const clear = all.filter(({ members: [first] }) => first && first.finding.pValue <= LEAST_CLEAR);
  const factors = clear.filter(({ metric }) => !isProduct(metric));
  if (factors.length > 0) return factors.toSorted((a, b) => rankOf(a) - rankOf(b));
  const products = (clear.length > 0 ? clear : all).filter(({ metric }) => isProduct(metric));
  // Revenue follows conversions.
  const counts = products.filter(({ metric }) => metric === 'conversionCount');
  const found = [counts, products, all].find(({ length }) => length > 0) ?? [];
  return found.slice(0, 1);
}

/** A metric of a place on some days; undefined where it was not read, or these cannot be distinguished from the rest. */
export function partAt({ series, studies }: Scene, metric: string, place: Place, days: Days): Part | undefined {
  const own = series.get(seriesId(metric, place));
  const study = own && studies.get(own.id);
  const effect = study && effectOnDays(study, days);
  return effect && own ? { metric, place: own.place, ...effect } : undefined;
}

/** Conversions and revenue where they moved with what they are made of. */
export function productsAt(scene: Scene, place: Place, days: Days, roots: readonly Pick<Root, 'metric'>[]): Part[] {
  const own = new Set(roots.map(({ metric }) => metric));
  return ['conversionCount', 'revenueSum'].flatMap((metric) => {
    if (own.has(metric) || (metric === 'revenueSum' && place.goalId !== scene.base.goalId)) return [];
    const part = partAt(scene, metric, place, days);
    return part && Math.abs(part.score) >= CLEAR ? [part] : [];
  });
}

interface Draft {
  readonly place: Place;
  /** Of its first root. */
  readonly relative: number | undefined;
  readonly most?: Place | undefined;
  readonly roots: readonly Root[];
  readonly mixed: readonly (Root & { readonly mix: Mix })[];
}

/** A root joins what already has its place; one that only follows from the mix of visits joins those. */
function placed(drafts: readonly Draft[], root: Root, located: Located, isDrift: boolean): Draft[] {
  const visits = drafts.find(({ roots }) => roots.some(({ metric }) => metric === 'visits'));
  const mix = visits && root.metric !== 'visits' ? located.mixOf(visits.place, visits.relative ?? 0) : undefined;
  if (mix) return drafts.map((draft) => (draft === visits ? { ...draft, mixed: [...draft.mixed, { ...root, mix }] } : draft));
  // What drifts drifts by itself.
  const others = drafts.filter(({ roots }) => !roots.some(({ metric, goalId }) => metric === root.metric && goalId === root.goalId));
  const known = isDrift
    ? undefined
    : (others.find(({ place }) => sameVisitors(place, located.place)) ?? others.find(({ place }) => located.fits(place)));
  if (!known) return [...drafts, { place: located.place, relative: located.relative, most: located.most, roots: [root], mixed: [] }];
  return drafts.map((draft) => (draft === known ? { ...draft, roots: [...draft.roots, root] } : draft));
}

function eventOf(scene: Scene, { lead, members }: Cluster, draft: Draft): ChangeEvent {
  const { finding } = lead;
  const days: Days = finding.shape === 'drift' ? { from: scene.from } : finding;
  const { place, roots, mixed, most } = draft;
  const rootParts = roots.flatMap(({ metric, goalId, members: [first] }): Part[] => {
    const own = first?.finding;
    // What was found at the very place says it best; of a drift it is the slope.
    const exact = members.find(({ series }) => series.id === seriesId(metric, { ...place, goalId }));
    const found = exact?.finding ?? (finding.shape === 'drift' ? own : undefined);
    if (found && (finding.shape === 'drift' || (found.from === finding.from && found.to === finding.to)))
      return [{ metric, place: { ...place, goalId }, relative: found.relative, low: found.low, high: found.high, score: CLEAR }];
    const part = partAt(scene, metric, { ...place, goalId }, days);
    return part ? [part] : [];
  });
  const mixParts = mixed.flatMap(({ metric, goalId, mix }): Part[] => {
    const part = partAt(scene, metric, { ...scene.base, goalId }, days);
    return part ? [{ ...part, place: { ...scene.base, goalId }, mix }] : [];
  });
  const goalIds = [...new Set(roots.map(({ goalId }) => goalId))];
  const own: Place = { ...place, goalId: goalIds.includes(scene.base.goalId) ? scene.base.goalId : goalIds[0] };
  const products = finding.shape === 'drift' ? [] : productsAt(scene, own, days, roots);
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
    parts: [...rootParts, ...products, ...mixParts],
    pValue: Math.min(...shown.map((each) => each.finding.pValue)),
    seriesCount: shown.length,
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
    const drafts = roots.reduce<readonly Draft[]>((known, root) => {
      const { finding } = cluster.lead;
      return placed(known, root, locate(scene, { ...root, days: finding, others }), finding.shape === 'drift');
    }, []);
    return drafts.map((draft) => eventOf(scene, cluster, draft));
  });
  return events.filter(({ pValue, parts }) => pValue <= limit && parts.length > 0);
}
