import { grouped } from '../../../lib/grouped.ts';
import type { DatedChange } from '../engine/changes.ts';
import { type Days, type Effect, effectOnDays } from '../engine/scan.ts';
import {
  areNeighbours,
  areSameVisitors,
  type ChangeSeries,
  type Cluster,
  type Found,
  isProduct,
  type Place,
  type Scene,
  seriesId,
} from './change-series.ts';
import { CLEAR, type Located, locate, type Mix } from './locate.ts';

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
  /** The part that made the change, where too little is known of its days before to measure it there. */
  readonly maker?: Place | undefined;
  /** Other zones that show the same day, where their orders are the same. */
  readonly also?: readonly { readonly place: Place; readonly relative: number }[];
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

/** A metric of one goal with all series that show it; the clearest first. */
interface Root {
  readonly metric: string;
  readonly goalId: number | undefined;
  readonly members: readonly Found[];
}

/** A factor is told before those of a higher rank where these are so many times more likely to be chance. */
const FAR_CLEARER = 1000;
const pValueOf = ({ members: [first] }: Root) => first?.finding.pValue ?? 1;

/** Roots as they are told, the first one for the change: by rank, unless another is far clearer. */
function inOrder(roots: readonly Root[]): Root[] {
  const [clearest] = roots.toSorted((a, b) => pValueOf(a) - pValueOf(b));
  const [first] = roots;
  if (!first || !clearest || FAR_CLEARER * pValueOf(clearest) >= pValueOf(first)) return [...roots];
  return [clearest, ...roots.filter((root) => root !== clearest)];
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
  // What drifts slowly drifts by a factor, which scatters less than the product.
  const isDrift = members.every(({ finding }) => finding.shape === 'drift');
  if (factors.length > 0 || isDrift) return factors.toSorted((a, b) => rankOf(a) - rankOf(b));
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

interface Draft {
  readonly place: Place;
  /** Of its first root. */
  readonly relative: number | undefined;
  readonly most?: Place | undefined;
  readonly maker?: Place | undefined;
  readonly roots: readonly Root[];
  readonly mixed: readonly (Root & { readonly mix: Mix; readonly at: Place })[];
}

/** A root joins what already has its place; one that only follows from the mix of visits joins those. */
function placed(drafts: readonly Draft[], root: Root, located: Located | undefined, isDrift: boolean): readonly Draft[] {
  if (!located) return drafts;
  const visits = drafts.find(({ roots }) => roots.some(({ metric }) => metric === 'visits'));
  const mix = visits && root.metric !== 'visits' ? located.mixOf(visits.place, visits.relative ?? 0) : undefined;
  if (mix)
    return drafts.map((draft) => (draft === visits ? { ...draft, mixed: [...draft.mixed, { ...root, mix, at: located.place }] } : draft));
  // What drifts drifts by itself.
  const others = drafts.filter(({ roots }) => !roots.some(({ metric, goalId }) => metric === root.metric && goalId === root.goalId));
  const known = isDrift
    ? undefined
    : (others.find(({ place }) => areSameVisitors(place, located.place)) ?? others.find(({ place }) => located.fits(place)));
  const { place, relative, most, maker } = located;
  if (!known) return [...drafts, { place, relative, most, maker, roots: [root], mixed: [] }];
  return drafts.map((draft) => (draft === known ? { ...draft, roots: [...draft.roots, root] } : draft));
}

function eventOf(scene: Scene, { lead, members }: Cluster, draft: Draft): ChangeEvent {
  const { finding } = lead;
  const days: Days = finding.shape === 'drift' ? { from: scene.from } : finding;
  const { place, roots, mixed, most, maker } = draft;
  const rootParts = inOrder(roots).flatMap(({ metric, goalId }): Part[] => {
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
    return part ? [{ ...part, place: { ...at, goalId }, mix }] : [];
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
