import { isOutOfTime } from '../api/deadline.ts';
import { ApiError } from '../api/errors.ts';
import { listSpeedEvents } from '../api/operations/speed-analysis.ts';
import { mapConcurrent } from '../lib/concurrency.ts';
import type { Context } from '../names/context.ts';
import { inOneSpelling, type PlacedEvent } from './speed-events.ts';

type Asking = Pick<Context, 'ask' | 'lists' | 'note'>;

/** Scenarios that are asked for their events; each is a request. */
const MOST_SCENARIOS = 20;

/**
 * Which scenarios each of these events is on; undefined where that cannot be found out. An event cannot be changed, so what was read some
 * minutes ago holds, unless there is an event that was not there then.
 */
async function scenariosByKey(keys: readonly string[], { ask, lists, note }: Asking): Promise<Map<string, string[]> | undefined> {
  const { of, ask: askKept } = await lists();
  const scenarios = await of('scenario');
  if (scenarios.length > MOST_SCENARIOS) {
    note(
      `The scenarios of events are not shown: the project has ${scenarios.length}, and each is a request. scenarioId lists those of one.`,
    );
    return undefined;
  }
  const known = new Set((await askKept(listSpeedEvents, {})).events.map(({ key }) => key));
  const askPlaces = keys.every((key) => known.has(key)) ? askKept : ask;
  const found = await mapConcurrent(scenarios, MOST_SCENARIOS, ({ id }) => askPlaces(listSpeedEvents, { scenarioId: id }));
  const failed = found.find((each) => each.status === 'rejected');
  if (failed) {
    const { reason } = failed;
    if (!(reason instanceof ApiError)) throw reason;
    const why = isOutOfTime(reason) ? 'there was no time left to look them up.' : reason.message;
    note(`The scenarios of events are not shown: ${why}`);
    return undefined;
  }
  const places = new Map<string, string[]>();
  for (const [index, each] of found.entries()) {
    const name = scenarios[index]?.path.join(' / ') ?? '';
    if (each.status === 'fulfilled') for (const event of each.value.events) places.set(event.key, [...(places.get(event.key) ?? []), name]);
  }
  return places;
}

/** Adds to events the names of the scenarios they are on; the interface lists events by scenario only, so each scenario is asked. */
export async function withScenarios(events: Parameters<typeof inOneSpelling>[0][], context: Asking): Promise<PlacedEvent[]> {
  const spelled = events.map(inOneSpelling);
  if (events.length === 0) return spelled;
  const keys = events.map(({ key }) => key);
  const places = await scenariosByKey(keys, context);
  return places ? spelled.map((event) => ({ ...event, scenarios: places.get(event.key) ?? [] })) : spelled;
}
