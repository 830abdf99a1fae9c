import { hash, unit } from '../random.ts';
import { DAY_MS } from './days.ts';
import { DRAWS, draw24 } from './draws.ts';
import type { Profile } from './profiles.ts';

const SECONDS_PER_HOUR = 3_600;
/** Visits around Black Friday against a usual day, from the Monday before to the Tuesday after. */
const BLACK_FRIDAY = [1.12, 1.14, 1.2, 1.35, 2.15, 1.6, 1.55, 1.9, 1.2];
const CHRISTMAS = 0.42;

/** Days from the Friday after the fourth Thursday of November; negative before it. */
function daysFromBlackFriday(dayNumber: number, date: Date): number {
  const novemberFirst = Date.UTC(date.getUTCFullYear(), 10, 1);
  const weekday = new Date(novemberFirst).getUTCDay();
  const fourthThursday = novemberFirst / DAY_MS + ((11 - weekday) % 7) + 21;
  return dayNumber - fourthThursday - 1;
}

/** Factor of Black Friday week and of the days after the Christmas parcels have left. */
function holiday(dayNumber: number, date: Date): number {
  const around = BLACK_FRIDAY[daysFromBlackFriday(dayNumber, date) + 4];
  if (around !== undefined) return around;
  const isChristmas = date.getUTCMonth() === 11 && date.getUTCDate() >= 23 && date.getUTCDate() <= 26;
  return isChristmas ? CHRISTMAS : 1;
}

/** The month's factor on its 15th, between two of them in proportion. */
function seasonOf(profile: Profile, date: Date): number {
  const position = date.getUTCMonth() + (date.getUTCDate() - 15) / 30.5;
  const before = Math.floor(position);
  const at = (month: number) => profile.month[(month + 12) % 12] ?? 1;
  return at(before) + (at(before + 1) - at(before)) * (position - before);
}

/** How many sessions of a usual day begin: weekday, season and some noise; campaigns of the stories come on top. */
export function usualVisits(profile: Profile, seed: number, dayNumber: number): number {
  const date = new Date(dayNumber * DAY_MS);
  const weekday = profile.weekday[date.getUTCDay()] ?? 1;
  const noise = 0.96 + 0.08 * unit(hash(seed, profile.projectId, dayNumber, 0x7f1c));
  const special = profile.seasonal ? holiday(dayNumber, date) : 1;
  return Math.round(profile.visitsPerDay * weekday * seasonOf(profile, date) * special * noise);
}

/** Fills the column of starts in ascending order, spread over the hours as the profile says. */
export function fillStarts(startSecond: Uint32Array, profile: Profile, dayHash: number): void {
  const total = profile.hours.reduce((sum, share) => sum + share, 0);
  let hour = 0;
  let before = 0;
  let share = (profile.hours[0] ?? 0) / total;
  for (let index = 0; index < startSecond.length; index += 1) {
    // One draw in each of `length` equal strata comes out sorted, which spares sorting.
    const position = (index + draw24(dayHash + index) / DRAWS) / startSecond.length;
    while (position >= before + share && hour < 23) {
      before += share;
      hour += 1;
      share = (profile.hours[hour] ?? 0) / total;
    }
    const within = Math.min(SECONDS_PER_HOUR - 1, Math.floor(((position - before) / share) * SECONDS_PER_HOUR));
    startSecond[index] = hour * SECONDS_PER_HOUR + within;
  }
}
