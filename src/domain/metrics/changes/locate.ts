import { findReasons, type GroupChange } from '../engine/reasons.ts';
import { type Days, effectOnDays } from '../engine/same-change.ts';
import type { Finding } from '../engine/scan.ts';
import { type ChangeSeries, type Place, seriesId } from './change-series.ts';
import type { Found } from './clusters.ts';
import type { Scene } from './scene.ts';

/** Where a metric changed. */
export interface Located {
  readonly place: Place;
  /** The part of the place that moved most, where all did. */
  readonly most?: Place | undefined;
  /** Whether the change lies at another place as well as at its own, as far as the days tell. */
  readonly fits: (place: Place) => boolean;
  /** Whether it comes from more or fewer visits of a place. Undefined: it does not. */
  readonly mixOf: (place: Place) => Mix | undefined;
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
/** Score from which on all visitors together have changed. */
const CLEAR = 3;

const isWithin = (group: GroupChange) => group.verdict === 'more' && isAlone(group);
const isAlone = ({ relative, relativeOfOthers }: GroupChange) =>
  relativeOfOthers === null || Math.abs(relativeOfOthers) < ELSEWHERE * Math.abs(relative ?? 0);
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
  if (!whole) return { place: clearest, fits: () => false, mixOf: () => undefined };
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
  const { groups } = findReasons(occasion, parts.map(({ id, days: own }) => ({ name: id, days: own }))); // biome-ignore format: one thought
  const byId = new Map(groups.map((group) => [group.name, group]));
  const groupAt = (place: Place) => byId.get(seriesId(metric, { ...place, goalId }));
  const study = studies.get(whole.id);
  const ofWhole = members.find(({ series: own }) => own.id === whole.id);
  const effect = isDrift ? ofWhole?.finding : study && effectOnDays(study, { from: days.from, to });
  const hasMoved = ofWhole !== undefined || (effect !== undefined && 'score' in effect && Math.abs(effect.score) >= CLEAR);
  const clearer = groups.filter(({ verdict }) => verdict === 'more').toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score));
  const group = clearer.find(isAlone) ?? clearer[0];
  const place = group && series.get(group.name)?.place;
  const isNarrow = group !== undefined && isAlone(group);
  return {
    place: place && isNarrow ? place : hasMoved ? all : clearest,
    ...(place && !isNarrow && hasMoved && { most: place }),
    fits(other) {
      const own = groupAt(other);
      return own !== undefined && isWithin(own);
    },
    mixOf(other) {
      const own = groupAt(other);
      const isWhole = seriesId('visits', other) === seriesId('visits', all);
      if (isNarrow || isWhole || !hasMoved) return undefined;
      const most = Math.abs(effect?.relative ?? 0) / 2;
      const isStill = own && (holdsZero(own) || Math.abs(own.relative ?? 0) < most);
      return isStill && Math.abs(own.relativeOfOthers ?? 0) < most ? 'yes' : 'maybe';
    },
  };
}
