import { hash } from '../random.ts';
import { type Fall, fillBehaviour } from './behaviour.ts';
import { dayNoise } from './day-noise.ts';
import { DAY_MS } from './days.ts';
import { fillSegments } from './memberships.ts';
import { fillOrigins } from './origins.ts';
import type { Profile } from './profiles.ts';
import { fillStarts } from './traffic.ts';
import type { SessionDay } from './types.ts';
import { type Boost, visitorsOf } from './visitors.ts';

/** What the stories change on one day of a project. */
export interface Twist {
  readonly fall: Fall | null;
  readonly boost: Boost | null;
}

/** Computes one whole day from seed and date; `twist` is what the stories do to it. */
export function makeDay(profile: Profile, seed: number, dayNumber: number, twist: Twist): SessionDay {
  const noise = dayNoise(profile, seed, dayNumber);
  const day = visitorsOf(profile, seed, dayNumber, noise, twist.boost);
  fillStarts(day.startSecond, profile, hash(seed, profile.projectId, dayNumber));
  fillOrigins(day, profile, new Date(dayNumber * DAY_MS));
  fillSegments(day);
  fillBehaviour(day, profile, noise, twist.fall);
  return day;
}
