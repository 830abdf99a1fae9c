import { DAY_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import { exponential, scramble } from '../random.ts';
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
function sale(dayNumber: number, date: Date): number {
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

/** Mean number of sessions that begin on such a day, by weekday, season and the large sales; noise and campaigns come on top. */
export function expectedVisits(profile: Profile, dayNumber: number): number {
  const date = new Date(dayNumber * DAY_MS);
  const weekday = profile.weekday[date.getUTCDay()] ?? 1;
  const special = profile.seasonal ? sale(dayNumber, date) : 1;
  return profile.visitsPerDay * weekday * seasonOf(profile, date) * special;
}

/** Fills the column of starts in ascending order, drawn from the hours as the profile says. */
export function fillStarts(startSecond: Uint32Array, profile: Profile, dayHash: number): void {
  const { length } = startSecond;
  // Sums of exponential gaps, divided by the last, are uniform draws that come out sorted: which spares sorting.
  const sums = new Float64Array(length);
  let sum = 0;
  for (let index = 0; index < length; index += 1) {
    sum += exponential(scramble(dayHash + index) >>> 8);
    sums[index] = sum;
  }
  const whole = sum + exponential(scramble(dayHash + length) >>> 8);
  const total = profile.hours.reduce((all, share) => all + share, 0);
  let hour = 0;
  let before = 0;
  let share = nth(profile.hours, 0) / total;
  for (let index = 0; index < length; index += 1) {
    const position = nth(sums, index) / whole;
    while (position >= before + share && hour < 23) {
      before += share;
      hour += 1;
      share = nth(profile.hours, hour) / total;
    }
    const within = Math.min(SECONDS_PER_HOUR - 1, Math.floor(((position - before) / share) * SECONDS_PER_HOUR));
    startSecond[index] = hour * SECONDS_PER_HOUR + within;
  }
}
