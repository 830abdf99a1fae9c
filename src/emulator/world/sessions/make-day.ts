import { hash } from '../random.ts';
import { type Fall, fillBehaviour } from './behaviour.ts';
import { segmentsOf } from './catalogue.ts';
import { fillOrigins } from './origins.ts';
import type { Profile } from './profiles.ts';
import { fillStarts, usualVisits } from './traffic.ts';
import { DAY_MS, type SessionDay } from './types.ts';
import { type Boost, fillVisitors } from './visitors.ts';

/** What the stories change on one day of a project. */
export interface Twist {
  readonly fall: Fall | null;
  readonly boost: (Boost & { readonly addedShare: number }) | null;
}

/** Columns of `count` sessions, all zero. */
export function emptyDay(projectId: number, dayNumber: number, count: number): SessionDay {
  return {
    projectId,
    dayNumber,
    count,
    startSecond: new Uint32Array(count),
    durationMs: new Uint32Array(count),
    deviceId: new Uint8Array(count),
    userHigh: new Uint32Array(count),
    userLow: new Uint32Array(count),
    sessionNumber: new Uint16Array(count),
    pageViews: new Uint8Array(count),
    transactions: new Uint8Array(count),
    revenueCents: new Uint32Array(count),
    goals: new Uint8Array(count),
    segments: new Uint16Array(count),
    country: new Uint8Array(count),
    language: new Uint8Array(count),
    browser: new Uint8Array(count),
    browserVersion: new Uint8Array(count),
    platform: new Uint8Array(count),
    platformVersion: new Uint8Array(count),
    source: new Uint8Array(count),
    campaign: new Uint8Array(count),
    seed: new Uint32Array(count),
  };
}

function fillSegments(day: SessionDay): void {
  for (const [bit, segment] of segmentsOf(day.projectId).entries()) {
    for (let index = 0; index < day.count; index += 1) {
      if (segment.holds(day, index)) day.segments[index] = (day.segments[index] ?? 0) | (1 << bit);
    }
  }
}

/** Computes one whole day from seed and date; `twist` is what the stories do to it. */
export function makeDay(profile: Profile, seed: number, dayNumber: number, twist: Twist): SessionDay {
  const usual = usualVisits(profile, seed, dayNumber);
  const added = Math.round(usual * (twist.boost?.addedShare ?? 0));
  const day = emptyDay(profile.projectId, dayNumber, usual + added);
  fillStarts(day.startSecond, profile, hash(seed, profile.projectId, dayNumber));
  fillVisitors(day, profile, hash(seed, profile.projectId), usual, twist.boost);
  fillOrigins(day, profile, new Date(dayNumber * DAY_MS));
  fillSegments(day);
  fillBehaviour(day, profile, twist.fall);
  return day;
}
