import { dot } from '../../../statistics/vectors.ts';
import { type Fit, type Frame, fitParts, gainOf, gainOfLine, type Part } from './gls.ts';
import type { Limits } from './score-limits.ts';

/** More changes than this in one look-back are no course of levels. */
const MOST_PARTS = 7;
/** Runs that a bump, and the level before the first change, last for at least; in short series an eighth of all. */
const LEAST_RUNS = 12;
/** Lengths of bumps that are tried grow by this factor, and so do the distances between their beginnings. */
const GROWTH = 1.3;
const BEGINNINGS = 5;

/** A part of the fitted course and how sure it is. */
interface Found {
  readonly part: Part;
  /** Square of its standard score, given the other parts. */
  readonly gain: number;
}

/** The penalty of a short part: there are more short bumps than long ones (Dümbgen and Spokoiny 2001). */
export function penaltyOf({ kind, from, to }: Part, n: number): number {
  return kind === 'bump' ? 2 * Math.log(n / (to - from)) : 0;
}

/** Places at which a level begins. */
export function edgesOf(parts: readonly Part[], n: number): number[] {
  return parts.flatMap(({ kind, from, to }) => (kind === 'line' ? [] : [from, to])).filter((edge) => edge < n);
}

/** Searches on top of some parts: what a new part may be. */
interface OpenPlaces {
  readonly fit: Fit;
  readonly n: number;
  /** 1 where a new edge would leave a level shorter than allowed. */
  readonly blocked: Uint8Array;
  readonly leastBump: number;
}

function placeOn(frame: Frame, parts: readonly Part[], shortest: number): OpenPlaces {
  const n = frame.series.length;
  const least = Math.min(LEAST_RUNS, Math.floor(n / 8));
  const blocked = new Uint8Array(n + 1).fill(1, 0, Math.max(shortest, least));
  for (const edge of [...edgesOf(parts, n), n]) blocked.fill(1, Math.max(0, edge - shortest + 1), Math.min(n + 1, edge + shortest));
  return { fit: fitParts(frame, parts), n, blocked, leastBump: Math.max(2 * shortest, least) };
}

/** The place in a range at which an edge gains most, and its gain; a range without an open place has none. */
function bestEdge({ blocked }: OpenPlaces, low: number, high: number, gainAt: (place: number) => number): { at: number; gain: number } {
  let best = { at: -1, gain: 0 };
  for (let at = Math.max(1, low); at <= high; at += 1) {
    const gain = blocked[at] === 1 ? 0 : gainAt(at);
    if (gain > best.gain) best = { at, gain };
  }
  return best;
}

function bestStep(place: OpenPlaces): Found | undefined {
  const { fit, n } = place;
  const { at: from, gain } = bestEdge(place, 1, n - 1, (at) => gainOf(fit, at, n));
  return from < 0 ? undefined : { part: { kind: 'step', from, to: n }, gain };
}

/** Moves the edges of a bump to their best places, one after the other. */
function refineBump(place: OpenPlaces, from: number, to: number): Found {
  const { fit, n, leastBump } = place;
  const reach = Math.max(leastBump, to - from);
  const begin = bestEdge(place, from - reach, to - leastBump, (at) => gainOf(fit, at, to)).at;
  const first = begin < 0 ? from : begin;
  const end = bestEdge(place, first + leastBump, Math.min(n - 1, to + reach), (at) => gainOf(fit, first, at)).at;
  const last = end < 0 ? to : end;
  return { part: { kind: 'bump', from: first, to: last }, gain: gainOf(fit, first, last) };
}

/** Bumps of geometrically growing length at evenly spread places (Jeng, Cai and Li 2010), the best one moved to its best edges. */
function bestBump(place: OpenPlaces): Found | undefined {
  const { fit, n, blocked, leastBump } = place;
  let best: { readonly part: Part; readonly surplus: number } | undefined;
  for (let length = leastBump; length <= n / 2; length = Math.max(length + 1, Math.floor(length * GROWTH))) {
    const penalty = penaltyOf({ kind: 'bump', from: 0, to: length }, n);
    for (let from = 1; from + length < n; from += Math.max(1, Math.floor(length / BEGINNINGS))) {
      if (blocked[from] === 1 || blocked[from + length] === 1) continue;
      const surplus = gainOf(fit, from, from + length) - penalty;
      if (!best || surplus > best.surplus) best = { part: { kind: 'bump', from, to: from + length }, surplus };
    }
  }
  return best && refineBump(place, best.part.from, best.part.to);
}

/** Moves each part to its best place given the others. */
export function refined(frame: Frame, parts: readonly Part[], shortest: number): Part[] {
  const moved = [...parts];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'line') continue;
    const place = placeOn(
      frame,
      moved.filter((_, other) => other !== index),
      shortest,
    );
    moved[index] = (part.kind === 'step' ? bestStep(place)?.part : refineBump(place, part.from, part.to).part) ?? part;
  }
  return moved;
}

/** The strongest step and bump on top of other parts. */
export function strongestParts(frame: Frame, parts: readonly Part[], shortest: number): Found[] {
  const place = placeOn(frame, parts, shortest);
  return [bestStep(place), bestBump(place)].filter((found) => found !== undefined);
}

/** The course of levels that explains a series best: levels with steps and bumps, or a line with these on top. */
export function searchCourse(frame: Frame, limits: Limits, shortest: number): Part[] {
  const n = frame.series.length;
  const needed = (part: Part) => limits[part.kind] + penaltyOf(part, n);
  const surplus = ({ part, gain }: Found) => gain - needed(part);
  /** Adds the part that exceeds its limit by most until none does, and moves all to their best places. */
  function forward(start: readonly Part[]): readonly Part[] {
    let parts = start;
    while (parts.length < MOST_PARTS) {
      const [best] = strongestParts(frame, parts, shortest).toSorted((a, b) => surplus(b) - surplus(a));
      if (!best || surplus(best) <= 0) break;
      parts = parts.length === 0 ? [best.part] : refined(frame, [...parts, best.part], shortest);
    }
    return parts;
  }
  /** What is left unexplained, and what the parts need. */
  function cost(parts: readonly Part[]): number {
    const { residual } = fitParts(frame, parts);
    return dot(residual, residual) / frame.sigma ** 2 + parts.reduce((sum, part) => sum + needed(part), 0);
  }
  const levels = forward([]);
  if (gainOfLine(fitParts(frame, [])) <= limits.line) return [...levels];
  const sloped = forward([{ kind: 'line', from: 0, to: n }]);
  return [...(cost(sloped) < cost(levels) ? sloped : levels)];
}
