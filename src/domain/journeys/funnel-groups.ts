import { nth } from '../../lib/nth.ts';
import { dayText } from './covered-days.ts';
import { type FunnelCounts, reached, sumOf } from './funnel.ts';
import type { FunnelAnswer } from './funnel-answer.ts';
import { type Difference, differenceOf, discovered, type Proportion } from './proportions.ts';

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
    if (nth(all, 0) < LEAST_SESSIONS) return [];
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
function verdictOf(
  names: readonly string[],
  group: string,
  sessions: number,
  { told, plain, within }: Differences,
): Pick<FunnelGroup, 'verdict' | 'differs'> {
  const largestOf = (all: readonly StepDifference[]) =>
    discovered(all)
      .filter((each) => each.group === group)
      .toSorted((a, b) => effectOf(b) - effectOf(a))[0];
  const words = ({ own, other, index }: StepDifference, reach: string, others: string) =>
    `${percent(own)} of those at ${names[index - 1]}${reach}, ${others} ${percent(other)}`;
  const [largest, alone] = [largestOf(told), within && largestOf(plain)];
  if (largest) {
    const differs = largest.points < 0 ? 'fewer' : 'more';
    const others = within ? 'others on the same devices' : 'elsewhere';
    return { verdict: `${differs} reach ${names[largest.index]}: ${words(largest, '', others)}`, differs };
  }
  if (!alone) return { verdict: sessions < LEAST_SESSIONS ? 'too few' : 'like the others' };
  const alike = within?.find(({ group: own, index }) => own === group && index === alone.index);
  if (!alike) return { verdict: 'cannot be told from its devices, which hardly any others have' };
  return { verdict: `as their devices do: ${words(alike, ` reach ${names[alone.index]}`, 'others on the same devices')}` };
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
  const shown = inOrder ? [...done] : [...done].toSorted(([, a], [, b]) => nth(b, 0) - nth(a, 0)).slice(0, MOST_GROUPS);
  return shown.map(([group, steps]) => ({ group, steps, ...verdictOf(names, group, nth(steps, 0), differences) }));
}

/** Monday of the week of a day; the first day of 1970 was a Thursday. */
function weekOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

/** Depths of a funnel by day or by week, which begins on Monday. */
export function groupedDays(days: ReadonlyMap<number, readonly number[]>, by: 'day' | 'week'): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [day, depths] of [...days].toSorted(([a], [b]) => a - b)) {
    const name = by === 'day' ? dayText(day) : `week of ${dayText(weekOf(day))}`;
    groups.set(name, sumOf([groups.get(name) ?? [], depths]));
  }
  return groups;
}
