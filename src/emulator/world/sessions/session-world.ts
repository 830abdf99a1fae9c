import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../../lib/clock.ts';
import { hash, type Origin } from '../random.ts';
import { chanceTable, fillBehaviour } from './behaviour.ts';
import type { Cost } from './costs.ts';
import { dayNoise } from './day-noise.ts';
import { countries, deviceIds, type Profile, profileOf } from './profiles.ts';
import { segmentsOf } from './segments-and-goals.ts';
import { BYTES_PER_SESSION, dayNumberOf, dayUpTo, emptyDay, type Fall, RETENTION_DAYS, type SessionDay } from './session-day.ts';
import { type MetricStories, metricStories } from './stories.ts';
import { fillStarts } from './traffic.ts';
import { type Boost, fillOrigins, fillSegments, visitorsOf } from './visitors.ts';

/** The sessions of one emulator, computed day by day when asked for. */
export interface SessionWorld {
  readonly origin: Origin;
  /** The stories planted in them. */
  readonly stories: MetricStories;
  /** The day as it stands at `nowMs`; empty in the future and before retention. */
  day(projectId: number, dayNumber: number, nowMs: number): SessionDay;
}

/** Changes by the stories on one day of a project. */
export interface Twist {
  readonly fall: Fall | null;
  readonly boost: Boost | null;
  readonly costs: readonly Cost[];
}

/** Computes one whole day from seed and date; `twist` is what the stories do to it. */
function makeDay(profile: Profile, seed: number, dayNumber: number, twist: Twist): SessionDay {
  const noise = dayNoise(profile, seed, dayNumber);
  const buying = { chances: chanceTable(profile, noise), fall: twist.fall, costs: twist.costs };
  const day = { ...visitorsOf(profile, seed, dayNumber, noise, twist.boost), buying };
  fillStarts(day.startSecond, profile, hash(seed, profile.projectId, dayNumber));
  fillOrigins(day, profile, new Date(dayNumber * DAY_MS));
  fillSegments(day);
  fillBehaviour(day, profile, noise);
  return day;
}

/** Days beyond this are computed again when needed: about half a year of all projects stays. */
const CACHE_BYTES = 48 * 1024 * 1024;

/** Days of the emulators in the process, by seed and start: a day is never changed, so that emulators that begin alike share it. */
const worlds = new LRUCache<string, LRUCache<string, SessionDay>>({
  max: 6,
  memoMethod: () => new LRUCache({ maxSize: CACHE_BYTES, sizeCalculation: ({ count }) => 2_000 + count * BYTES_PER_SESSION }),
});

const SOCIAL = 4;
const READER_BOOST = 5;

function twistOf({ conversionFall: fall, mixCampaign: mixed, costs }: MetricStories, projectId: number, dayNumber: number): Twist {
  const date = new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
  const falls = projectId === fall.projectId && date >= fall.startDay;
  const isMixed = projectId === mixed.projectId && date >= mixed.startDay && date <= mixed.endDay;
  return {
    costs: costs.filter((cost) => cost.projectId === projectId),
    fall: falls
      ? {
          deviceIds: deviceIds[fall.device],
          factor: fall.factor,
          segmentBit: fall.segment ? 1 << segmentsOf(projectId).findIndex(({ id }) => id === fall.segment?.id) : 0,
          segmentFactor: fall.segment?.factor ?? fall.factor,
        }
      : null,
    boost: isMixed
      ? {
          deviceId: deviceIds[mixed.device][0],
          country: countries.findIndex(({ code }) => code === mixed.country),
          source: SOCIAL,
          campaign: READER_BOOST,
          addedShare: mixed.addedShare,
        }
      : null,
  };
}

/** The sessions of an emulator: nothing is computed before it is asked for, and the latest days asked for stay in memory. */
export function createSessions(origin: Origin): SessionWorld {
  const stories = metricStories(origin);
  const firstDay = dayNumberOf(origin.startMs) - RETENTION_DAYS;
  const days = worlds.memo(`${origin.seed}/${origin.startMs}`);

  function wholeDay(projectId: number, dayNumber: number): SessionDay {
    const key = `${projectId}/${dayNumber}`;
    const known = days.get(key);
    if (known) return known;
    const made = makeDay(profileOf(projectId), origin.seed, dayNumber, twistOf(stories, projectId, dayNumber));
    days.set(key, made);
    return made;
  }

  return {
    origin,
    stories,
    day(projectId, dayNumber, nowMs) {
      if (dayNumber < firstDay || dayNumber * DAY_MS > nowMs) return emptyDay(projectId, dayNumber, 0);
      return dayUpTo(wholeDay(projectId, dayNumber), nowMs);
    },
  };
}
