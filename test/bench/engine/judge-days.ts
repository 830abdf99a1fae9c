import { scoreOfTail, studentOf } from '../../../src/statistics/tails.ts';
import type { LevelChange } from './model/changes.ts';
import { study } from './model/model.ts';
import { type DayValue, type MetricKind, relativeOf, scaleDays, WEEK } from './model/scale.ts';
import type { Quest } from './model/search.ts';
import { type DayWindow, differenceOf } from './model/windows.ts';

const ERRORS = { step: 0.01, bump: 0.0008, level: 0.0015 };
const BESIDE = { point: 0.004, earlier: 0.001, history: 0.0002 };
const LONGEST = 35;
const CLEAR = Math.log(0.015);

/** The answer of the new engine to a question that `judgePeriods` is asked. */
export interface Judged {
  readonly verdict: string;
  readonly main?: {
    readonly from: string;
    readonly earliest: string;
    readonly latest: string;
    readonly low: number;
    readonly high: number;
  };
  readonly changes: readonly { readonly shape: string; readonly from: string }[];
}

function mainOf(changes: readonly LevelChange[], early: number, start: number): LevelChange | undefined {
  const clarity = ({ effect, error }: LevelChange) => Math.abs(effect / error);
  const [main] = changes.filter(({ shape, from }) => shape !== 'point' && from >= start).toSorted((a, b) => clarity(b) - clarity(a));
  if (!main) return undefined;
  const before = changes.filter(({ shape, from }) => shape === 'step' && from >= early && from < start);
  if (before.some(({ effect }) => effect * main.effect < 0 && Math.abs(effect) > Math.abs(main.effect))) return undefined;
  const goesOn = before.some((step) => step.to >= main.from && step.effect * main.effect > 0 && clarity(step) > clarity(main));
  return goesOn && main.logP > Math.log(0.001) ? undefined : main;
}

/** Judges two windows by the new engine as `judgePeriods` does by the old one. */
export function judgeDays(kind: MetricKind, days: readonly DayValue[], baseline: DayWindow, period: DayWindow): Judged {
  const scale = scaleDays(
    days.filter(({ label }) => label <= period.to),
    kind,
    period.from,
  );
  if (!scale) return { verdict: 'not enough data', changes: [] };
  const { labels, learned, block } = scale;
  const end = labels.length;
  const first = block + WEEK;
  const at = labels.findIndex((label) => label >= baseline.from);
  const early = Math.max(first, at < 0 ? end : at);
  const quests: Quest[] = [
    { shape: 'step', from: first, to: early, level: BESIDE.history },
    { shape: 'step', from: early, to: learned, level: BESIDE.earlier },
    { shape: 'point', from: first, to: early, level: BESIDE.history },
    { shape: 'bump', from: first, to: Math.min(early, learned), level: BESIDE.history, longest: LONGEST },
    { shape: 'point', from: Math.min(early, learned), to: end, level: BESIDE.point },
    { shape: 'step', from: learned, to: end, level: ERRORS.step * (WEEK / Math.max(WEEK, end - learned)) ** 0.75 },
    { shape: 'bump', from: Math.min(early, learned), to: end, level: ERRORS.bump },
  ];
  const found = study(scale, quests);
  if (!found) return { verdict: 'not enough data', changes: [] };
  const changes = found.changes.filter(({ logP }) => logP <= CLEAR);
  const special = scale.special.flatMap((effect, day) => (effect && effect.sd > 0 ? [day] : []));
  const unusual = changes.flatMap(({ shape, from, to }) => {
    const last = shape === 'point' ? to : Math.min(to, learned);
    return shape === 'step' ? [] : Array.from({ length: Math.max(0, last - from) }, (_, index) => from + index);
  });
  const level =
    differenceOf(found, baseline, period, new Set([...unusual, ...special])) ?? differenceOf(found, baseline, period, new Set(special));
  const listed = changes.map(({ shape, from }) => ({ shape, from: labels[from] ?? '' }));
  if (!level) return { verdict: 'not enough data', changes: listed };
  const { freedom } = found.model.noise;
  const main = mainOf(changes, early, learned);
  const limit = studentOf(scoreOfTail(Math.log(ERRORS.level)), freedom) * level.error;
  const direction = (value: number) => (value > 0 ? 'up' : 'down');
  if (main) {
    const label = (day: number) => labels[day] ?? '';
    const { effect, error, from, earliest, latest } = main;
    const [low, high] = [relativeOf(scale, effect - 1.96 * error), relativeOf(scale, effect + 1.96 * error)];
    return {
      verdict: direction(effect),
      main: { from: label(from), earliest: label(earliest), latest: label(latest), low, high },
      changes: listed,
    };
  }
  const sudden = level.changes + level.rest;
  if (Math.abs(level.difference) <= limit) return { verdict: 'within noise', changes: listed };
  const isSudden = sudden * level.difference > 0 && Math.abs(sudden) > limit;
  return { verdict: isSudden ? direction(level.difference) : 'drift', changes: listed };
}
