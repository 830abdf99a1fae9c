import type { Facts } from '../findings/finding.ts';
import { dayAfter } from '../lib/calendar.ts';
import { byMost } from '../lib/order.ts';
import { Z_99 } from '../statistics/tails.ts';
import { type Contribution, type Explained, effectsOf, explain, type GroupValues, isMix, partition } from './compare/contributions.ts';
import { changesBeside, measureChange, sizeOfDays } from './engine/measure.ts';
import { findReasons, type GroupChange } from './engine/reasons.ts';
import { LAST } from './engine/scan.ts';
import { isSum } from './engine/series.ts';
import { combined } from './read/combine.ts';
import { kindOf, metricsToRead } from './read/day-points.ts';
import { OTHER_DEVICE } from './read/metric-grid.ts';
import {
  type AskedDays,
  DAYS_BEFORE,
  goesAlong,
  isDay,
  isOn,
  keyOf,
  measuredAt,
  measuredOn,
  movedOn,
  pointsKnown,
  type SiteChange,
  type Visits,
} from './site-changes.ts';

/** Whether all visits of one selection are visits of another one. */
export const isWithin = (part: Visits, whole: Visits) =>
  part.zoneId === whole.zoneId &&
  part.goalId === whole.goalId &&
  (whole.device === 'all' || part.device === whole.device) &&
  whole.segmentIds.every((id) => part.segmentIds.includes(id));
/** The same of visits that are not all of these. */
const isPartOf = (part: Visits, whole: Visits) => isWithin(part, whole) && keyOf(part) !== keyOf(whole);

/** Where a change may lie. */
export interface Places<Of extends Visits = Visits> {
  /** All visits that were read. */
  readonly all: readonly Of[];
  /** How many were looked at, where those that looked most alike are left out. */
  readonly looked?: number | undefined;
  /** Changes of its metric that some of them show by themselves. */
  readonly shown: readonly SiteChange<Of>[];
}

/** How the parts of its visits moved on the days of a change, and the one that made it although too little is known of its days before. */
function partMoves<Of extends Visits>({ metric, reading, change }: SiteChange<Of>, { all, looked }: Omit<Places<Of>, 'shown'>) {
  const whole = pointsKnown(reading, metric);
  const { shape, from, to = whole.at(-1)?.label ?? from } = change;
  const parts = all.filter((each) => isPartOf(each, reading) && pointsKnown(each, metric).length > 0);
  const isDrift = shape === 'drift';
  // Days of a campaign before it would make of each part that had it one that moved.
  const others = isDrift ? [] : changesBeside(kindOf(metric), whole, change);
  const occasion = { kind: kindOf(metric), whole, from, to, periodFrom: from, isDrift, others };
  const groups = parts.map((part) => ({ name: keyOf(part), days: pointsKnown(part, metric) }));
  const { groups: moves, maker } = findReasons(occasion, groups, looked);
  return {
    moves: parts.flatMap((part, at) => (moves[at] ? [{ ...moves[at], part }] : [])),
    maker: parts.find((part) => keyOf(part) === maker),
  };
}

/** A change lies in a part alone if the others moved by less than this share of it. */
const ELSEWHERE = 0.35;
// The others moved against it: that is another change.
const isApart = ({ relative, relativeOfOthers }: GroupChange) => (relativeOfOthers ?? 0) * (relative ?? 0) <= 0;
const isAlone = (move: GroupChange) => isApart(move) || Math.abs(move.relativeOfOthers ?? 0) < ELSEWHERE * Math.abs(move.relative ?? 0);

/**
 * The part that alone moved the way of a change: the clearest without which nothing is left of it, because without one browser of a device
 * that broke, the others of it still show the break; else the clearest.
 */
export function partAlone<Of extends Visits>(own: SiteChange<Of>, places: Places<Of>): Of | undefined {
  const { moves } = partMoves(own, places);
  const alone = moves
    .filter((move) => move.verdict === 'more' && (move.relative ?? 0) * own.change.relative > 0 && isAlone(move))
    .toSorted(byMost(({ score }) => Math.abs(score)));
  const quiet = alone.filter((move) => isApart(move) || move.scoreOfOthers <= Z_99);
  const [clearest] = quiet.length > 0 ? quiet : alone;
  // Of parts that a standard deviation cannot tell apart a device comes first, whichever segments were read.
  const isAsClear = ({ score }: GroupChange) => Math.abs(score) >= Math.abs(clearest?.score ?? 0) - 1;
  const device = quiet.find((move) => isAsClear(move) && move.part.segmentIds.length === own.reading.segmentIds.length);
  return (device ?? clearest)?.part;
}

/** Whether a change is that of a part, which moved unlike the rest of some visits: by plain sums, because a season moves all parts. */
export function isOfThisPart(part: SiteChange, whole: SiteChange): boolean {
  const movedBy = ({ metric, reading, change }: SiteChange) => movedOn(pointsKnown(reading, metric), change);
  const [own, all] = [movedBy(part), movedBy(whole)];
  return !goesAlong((all.moved - own.moved) / (all.usual - own.usual), part.change.relative);
}

/** A change on the part of its visits that alone moved its way, as dated and sized there. */
function onItsPart<Of extends Visits>(own: SiteChange<Of>, places: Places<Of>): SiteChange<Of> | undefined {
  const reading = partAlone(own, places);
  const there = reading && measuredOn({ ...own, reading });
  return there && there.change.relative * own.change.relative > 0 && isOfThisPart(there, own) ? there : undefined;
}

/** The change of a part, of those that parts show by themselves, that a change is: on its days the part moved unlike the rest. */
function foundInPart<Of extends Visits>(own: SiteChange<Of>, { shown }: Places<Of>): SiteChange<Of> | undefined {
  const { metric, reading, change } = own;
  const days = { first: change.from, last: change.to ?? LAST };
  const found = shown.find((part) => {
    // A day of a level is no unusual one.
    if (!isPartOf(part.reading, reading) || isDay(part) !== isDay(own)) return false;
    if (part.change.relative * change.relative <= 0 || !isOn(part.change, days)) return false;
    const size = sizeOfDays(kindOf(metric), pointsKnown(part.reading, metric), change);
    return size !== undefined && isOfThisPart({ ...part, change: { ...change, ...size } }, own);
  });
  return found && measuredAt(found);
}

/** A change on the one part of its visits that moved unlike the rest; itself where none did. */
const narrowed = <Of extends Visits>(own: SiteChange<Of>, places: Places<Of>) => onItsPart(own, places) ?? foundInPart(own, places) ?? own;

/** A change of a part of some visits as all of them show it, where the rest of them went along; undefined where it is that of the part. */
function onTheWhole<Of extends Visits>(own: SiteChange<Of>, reading: Of): SiteChange<Of> | undefined {
  const change = measureChange(kindOf(own.metric), pointsKnown(reading, own.metric), own.change);
  const there = change && { ...own, reading, change };
  return there && !isOfThisPart(own, there) ? there : undefined;
}

type Causes = Facts['causes'];

/** A part of a change, of 1; undefined where it has none. */
export const shareOf = (contribution: number | undefined, change: number) =>
  contribution && change ? Number((contribution / change).toFixed(2)) : undefined;

/** Points by which the share of a segment must have moved to be named. */
const LEAST_MOVED = 3;

/** A part of all visits by its share of them on both sides, in percent. */
type Shared = Pick<Contribution, 'name' | 'shareBefore' | 'shareAfter'>;

/** The part whose share moved most, and which way: `a smaller share of mobile`; empty without one. */
function movedShare(parts: readonly Shared[]): string[] {
  const movedOf = ({ shareBefore = 0, shareAfter = 0 }: Shared) => shareAfter - shareBefore;
  const [most] = parts.toSorted(byMost((part) => Math.abs(movedOf(part))));
  return most ? [`a ${movedOf(most) > 0 ? 'larger' : 'smaller'} share of ${most.name}`] : [];
}

/** The mix of visits where it makes a rate of them all move: of devices, else of a segment and the others. */
export function mixCauses(
  divisions: readonly (Explained | undefined)[],
  whole: Omit<GroupValues, 'name'>,
  segments: readonly GroupValues[],
): Causes {
  const explained = divisions.find((each) => each && isMix(each));
  const share = explained && shareOf(effectsOf(explained).mix, explained.change);
  if (!explained || share === undefined) return [];
  const percentOf = (own: GroupValues['before'], of: GroupValues['before']) => (100 * (own['visits'] ?? 0)) / (of['visits'] || 1);
  const shared = segments.map(({ name, before, after }) => ({
    name,
    shareBefore: percentOf(before, whole.before),
    shareAfter: percentOf(after, whole.after),
  }));
  const far = shared.filter(({ shareBefore, shareAfter }) => Math.abs(shareAfter - shareBefore) >= LEAST_MOVED);
  const known = explained === divisions[0] ? explained.groups : [];
  return [...movedShare(known), ...movedShare(far)].map((name) => ({ kind: 'mix' as const, name, share, basis: 'measured' as const }));
}

/** Some visits on the days before a change and on those of it. */
function besideChange(name: string, { known }: Visits, { metric, change: { from, to } }: SiteChange): GroupValues {
  const valuesOn = (days: AskedDays) => {
    const rows = known.filter(
      ({ interval: { label, isPart } }) => label !== undefined && !isPart && isOn({ from: label, to: label }, days),
    );
    const parts = rows.map(({ values }) => values);
    return Object.fromEntries(metricsToRead([metric]).map((each) => [each, combined(parts, each)]));
  };
  const before = { first: dayAfter(from, -DAYS_BEFORE), last: dayAfter(from, -1) };
  return { name, before: valuesOn(before), after: valuesOn({ first: from, last: to ?? LAST }) };
}

/** A change by parts of its visits on its own days, a count by that of a day; undefined where they do not divide it. */
function explainedBy({ metric, change }: SiteChange, whole: GroupValues, parts: readonly GroupValues[]): Explained | undefined {
  const groups = parts.length > 0 ? partition(metric, whole, parts, OTHER_DEVICE) : undefined;
  const explained = groups && explain(metric, 0, groups, { before: 1 / DAYS_BEFORE, after: 1 / change.days });
  return explained && { ...explained, change: explained.groups.reduce((sum, { contribution }) => sum + contribution, 0) };
}

/** A part is named beside the whole if it moved this many times as much as the others, and has this share of the change at least. */
const [MUCH_MORE, MOST] = [1.5, 0.5];

/** The part of its visits that moved much more than the others and has most of a change. */
function widestPart<Of extends Visits>({ metric, reading, change }: SiteChange<Of>, moves: ReturnType<typeof partMoves<Of>>['moves']) {
  const movedAt = (visits: Of, relative: number) => Math.abs(movedOn(pointsKnown(visits, metric), { ...change, relative }).moved);
  const isMost = ({ verdict, relative, relativeOfOthers, part }: (typeof moves)[number]) =>
    verdict === 'more' &&
    (relative ?? 0) * change.relative > 0 &&
    Math.abs(relative ?? 0) > MUCH_MORE * Math.abs(relativeOfOthers ?? 0) &&
    movedAt(part, relative ?? 0) >= MOST * movedAt(reading, change.relative);
  return moves.filter(isMost).toSorted(byMost(({ score }) => Math.abs(score)))[0]?.part;
}

/** The mix of its visits, where that made a rate or an average move on the days of a change. */
function mixOf<Of extends Visits>(own: SiteChange<Of>, { all }: Pick<Places<Of>, 'all'>, nameOf: (part: Of) => string): Causes {
  const { metric, reading } = own;
  if (isSum(kindOf(metric))) return [];
  const whole = besideChange('', reading, own);
  const besideOf = (part: Of) => besideChange(nameOf(part), part, own);
  const isDevice = ({ segmentIds }: Of) => segmentIds.length === reading.segmentIds.length;
  const parts = all.filter((each) => isPartOf(each, reading));
  const devices = parts.filter(isDevice).map(besideOf);
  const segments = parts.filter((part) => !isDevice(part) && part.device === reading.device).map(besideOf);
  const divisions = [devices, ...segments.map((each) => [each])].map((some) => explainedBy(own, whole, some));
  return mixCauses(divisions, whole, segments);
}

/**
 * The parts of its visits that had to do with a change on its own days: of a sum the part that moved most and the one that came with it and
 * without which little is left of it, of a rate the mix of visits that made it.
 */
export function partCauses<Of extends Visits>(
  own: SiteChange<Of>,
  places: Pick<Places<Of>, 'all' | 'looked'>,
  nameOf: (part: Of) => string,
): Causes {
  if (!isSum(kindOf(own.metric))) return mixOf(own, places, nameOf);
  const [whole] = widerOf(own, places);
  // Of a part of all visits no other part says more, but one that made it may be told apart among all of them alone.
  const ofAll = whole ? { ...own, reading: whole } : own;
  const isOther = (each: Of) => each.segmentIds.length > ofAll.reading.segmentIds.length && keyOf(each) !== keyOf(own.reading);
  const { moves, maker } = partMoves(ofAll, { ...places, all: whole ? places.all.filter(isOther) : places.all });
  const shown = [...new Set([whole ? undefined : widestPart(own, moves), maker])].flatMap((part) => part ?? []);
  return shown.map((part) => {
    const parts = [besideChange(nameOf(part), part, own)];
    const { groups: [group] = [], change = 0 } = explainedBy(own, besideChange('', ofAll.reading, own), parts) ?? {};
    const share = shareOf(group?.contribution, change);
    return { kind: 'place' as const, name: nameOf(part), ...(share !== undefined && { share }), basis: 'measured' as const };
  });
}

/** Whether a change of some visits is one of all that these do not show together, as the slow growth of a season. */
export function isLikeOthers<Of extends Visits>(own: SiteChange<Of>, places: Places<Of>): boolean {
  const whole = widerOf(own, places)[0];
  const { moves } = whole ? partMoves({ ...own, reading: whole }, places) : { moves: [] };
  return moves.some((move) => keyOf(move.part) === keyOf(own.reading) && move.verdict === 'alike' && !isAlone(move));
}

/** The visits that those of a change are a part of, the widest first. */
function widerOf<Of extends Visits>({ reading }: SiteChange<Of>, { all }: Pick<Places<Of>, 'all'>): Of[] {
  const wider = all.filter((each) => isPartOf(reading, each));
  return wider.toSorted(byMost((each) => wider.filter((other) => isPartOf(other, each)).length));
}

/** A change where it happened: of the widest visits that went along, else of the one part of them that moved unlike the rest. */
export function atItsPlace<Of extends Visits>(own: SiteChange<Of>, places: Places<Of>): SiteChange<Of> {
  // A device or a segment that shows it best need not be the one that made it.
  const [widest, ...others] = widerOf(own, places);
  const whole = measuredAt({ ...own, reading: widest ?? own.reading });
  // A rate that moved because other visitors came is no part's own change.
  if (mixOf(whole, places, keyOf).length > 0) return whole;
  const there = widest && (onTheWhole(own, widest) ?? onItsPart(whole, places) ?? others.flatMap((each) => onTheWhole(own, each) ?? [])[0]);
  return narrowed(there ?? own, places);
}
