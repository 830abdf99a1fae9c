import type { Facts, Finding } from '../findings/finding.ts';
import type { Said } from '../findings/paragraph.ts';
import { type Noun, worded } from '../findings/sentence.ts';
import { dateText, valueText } from '../findings/wording.ts';
import type { Interval } from '../lib/calendar.ts';
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';
import { minuteAt, todayIn } from '../lib/dates.ts';
import { counted, formatMs, formatPercent } from '../lib/number-text.ts';
import { byMost } from '../lib/order.ts';
import { firstOf, present } from '../lib/sentences.ts';
import { Z_95 } from '../statistics/tails.ts';
import { leadingRow, worstOf } from './clues.ts';
import type { Share } from './engine/failure-trend.ts';
import type { Level } from './engine/run-series.ts';
import { actionSentence, type Failures, type ReadActions, type Unmeasured } from './failures.ts';
import type { Runs } from './runs.ts';
import { compareMoves, type Row, type SpeedMove, type Study } from './scenario-study.ts';
import type { NearEvent } from './speed-events.ts';
import { formatValue, metricFact, percentOf, roundValue, shownChance, UNITS } from './speed-metrics.ts';

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

/** The scenario that records are about, and the year of the reader, which dates leave out. */
export interface ScenarioPlace {
  readonly name: string;
  readonly timeZone: string;
  readonly year: string;
}

const yearOf = (ms: number, timeZone: string) => todayIn(timeZone, ms).slice(0, 4);

const atText = (ms: number, { timeZone, year }: Omit<ScenarioPlace, 'name'>) => dateText(minuteAt(ms, timeZone), year);

/** The scenario of a study; its reader lives on its last day. */
export const placeOfStudy = (name: string, { period, timeZone }: Pick<Study, 'period' | 'timeZone'>): ScenarioPlace => ({
  name,
  timeZone,
  year: yearOf(period.window.endMs, timeZone),
});

/** The record with its sentence. */
const inWords = (facts: Facts, { year }: Pick<ScenarioPlace, 'year'>): Finding => worded(facts, { nounOf, year });

/** The beginning of a record; the device is in the name of the scenario. */
const about = (metric: string, name: string, step: string | null | undefined) => ({
  subject: metric,
  unit: UNITS[metricFact(metric).kind],
  place: { scenario: name, ...(step != null && { step }) },
  causes: [],
});

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

/** The record of a move. */
export function moveFacts(move: SpeedMove, { name, timeZone }: Pick<ScenarioPlace, 'name' | 'timeZone'>): Facts {
  const { metric, step, shape, fromMs, untilMs, began, before, after, relative, pValue } = move;
  const at = (ms: number) => minuteAt(ms, timeZone);
  const isLong = shape !== 'drift' && began.endMs - began.startMs > DAY_MS;
  return {
    ...about(metric, name, step),
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
  };
}

/** The sentence on a change of a step, or that there was none at an instant. */
export const changeSentence = (move: SpeedMove | undefined, step: string, atMs: number, place: ScenarioPlace) =>
  move
    ? inWords(moveFacts(move, place), place).sentence
    : `No change of speed at "${step}" in "${place.name}" around ${atText(atMs, place)}.`;

/** The event next to a change as its cause in time, with how far it lies from it. */
function eventCauses([event]: readonly NearEvent[], range: Interval): Facts['causes'] {
  if (!event) return [];
  const named = `the event "${event.text || event.key}"`;
  const { leadMs, atMs } = event;
  const distance = formatMs(Math.max(MINUTE_MS, Math.round(Math.abs(leadMs) / MINUTE_MS) * MINUTE_MS));
  const name = leadMs < 0 && atMs <= range.endMs ? named : `${named}, ${distance} ${leadMs >= 0 ? 'earlier' : 'later'}`;
  return [{ kind: 'event', name, basis: 'same time' }];
}

/** A median of runs that was held against a limit. */
interface LimitCheck {
  readonly step: string | null;
  readonly metric: string;
  readonly median: number;
  readonly limit: number;
  /** Whose limit it is; undefined of the caller's own. */
  readonly ruler?: string | undefined;
  readonly isClose: boolean;
}

/** The record of a median that was held against a limit. */
export function limitFinding({ step, metric, median, limit, ruler, isClose }: LimitCheck, place: ScenarioPlace): Finding {
  const sure = median > limit ? 'higher' : 'lower';
  return inWords(
    {
      ...about(metric, place.name, step),
      when: { shape: 'range', ongoing: true },
      now: median,
      against: { what: 'limit', ...(ruler !== undefined && { name: ruler }), value: limit },
      verdict: isClose ? 'uncertain' : sure,
    },
    place,
  );
}

/** `14 Nov, 10:00`, as a reader at the end of a range writes it. */
export const instantText = (ms: number, timeZone: string, { endMs }: Pick<Interval, 'endMs'>) =>
  atText(ms, { timeZone, year: yearOf(endMs, timeZone) });

/** ` since 14 Nov, 10:00`; empty without an instant. */
const sinceText = (ms: number | undefined, place: ScenarioPlace) => (ms === undefined ? '' : ` since ${atText(ms, place)}`);

/** The record of a metric that runs lack: `LCP at "Product" in "Home" has not been measured since 14 Nov, 10:00: …` */
export function unmeasuredFinding({ step, metric, missing, runs, sinceMs, isLost }: Unmeasured, place: ScenarioPlace): Finding {
  const count = missing === runs ? `any of ${counted(runs, 'run')}` : `${missing} of ${counted(runs, 'run')}`;
  const since = sinceText(sinceMs, place);
  const often = since === '' ? '' : `, more often${since}`;
  const told = isLost && since !== '' ? `has not been measured${since}: no value in ${count}` : `was not measured in ${count}${often}`;
  return {
    ...about(metric, place.name, step),
    when: {
      ...(sinceMs === undefined ? { shape: 'range' } : { shape: 'step', from: minuteAt(sinceMs, place.timeZone) }),
      ongoing: isLost || sinceMs !== undefined,
    },
    now: null,
    verdict: 'measurement',
    causes: [{ kind: 'measurement', name: `no value in ${missing} of ${counted(runs, 'run')}`, share: missing / runs, basis: 'measured' }],
    sentence: `${metricFact(metric).short} at "${step}" in "${place.name}" ${told}.`,
  };
}

const FAILURE_VERDICTS = {
  'fails more often': 'higher',
  'fails less often': 'lower',
  'no change': 'unchanged',
  'not enough data': 'too few data',
} as const;

/** `12%`; below one percent with a decimal. */
const shareText = (share: number) => formatPercent(share * 100, { digits: share > 0 && share < 0.01 ? 1 : 0 });

/** The shares before and since a change, or before and in the period. */
const sidesOf = ({ period, before, change }: Failures) => change ?? { before, since: period };

/** `, as before`, or how far it was another share, of how many runs where these are few. */
export function calmText(was: Share, is: Share): string {
  const [before, now] = [was, is].map(({ share }) => shareText(share ?? 0));
  const of = was.runs < FEW_RUNS ? ` of ${was.runs}` : '';
  return before === now && of === '' ? ', as before' : ` (${before}${of} before, no significant change)`;
}

/** `"Search – desktop" fails in 14% of its runs, as before, most often at "Category".` */
function failureText(failures: Failures, place: ScenarioPlace): string {
  const { state, change, steps } = failures;
  const [first] = steps;
  const { before: was, since: is } = sidesOf(failures);
  const [before, now] = [was, is].map(({ share }) => shareText(share ?? 0));
  const told = state === 'no change' ? calmText(was, is) : `, ${before} before`;
  const compared = was.share === null ? '' : told;
  const where = first && first.trend.period.failed > 0 ? `, most often at "${first.step}"` : '';
  return `"${place.name}" fails in ${now} of its runs${sinceText(change?.atMs, place)}${compared}${where}.`;
}

/** The record of a share of failed runs. */
function failedRecord({ before, since }: ReturnType<typeof sidesOf>, step: string | undefined, place: ScenarioPlace) {
  return {
    subject: 'failedRuns',
    unit: '%',
    place: { scenario: place.name, ...(step !== undefined && { step }) },
    now: percentOf(since.share),
    against: { what: 'before' as const, value: percentOf(before.share) },
    causes: [],
  };
}

/** How far a share lies from that before, in points, with its bounds. */
function pointsOf({ before, since }: ReturnType<typeof sidesOf>): NonNullable<Finding['change']> {
  const pointsTo = (share: number) => Number((100 * (share - (before.share ?? 0))).toFixed(1));
  return { points: pointsTo(since.share ?? 0), low: pointsTo(since.low), high: pointsTo(since.high) };
}

/** The record of how often runs fail. */
export function failureFinding(failures: Failures, { window }: Runs, place: ScenarioPlace): Finding {
  const { period, state, change, steps } = failures;
  const sides = sidesOf(failures);
  const verdict = FAILURE_VERDICTS[state];
  const isMoved = verdict === 'higher' || verdict === 'lower';
  return {
    ...failedRecord(sides, steps[0]?.step, place),
    when: {
      shape: isMoved && change ? 'step' : 'range',
      from: minuteAt(change?.atMs ?? window.startMs, place.timeZone),
      ongoing: period.failed > 0,
    },
    ...(isMoved && { change: pointsOf(sides) }),
    verdict,
    sentence: failureText(failures, place),
  };
}

/** The record of a step that began to fail beside others that fail as before; none where there is no such step. */
function begunFinding({ begun }: Failures, place: ScenarioPlace): Finding[] {
  const { step, trend: { change } = {} } = begun ?? {};
  if (!change) return [];
  const [before, now] = [change.before, change.since].map(({ share }) => shareText(share));
  return [
    {
      ...failedRecord(change, step, place),
      when: { shape: 'step', from: minuteAt(change.atMs, place.timeZone), ongoing: true },
      change: pointsOf(change),
      verdict: 'higher',
      sentence:
        `Failures at "${step}" in "${place.name}" are more frequent${sinceText(change.atMs, place)}: ` +
        `${now} of runs (${before} before).`,
    },
  ];
}

const percent = (share: number, sign = false) => formatPercent(share * 100, { digits: 0, sign });

/** `LCP at "Product"`; of the sum over all steps the metric alone. */
const nameOf = ({ metric, step }: Row) => `${metricFact(metric).short}${step ? ` at "${step.name}"` : ''}`;

/** The levels on both sides of a finding, one sentence; empty where the next finding says it. */
function levelsSentence({ now, against, unit, when }: Finding): string {
  const [is, then] = when.ongoing ? ['is', 'now'] : ['was', 'then'];
  return against?.value == null ? '' : `It ${is} ${valueText(now, unit)} ${then} and ${valueText(against.value, unit)} before.`;
}

/** Fewer runs on a side of a move are said. */
const FEW_RUNS = 15;

/** One sentence: that a move rests on few runs; empty where it does not. */
function fewSentence({ move }: Row): string {
  if (!move || Math.min(move.before.runs, move.after.runs) >= FEW_RUNS) return '';
  return `It rests on few runs: ${move.before.runs} before and ${move.after.runs} since.`;
}

/**
 * Names the clearest move that is not claimed, because whole days differ by as much, where nothing moved for certain or what did is over;
 * empty where there is none.
 */
export function heldSentence({ rows, headline }: Study, place: ScenarioPlace): string {
  if (headline && headline.move?.untilMs === undefined) return '';
  const inOrder = rows
    .flatMap((row) => (row.held && row.step ? [{ row, held: row.held }] : []))
    .toSorted(byMost((each) => Math.abs(each.held.relative)));
  const clearest = inOrder.find(({ row }) => row.metric === 'largestContentfulPaint') ?? inOrder[0];
  if (!clearest) return '';
  const { row, held } = clearest;
  const when = held.shape === 'drift' ? ' in 30 days' : sinceText(held.fromMs, place);
  return `${nameOf(row)} in "${place.name}" may have moved by ${percent(held.relative, true)}${when}, but whole days differ as much.`;
}

/** Where the metric of a scenario in which nothing moved is highest, and what scatters. */
function levelSentences({ rows }: Study, leading: Row | undefined): string[] {
  const scattered = rows.filter(({ state }) => state === 'unstable').map(nameOf);
  const highest = leading && worstOf(rows, leading.metric);
  return present(
    highest?.step &&
      highest.level &&
      `${metricFact(highest.metric).short} is highest at "${highest.step.name}": ${formatValue(highest.metric, highest.level.typical)}.`,
    scattered.length > 0 && `Runs vary widely, at a constant level: ${firstOf(scattered, 3)}.`,
  );
}

/** The sentence of a row that is no move of all runs: `LCP at "Product" varies widely …`, or that some runs have another level. */
function partlySentence(row: Row, name: string): string | undefined {
  const { state, level, metric, move } = row;
  const text = (value: number) => formatValue(metric, value);
  const place = `${nameOf(row)} in "${name}"`;
  if (state === 'two levels' && move) {
    const [usual, moved] = [text(move.before.typical), text(move.after.typical)];
    return `${place} has two levels: ${percent(move.share ?? 0)} of runs at ${moved}, the others at ${usual} as before.`;
  }
  if (state !== 'unstable' || !level) return undefined;
  return `${place} varies widely at a constant level: ${text(level.typical)}, middle half ${text(level.p25)} to ${text(level.p75)}.`;
}

/** A scenario in words: the findings of its rows, and what is said of its course, the first sentence of which says it all. */
export interface SpeedTold {
  readonly findings: readonly Finding[];
  /** The sentences of findings as lists, which their records hold as well. */
  readonly said: readonly Said[];
}

/** Changes of a scenario that are told beside its headline. */
const MOST_FURTHER = 2;

/** The first finding of a study: the move of its headline, or the level of a row where nothing moved for certain. */
function firstFinding(
  study: Study,
  place: ScenarioPlace,
  events: readonly NearEvent[],
  own: string | undefined,
  detectable: number | undefined,
): Finding | undefined {
  const { headline, period } = study;
  const move = headline?.move;
  if (move) {
    const causes = move.shape === 'drift' ? [] : eventCauses(events, move.began);
    const finding = inWords({ ...moveFacts(move, place), causes }, place);
    return own === undefined ? finding : { ...finding, sentence: own };
  }
  const row = leadingRow(study);
  return (
    row && {
      ...about(row.metric, place.name, row.step?.name),
      when: { shape: 'range', from: minuteAt(period.window.startMs, place.timeZone), ongoing: true },
      now: row.level ? roundValue(row.metric, row.level.typical) : null,
      verdict: row.state === 'unstable' ? 'uncertain' : 'unchanged',
      ...(detectable !== undefined && { detectable: Number((100 * detectable).toFixed(1)) }),
      sentence: own ?? '',
    }
  );
}

/** Tells the course of the speed of a scenario: its headline, and other changes in the period, each thing once. */
export function tellSpeed(study: Study, place: ScenarioPlace, events: readonly NearEvent[] = [], detectable?: number): SpeedTold {
  const { state, headline, changes, judged, failsFirst } = study;
  const { name } = place;
  if (state === 'not enough data') {
    const [inPeriod, inBaseline] = [study.period, study.baseline].map(({ all, failed }) => all.length - failed.length);
    const runs = `${inPeriod} runs without failure in the period, ${inBaseline} in the baseline`;
    return { findings: [], said: [`"${name}" has too few runs to judge: ${runs}.`] };
  }
  const held = heldSentence(study, place);
  const leading = leadingRow(study);
  const least = leading && detectable !== undefined ? `; a rise of ${percent(detectable)} in ${nameOf(leading)} would have shown` : '';
  const calm = `is steady: ${judged === 1 ? 'its level did not change' : `none of ${judged} series changed its level`}${least}.`;
  const own = headline ? partlySentence(headline, name) : held || `${failsFirst ? 'Its speed' : `"${name}"`} ${calm}`;
  const first = firstFinding(study, place, events, own, detectable);
  if (!first) return { findings: [], said: [] };
  const isTold = ({ step, metric }: SpeedMove) => step === headline?.step?.name && metric === headline?.metric;
  const further = changes
    .filter((moves) => !(headline?.move && moves.some(isTold)))
    .map(([clearest]) => clearest)
    .toSorted(compareMoves)
    .slice(0, MOST_FURTHER)
    .map((move) => inWords(moveFacts(move, place), place));
  const ofMove = own === undefined && headline ? present(levelsSentence(first), fewSentence(headline)) : [];
  const more = headline ? present(held) : levelSentences(study, leading);
  return {
    findings: [first, ...further],
    said: [[first.sentence, ...ofMove], ...more, ...further.map(({ sentence }) => [sentence])],
  };
}

/** Metrics that are not measured of which an answer holds records. */
const MOST_UNMEASURED = 3;

/** The first sentence of what is told. */
export const firstSentence = ({ said }: SpeedTold) => [said[0] ?? ''].flat()[0] ?? '';

/** Tells the speed and the failures of a scenario, what is not measured first; failures last where they are no more than usual. */
export function tellScenario(
  study: Study,
  name: string,
  events: readonly NearEvent[] = [],
  actions: ReadActions = { actions: [], runs: 0, of: 0 },
  detectable?: number,
): SpeedTold {
  const place = placeOfStudy(name, study);
  const { failures, period, unmeasured } = study;
  const lost = unmeasured.slice(0, MOST_UNMEASURED).map((lack) => unmeasuredFinding(lack, place));
  const ofSpeed = tellSpeed(study, place, events, detectable);
  const failed = failures.isTold ? [failureFinding(failures, period, place)] : [];
  const begun = begunFinding(failures, place);
  const action = actionSentence(failures, actions);
  const besides = failures.isFailing ? 1 : Number.POSITIVE_INFINITY;
  const at = study.failsFirst ? 0 : besides;
  return {
    findings: [...lost, ...ofSpeed.findings.toSpliced(at, 0, ...failed, ...begun)],
    said: [
      ...lost.slice(0, 1).map(({ sentence }) => [sentence]),
      ...ofSpeed.said.toSpliced(
        at,
        0,
        ...failed.map(({ sentence }) => [sentence]),
        ...present(action),
        ...begun.map(({ sentence }) => [sentence]),
      ),
    ],
  };
}
