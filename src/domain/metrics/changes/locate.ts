import { findReasons, type GroupChange } from '../engine/reasons.ts';
import { type Days, effectOnDays } from '../engine/same-change.ts';
import type { Finding } from '../engine/scan.ts';
import { type ChangeSeries, type Place, type Scene, seriesId } from './change-series.ts';
import type { Found } from './clusters.ts';

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

interface Question {
  readonly metric: string;
  readonly goalId: number | undefined;
  readonly members: readonly Found[];
  readonly days: Pick<Finding, 'from' | 'to' | 'shape'>;
  readonly others: readonly Days[];
}

/** A change lies in a group alone if the others moved by less than this share of it. */
const ELSEWHERE = 0.35;
/** A part is named beside the whole if it moved by so many times as much as the others. */
const MUCH_MORE = 1.5;
/**
 * Of a change of visits of a part, the most that the mix makes of a rate: shares move by a quarter of it, rates differ by about as much.
 */
const MOST_BY_MIX = 0.35;
/** Score from which on all visitors together have changed. */
const CLEAR = 3;

const isWithin = (group: GroupChange) => group.verdict === 'more' && isAlone(group);
const isAlone = ({ relative, relativeOfOthers }: GroupChange) =>
  relativeOfOthers === null || Math.abs(relativeOfOthers) < ELSEWHERE * Math.abs(relative ?? 0);
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
export function locate(scene: Scene, question: Question): Located {
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
  return {
    place: place && isNarrow ? place : hasMoved ? all : clearest,
    ...(place && !isNarrow && hasMoved && isMuchMore(group) && { most: place }),
    fits(other) {
      const own = groupAt(other);
      return own !== undefined && isWithin(own);
    },
    relative: isNarrow ? (group.relative ?? undefined) : hasMoved ? effect?.relative : first,
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
