import { nth, nthDouble } from '../lib/nth.ts';
import { dot } from './vectors.ts';

/** A function whose least is sought, and how it is sought. */
export interface Descent {
  readonly start: Float64Array;
  /** The gradient of a convex function at a point, a new array each time. */
  readonly gradientAt: (point: Float64Array) => Float64Array;
  /** Solves for a step as far as the curvature of the function is known: that of another place, or of a function like it. */
  readonly solve: (gradient: Float64Array) => Float64Array;
  /** No part of a step is longer. */
  readonly longest: number;
  /** The step after one whose parts are all shorter is not taken. */
  readonly enough: number;
  readonly mostSteps: number;
}

interface Past {
  readonly step: Float64Array;
  readonly turn: Float64Array;
  readonly product: number;
}

/** Adds a multiple of one list to another. */
function add(to: Float64Array, factor: number, other: Float64Array): void {
  for (let at = 0; at < to.length; at += 1) to[at] = nthDouble(to, at) + factor * nthDouble(other, at);
}

/** The step by the known curvature and what the steps before tell of it (L-BFGS, Nocedal 1980). */
function stepBy(gradient: Float64Array, solve: Descent['solve'], past: readonly Past[]): Float64Array {
  const left = gradient.slice();
  const shares = past.map(() => 0);
  for (let at = past.length - 1; at >= 0; at -= 1) {
    const { step, turn, product } = past[at] as Past; // an index of the list
    shares[at] = dot(step, left) / product;
    add(left, -nth(shares, at), turn);
  }
  const step = solve(left);
  for (const [at, { step: own, turn, product }] of past.entries()) add(step, nth(shares, at) - dot(turn, step) / product, own);
  return step.map((value) => -value);
}

/** A step is halved where the slope at its end is steeper than this share of that at its beginning, upwards: it went too far. */
const MOST_UPWARD = 0.9;
const MOST_HALVES = 10;

/** Seeks the least of a smooth convex function; gives the point after the last step, at which the gradient was asked last. */
export function descend({ start, gradientAt, solve, longest, enough, mostSteps }: Descent): Float64Array {
  let point = start;
  let gradient = gradientAt(point);
  const past: Past[] = [];
  for (let count = 0; count < mostSteps; count += 1) {
    const whole = stepBy(gradient, solve, past);
    const largest = whole.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const allowed = MOST_UPWARD * Math.abs(dot(whole, gradient));
    let scale = Math.min(1, longest / Math.max(largest, 1e-9));
    const stepTo = () => {
      const step = whole.map((value) => scale * value);
      const end = point.slice();
      add(end, 1, step);
      return { step, end, next: gradientAt(end) };
    };
    let taken = stepTo();
    for (let halves = 0; halves < MOST_HALVES && dot(whole, taken.next) > allowed; halves += 1) {
      scale /= 2;
      taken = stepTo();
    }
    const { step, end, next } = taken;
    point = end;
    if (largest < enough) break;
    const turn = next.map((value, at) => value - nthDouble(gradient, at));
    const product = dot(step, turn);
    if (product > 0) past.push({ step, turn, product });
    gradient = next;
  }
  return point;
}
