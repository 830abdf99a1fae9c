import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts';
import { shop } from '../../credentials.ts';
import { hash, type Origin, unit } from '../random.ts';
import { type Scenario, scenariosOf } from './scenarios.ts';

interface StoryPlace {
  readonly projectId: number;
  readonly scenarioId: number;
  readonly scenarioName: string;
}

/** From its event on, a third-party tag slows one step. */
export interface SlowTagStory extends StoryPlace {
  readonly stepId: number;
  readonly stepName: string;
  /** The metric to look at first; `metrics` move by the same factor. */
  readonly metric: 'largestContentfulPaint';
  readonly metrics: readonly ['largestContentfulPaint', 'loadTime', 'totalBlockingTime'];
  readonly eventKey: string;
  readonly eventText: string;
  /** Of the event, ms since 1970; runs from then on are slower. */
  readonly dateMs: number;
  /** Of the tag's render-blocking requests. */
  readonly host: string;
  /** After divided by before, 1.38 to 1.66. */
  readonly factor: number;
}

/** A scenario whose runs scatter widely and whose level never changes. */
export interface NoisyStory extends StoryPlace {
  readonly metric: 'largestContentfulPaint';
  /** Standard deviation of the logarithm of a run's times. */
  readonly sigma: number;
}

/** A scenario that now and then ends at one action of one step. */
export interface FailingStory extends StoryPlace {
  readonly stepId: number;
  readonly stepName: string;
  /** Text of the action, as in the messages of `actionsResult`. */
  readonly action: string;
  readonly actionIndex: number;
  /** Share of runs, 0.1 to 0.14. */
  readonly rate: number;
}

export interface SpeedStories {
  readonly slowTag: SlowTagStory;
  readonly noisy: NoisyStory;
  readonly failing: FailingStory;
}

const TAGS = [
  { host: 'cdn.heatlens.example', key: 'heatmap', words: 'heatmap tag of Heatlens' },
  { host: 'static.chatpilot.example', key: 'chat', words: 'chat widget of Chatpilot' },
  { host: 'js.reviewbadge.example', key: 'reviews', words: 'review badge of Reviewbadge' },
  { host: 'edge.offerloop.example', key: 'offers', words: 'personal offers of Offerloop' },
  { host: 'tag.surveykit.example', key: 'survey', words: 'exit survey of Surveykit' },
];

/** An element of a list that is not empty, by a hash. */
function pick<T>(list: readonly T[], h: number): T {
  const item = list[h % list.length];
  if (item === undefined) throw new RangeError('cannot pick from an empty list');
  return item;
}

function placeOf({ projectId, id, name }: Scenario): StoryPlace {
  return { projectId, scenarioId: id, scenarioName: name };
}

/**
 * What was placed into the shop's speed data; scenario, step, day, host and size differ from seed to seed, and no scenario has two stories.
 */
export function speedStories({ seed, startMs }: Origin): SpeedStories {
  const draw = (number: number): number => hash(seed, 7301, number);
  const candidates = scenariosOf(shop.id);
  const slow = pick(candidates, draw(1));
  const failing = pick(
    candidates.filter((scenario) => scenario.steps.length > 2 && scenario !== slow),
    draw(2),
  );
  const noisy = pick(
    candidates.filter((scenario) => scenario !== slow && scenario !== failing),
    draw(3),
  );
  const slowStep = pick(slow.steps, draw(4));
  // Neither the first step (steps before it stay whole) nor the last (steps after it go missing).
  const failingStep = pick(failing.steps.slice(1, -1), draw(5));
  const actionIndex = draw(6) % (failingStep.actions.length - 1);
  const tag = pick(TAGS, draw(7));
  const startDay = Math.floor(startMs / DAY_MS);
  const dateMs = (startDay - 6 - (draw(8) % 9)) * DAY_MS + (7 + (draw(9) % 9)) * HOUR_MS + (draw(10) % 60) * 60_000;
  const day = new Date(dateMs).toISOString().slice(0, 10);
  return {
    slowTag: {
      ...placeOf(slow),
      stepId: slowStep.id,
      stepName: slowStep.name,
      metric: 'largestContentfulPaint',
      metrics: ['largestContentfulPaint', 'loadTime', 'totalBlockingTime'],
      eventKey: `tag-${tag.key}-${day}`,
      eventText: `Tag manager: ${tag.words} added (container version ${100 + (draw(11) % 80)})`,
      dateMs,
      host: tag.host,
      factor: Math.round(1000 * (1.38 + 0.28 * unit(draw(12)))) / 1000,
    },
    noisy: { ...placeOf(noisy), metric: 'largestContentfulPaint', sigma: 0.26 + 0.08 * unit(draw(13)) },
    failing: {
      ...placeOf(failing),
      stepId: failingStep.id,
      stepName: failingStep.name,
      action: failingStep.actions[actionIndex] ?? '',
      actionIndex,
      rate: 0.105 + 0.03 * unit(draw(14)),
    },
  };
}
