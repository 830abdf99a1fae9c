import { DAY_MS, HOUR_MS, isoTime } from '../../../lib/clock.ts';
import { hash, type Origin } from '../random.ts';
import { drawBetween } from './noise.ts';
import type { SlowTagStory, SpeedStories } from './runs.ts';
import { scenariosOf } from './scenarios.ts';

const KINDS = [
  { key: 'release', words: (n: number) => `Release 2.${n}: storefront and API` },
  { key: 'campaign', words: (n: number) => `Campaign ${n}: newsletter and social media` },
  { key: 'tag', words: (n: number) => `Tag manager: consent texts updated (container version ${40 + n})` },
  { key: 'infra', words: (n: number) => `Content delivery network: cache rules changed (ticket ${4100 + n})` },
];

/** The same instant in the spellings that deployments mix. */
function spelled(dateMs: number, style: number): string {
  if (style === 0) return isoTime(dateMs);
  const local = isoTime(dateMs + 2 * HOUR_MS).slice(0, 19);
  return local + (style === 1 ? '+02:00' : '+0200');
}

function seeded(origin: Origin, projectId: number): SpeedEvent[] {
  const scenarios = scenariosOf(projectId);
  const midnight = Math.floor(origin.startMs / DAY_MS) * DAY_MS;
  return Array.from({ length: 8 }, (_, index) => {
    const h = hash(origin.seed, projectId, index, 88);
    // The newest lies 2 to 7 days back, the oldest within the 60 days of runs.
    const dateMs = midnight - (2 + index * 7 + drawBetween(h, 1, 0, 5)) * DAY_MS + drawBetween(h, 2, 6 * 60, 17 * 60) * 60_000;
    const kind = KINDS[h % KINDS.length];
    const tied = scenarios.filter((_scenario, place) => drawBetween(h, 10 + place, 0, 1) === 1);
    return {
      key: `${kind?.key}-${isoTime(dateMs).slice(0, 10)}-${index + 1}`,
      text: kind?.words(8 - index) ?? '',
      date: spelled(dateMs, index % 3),
      dateMs,
      monitorings: tied.map((scenario) => scenario.monitoringId),
      scenarios: tied.map((scenario) => scenario.id),
    };
  });
}

/** A note on the time axis, with what it is tied to; the ties are not part of what lists show, the date is as it was given. */
export type SpeedEvent = ReturnType<typeof slowTagEvent>;

function slowTagEvent({ projectId, scenarioId, eventKey, eventText, dateMs }: SlowTagStory) {
  const monitorings = scenariosOf(projectId).filter(({ id }) => id === scenarioId);
  return {
    key: eventKey,
    text: eventText,
    date: spelled(dateMs, 1),
    dateMs,
    monitorings: monitorings.map(({ monitoringId }) => monitoringId),
    scenarios: [scenarioId],
  };
}

/** The events of a project at the start, by key; the map is the caller's to change. */
export function seededEvents(origin: Origin, { slowTag }: SpeedStories, projectId: number): Map<string, SpeedEvent> {
  const events = [...seeded(origin, projectId), ...(projectId === slowTag.projectId ? [slowTagEvent(slowTag)] : [])];
  return new Map(events.map((event) => [event.key, event]));
}
