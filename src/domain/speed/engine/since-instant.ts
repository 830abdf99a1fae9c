import { type JudgeOptions, missingRuns, NEEDED, type NotEnough, studySeries } from './judge-series.ts';
import { gainOfPart, likelihoodOf, sumsOf } from './likelihood.ts';
import { heightsOf, type Part } from './parts.ts';
import { levelIn, type Plateau } from './plateaus.ts';
import type { Level, RunSeries, Span } from './run-series.ts';
import { chanceOf } from './score-limits.ts';

/** Accepted chance that a series which did not change at the instant is called changed. */
const ALPHA = 0.01;

/** Whether the level changed at a given instant, such as a release. */
export interface SinceInstant {
  readonly state: 'slower' | 'faster' | 'no change';
  /** Of the runs before and since, as far as no other change lies between. */
  readonly before: Level;
  readonly since: Level;
  /** 0.2 for +20 %; freed of cycle and drift. */
  readonly relative: number;
  /** Chance of as large a difference without a change. */
  readonly p: number;
  /** A change that was found without knowing the instant, and whose range holds it: then the two are one. */
  readonly found: Span | undefined;
  /** Ranges of the other changes of the look-back. */
  readonly others: readonly Span[];
}

const whole = (from: number, to: number): Plateau => ({ from, to, height: 0, beganIn: undefined });

/**
 * Judges a fixed split: a likelihood ratio of a step at the instant, with all other changes of the look-back taken into account. The
 * instant may have been chosen for any reason but these runs.
 */
export function judgeSince(series: RunSeries, instantMs: number, options: JudgeOptions): SinceInstant | NotEnough {
  const { dates, values } = series;
  const before = dates.filter((date) => date < instantMs).length;
  const missing = missingRuns(series, { ...options, period: { startMs: instantMs, endMs: Number.POSITIVE_INFINITY } });
  if (missing) return missing;
  if (before < NEEDED.inPeriod) return { state: 'not enough data', runs: values.length, inPeriod: values.length - before, needed: NEEDED };
  const { course, plateaus } = studySeries(series, options);
  const holds = ({ beganIn }: Plateau) => beganIn !== undefined && beganIn.startMs <= instantMs && beganIn.endMs >= instantMs;
  const place = plateaus.findIndex(holds);
  const here = place < 0 ? plateaus.findIndex(({ to }) => to > before) : place;
  const others = plateaus.flatMap(({ beganIn }, other) => (beganIn && other !== place ? [beganIn] : []));
  const at = plateaus[here] ?? whole(0, values.length);
  const former = plateaus[here - 1];
  const [earlier, later] = place >= 0 && former ? [former, at] : [whole(at.from, before), whole(before, at.to)];
  const levels = { before: levelIn(series, course, [earlier]), since: levelIn(series, course, [later]) };
  const { relative, p } = stepAt(course.kept.findIndex((run) => run >= (place >= 0 ? at.from : before)));
  const counts = Math.abs(relative) >= options.effect.relative && Math.abs(relative) * levels.before.typical >= options.effect.absolute;
  const state = p > ALPHA || !counts ? 'no change' : relative > 0 ? 'slower' : 'faster';
  return { ...levels, state, relative, p, found: place >= 0 ? at.beganIn : undefined, others };

  function stepAt(from: number): { relative: number; p: number } {
    const isHere = (part: Part) => place >= 0 && part.kind !== 'line' && (part.from === from || (part.kind === 'bump' && part.to === from));
    const rest = course.found.map(({ part }) => part).filter((part) => !isHere(part));
    // What a bump does beyond the instant stays a part of its own.
    const parts: Part[] = [...rest, { kind: 'step', from }];
    const bumps = course.found.flatMap(({ part }) => (isHere(part) && part.kind === 'bump' ? [part] : []));
    for (const bump of bumps) parts.unshift({ kind: 'step', from: bump.from === from ? bump.to : bump.from });
    const sums = sumsOf(course.runs, parts);
    const { gain, phi } = gainOfPart(sums, parts.length - 1, likelihoodOf(sums));
    const height = heightsOf(course.frame, parts).at(-1) ?? 0;
    return { relative: Math.expm1(height), p: chanceOf('line', gain, course.runs.x.length, phi) };
  }
}
