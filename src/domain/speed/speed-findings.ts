import type { Facts, Finding } from '../../findings/finding.ts';
import { type Noun, worded } from '../../findings/sentence.ts';
import { dateText } from '../../findings/wording.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { minuteAt, todayIn } from '../../lib/dates.ts';
import { counted, formatMs } from '../../lib/number-text.ts';
import { Z_95 } from '../../statistics/tails.ts';
import type { FailureTrend, Share } from './engine/failure-trend.ts';
import type { Level, Span } from './engine/run-series.ts';
import { type FailingStep, failingSteps, failuresIn, shareWords } from './failures.ts';
import type { Row, Study } from './scenario-study.ts';
import { compareSpeedChanges, movesOf, type SpeedMove, speedChangesOf } from './speed-changes.ts';
import type { NearEvent } from './speed-events.ts';
import { metricFact, percentOf, roundValue, shownChance } from './speed-metrics.ts';
import type { Unmeasured } from './unmeasured.ts';

const UNITS = { ms: 'ms', bytes: 'bytes', count: 'requests', score: '' } as const;
const DIRECTIONS: Readonly<Record<keyof typeof UNITS, Pick<Noun, 'higher' | 'lower'>>> = {
  ms: { higher: 'slower', lower: 'faster' },
  bytes: { higher: 'heavier', lower: 'lighter' },
  count: {},
  score: {},
};

/** The name of a speed metric, and the words for its moves. */
export function nounOf(metric: string): Noun {
  const { short, kind } = metricFact(metric);
  return { name: short, isPlural: false, ...DIRECTIONS[kind] };
}

/** Standard error of the median of some runs over its level, by their quartiles as if they were normal. */
const errorOf = ({ p25, p75, typical, runs }: Level) => (typical === 0 ? 0 : (0.93 * (p75 - p25)) / typical / Math.sqrt(Math.max(1, runs)));

/** The size of a move with bounds at 95 % by the scatter of its runs; in the unit of the metric where it was zero before. */
function sizeOf({ metric, before, after, relative }: SpeedMove): NonNullable<Facts['change']> {
  const half = Z_95 * Math.hypot(errorOf(before), errorOf(after));
  if (!Number.isFinite(relative)) {
    const points = roundValue(metric, after.typical - before.typical);
    return { points, low: points * (1 - half), high: points * (1 + half) };
  }
  const percent = (share: number) => Number((100 * share).toFixed(2));
  return {
    percent: percent(relative),
    low: percent((1 + relative) * Math.exp(-half) - 1),
    high: percent((1 + relative) * Math.exp(half) - 1),
  };
}

/** The scenario that records are about, and the year of the reader, which dates leave out. */
export interface ScenarioPlace {
  readonly name: string;
  readonly timeZone: string;
  readonly year: string;
}

/** The scenario of a study; its reader lives on its last day. */
export const placeOfStudy = (name: string, { period, timeZone }: Pick<Study, 'period' | 'timeZone'>): ScenarioPlace => ({
  name,
  timeZone,
  year: todayIn(timeZone, period.window.endMs).slice(0, 4),
});

/** The record with its sentence. */
export const inWords = (facts: Facts, { year }: Pick<ScenarioPlace, 'year'>): Finding => worded(facts, { nounOf, year });

/** The place of a step; the device is in the name of the scenario. */
const placeOf = (name: string, step: string | undefined): Facts['place'] => ({ scenario: name, ...(step !== undefined && { step }) });

/** The record of a move. */
export function moveFacts(move: SpeedMove, { name, timeZone }: Pick<ScenarioPlace, 'name' | 'timeZone'>): Facts {
  const { metric, step, shape, fromMs, untilMs, began, before, after, relative, pValue } = move;
  const at = (ms: number) => minuteAt(ms, timeZone);
  const isLong = shape !== 'drift' && began.endMs - began.startMs > DAY_MS;
  return {
    subject: metric,
    unit: UNITS[metricFact(metric).kind],
    place: placeOf(name, step),
    when: {
      shape,
      from: at(fromMs),
      ...(untilMs !== undefined && { to: at(untilMs) }),
      ...(isLong && { earliest: at(began.startMs), latest: at(began.endMs) }),
      ongoing: untilMs === undefined,
    },
    now: roundValue(metric, after.typical),
    against: { what: 'before', value: roundValue(metric, before.typical) },
    change: sizeOf(move),
    verdict: relative > 0 ? 'higher' : 'lower',
    chance: shownChance(pValue),
    causes: [],
  };
}

/** The event next to a change as its cause in time, with how far it lies from it. */
function eventCauses([event]: readonly NearEvent[], range: Span): Facts['causes'] {
  if (!event) return [];
  const named = `the event "${event.text || event.key}"`;
  const isWithin = event.leadMs < 0 && event.atMs <= range.endMs;
  const distance = formatMs(Math.max(MINUTE_MS, Math.round(Math.abs(event.leadMs) / MINUTE_MS) * MINUTE_MS));
  const name = isWithin ? named : `${named}, ${distance} ${event.leadMs >= 0 ? 'earlier' : 'later'}`;
  return [{ kind: 'event', name, basis: 'same time' }];
}

/** A median of runs that was held against a limit. */
interface LimitCheck {
  readonly step: string;
  readonly metric: string;
  readonly median: number;
  readonly limit: number;
  /** Whose limit it is; undefined of the caller's own. */
  readonly ruler: string | undefined;
  readonly isClose: boolean;
}

/** The record of a median that was held against a limit. */
export function limitFinding({ step, metric, median, limit, ruler, isClose }: LimitCheck, place: ScenarioPlace): Finding {
  const sure = median > limit ? 'higher' : 'lower';
  return inWords(
    {
      subject: metric,
      unit: UNITS[metricFact(metric).kind],
      place: placeOf(place.name, step),
      when: { shape: 'range', ongoing: true },
      now: median,
      against: { what: 'limit', ...(ruler !== undefined && { name: ruler }), value: limit },
      verdict: isClose ? 'uncertain' : sure,
      causes: [],
    },
    place,
  );
}

/** `LCP at "Product" in "Home" has not been measured since 14 Nov, 10:00: no value in 24 of 168 runs.` */
function unmeasuredText({ step, metric, missing, runs, sinceMs, isLost }: Unmeasured, { name, timeZone, year }: ScenarioPlace): string {
  const what = `${metricFact(metric).short} at "${step}" in "${name}"`;
  const count = missing === runs ? `any of ${counted(runs, 'run')}` : `${missing} of ${counted(runs, 'run')}`;
  if (sinceMs === undefined) return `${what} was not measured in ${count}.`;
  const since = `since ${dateText(minuteAt(sinceMs, timeZone), year)}`;
  return isLost
    ? `${what} has not been measured ${since}: no value in ${count}.`
    : `${what} was not measured in ${count}, more often ${since}.`;
}

/** The record of a metric that runs lack. */
export function unmeasuredFinding(lack: Unmeasured, place: ScenarioPlace): Finding {
  const { step, metric, missing, runs, sinceMs, isLost } = lack;
  const from = sinceMs === undefined ? undefined : minuteAt(sinceMs, place.timeZone);
  return {
    subject: metric,
    unit: UNITS[metricFact(metric).kind],
    place: placeOf(place.name, step),
    when: { shape: from === undefined ? 'range' : 'step', ...(from !== undefined && { from }), ongoing: isLost || sinceMs !== undefined },
    now: null,
    verdict: 'measurement',
    causes: [{ kind: 'measurement', name: `no value in ${missing} of ${counted(runs, 'run')}`, share: missing / runs, basis: 'measured' }],
    sentence: unmeasuredText(lack, place),
  };
}

const FAILURE_VERDICTS = {
  'fails more often': 'higher',
  'fails less often': 'lower',
  'no change': 'unchanged',
  'not enough data': 'too few data',
} as const;

/** A change of a share in points, with the bounds of the later share. */
const pointsOf = (now: number, before: number, { low, high }: Share) => ({
  points: Number((now - before).toFixed(1)),
  low: Number((100 * low - before).toFixed(1)),
  high: Number((100 * high - before).toFixed(1)),
});

/** `"Search – desktop" fails in 14% of its runs, as before, most often at "Category".` */
function failureText(
  { period, before, state, change }: FailureTrend,
  [first]: readonly FailingStep[],
  { name, timeZone, year }: ScenarioPlace,
): string {
  const now = shareWords(change ? (change.since.share ?? 0) : (period.share ?? 0));
  const since = change ? ` since ${dateText(minuteAt(change.atMs, timeZone), year)}` : '';
  const earlier = shareWords(change ? (change.before.share ?? 0) : (before.share ?? 0));
  const told = state === 'no change' ? ', as before' : `, ${earlier} before`;
  const compared = before.share === null && !change ? '' : told;
  const where = first && first.share.failed > 0 ? `, most often at "${first.step}"` : '';
  return `"${name}" fails in ${now} of its runs${since}${compared}${where}.`;
}

/** The record of how often runs fail. */
export function failureFinding(sides: Pick<Study, 'baseline' | 'period'>, place: ScenarioPlace): Finding {
  const trend = failuresIn(sides);
  const steps = failingSteps(sides);
  const { period, before, state, change } = trend;
  const isMoved = state === 'fails more often' || state === 'fails less often';
  const from = minuteAt(change?.atMs ?? sides.period.window.startMs, place.timeZone);
  const percentIn = ({ share }: Share) => (share === null ? null : percentOf(share));
  const value = percentIn(before);
  const now = percentIn(period);
  return {
    subject: 'failedRuns',
    unit: '%',
    place: placeOf(place.name, steps[0]?.step),
    when: { shape: isMoved && change ? 'step' : 'range', from, ongoing: (period.failed ?? 0) > 0 },
    now,
    against: { what: 'before', value },
    ...(now !== null && value !== null && isMoved && { change: pointsOf(now, value, period) }),
    verdict: FAILURE_VERDICTS[state],
    causes: [],
    sentence: failureText(trend, steps, place),
  };
}

/** Changes of a scenario that are told beside its headline. */
const MOST_FURTHER = 2;

/** The record of a level that did not move, with a sentence of its own. */
function levelFinding({ metric, step, verdict }: Row, study: Study, place: ScenarioPlace, sentence: string): Finding {
  return {
    subject: metric,
    unit: UNITS[metricFact(metric).kind],
    place: placeOf(place.name, step?.name),
    when: { shape: 'range', from: minuteAt(study.period.window.startMs, place.timeZone), ongoing: true },
    now: verdict.level ? roundValue(metric, verdict.level.typical) : null,
    verdict: verdict.state === 'unstable' ? 'uncertain' : 'unchanged',
    causes: [],
    sentence,
  };
}

/**
 * The findings of a study: of its headline, which may have a sentence of its own, and of other changes in the period, each thing once; of
 * the level of a row where nothing moved.
 */
export function studyFindings(
  study: Study,
  place: ScenarioPlace,
  { events, own, row }: { events: readonly NearEvent[]; own: string | undefined; row: Row | undefined },
): Finding[] {
  const { headline, period } = study;
  const [move] = headline ? movesOf(headline, period.window) : [];
  const first =
    move && inWords({ ...moveFacts(move, place), causes: move.shape === 'drift' ? [] : eventCauses(events, move.began) }, place);
  const level = row && own !== undefined ? [levelFinding(row, study, place, own)] : [];
  const isTold = ({ step, metric }: SpeedMove) => step === move?.step && metric === move?.metric;
  const further = speedChangesOf(0, place.name, study)
    .changes.filter(({ moves }) => !moves.some(isTold))
    .toSorted(compareSpeedChanges)
    .slice(0, MOST_FURTHER)
    .map(({ moves: [leading] }) => inWords(moveFacts(leading, place), place));
  return [...(first ? [{ ...first, ...(own !== undefined && { sentence: own }) }] : level), ...further];
}
