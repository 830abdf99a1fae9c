import { nth } from '../../lib/nth.ts';
import { dayText } from './covered-days.ts';
import { type FunnelCounts, reached, sumOf } from './funnel.ts';
import { differenceOf, discovered, type Proportion, stratifiedDifferenceOf } from './proportions.ts';

/** A group of a split: how many did each step, and how it differs from the others. */
export interface FunnelGroup {
  group: string;
  steps: number[];
  verdict: string;
}

/** Groups that an answer shows. */
const MOST_GROUPS = 8;
/** With fewer at the first step nothing is said of a group. */
const LEAST_SESSIONS = 50;

interface Difference {
  readonly group: string;
  readonly index: number;
  readonly own: number;
  readonly others: number;
  readonly pValue: number;
  readonly points: number;
}

type Reached = ReadonlyMap<string, readonly number[]>;

/** Those who did a step, out of those who did the one before. */
const sideOf = (done: readonly number[], index: number): Proportion => ({ hits: nth(done, index + 1), of: nth(done, index) });
const without = (all: Proportion, own: Proportion): Proportion => ({ hits: all.hits - own.hits, of: all.of - own.of });

/** A question of each group that has enough sessions, at every step after the first. */
function questionsOf(
  groups: Reached,
  ask: (group: string, index: number) => Omit<Difference, 'group' | 'index'> | undefined,
): Difference[] {
  return [...groups].flatMap(([group, done]) =>
    nth(done, 0) < LEAST_SESSIONS
      ? []
      : done.slice(1).flatMap((_, index): Difference[] => {
          const found = ask(group, index);
          return found ? [{ group, index: index + 1, ...found }] : [];
        }),
  );
}

/** Differences between groups and all others, step by step, that are no chance at a false discovery rate of 5 %. */
function plainDifferences(groups: Reached): Difference[] {
  const total = sumOf(groups.values());
  return discovered(
    questionsOf(groups, (group, index) => {
      const own = sideOf(groups.get(group) ?? [], index);
      const rest = without(sideOf(total, index), own);
      const found = differenceOf(own, rest);
      return found && { own: own.hits / own.of, others: rest.hits / rest.of, ...found };
    }),
  );
}

/** Of groups by device: all questions that can be asked within devices, and those whose answer is no chance. */
function differencesWithinDevices(groups: Reached, byDevice: ReadonlyMap<string, Reached>): { asked: Difference[]; found: Difference[] } {
  const totals = new Map<string, number[]>();
  for (const devices of byDevice.values())
    for (const [device, done] of devices) totals.set(device, sumOf([totals.get(device) ?? [], done]));
  const asked = questionsOf(groups, (group, index) => {
    const strata = [...(byDevice.get(group) ?? [])].map(([device, done]) => {
      const own = sideOf(done, index);
      return [own, without(sideOf(totals.get(device) ?? [], index), own)] as const;
    });
    const own = sideOf(groups.get(group) ?? [], index);
    const found = stratifiedDifferenceOf(strata);
    return found && { own: own.hits / own.of, others: found.other, ...found };
  });
  return { asked, found: discovered(asked) };
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

const isSame = (one: Difference) => (other: Difference) => one.group === other.group && one.index === other.index;

/** How a group differs by the clearest of its differences, or what else is to be said of it. */
function verdictOf(
  names: readonly string[],
  { group, sessions }: { readonly group: string; readonly sessions: number },
  plain: readonly Difference[],
  within: ReturnType<typeof differencesWithinDevices> | undefined,
): string {
  const clearestOf = (all: readonly Difference[]) => all.filter((each) => each.group === group).toSorted((a, b) => a.pValue - b.pValue)[0];
  const [clearest, alone] = [clearestOf(within?.found ?? plain), clearestOf(plain)];
  const [before, step] = [(at: Difference) => names[at.index - 1], (at: Difference) => names[at.index]];
  if (clearest)
    return (
      `${clearest.points < 0 ? 'fewer' : 'more'} reach ${step(clearest)}: ${percent(clearest.own)} of those at ${before(clearest)}, ` +
      `${within ? 'others on the same devices' : 'elsewhere'} ${percent(clearest.others)}`
    );
  if (!alone) return sessions < LEAST_SESSIONS ? 'too few' : 'like the others';
  const alike = within?.asked.find(isSame(alone));
  if (!alike) return 'cannot be told from its devices, which hardly any others have';
  return (
    `as their devices do: ${percent(alike.own)} of those at ${before(alone)} reach ${step(alone)}, ` +
    `others on the same devices ${percent(alike.others)}`
  );
}

/**
 * The groups, the largest first or in the order given, each with the step at which it differs most from all others: where their devices
 * are known, from others on the same ones, because a browser or a country else stands for the phones that its visitors have.
 */
export function groupsOf(names: readonly string[], counts: Pick<FunnelCounts, 'groups' | 'byDevice'>, inOrder = false): FunnelGroup[] {
  const { groups, byDevice } = counts;
  const done = new Map([...groups].map(([group, depths]) => [group, reached(depths, names.length)]));
  const doneBy = byDevice && [...byDevice].map(([group, devices]) => [group, devices] as const);
  const within =
    doneBy &&
    differencesWithinDevices(
      done,
      new Map(doneBy.map(([group, devices]) => [group, new Map([...devices].map(([name, own]) => [name, reached(own, names.length)]))])),
    );
  const plain = plainDifferences(done);
  const shown = inOrder ? [...done] : [...done].toSorted(([, a], [, b]) => nth(b, 0) - nth(a, 0)).slice(0, MOST_GROUPS);
  return shown.map(([group, steps]) => ({ group, steps, verdict: verdictOf(names, { group, sessions: nth(steps, 0) }, plain, within) }));
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
    const own = groups.get(name) ?? [];
    groups.set(name, own);
    for (const [depth, count] of depths.entries()) own[depth] = (own[depth] ?? 0) + (count ?? 0);
  }
  return groups;
}
