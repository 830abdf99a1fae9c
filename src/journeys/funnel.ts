import { dateText } from '../findings/wording.ts';
import { dayText } from '../lib/clock.ts';
import { nth } from '../lib/nth.ts';
import { inGroups } from '../lib/number-text.ts';
import { capital, present } from '../lib/sentences.ts';
import { addTo, sumOfKnown } from '../lib/tally.ts';
import { type Judgement, judgePeriods } from '../metrics/engine/judge.ts';
import type { DailyPoint } from '../metrics/engine/series.ts';
import type { VisitsDrawn } from './covered-days.ts';
import type { FunnelAnswer } from './funnel-answer.ts';
import { mostSeen, OTHER } from './page-groups.ts';
import { type Difference, differenceOf, discovered, intervalOf, type Proportion, percentOf } from './proportions.ts';

/** How many came so far and no farther; the place in the list is the depth. */
export type Depths = readonly number[];

/** The engine's counts for a funnel. */
export interface FunnelCounts {
  /** By day (UTC, as a number). */
  readonly days: ReadonlyMap<number, Depths>;
  readonly groups: ReadonlyMap<string, Depths>;
  /** The groups by device, where the files say it of sessions that are split by something else. */
  readonly byDevice?: ReadonlyMap<string, ReadonlyMap<string, Depths>> | undefined;
  /** Times between a step and the one before, by the number of the step: ms and how often. */
  readonly gaps: ReadonlyMap<number, readonly (readonly [ms: number, count: number])[]>;
  /** Where those went who left after a step; undefined: nowhere. */
  readonly next: readonly { readonly depth: number; readonly page: string | undefined; readonly count: number }[];
  /** Visitors whose window is not over. */
  readonly immature: number;
}

/** A step of a funnel and who did it. */
export type FunnelStep = FunnelAnswer['steps'][number];

/** Pages named at a step for those who left. */
const MOST_NEXT = 4;

/** Sums of some depths, place by place. */
export function sumOf(all: Iterable<Depths>): number[] {
  const sums: number[] = [];
  for (const depths of all) for (const [depth, count] of depths.entries()) sums[depth] = (sums[depth] ?? 0) + count;
  return Array.from(sums, (count) => count ?? 0);
}

/** How many did each step. */
export function reached(depths: Depths, steps: number): number[] {
  return Array.from({ length: steps }, (_, index) => sumOfKnown(depths.slice(index + 1), (count) => count));
}

/** A quantile of values that occurred so often each; halfway between two where it falls between them. */
function quantileOf(values: readonly (readonly [value: number, count: number])[], share: number): number | undefined {
  const sorted = values.toSorted(([a], [b]) => a - b);
  const total = sumOfKnown(sorted, ([, count]) => count);
  if (total === 0) return undefined;
  const at = (rank: number) => {
    let passed = 0;
    return sorted.find(([, count]) => (passed += count) > rank)?.[0] ?? 0;
  };
  const rank = share * (total - 1);
  const [low, high] = [at(Math.floor(rank)), at(Math.ceil(rank))];
  return low + (rank - Math.floor(rank)) * (high - low);
}

function timesOf(gaps: FunnelCounts['gaps'], number: number): Pick<FunnelStep, 'medianSeconds' | 'middleSeconds'> {
  const values = (gaps.get(number) ?? []).filter(([ms]) => ms >= 0);
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => quantileOf(values, share));
  if (low === undefined || median === undefined || high === undefined) return {};
  const seconds = (ms: number) => Math.round(ms / 100) / 10;
  return { medianSeconds: seconds(median), middleSeconds: [seconds(low), seconds(high)] };
}

/** The pages on which those who left go on; several pages of one name are one. */
function nextOf(next: FunnelCounts['next'], depth: number, nameOf: (page: string, index: number) => string) {
  const counts = new Map<string, number>();
  let ended = 0;
  for (const each of next) {
    if (each.depth !== depth) continue;
    if (each.page === undefined) ended += each.count;
    else addTo(counts, nameOf(each.page, depth - 1), each.count);
  }
  return { ended, next: mostSeen(counts).slice(0, MOST_NEXT) };
}

/** The steps with shares, times, and where those went who left; `hasNext`: pages were read; `nameOf` names one after a step, from 0. */
export function stepsOf(
  names: readonly string[],
  counts: FunnelCounts,
  { hasNext, nameOf }: { readonly hasNext: boolean; readonly nameOf: (page: string, index: number) => string },
): FunnelStep[] {
  const done = reached(sumOf(counts.days.values()), names.length);
  return names.map((step, index) => {
    const [sessions = 0, before = 0, after = 0] = [done[index], done[index - 1], done[index + 1]];
    return {
      step,
      sessions,
      ofFirstPercent: percentOf(sessions, nth(done, 0)),
      ...(index > 0 && { ofPreviousPercent: percentOf(sessions, before), ...intervalOf({ hits: sessions, of: before }) }),
      ...timesOf(counts.gaps, index + 1),
      ...(index < names.length - 1 && { left: sessions - after, ...(hasNext && nextOf(counts.next, index + 1, nameOf)) }),
    };
  });
}

/** The step after which most are lost, from 0. */
export function largestLoss(steps: readonly Pick<FunnelStep, 'left'>[]): number | undefined {
  const losses = steps.slice(0, -1).map(({ left = 0 }, index) => ({ index, left }));
  const [largest] = losses.toSorted((a, b) => b.left - a.left);
  return largest && largest.left > 0 ? largest.index : undefined;
}

/** How a step changed against a baseline. */
export type FunnelChange = NonNullable<FunnelAnswer['changes']>[number] & {
  readonly verdict: 'higher' | 'lower' | 'within noise' | 'too few';
};

/** Where days are too few to learn how much they scatter, only chance of counting is known, and more is asked of it. */
const CLEAR = 0.001;

/** The verdict of the metrics' engine over days, which never goes against the figures beside it. */
function verdictOf({ verdict, relative }: Judgement, { pValue, points }: Difference): FunnelChange['verdict'] {
  const isRise = points > 0;
  const told = verdict === 'drift' ? (relative ?? 0) > 0 : verdict === 'up';
  const isClear = verdict === 'not enough data' ? pValue < CLEAR : verdict !== 'within noise' && told === isRise;
  if (!isClear) return 'within noise';
  return isRise ? 'higher' : 'lower';
}

type Day = Pick<DailyPoint, 'label' | 'numerator' | 'denominator'>;

/** −2 log likelihood of days that share one rate, but for a constant. */
function devianceOf(days: readonly Day[]): number {
  const [hits, of] = [sumOfKnown(days, ({ numerator }) => numerator), sumOfKnown(days, ({ denominator }) => denominator)];
  const part = (count: number) => (count > 0 ? -2 * count * Math.log(count / of) : 0);
  return part(hits) + part(of - hits);
}

/**
 * The first day of a change: that of the clearest step which the metrics' engine finds; where it has too few days for that, the day from
 * which on another rate makes all days likeliest. Undefined where the rate slid, or changed before the period.
 */
function sinceOf({ main, verdict }: Judgement, days: readonly Day[], from: string): string | undefined {
  if (main || verdict === 'drift') return main?.from;
  const sorted = days.toSorted((a, b) => a.label.localeCompare(b.label));
  const splits = sorted.slice(1).map(({ label }, index) => ({
    label,
    deviance: devianceOf(sorted.slice(0, index + 1)) + devianceOf(sorted.slice(index + 1)),
  }));
  const label = splits.toSorted((a, b) => a.deviance - b.deviance)[0]?.label;
  return label !== undefined && label >= from ? label : undefined;
}

function windowOf({ days }: FunnelCounts): { from: string; to: string } {
  const labels = [...days.keys()].toSorted((a, b) => a - b).map(dayText);
  return { from: labels[0] ?? '', to: labels.at(-1) ?? '' };
}

/** Whether each step is reached by another share of those before it than in the baseline, judged on days, and since when. */
export function changesOf(names: readonly string[], baseline: FunnelCounts, period: FunnelCounts): FunnelChange[] {
  const of = ({ days }: FunnelCounts) => reached(sumOf(days.values()), names.length);
  const [before, after] = [of(baseline), of(period)];
  const daily = [...baseline.days, ...period.days].map(([day, depths]) => ({ label: dayText(day), done: reached(depths, names.length) }));
  return names.slice(1).map((step, index): FunnelChange => {
    const [own, earlier] = [sideOf(after, index + 1), sideOf(before, index + 1)];
    const days = daily.map(({ label, done }) => {
      const { hits, of: denominator } = sideOf(done, index + 1);
      return { label, numerator: hits, denominator, isWhole: true };
    });
    const window = windowOf(period);
    const judged = judgePeriods({ kind: 'share', days, baseline: windowOf(baseline), period: window });
    const plain = differenceOf([[own, earlier]]);
    const verdict = plain ? verdictOf(judged, plain) : 'too few';
    const since = verdict === 'higher' || verdict === 'lower' ? sinceOf(judged, days, window.from) : undefined;
    return { step, beforePercent: percentOf(earlier.hits, earlier.of), afterPercent: percentOf(own.hits, own.of), verdict, since };
  });
}

/** The groups in which a step changed most clearly, at a false discovery rate of 5 %. */
export function changedGroups(index: number, names: readonly string[], baseline: FunnelCounts, period: FunnelCounts): string[] {
  const questions = [...period.groups].flatMap(([group, depths]) => {
    const sideIn = (own: Depths) => sideOf(reached(own, names.length), index);
    const found = differenceOf([[sideIn(depths), sideIn(baseline.groups.get(group) ?? [])]]);
    return found ? [{ group, ...found }] : [];
  });
  return discovered(questions)
    .toSorted((a, b) => a.pValue - b.pValue)
    .map(({ group }) => group);
}

/** A group of a split: how many did each step, and how it differs from the others. */
export type FunnelGroup = NonNullable<FunnelAnswer['groups']>[number] & {
  /** Fewer or more go on than of the others, on the same devices where these are known; left out where it does not stand out. */
  readonly differs?: 'fewer' | 'more';
};

/** Groups that an answer shows. */
export const MOST_GROUPS = 8;
/** With fewer at the first step nothing is said of a group. */
export const LEAST_SESSIONS = 50;

/** The difference of a group from all others at a step; shares from 0 to 1. */
interface StepDifference extends Difference {
  readonly group: string;
  readonly index: number;
  readonly own: number;
}

/** How many of each stratum of a group, such as its devices, did each step. */
type Strata = ReadonlyMap<string, readonly number[]>;

/** Those who did a step, out of those who did the one before. */
const sideOf = (done: readonly number[], index: number): Proportion => ({ hits: nth(done, index), of: nth(done, index - 1) });

/** The differences of groups that have enough sessions from all others, at every step after the first, within strata. */
function differencesOf(groups: ReadonlyMap<string, Strata>): StepDifference[] {
  const totals = new Map<string, number[]>();
  for (const strata of groups.values()) for (const [stratum, done] of strata) totals.set(stratum, sumOf([totals.get(stratum) ?? [], done]));
  return [...groups].flatMap(([group, strata]) => {
    const all = sumOf(strata.values());
    if (group === OTHER || nth(all, 0) < LEAST_SESSIONS) return [];
    return all.flatMap((_, index): StepDifference[] => {
      if (index === 0) return [];
      const pairs = [...strata].map(([stratum, done]) => {
        const [own, total] = [sideOf(done, index), sideOf(totals.get(stratum) ?? [], index)];
        return [own, { hits: total.hits - own.hits, of: total.of - own.of }] as const;
      });
      const found = differenceOf(pairs);
      return found ? [{ group, index, own: nth(all, index) / nth(all, index - 1), ...found }] : [];
    });
  });
}

/**
 * Those of one group alone where the others are alike without it: beside a broken desktop, mobile differs from all others too, and is
 * not what is to be looked at.
 */
function toldDifferences(groups: ReadonlyMap<string, Strata>, all: readonly StepDifference[]): readonly StepDifference[] {
  const clearest = discovered(all).toSorted((a, b) => a.pValue - b.pValue);
  const lone = [...new Set(clearest.map(({ group }) => group))].slice(0, MOST_GROUPS).find((group) => {
    const rest = new Map([...groups].filter(([name]) => name !== group));
    return rest.size > 1 && discovered(differencesOf(rest)).length === 0;
  });
  return lone === undefined ? all : all.filter(({ group }) => group === lone);
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

/** Differences of groups: those that are told, all, and those within devices, where these are known. */
interface Differences {
  readonly told: readonly StepDifference[];
  readonly plain: readonly StepDifference[];
  readonly within: readonly StepDifference[] | undefined;
}

/** How far a step moves what is reached behind it. */
const effectOf = ({ own, other }: StepDifference) => Math.abs(Math.log(own / other));

/** How a group differs by the largest of its differences, or what else is to be said of it. */
function groupVerdict(
  names: readonly string[],
  group: string,
  sessions: number,
  { told, plain, within, other }: Differences & { readonly other: string | undefined },
): Pick<FunnelGroup, 'verdict' | 'differs'> {
  const others = within ? `${other ?? 'others'} on the same devices` : (other ?? 'elsewhere');
  const largestOf = (all: readonly StepDifference[]) =>
    discovered(all)
      .filter((each) => each.group === group)
      .toSorted((a, b) => effectOf(b) - effectOf(a))[0];
  const words = ({ own, other: rest, index }: StepDifference, reach: string) =>
    `${percent(own)} of those at ${names[index - 1]}${reach}, ${others} ${percent(rest)}`;
  const [largest, alone] = [largestOf(told), within && largestOf(plain)];
  if (largest) {
    const differs = largest.points < 0 ? 'fewer' : 'more';
    return { verdict: `${differs} reach ${names[largest.index]}: ${words(largest, '')}`, differs };
  }
  if (!alone) return { verdict: sessions < LEAST_SESSIONS ? 'too few' : 'like the others' };
  const alike = within?.find(({ group: own, index }) => own === group && index === alone.index);
  if (!alike) return { verdict: 'cannot be told from its devices, which hardly any others have' };
  return { verdict: `as their devices do: ${words(alike, ` reach ${names[alone.index]}`)}` };
}

/**
 * The groups, the largest first or in the order given, each with the step at which it differs most from all others: where their devices
 * are known, from others on the same ones, because a browser or a country else stands for the phones that its visitors have.
 */
export function groupsOf(names: readonly string[], counts: Pick<FunnelCounts, 'groups' | 'byDevice'>, inOrder = false): FunnelGroup[] {
  const doneIn = (groups: ReadonlyMap<string, readonly number[]>) =>
    new Map([...groups].map(([group, depths]) => [group, reached(depths, names.length)]));
  const done = doneIn(counts.groups);
  const byDevice = counts.byDevice && new Map([...counts.byDevice].map(([group, devices]) => [group, doneIn(devices)]));
  const plain = new Map([...done].map(([group, steps]) => [group, new Map([['', steps]])]));
  const all = differencesOf(plain);
  const within = byDevice && differencesOf(byDevice);
  const differences = { told: toldDifferences(byDevice ?? plain, within ?? all), plain: all, within };
  const named = [...done].filter(([group]) => group !== OTHER);
  const shown = inOrder ? named : named.toSorted(([, a], [, b]) => nth(b, 0) - nth(a, 0)).slice(0, MOST_GROUPS);
  return shown.map(([group, steps]) => {
    const [other, ...more] = [...done.keys()].filter((name) => name !== group);
    return { group, steps, ...groupVerdict(names, group, nth(steps, 0), { ...differences, other: more.length > 0 ? undefined : other }) };
  });
}

/** Depths of a funnel by day or by week, which begins on Monday. */
export function groupedDays(days: ReadonlyMap<number, readonly number[]>, by: 'day' | 'week'): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [day, depths] of [...days].toSorted(([a], [b]) => a - b)) {
    // The first day of 1970 was a Thursday.
    const name = by === 'day' ? dayText(day) : `week of ${dayText(day - ((day + 3) % 7))}`;
    groups.set(name, sumOf([groups.get(name) ?? [], depths]));
  }
  return groups;
}

/** The parts of a funnel's sentences. */
interface Told {
  readonly steps: readonly FunnelStep[];
  readonly groups: readonly FunnelGroup[] | undefined;
  /** Whether groups were compared within devices. */
  readonly isByDevice?: boolean | undefined;
  /** Chosen devices held against the others. */
  readonly beside?: FunnelGroup | undefined;
  readonly changes: readonly FunnelChange[] | undefined;
  readonly unit: 'sessions' | 'visitors';
  readonly question: {
    readonly order: 'in_order' | 'direct';
    readonly withinDays: number | undefined;
    readonly breakdown?: string | undefined;
  };
  readonly immature: number;
  /** Whether filters leave some visits out. */
  readonly isFiltered: boolean;
}

function changeSentence({ changes, steps, beside, unit }: Told) {
  if (!changes) return beside?.differs && groupSentence(beside, unit);
  const moved = changes.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
  const [clearest] = moved.toSorted((a, b) => Math.abs(distance(b)) - Math.abs(distance(a)));
  if (!clearest) return changes.some(({ verdict }) => verdict === 'within noise') && 'No step of this funnel changed significantly.';
  const { verdict, step, since, beforePercent = 0, afterPercent = 0, group } = clearest;
  const from = steps.find((_, at) => steps[at + 1]?.step === step);
  const begun = since && ` since ${dateText(since, since.slice(0, 4))}`;
  return (
    `${verdict === 'lower' ? 'Fewer' : 'More'} go on from ${from?.step} to ${step}${begun ?? ''}: ` +
    `${afterPercent}% against ${beforePercent}% in the baseline${group ? `, most clearly for ${group}` : ''}.`
  );
}

const distance = ({ beforePercent = 0, afterPercent = 0 }: FunnelChange) => afterPercent - beforePercent;

function lossSentence({ steps, unit, isFiltered }: Told): string {
  const at = largestLoss(steps);
  const [first] = steps;
  if (!first || first.sessions === 0)
    return `No ${unit}${isFiltered ? ' that pass the filters' : ''} did ${first?.step ?? 'the first step'} in these days.`;
  const [from, to] = at === undefined ? [] : [steps[at], steps[at + 1]];
  if (!from || !to) return `All ${inGroups(first.sessions)} ${unit} that did ${first.step} did every step.`;
  const lost = `${inGroups(from.left ?? 0)} of ${inGroups(from.sessions)} ${unit} (${percent(lostShare(from))})`;
  return `The largest loss is after ${from.step}: ${lost} do not reach ${to.step}${steeperWords(steps, from)}.`;
}

const lostShare = ({ left = 0, sessions }: FunnelStep) => (sessions > 0 ? left / sessions : 0);

/** `; the largest share is lost after /checkout/address, 41.8% of 756`, where another step loses more of those who come to it. */
function steeperWords(steps: readonly FunnelStep[], from: FunnelStep): string {
  const known = steps.slice(0, -1).filter(({ sessions }) => sessions >= LEAST_SESSIONS);
  const [steepest] = known.toSorted((a, b) => lostShare(b) - lostShare(a));
  if (!steepest || steepest === from || lostShare(steepest) <= lostShare(from)) return '';
  return `; the largest share is lost after ${steepest.step}, ${percent(lostShare(steepest))} of ${inGroups(steepest.sessions)}`;
}

const wholeSentence = ({ steps: [first, ...others], unit }: Told) =>
  first && first.sessions > 0 && `${others.at(-1)?.ofFirstPercent}% of ${unit} with ${first.step} reach ${others.at(-1)?.step}.`;

/** How groups differ: two of more that stand out, losses first, else that none does; nothing where all have too few. */
export function groupSentences(groups: readonly FunnelGroup[], unit: Told['unit'], breakdown = 'group', isByDevice?: boolean): string {
  const differing = ['fewer', 'more'].flatMap((kind) => groups.filter(({ differs }) => differs === kind));
  const own = differing.slice(0, Math.min(2, Math.max(1, groups.length - 1)));
  const noun = breakdown === 'visitor_type' ? 'visitors' : unit;
  if (own.length > 0 || groups.every(({ verdict }) => verdict === 'too few'))
    return own.map((each) => groupSentence(each, noun, breakdown)).join(' ');
  return `No ${breakdown.replace('_', ' ')} differs significantly from the others${isByDevice ? ' on the same devices' : ''}.`;
}

/** `Fewer mobile sessions reach purchase: …`, of a group that stands out. */
function groupSentence({ group, verdict, differs }: FunnelGroup, noun: string, breakdown?: string): string {
  const dated = { day: 'of', week: 'of the week from' }[breakdown ?? ''];
  const who = dated === undefined ? `${group} ${noun}` : `${noun} ${dated} ${dateText(group, group.slice(0, 4))}`;
  return `${capital(differs ?? '')} ${who}${verdict.slice(differs?.length)}.`;
}

/**
 * The sentences of a funnel: the change where a baseline was asked for or how chosen devices differ, how groups of a split do, the largest
 * loss, the whole way.
 */
export function funnelWords(told: Told): { answer: string; compared: string; notes: string[] } {
  const { steps, groups, unit, question, immature, isByDevice } = told;
  const [first, last] = [steps[0], steps.at(-1)];
  const notes = present(
    (first?.sessions ?? 0) < LEAST_SESSIONS && `Fewer than ${LEAST_SESSIONS} ${unit} did the first step: the shares say little.`,
    question.order === 'direct'
      ? 'Counted: each step is the very next page.'
      : 'Counted: each step comes later than the one before; others may lie between.',
    question.withinDays !== undefined &&
      `A visitor is a browser or device; the steps are done within ${question.withinDays} days of the first. ` +
        `${inGroups(immature)} visitors whose window is not over, or not covered, are left out.`,
    groups && 'Groups are compared with all others, step by step, at a false discovery rate of 5 %.',
    last?.medianSeconds === undefined && (last?.sessions ?? 0) > 0 && 'The files do not say when in a visit a purchase was.',
  );
  const compared = groupSentences(groups ?? [], unit, question.breakdown, isByDevice);
  return { answer: present(changeSentence(told), compared, lossSentence(told), wholeSentence(told)).join(' '), compared, notes };
}

/** The parts of a funnel that are drawn. */
export interface FunnelDrawn extends VisitsDrawn {
  readonly steps: readonly FunnelStep[];
  readonly groups?: readonly FunnelGroup[] | undefined;
  readonly changes?: readonly FunnelChange[] | undefined;
  /** The answer begins with the largest loss. */
  readonly isOfLoss?: boolean;
  /** How the groups differ. */
  readonly compared?: string;
  /** The days that the baseline covers. */
  readonly baseline?: readonly number[] | undefined;
  readonly unit: string;
}
