import { type Random, seeded } from '../random.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Level of a scenario over time; sizes are relative (0.2 for +20 %), times count back from the last run. */
export type Shape =
  | { readonly kind: 'stable' }
  | { readonly kind: 'step'; readonly size: number; readonly agoMs: readonly [number, number] }
  | { readonly kind: 'bump'; readonly size: number; readonly lengthMs: number; readonly endedAgoMs: readonly [number, number] }
  /** Grows by `size` over the whole look-back, evenly on the log scale. */
  | { readonly kind: 'drift'; readonly size: number }
  /** Two changes, both still felt. */
  | {
      readonly kind: 'two steps';
      readonly sizes: readonly [number, number];
      readonly agoMs: readonly [readonly [number, number], readonly [number, number]];
    };

/** How the runs of a scenario scatter. */
export interface Nature {
  readonly cadenceMs: number;
  readonly baselineDays: number;
  readonly periodDays: number;
  /** Marginal standard deviation of the logarithm of a run. */
  readonly noise: number;
  /** Correlation of a run's deviation with that of the run before. */
  readonly ar: number;
  /** Share of runs that take 1.5 to 4 times as long for a reason of their own. */
  readonly outliers: number;
  readonly cycle: 'none' | 'weekend' | 'weekend and nights' | 'nights of working days';
  /** Standard deviation of a level that each day has of its own, log scale. */
  readonly dayShock?: number;
  /**
   * `normal` by default; `heavy` is Student's t with 3 degrees of freedom at the same variance, `bimodal` has 30 % of runs at 2.5 times.
   */
  readonly tails?: 'normal' | 'heavy' | 'bimodal';
}

/** Hourly runs of 37 days that scatter by 10 %, with weekends and nights: what most worlds have in common. */
export const USUAL_NATURE: Nature = {
  cadenceMs: HOUR_MS,
  baselineDays: 30,
  periodDays: 7,
  noise: 0.1,
  ar: 0.3,
  outliers: 0.02,
  cycle: 'weekend and nights',
};

/** One generated scenario with all that only its maker knows. */
export interface World {
  readonly nature: Nature;
  readonly dates: readonly number[];
  readonly values: readonly number[];
  readonly period: { readonly startMs: number; readonly endMs: number };
  /** Logarithm of the cycle at each run. */
  readonly cycle: Float64Array;
  /** 1 for a run that took longer for a reason of its own. */
  readonly isOutlier: Uint8Array;
  /** Places of the first runs at a new level, in order. */
  readonly changes: readonly number[];
  /** Logarithm of the level at each run, without cycle and noise. */
  readonly level: Float64Array;
}

const EPOCH_MS = Date.parse('2026-03-02T00:00:00Z');
const MISSING = 0.02;

const between = ({ uniform }: Random, [low, high]: readonly [number, number]) => low + (high - low) * uniform();

/** Factors of weekends and nights, log scale; drawn once a world. */
function cycleOf(random: Random, kind: Nature['cycle']): (ms: number) => number {
  const [weekend, night] = [-between(random, [0.1, 0.2]), -between(random, [0.08, 0.2])];
  return (ms) => {
    const day = Math.floor(ms / DAY_MS + 3) % 7;
    const hour = Math.floor((ms % DAY_MS) / HOUR_MS);
    const isWeekend = day >= 5;
    const isNight = hour < 6 || hour >= 23;
    if (kind === 'none') return 0;
    if (kind === 'weekend') return isWeekend ? weekend : 0;
    if (kind === 'weekend and nights') return (isWeekend ? weekend : 0) + (isNight ? night : 0);
    return isWeekend ? weekend : isNight ? night : 0;
  };
}

/** The level of the shape, log scale, and the instants at which it changes. */
function levelOf(random: Random, shape: Shape, startMs: number, endMs: number): { at: (ms: number) => number; changesMs: number[] } {
  if (shape.kind === 'step') {
    const fromMs = endMs - between(random, shape.agoMs);
    return { at: (ms) => (ms >= fromMs ? Math.log1p(shape.size) : 0), changesMs: [fromMs] };
  }
  if (shape.kind === 'bump') {
    const toMs = endMs - between(random, shape.endedAgoMs);
    const fromMs = toMs - shape.lengthMs;
    return { at: (ms) => (ms >= fromMs && ms < toMs ? Math.log1p(shape.size) : 0), changesMs: [fromMs, toMs] };
  }
  if (shape.kind === 'drift') return { at: (ms) => (Math.log1p(shape.size) * (ms - startMs)) / (endMs - startMs), changesMs: [] };
  if (shape.kind === 'two steps') {
    const [first, second] = [endMs - between(random, shape.agoMs[0]), endMs - between(random, shape.agoMs[1])];
    const [a, b] = shape.sizes.map((size) => Math.log1p(size));
    return { at: (ms) => (ms >= first ? (a ?? 0) : 0) + (ms >= second ? (b ?? 0) : 0), changesMs: [first, second] };
  }
  return { at: () => 0, changesMs: [] };
}

/** A draw of variance 1 with the tails asked for. */
function shockOf({ normal, gamma }: Random, tails: Nature['tails']): () => number {
  if (tails === 'heavy') return () => normal() / Math.sqrt((2 * gamma(1.5)) / 3) / Math.sqrt(3);
  return normal;
}

/** Makes one scenario; the same seed gives the same one. */
export function makeWorld(nature: Nature, shape: Shape, seed: number): World {
  const random = seeded(seed);
  const { cadenceMs, noise, ar, outliers, dayShock = 0, tails } = nature;
  const endMs = EPOCH_MS + Math.floor(random.uniform() * 28 * 24) * HOUR_MS + 60 * DAY_MS;
  const startMs = endMs - (nature.baselineDays + nature.periodDays) * DAY_MS;
  const base = Math.log(between(random, [900, 4500]));
  const cycleAt = cycleOf(random, nature.cycle);
  const level = levelOf(random, shape, startMs, endMs);
  const shock = shockOf(random, tails);
  const offsetMs = random.uniform() * cadenceMs * 0.8;
  const [dates, values, cycles, masks, levels]: number[][] = [[], [], [], [], []];
  let deviation = shock();
  let [day, ofDay] = [-1, 0];
  for (let slot = startMs; slot < endMs; slot += cadenceMs) {
    const ms = Math.round(slot + offsetMs + random.uniform() * Math.min(120_000, cadenceMs * 0.2));
    deviation = ar * deviation + Math.sqrt(1 - ar * ar) * shock();
    if (Math.floor(ms / DAY_MS) !== day) [day, ofDay] = [Math.floor(ms / DAY_MS), dayShock * random.normal()];
    const slow = random.uniform() < outliers ? Math.log(between(random, [1.5, 4])) : 0;
    const mode = tails === 'bimodal' && random.uniform() < 0.3 ? Math.log(2.5) : 0;
    if (random.uniform() < MISSING) continue;
    const cycle = cycleAt(ms);
    const at = level.at(ms);
    dates?.push(ms);
    cycles?.push(cycle);
    masks?.push(slow > 0 ? 1 : 0);
    levels?.push(base + at);
    values?.push(Math.exp(base + at + cycle + noise * deviation + ofDay + slow + mode));
  }
  const all = dates ?? [];
  return {
    nature,
    dates: all,
    values: values ?? [],
    period: { startMs: endMs - nature.periodDays * DAY_MS, endMs },
    cycle: Float64Array.from(cycles ?? []),
    isOutlier: Uint8Array.from(masks ?? []),
    level: Float64Array.from(levels ?? []),
    changes: level.changesMs.map((ms) => all.findIndex((date) => date >= ms)),
  };
}
