import { formatNumber, formatPercent } from '../../../lib/number-text.ts';
import { capital } from '../../../lib/sentences.ts';
import type { GroupChange, Reasons } from '../engine/reasons.ts';
import { changeText } from './comparison-words.ts';
import { type Contribution, type Explained, fixed } from './contributions.ts';
import type { ToldSizes } from './device-sizes.ts';
import { levelText, signed } from './level-words.ts';

/** A way to divide the visits, and what each of its groups did. */
export interface Cause {
  /** The kind of the groups: `devices`, `New visitors and Returning visitors`. */
  readonly of: string;
  /** Their shares of the change; undefined where they do not divide it. */
  readonly explained: Explained | undefined;
  readonly reasons: Reasons;
  /** The value of no group changed beyond noise. */
  readonly isSteady: boolean;
}

/** A share of the visits before and after, in percent. */
export interface MovedShare {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

const rounded = (value: number) => formatPercent(value, { digits: 0 });
/** Parts beyond this share of a change, in percent, cancel each other: they are no shares. */
export const MOST_PART = 150;
const isPart = (part: number, change: number) => change !== 0 && Math.abs((100 * part) / change) <= MOST_PART;
/** A part of a change: `42%`. */
export const shareOf = (part: number, change: number) => rounded((100 * part) / change);

/** Whether a part is more than the whole change, of which the others took something back. */
export const isBeyond = (part: number, change: number) => Math.round((100 * part) / change) > 100;
/** `accounts for 42% of the change`; a part beyond the whole is no share of it. */
const accountText = (part: number, change: number) =>
  isBeyond(part, change) ? 'accounts for more than the whole change' : `accounts for ${shareOf(part, change)} of the change`;

/** The parts of a change that come from moved shares of the groups, and from values within them. */
export function effectsOf({ groups }: Explained): { mix: number; rate: number } {
  const sum = (of: (group: Contribution) => number) => groups.reduce((total, group) => total + of(group), 0);
  return { mix: fixed(sum(({ mix = 0 }) => mix)), rate: fixed(sum(({ rate = 0 }) => rate)) };
}

/** True where moved shares make more of the change of a rate or an average than values within the groups. */
export function isMix(explained: Explained): boolean {
  const { mix, rate } = effectsOf(explained);
  return Math.abs(mix) > Math.abs(rate) && mix * explained.change > 0;
}

/** One sentence: how much of the change is traffic mix, and which share moved most. */
function mixSentence({ of, isSteady }: Cause, explained: Explained, segment?: MovedShare): string {
  const { change, groups } = explained;
  const { mix, rate } = effectsOf(explained);
  const moved = ({ shareBefore = 0, shareAfter = 0 }: Contribution) => shareAfter - shareBefore;
  const [most] = groups.toSorted((a, b) => moved(b) - moved(a));
  const share = most ? `: the share of ${most.name} rose ${rounded(most.shareBefore ?? 0)} → ${rounded(most.shareAfter ?? 0)}` : '';
  const among = segment
    ? ` Most moved segment: "${segment.name}", ${rounded(segment.before)} → ${rounded(segment.after)} of the visits.`
    : '';
  if (!isPart(mix, change) || !isPart(rate, change))
    return `Traffic mix of ${of} and values within them work against each other${share}${isSteady ? ' (each within noise)' : ''}.${among}`;
  const steady = isSteady ? ' (each within noise)' : '';
  const rest = isBeyond(mix, change) ? 'went the other way' : `for ${shareOf(rate, change)}`;
  return `Traffic mix of ${of} ${accountText(mix, change)}${share}; values within them ${rest}${steady}.${among}`;
}

/** `33.1% lower (25% to 40.3%)`; of a group that too little is known of: empty. */
function groupText({ relative, low, high }: GroupChange): string {
  return relative === null || low === null || high === null ? '' : levelText({ relative, low, high });
}

/** A distance, as a share, between the change of a level and that of the figures which is more than rounding. */
const LEAST_APART = 0.01;

/**
 * `, -74.3% as counted`, behind the change of a level that weekdays and special days are evened out of; empty where the
 * figures of the ranges changed by the same.
 */
export function countedText(relative: number | null, group: Contribution | undefined): string {
  const counted = countedOf(group);
  return relative === null || counted === undefined || Math.abs(counted - relative) < LEAST_APART ? '' : `, ${signed(counted)} as counted`;
}

/** The change of the figures of a group between the ranges; undefined where there were none before. */
function countedOf({ before, after }: Partial<Contribution> = {}): number | undefined {
  return typeof before !== 'number' || typeof after !== 'number' || before <= 0 ? undefined : after / before - 1;
}

/**
 * Whether the figures of a group went the other way than its level, as those of a campaign that began late in the baseline and ended in
 * the period: its days say nothing of what moved between the ranges.
 */
function isTurned(relative: number | null, group: Contribution | undefined): boolean {
  const counted = countedOf(group) ?? 0;
  return (relative ?? 0) * counted < 0 && Math.abs(counted - (relative ?? 0)) >= LEAST_APART;
}

function listed(groups: readonly GroupChange[]): string {
  const known = groups.filter(({ relative }) => relative !== null);
  return known
    .toSorted((a, b) => (a.relative ?? 0) - (b.relative ?? 0))
    .map(({ name, relative }) => `${name} ${signed(relative ?? 0)}`)
    .join(', ');
}

/** ` It accounts for 81% of the change.`; empty where its part and those of the others cancel. A change with a first day is another one. */
function partSentence(part: number, change: number, isDated: boolean): string {
  if (!isPart(part, change)) return '';
  const others = isBeyond(part, change) ? '; the others went the other way within noise' : '';
  return ` ${isDated ? 'Between the ranges it' : 'It'} ${accountText(part, change)}${others}.`;
}

/** The sizes by which the groups were tested, of the same days. */
const AS_TESTED: ToldSizes = { of: '', sizes: undefined };

/**
 * One sentence: the one device that changed, or that they moved differently, or alike as far as noise allows; empty where too little is
 * known.
 */
export function deviceSentence(cause: Cause, movedSegment?: MovedShare, isDated = false, told: ToldSizes = AS_TESTED): string {
  const {
    of,
    explained,
    reasons: { groups, named },
  } = cause;
  if (explained && isMix(explained)) return mixSentence(cause, explained, movedSegment);
  const found = groups.find(({ name }) => name === named);
  if (found) {
    const own = explained?.groups.find(({ name }) => name === named);
    const share = explained && own ? partSentence(own.contribution, explained.change, isDated) : '';
    const others = found.relativeOfOthers === null ? '' : `, all other visits ${signed(found.relativeOfOthers)} (within noise)`;
    return `The change is on ${found.name}: ${groupText(found)}${isDated ? '' : countedText(found.relative, own)}${others}.${share}`;
  }
  const known = groups.filter(({ verdict }) => verdict !== 'not enough data');
  if (known.length < 2) return '';
  const isDifferent = known.some(({ verdict }) => verdict !== 'alike');
  const list = listed(told.sizes ? known.map((group) => ({ ...group, relative: told.sizes?.get(group.name) ?? null })) : known);
  const lead = told.of === '' ? '' : `${told.of} `;
  return isDifferent
    ? `${capital(`${lead}${of}`)} moved differently: ${list}.`
    : `${capital(`${lead}the ${of}`)} differ from each other within noise: ${list}.`;
}

/**
 * One sentence: groups that moved in opposite directions, so that the whole shows little of either; empty where none did. `subject` is what
 * moved, and `isMoved` whether a group did by itself: of several one is always higher.
 */
export function opposedSentence(subject: string, groups: readonly GroupChange[], isMoved: (name: string) => boolean = () => true): string {
  const clear = groups.filter(
    ({ name, verdict, low, high }) => (verdict === 'more' || verdict === 'less') && (low ?? 0) * (high ?? 0) > 0 && isMoved(name),
  );
  const isBoth = clear.some(({ relative }) => (relative ?? 0) < 0) && clear.some(({ relative }) => (relative ?? 0) > 0);
  return isBoth ? `${subject} moved in opposite directions: ${listed(clear)}.` : '';
}

/** One sentence: the segment that made the change, although it had too few days before to be judged by itself. */
export function makerSentence(
  { metric, change, groups: [own] }: Explained,
  { groups, maker }: Reasons,
  { isDated, isPerDay }: { readonly isDated: boolean; readonly isPerDay: boolean },
): string {
  if (!own || maker === undefined || own.before === null || own.after === null) return '';
  const { relativeOfOthers = null } = groups.find(({ name }) => name === maker) ?? {};
  const others = relativeOfOthers === null ? '' : `, all other visits ${signed(relativeOfOthers)} (within noise)`;
  const part = isPart(own.contribution, change) ? accountText(own.contribution, change) : 'makes the change';
  const level = `${formatNumber(own.after, { digits: 0, group: true })}${isPerDay ? ' a day' : ''}`;
  const figures = own.before === 0 ? `from nothing to ${level}` : changeText(metric, own.before, own.after);
  return `${isDated ? 'Between the ranges segment' : 'Segment'} "${maker}" ${part}: ${figures}${others}.`;
}

/** Whether a segment moved more than the device that the change is on, and is more than another name of a part of it. */
function isNarrower(segment: GroupChange, device: GroupChange): boolean {
  const [own, whole] = [segment.relative ?? 0, device.relative ?? 0];
  // Of the bounds of the segment the one that lies nearer to no change.
  const nearer = own < 0 ? segment.high : segment.low;
  return own * whole > 0 && Math.abs(nearer ?? 0) > Math.abs(whole) && (nearer ?? 0) * own > 0;
}

/** Chance at which a segment is told to have moved unlike the others that moved too: the one that is named has a second test to pass. */
const UNLIKE = 0.01;

/**
 * One sentence: traffic mix of segments that divide the visits, or the segment that moved most unlike all other visits; empty where none
 * did.
 */
export function segmentSentence(
  divided: Cause | undefined,
  { groups, named }: Reasons,
  { apart, device }: { readonly apart: readonly Explained[]; readonly device?: GroupChange | undefined } = { apart: [] },
): string {
  if (divided?.explained && isMix(divided.explained)) return mixSentence(divided, divided.explained);
  const unlike = groups.filter(({ verdict, pValue }) => verdict === 'more' && pValue <= UNLIKE).toSorted((a, b) => a.pValue - b.pValue);
  const contributionOf = (name: string) => apart.flatMap(({ groups: [group] }) => (group?.name === name ? [group] : []))[0];
  const ranked = [...groups.filter(({ name }) => name === named), ...unlike].filter(
    ({ name, relative }) => !isTurned(relative, contributionOf(name)),
  );
  if (ranked.length === 0) return '';
  // What moved as the device did is only another name of it, or of a part of it.
  const first = ranked.find((segment) => !device || isNarrower(segment, device));
  if (!first) return `No segment that was looked at moved clearly more than ${device?.name ?? ''} as a whole.`;
  const others = first.relativeOfOthers === null ? '' : `, all other visits ${signed(first.relativeOfOthers)}`;
  const counted = countedText(first.relative, contributionOf(first.name));
  return `Of the segments, ${first.name} moved most unlike the rest: ${groupText(first)}${counted}${others}.`;
}
