import { DAY_MS, HOUR_MS, isoTime } from '../../../lib/clock.ts';
import { shop } from '../../credentials.ts';
import { hash, type Origin, oneOf, unit } from '../random.ts';
import { draw, drawBetween } from './noise.ts';
import type { PagePlan } from './page-plan.ts';
import { CLONES_FROM, type Scenario, type Step, scenariosOf } from './scenarios.ts';

const TAGS = [
  { host: 'cdn.heatlens.example', key: 'heatmap', words: 'heatmap tag of Heatlens' },
  { host: 'static.chatpilot.example', key: 'chat', words: 'chat widget of Chatpilot' },
  { host: 'js.reviewbadge.example', key: 'reviews', words: 'review badge of Reviewbadge' },
  { host: 'edge.offerloop.example', key: 'offers', words: 'personal offers of Offerloop' },
  { host: 'tag.surveykit.example', key: 'survey', words: 'exit survey of Surveykit' },
];

function placeOf({ projectId, id, name }: Scenario) {
  return { projectId, scenarioId: id, scenarioName: name };
}

/** The stories planted in the speed data. */
export type SpeedStories = ReturnType<typeof speedStories>;
/** From its event on, a third-party tag slows one step. */
export type SlowTagStory = SpeedStories['slowTag'];

/**
 * The stories planted into the shop's speed data; scenario, step, day, host and size differ from seed to seed, and no scenario has two
 * stories.
 */
export function speedStories({ seed, startMs }: Origin) {
  const drawn = (number: number): number => hash(seed, 7301, number);
  const candidates = scenariosOf(shop.id);
  const slow = oneOf(candidates, drawn(1));
  const failing = oneOf(
    candidates.filter((scenario) => scenario.steps.length > 2 && scenario !== slow),
    drawn(2),
  );
  const noisy = oneOf(
    candidates.filter((scenario) => scenario !== slow && scenario !== failing),
    drawn(3),
  );
  const slowStep = oneOf(slow.steps, drawn(4));
  // Neither the first step (steps before it stay whole) nor the last (steps after it go missing).
  const failingStep = oneOf(failing.steps.slice(1, -1), drawn(5));
  const actionIndex = drawn(6) % (failingStep.actions.length - 1);
  const tag = oneOf(TAGS, drawn(7));
  const startDay = Math.floor(startMs / DAY_MS);
  const dateMs = (startDay - 6 - (drawn(8) % 9)) * DAY_MS + (7 + (drawn(9) % 9)) * HOUR_MS + (drawn(10) % 60) * 60_000;
  const day = isoTime(dateMs).slice(0, 10);
  return {
    slowTag: {
      ...placeOf(slow),
      stepId: slowStep.id,
      stepName: slowStep.name,
      /** The metric to look at first; `metrics` move by the same factor. */
      metric: 'largestContentfulPaint' as const,
      metrics: ['largestContentfulPaint', 'loadTime', 'totalBlockingTime'] as const,
      eventKey: `tag-${tag.key}-${day}`,
      eventText: `Tag manager: ${tag.words} added (container version ${100 + (drawn(11) % 80)})`,
      /** Of the event, ms since 1970; runs from then on are slower. */
      dateMs,
      /** Of the tag's render-blocking requests. */
      host: tag.host,
      /** After divided by before, 1.38 to 1.66. */
      factor: Math.round(1000 * (1.38 + 0.28 * unit(drawn(12)))) / 1000,
    },
    /** A scenario whose runs scatter widely and whose level never changes: by the standard deviation of the logarithm of a run's times. */
    noisy: { ...placeOf(noisy), metric: 'largestContentfulPaint' as const, sigma: 0.26 + 0.08 * unit(drawn(13)) },
    /** A scenario that now and then ends at one action of one step. */
    failing: {
      ...placeOf(failing),
      stepId: failingStep.id,
      stepName: failingStep.name,
      /** Text of the action, as in the messages of `actionsResult`. */
      action: failingStep.actions[actionIndex] ?? '',
      actionIndex,
      /** Share of runs, 0.1 to 0.14. */
      rate: 0.105 + 0.03 * unit(drawn(14)),
    },
  };
}

/** Why a run failed: a content check ends nothing, any other failure ends the run at its step. */
export interface Failure {
  readonly stepIndex: number;
  readonly actionIndex: number;
  readonly contentCheck: boolean;
}

/** One execution of a scenario. */
export type Run = ReturnType<typeof runIn>;

/** All that a run's values are a function of, beside the run. */
export interface SpeedModel {
  readonly origin: Origin;
  readonly stories: SpeedStories;
  /** The plan that all runs of the step share; computed once. */
  planOf(scenario: Scenario, step: Step): PagePlan;
}

const MASK = 0x0fff_ffff;
const FACTOR = 0x0b5297a5;
const LETTERS = 'abcdef';

/** The factor's inverse modulo 2^28, by Newton's iteration: each round doubles the number of right bits. */
function inverse(odd: number): number {
  let x = odd;
  for (let round = 0; round < 5; round += 1) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x & MASK;
}
const INVERSE = inverse(FACTOR);

/** More than the ids of all runs of the scenarios that are always there; those of copies lie above. */
const CLONE_IDS = 2 ** 32;

/** `resultId` of a run: unique over all scenarios, growing with time. */
export function resultIdOf({ scenario: { index }, hour }: Run): number {
  return baseIdOf(index, hour) + Math.floor(index / CLONES_FROM) * CLONE_IDS;
}

function baseIdOf(scenarioIndex: number, hour: number): number {
  return hour * CLONES_FROM + (scenarioIndex % CLONES_FROM);
}

/** The numeric form of a step result's id, as in `stepResultId` of the step report. */
export function stepResultNumber(run: Run, stepIndex: number): number {
  return resultIdOf(run) * 8 + stepIndex;
}

function textOf(seed: number, number: number): string {
  const check = hash(seed, number);
  // Begins with a letter, so that no parser takes an id of digits alone, or 12e4…, for a number.
  const letter = LETTERS[check % LETTERS.length] ?? 'a';
  const body = (Math.imul(number, FACTOR) & MASK).toString(16).padStart(7, '0');
  return letter + body + check.toString(16).padStart(8, '0');
}

/** The opaque form, 16 hex digits, 19 of a copied scenario; holds all that is needed to compute the step result again. */
export function stepResultIdOf({ model, scenario: { index }, hour }: Run, stepIndex: number): string {
  const clone = Math.floor(index / CLONES_FROM);
  const text = textOf(model.origin.seed, baseIdOf(index, hour) * 8 + stepIndex);
  return clone === 0 ? text : `${text}${clone.toString(16).padStart(3, '0')}`;
}

/** Which step of which run of which scenario (by place in the list) is meant; undefined for a text not issued under this seed. */
export function parseStepResultId(seed: number, text: string) {
  if (!/^[a-f][0-9a-f]{15}([0-9a-f]{3})?$/.test(text)) return undefined;
  const clone = text.length > 16 ? Number.parseInt(text.slice(16), 16) : 0;
  const number = Math.imul(Number.parseInt(text.slice(1, 8), 16), INVERSE) & MASK;
  if (textOf(seed, number) !== text.slice(0, 16)) return undefined;
  return {
    scenarioIndex: (Math.floor(number / 8) % CLONES_FROM) + clone * CLONES_FROM,
    hour: Math.floor(number / 128),
    stepIndex: number % 8,
  };
}

const KEPT_HOURS = 60 * 24;
/** Share of runs whose content check fails, in every scenario. */
const CONTENT_CHECK_RATE = 0.01;
/** Share of runs that end early for no reason of the page's, in every scenario. */
const BROKEN_RATE = 0.004;

function failureOf(scenario: Scenario, { failing }: SpeedStories, h: number): Failure | undefined {
  if (failing.scenarioId === scenario.id && draw(h, 3) < failing.rate) {
    const stepIndex = scenario.steps.findIndex((step) => step.id === failing.stepId);
    return { stepIndex, actionIndex: failing.actionIndex, contentCheck: false };
  }
  const chance = draw(h, 4);
  const stepIndex = drawBetween(h, 5, 0, scenario.steps.length - 1);
  if (chance < BROKEN_RATE) return { stepIndex, actionIndex: 0, contentCheck: false };
  if (chance > 1 - CONTENT_CHECK_RATE) {
    return { stepIndex, actionIndex: (scenario.steps[stepIndex]?.actions.length ?? 1) - 1, contentCheck: true };
  }
  return undefined;
}

/** The run of a scenario in an hour; its start lies a few minutes into the hour, a little different each time. */
function runIn(model: SpeedModel, scenario: Scenario, hour: number) {
  const { origin, stories } = model;
  const h = hash(origin.seed, scenario.id, hour);
  const minute = drawBetween(hash(origin.seed, scenario.id), 1, 2, 52);
  const dateMs = hour * HOUR_MS + minute * 60_000 + drawBetween(h, 2, 0, 179_999);
  /** Hours since 1970; the start, ms since 1970. */
  return { model, scenario, hour, dateMs, failure: failureOf(scenario, stories, h) };
}

function firstHour(origin: Origin): number {
  return Math.floor(origin.startMs / HOUR_MS) - KEPT_HOURS;
}

/** The run of that hour, unless it lies before the kept 60 days or has not started yet. */
export function findRun(model: SpeedModel, scenario: Scenario, hour: number, nowMs: number): Run | undefined {
  if (hour < firstHour(model.origin) || hour > Math.floor(nowMs / HOUR_MS)) return undefined;
  const run = runIn(model, scenario, hour);
  return run.dateMs <= nowMs ? run : undefined;
}

/** Bounds of a list of runs; both dates are excluded themselves. */
interface RunFilter {
  readonly afterMs: number;
  readonly beforeMs: number;
  /** Left out: all runs. */
  readonly error?: boolean | undefined;
  /** Whether a run whose content check failed is one with error. */
  readonly contentCheck: 'error' | 'no error';
}

/** Runs that pass the filter, newest first; computed one by one as they are asked for. */
export function* runsBackwards(model: SpeedModel, scenario: Scenario, nowMs: number, filter: RunFilter): Generator<Run> {
  const { afterMs, beforeMs, error, contentCheck } = filter;
  const from = Math.max(firstHour(model.origin), Math.floor(afterMs / HOUR_MS));
  for (let hour = Math.floor(Math.min(nowMs, beforeMs) / HOUR_MS); hour >= from; hour -= 1) {
    const run = runIn(model, scenario, hour);
    const isFailed = run.failure !== undefined && (contentCheck === 'error' || !run.failure.contentCheck);
    if (run.dateMs <= nowMs && run.dateMs > afterMs && run.dateMs < beforeMs && (error ?? isFailed) === isFailed) yield run;
  }
}

/** Steps that the run got to: all of them, unless an action failed before. */
export function executedSteps({ scenario, failure }: Run): Scenario['steps'] {
  return failure === undefined || failure.contentCheck ? scenario.steps : scenario.steps.slice(0, failure.stepIndex + 1);
}
