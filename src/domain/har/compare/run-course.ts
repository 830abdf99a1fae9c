import { median } from 'simple-statistics';
import { endOf } from '../analyse/blocking.ts';
import type { Har } from '../read/har-model.ts';
import { keysOf, scatterOf } from './run-scatter.ts';

/** How much more slowly a run went on after its document than another one: what a slow machine does whose requests take no longer. */
export interface CourseShift {
  /** Log of after over before. */
  readonly shift: number;
  /** Standard deviations. */
  readonly score: number;
  /** Log of the end of the document after over before. */
  readonly documentShift: number;
}

/** Starts so early say more of rounding than of pace. */
const LEAST_START_MS = 50;
/** Fewer starts do not say how a run went on. */
const LEAST_STARTS = 8;
/** Standard deviation of the pace of a run, log scale, where no neighbours are known. */
const USUAL_SCATTER = 0.12;
/** Each quarter of the run moved in the direction of the shift by at least this part of it. */
const EVERYWHERE = 0.5;

/** Log starts of a run by address, counted from the end of its document. */
function startsOf({ entries, document }: Loaded): Map<string, number> {
  const keys = keysOf(entries);
  const fromMs = document ? endOf(document) : 0;
  return new Map(
    entries.flatMap((entry) => {
      const ms = (entry.startMs ?? 0) - fromMs;
      return ms < LEAST_START_MS ? [] : [[keys.get(entry) ?? '', Math.log(ms)] as const];
    }),
  );
}

/** A run as far as its course. */
type Loaded = Pick<Har, 'entries' | 'document'>;

/** Changes of what both runs have, in the order of the earlier run. */
function changesBetween(was: ReadonlyMap<string, number>, is: ReadonlyMap<string, number>): number[] {
  return [...was]
    .toSorted(([, a], [, b]) => a - b)
    .flatMap(([key, start]) => {
      const later = is.get(key);
      return later === undefined ? [] : [later - start];
    });
}

/** Whether the first quarter of the changes moved as the last did, and those between. */
function isEverywhere(changes: readonly number[], shift: number): boolean {
  const size = Math.floor(changes.length / 4);
  const quarters = [0, 1, 2, 3].map((place) => changes.slice(place * size, place === 3 ? undefined : (place + 1) * size));
  return quarters.every((quarter) => median(quarter) / shift >= EVERYWHERE);
}

/** How much runs of a level differ in pace, each against the median of its group. */
function paces(group: readonly Loaded[]): number[] {
  const runs = group.map(startsOf);
  const known = new Map<string, number[]>();
  for (const run of runs) for (const [key, start] of run) known.set(key, [...(known.get(key) ?? []), start]);
  const usual = new Map([...known].filter(([, starts]) => starts.length > 1).map(([key, starts]) => [key, median(starts)]));
  return runs.flatMap((run) => {
    const changes = changesBetween(usual, run);
    return changes.length < LEAST_STARTS ? [] : [median(changes)];
  });
}

/** The pace that all of two runs differs by from beginning to end; undefined where a part of them kept its own. */
export function courseBetween(before: Loaded, after: Loaded, neighbours: readonly (readonly Loaded[])[]): CourseShift | undefined {
  const changes = changesBetween(startsOf(before), startsOf(after));
  if (changes.length < LEAST_STARTS) return undefined;
  const shift = median(changes);
  if (shift === 0 || !isEverywhere(changes, shift)) return undefined;
  const [was, is] = [before.document, after.document].map((document) => (document ? endOf(document) : 0));
  const documentShift = was && is ? Math.log(is / was) : 0;
  return { shift, documentShift, score: shift / (Math.SQRT2 * scatterOf(neighbours.flatMap(paces), USUAL_SCATTER)) };
}
