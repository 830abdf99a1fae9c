import { hash } from '../random.ts';
import { type Fall, fillBehaviour } from './behaviour.ts';
import { emptyDay } from './columns.ts';
import { DAY_MS } from './days.ts';
import { fillSegments } from './memberships.ts';
import { fillOrigins } from './origins.ts';
import type { Profile } from './profiles.ts';
import { fillStarts, usualVisits } from './traffic.ts';
import type { SessionDay } from './types.ts';
import { type Boost, fillVisitors } from './visitors.ts';

/** What the stories change on one day of a project. */
export interface Twist {
  readonly fall: Fall | null;
  readonly boost: (Boost & { readonly addedShare: number }) | null;
}

/** Computes one whole day from seed and date; `twist` is what the stories do to it. */
export function makeDay(profile: Profile, seed: number, dayNumber: number, twist: Twist): SessionDay {
  const usual = usualVisits(profile, seed, dayNumber);
  const added = Math.round(usual * (twist.boost?.addedShare ?? 0));
  const day = emptyDay(profile.projectId, dayNumber, usual + added);
  const dayHash = hash(seed, profile.projectId, dayNumber);
  fillStarts(day.startSecond, profile, dayHash);
  fillVisitors(day, profile, hash(seed, profile.projectId), usual, twist.boost);
  fillOrigins(day, profile, new Date(dayNumber * DAY_MS));
  fillSegments(day);
  fillBehaviour(day, profile, dayHash, twist.fall);
  return day;
}
