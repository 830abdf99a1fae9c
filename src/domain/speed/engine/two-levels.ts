import { interquartileRange, median } from 'simple-statistics';
import { nth } from '../../../lib/nth.ts';
import { MAD_TO_SD } from '../../../statistics/robust-scale.ts';
import { shareChangeIn } from './failure-trend.ts';
import type { FreedRuns } from './judge-series.ts';
import { levelOf, type Move } from './run-series.ts';

/** Accepted chance that a share which did not change is called changed; small, because every series of a scenario is asked in both ways. */
const ALPHA = 2e-4;
/** Robust standard deviations from the median at which a run counts as moved. */
const MOVED = 2.5;
/** Two levels lie further apart than this many standard deviations, and than this on the log scale. */
const APART = { deviations: 3, log: Math.log(1.15) } as const;
/** Share of runs that moved: fewer may be outliers, more are a change of the level itself. */
const LEAST_MORE = 0.08;
const MOST = 0.8;
/** The runs that did not move keep their level to within this part of the distance. */
const KEPT = 0.25;
/**
 * All runs scatter more widely, which is no second level, where runs moved to the other side too, by more than this part of those that
 * moved, or where the middle half of the runs that did not move is wider than before by so many standard errors.
 */
const WIDER = { mirrored: 1 / 3, errors: 3 } as const;
/** Relative standard error of the interquartile range of one normal run: 1.573 / 1.349. */
const ERROR_OF_MIDDLE = 1.17;
/** Part of the changes between the two kinds of runs that independent runs would show; fewer are stretches, such as slow days. */
const MIXED = 0.5;
const LEAST_SD = 0.01;

function changesBetween(hits: readonly boolean[]): number {
  return hits.filter((hit, index) => index > 0 && hit !== hits[index - 1]).length;
}

const shareOf = (hits: readonly boolean[]) => hits.filter(Boolean).length / Math.max(1, hits.length);

/** Runs that moved to one side (`sign` 1: upwards). */
function movedTo(runs: FreedRuns, sign: 1 | -1): Move | undefined {
  const { dates, logs } = runs;
  const middle = median([...logs]);
  const sd = Math.max(LEAST_SD, MAD_TO_SD * median(logs.map((log) => Math.abs(log - middle))));
  const beyond = (side: number) => logs.map((log) => side * (log - middle) > MOVED * sd);
  const [isMoved, isOpposite] = [beyond(sign), beyond(-sign)];
  const change = shareChangeIn({ dates, failed: isMoved }, ALPHA);
  if (!change || change.since.share === null || change.before.share === null) return undefined;
  const { share } = change.since;
  if (share - change.before.share < LEAST_MORE || share > MOST) return undefined;
  const first = dates.findIndex((date) => date >= change.atMs);
  const opposite = shareOf(isOpposite.slice(first)) - shareOf(isOpposite.slice(0, first));
  if (opposite > WIDER.mirrored * (share - change.before.share)) return undefined;
  const places = (isOfMoved: boolean, from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index).filter((place) => isMoved[place] === isOfMoved);
  const logOf = (some: readonly number[]) => median(some.map((place) => nth(logs, place)));
  const [usual, moved, former] = [places(false, first, logs.length), places(true, first, logs.length), places(false, 0, first)];
  if (usual.length === 0 || moved.length === 0 || former.length === 0) return undefined;
  const apart = sign * (logOf(moved) - logOf(usual));
  const isApart = apart >= Math.max(APART.deviations * sd, APART.log);
  const middleOf = (some: readonly number[]) => interquartileRange(some.map((place) => nth(logs, place)));
  const isWider = middleOf(usual) > middleOf(former) * (1 + (WIDER.errors * ERROR_OF_MIDDLE) / Math.sqrt(usual.length));
  const isKept = Math.abs(logOf(usual) - logOf(former)) <= KEPT * apart;
  const hits = isMoved.slice(first);
  const isMixed = changesBetween(hits) >= MIXED * 2 * hits.length * share * (1 - share);
  if (!isApart || !isKept || !isMixed || isWider) return undefined;
  const level = (some: readonly number[]) =>
    levelOf(
      some.map((place) => runs.values[place] ?? Number.NaN),
      some.map((place) => runs.valueOf(nth(logs, place))),
    );
  const previousMs = dates[first - 1] ?? change.atMs;
  const [levelUsual, levelMoved] = [level(usual), level(moved)];
  return {
    shape: 'step',
    fromMs: change.atMs,
    previousMs,
    began: { startMs: previousMs, endMs: change.atMs },
    untilMs: undefined,
    before: levelUsual,
    after: levelMoved,
    relative: levelMoved.typical / levelUsual.typical - 1,
    share,
  };
}

/**
 * The move of part of the runs to another level while the others, whose level is that before, kept theirs, as in an A/B test or with one
 * slow machine among several; undefined where that is not beyond chance.
 */
export function twoLevelsIn(runs: FreedRuns): Move | undefined {
  if (runs.dates.length === 0) return undefined;
  return movedTo(runs, 1) ?? movedTo(runs, -1);
}
