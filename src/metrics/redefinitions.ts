import { onApiError } from '../api/errors.ts';
import { listGoals } from '../api/operations/objects.ts';
import { todayIn } from '../lib/dates.ts';
import type { Lists } from '../names/context.ts';
import { isCommerceGoal } from './commerce-goal.ts';
import { definitionOf } from './metric-definitions.ts';

/** The subject of a comparison: the objects that select its visits, and the whole range of its study, baseline included. */
export interface Compared {
  readonly metrics: readonly string[];
  readonly segmentIds: readonly number[];
  /** Of the metrics that count a goal; undefined stands for that of e-commerce. */
  readonly goalIds: readonly (number | undefined)[];
  readonly zoneIds: readonly number[];
  readonly startMs: number;
  readonly endMs: number;
  readonly timeZone: string;
}

interface Changed {
  /** `segment "Newsletter"`. */
  readonly name: string;
  readonly changedAt: string | null | undefined;
}

async function segmentsOf({ segmentIds }: Compared, lists: Lists): Promise<Changed[]> {
  if (segmentIds.length === 0) return [];
  const all = await lists.of('segment');
  return all
    .filter(({ id }) => segmentIds.includes(id))
    .map(({ path, changedAt }) => ({ name: `segment "${path.join(' / ')}"`, changedAt }));
}

async function goalsOf({ goalIds, metrics }: Compared, { ask }: Lists): Promise<Changed[]> {
  if (!metrics.some((metric) => definitionOf(metric)?.perGoal)) return [];
  const all = await ask(listGoals, {});
  const isMeant = (goal: (typeof all)[number]) =>
    goalIds.includes(Number(goal.id)) || (goalIds.includes(undefined) && isCommerceGoal(goal));
  return all.filter(isMeant).map(({ id, name, updatedAt }) => ({ name: `goal "${name ?? id}"`, changedAt: updatedAt }));
}

/** A zone is drawn in a zoning: that is what changes. */
async function zoningsOf({ zoneIds }: Compared, lists: Lists): Promise<Changed[]> {
  if (zoneIds.length === 0) return [];
  const zones = (await lists.of('zone')).filter(({ id }) => zoneIds.includes(id));
  const holders = new Set(zones.map(({ path }) => path.slice(0, -1).join(' / ')));
  const zonings = (await lists.of('zoning')).map(({ path, changedAt }) => ({ path: path.join(' / '), changedAt }));
  return zonings.filter(({ path }) => holders.has(path)).map(({ path, changedAt }) => ({ name: `zoning "${path}"`, changedAt }));
}

/** Objects that one sentence names. */
const MOST_NAMED = 5;

/** Objects that were redefined inside the range, in a sentence; nothing where none was, or where the lists cannot be read. */
export async function redefinitionNotes(compared: Compared, lists: Lists): Promise<string[]> {
  const { startMs, endMs, timeZone } = compared;
  // The comparison stands without them.
  const read = [segmentsOf, goalsOf, zoningsOf].map((listed) => listed(compared, lists).catch(onApiError(() => [])));
  const inside = (await Promise.all(read)).flat().flatMap(({ name, changedAt }) => {
    const atMs = Date.parse(changedAt ?? '');
    return atMs >= startMs && atMs <= endMs ? [{ name, atMs }] : [];
  });
  if (inside.length === 0) return [];
  const named = inside.toSorted((a, b) => b.atMs - a.atMs).map(({ name, atMs }) => `${name} on ${todayIn(timeZone, atMs)}`);
  const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : '';
  return [
    `Last changed inside the compared range: ${named.slice(0, MOST_NAMED).join(', ')}${more}. ` +
      'A new definition may explain a step on that day.',
  ];
}
