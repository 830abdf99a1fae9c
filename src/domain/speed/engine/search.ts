import { type Fit, type Frame, fitParts, gainOf, gainOfLine, type Part } from './parts.ts';
import type { Limits } from './score-limits.ts';

/** More changes than this in one look-back are no course of levels. */
const MOST_PARTS = 7;
/** Runs that a bump lasts for at least, or twice what a level must, where that is more. */
const LEAST_BUMP = 12;
/** Runs that the level before the first change is known by at least; in short series an eighth of all. */
const LEAST_BEFORE = 12;
/** Lengths of bumps that are tried grow by this factor, and so do the distances between their beginnings. */
const GROWTH = 1.3;
const BEGINNINGS = 5;

const bumpPenalty = (length: number, n: number) => 2 * Math.log(n / length);

/** A part of the fitted course and how sure it is. */
export interface Found {
  readonly part: Part;
  /** Square of its standard score, given the other parts. */
  readonly gain: number;
}

interface Rules {
  /** The limits that parts must exceed in the end. */
  readonly limits: Limits;
  /** The limits that they must exceed to be tried. */
  readonly candidates: Limits;
  /** Runs that a level must last for. */
  readonly shortest: number;
}

/** The penalty of a short part: there are more short bumps than long ones (Dümbgen and Spokoiny 2001). */
export function penaltyOf(part: Part, n: number): number {
  return part.kind === 'bump' ? bumpPenalty(part.to - part.from, n) : 0;
}

/** The limit that a part must exceed. */
export function limitOf(part: Part, limits: Limits, n: number): number {
  return limits[part.kind] + penaltyOf(part, n);
}

/** Places at which a level begins. */
export function edgesOf(parts: readonly Part[], n: number): number[] {
  const edges = parts.flatMap((part) => {
    if (part.kind === 'line') return [];
    return part.kind === 'step' ? [part.from] : [part.from, part.to];
  });
  return [...new Set(edges)].filter((edge) => edge < n).toSorted((a, b) => a - b);
}

/** 1 where a new edge would leave a level shorter than allowed. */
function blockedPlaces(parts: readonly Part[], n: number, shortest: number): Uint8Array {
  const blocked = new Uint8Array(n + 1);
  blocked.fill(1, 0, Math.max(shortest, Math.min(LEAST_BEFORE, Math.floor(n / 8))));
  for (const edge of [...edgesOf(parts, n), n]) blocked.fill(1, Math.max(0, edge - shortest + 1), Math.min(n + 1, edge + shortest));
  return blocked;
}

/** Shorter in short series, which have no others. */
const leastBump = (n: number, shortest: number) => Math.max(2 * shortest, Math.min(LEAST_BUMP, Math.floor(n / 8)));

function bestStep(fit: Fit, blocked: Uint8Array): Found | undefined {
  const n = fit.frame.series.length;
  let [place, most] = [-1, 0];
  for (let from = 1; from < n; from += 1) {
    if (blocked[from] === 1) continue;
    const gain = gainOf(fit, from, n);
    if (gain > most) [place, most] = [from, gain];
  }
  return place < 0 ? undefined : { part: { kind: 'step', from: place }, gain: most };
}

/** The best edge in a range with the other edge fixed. */
function bestEdge(fit: Fit, [low, high]: readonly [number, number], scoreAt: (place: number) => number): number {
  const n = fit.frame.series.length;
  let [best, most] = [Math.max(1, low), -1];
  for (let place = Math.max(1, low); place <= Math.min(n - 1, high); place += 1) {
    const gain = scoreAt(place);
    if (gain > most) [best, most] = [place, gain];
  }
  return best;
}

/** Bumps of geometrically growing length at evenly spread places (Jeng, Cai and Li 2010), the best one moved to its best edges. */
function bestBump(fit: Fit, blocked: Uint8Array, shortest: number): Found | undefined {
  const n = fit.frame.series.length;
  let best = { from: -1, to: -1, surplus: Number.NEGATIVE_INFINITY };
  const least = leastBump(n, shortest);
  for (let length = least; length <= n / 2; length = Math.max(length + 1, Math.floor(length * GROWTH))) {
    const penalty = bumpPenalty(length, n);
    const stride = Math.max(1, Math.floor(length / BEGINNINGS));
    for (let from = 1; from + length < n; from += stride) {
      if (blocked[from] === 1 || blocked[from + length] === 1) continue;
      const surplus = gainOf(fit, from, from + length) - penalty;
      if (surplus > best.surplus) best = { from, to: from + length, surplus };
    }
  }
  if (best.from < 0) return undefined;
  return refineBump(fit, best.from, best.to, blocked, least);
}

function refineBump(fit: Fit, from: number, to: number, blocked: Uint8Array, shortest: number): Found {
  const open = (place: number, gain: () => number) => (blocked[place] === 1 ? -1 : gain());
  const reach = Math.max(shortest, to - from);
  const begin = bestEdge(fit, [from - reach, to - shortest], (place) => open(place, () => gainOf(fit, place, to)));
  const end = bestEdge(fit, [begin + shortest, to + reach], (place) => open(place, () => gainOf(fit, begin, place)));
  return { part: { kind: 'bump', from: begin, to: end }, gain: gainOf(fit, begin, end) };
}

/** Moves each part to its best place given the others, and says how sure each is. */
export function refined(frame: Frame, parts: readonly Part[], shortest: number): Found[] {
  const moved = [...parts];
  const n = frame.series.length;
  return parts.map((part, index) => {
    const others = moved.filter((_, other) => other !== index);
    const fit = fitParts(frame, others);
    if (part.kind === 'line') return { part, gain: gainOfLine(fit) };
    const blocked = blockedPlaces(others, n, shortest);
    const found =
      part.kind === 'step'
        ? (bestStep(fit, blocked) ?? { part, gain: gainOf(fit, part.from, n) })
        : refineBump(fit, part.from, part.to, blocked, leastBump(n, shortest));
    moved[index] = found.part;
    return found;
  });
}

function withoutWeak(frame: Frame, found: readonly Found[], limits: Limits, shortest: number): Found[] {
  let kept = [...found];
  for (;;) {
    const surplus = kept.map(({ part, gain }) => gain - limitOf(part, limits, frame.series.length));
    const weakest = surplus.indexOf(Math.min(...surplus));
    if (kept.length === 0 || (surplus[weakest] ?? 0) > 0) return kept;
    const rest = kept.filter((_, index) => index !== weakest).map(({ part }) => part);
    kept = refined(frame, rest, shortest);
  }
}

/**
 * Adds the part that exceeds its limit by most until none does, moves all to their best places, and takes out what is not needed any more.
 */
function forward(frame: Frame, start: readonly Part[], rules: Rules): Found[] {
  const { candidates: limits, shortest } = rules;
  let found: Found[] = start.length > 0 ? refined(frame, start, shortest) : [];
  while (found.length < MOST_PARTS) {
    const parts = found.map(({ part }) => part);
    const fit = fitParts(frame, parts);
    const blocked = blockedPlaces(parts, frame.series.length, shortest);
    const candidates = [bestStep(fit, blocked), bestBump(fit, blocked, shortest)].filter((each) => each !== undefined);
    const surplus = ({ part, gain }: Found) => gain - limitOf(part, limits, frame.series.length);
    const [best] = candidates.toSorted((a, b) => surplus(b) - surplus(a));
    if (!best || surplus(best) <= 0) break;
    found = parts.length === 0 ? [best] : refined(frame, [...parts, best.part], shortest);
  }
  return withoutWeak(frame, found, limits, shortest);
}

/** The gain of a course beyond the limits of its parts. */
function worth(frame: Frame, candidates: readonly Found[], { limits, shortest }: Rules): number {
  const found = withoutWeak(frame, candidates, limits, shortest);
  const squares = (parts: readonly Part[]) => fitParts(frame, parts).residual.reduce((sum, value) => sum + value * value, 0);
  const parts = found.map(({ part }) => part);
  const explained = (squares([]) - squares(parts)) / frame.sigma ** 2;
  return explained - parts.reduce((sum, part) => sum + limitOf(part, limits, frame.series.length), 0);
}

/** The course of levels that explains a series best: levels with steps and bumps, or a line with these on top. */
export function searchCourse(frame: Frame, rules: Rules): Found[] {
  const levels = forward(frame, [], rules);
  if (gainOfLine(fitParts(frame, [])) <= rules.candidates.line) return levels;
  const sloped = forward(frame, [{ kind: 'line' }], rules);
  return worth(frame, sloped, rules) > worth(frame, levels, rules) ? sloped : levels;
}

/** The strongest step and bump of a series on top of a constant level. */
export function strongestParts(frame: Frame, shortest: number): Part[] {
  const n = frame.series.length;
  const fit = fitParts(frame, []);
  const blocked = blockedPlaces([], n, shortest);
  return [bestStep(fit, blocked), bestBump(fit, blocked, shortest)].flatMap((found) => (found ? [found.part] : []));
}
