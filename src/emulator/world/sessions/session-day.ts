import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts';
import { nthUnsigned } from '../../../lib/nth.ts';
import type { Cost } from './costs.ts';

/**
 * Constants that make another stream of draws from one hash for each use; two alike would make two facts of a session depend on each other.
 */
export const SESSION_STREAMS = {
  visitor: 0x9e3779b1,
  equipment: 0x05ebca77,
  date: 0xc2b2ae3d,
  absence: 0x7feb352d,
  origin: 0x1b873593,
  purchase: 0x27d4eb2f,
  basket: 0x165667b1,
  secondBasket: 0x2c1b3c6d,
  reading: 0x3c6ef372,
  goal: 0x1b56c4e9,
  screen: 0x68e31da4,
  taps: 0x4cf5ad43,
  swipes: 0x2b2ae35d,
} as const;

/** Sessions are kept for 13 months. */
export const RETENTION_DAYS = 395;
/** No session lasts longer. */
export const MAX_SESSION_MS = HOUR_MS;

/** UTC day of an instant. */
export function dayNumberOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS);
}

/** First instant that is kept: the midnight 395 days back. */
export function retentionStartMs(nowMs: number): number {
  return (dayNumberOf(nowMs) - RETENTION_DAYS) * DAY_MS;
}

/** The platform's numbers of devices: 0 unknown, 1 desktop, 2 mobile web, 3 tablet web, 4 mobile app, 5 tablet app. */
export type DeviceId = 0 | 1 | 2 | 3 | 4 | 5;

/** A fall of the chance to buy, on some devices and perhaps deeper in one segment. */
export interface Fall {
  readonly deviceIds: readonly number[];
  readonly factor: number;
  /** Its bit in `SessionDay.segments`; 0: none. */
  readonly segmentBit: number;
  readonly segmentFactor: number;
}

/** The draws that decided who bought on a day: how near each session came, and what kept it from buying, follow from them. */
export interface Buying {
  /** Chance to buy times `DRAWS`, by cell and source. */
  readonly chances: Float64Array;
  readonly fall: Fall | null;
  /** Of the project, in the order of their pages on the way. */
  readonly costs: readonly Cost[];
}

const NOBODY_BUYS: Buying = { chances: new Float64Array(), fall: null, costs: [] };

/**
 * The sessions of a project that began on one UTC day, one column for each fact, ordered by start; metrics and exports read these same
 * columns. A session belongs to the day of its start and is not cut at midnight. It exists from its start on: later than the clock there is
 * none. One that still runs at the clock's present ends there (`durationMs` reaches to it), its other columns are those of the whole
 * session; from `MAX_SESSION_MS` after midnight on a day no longer changes.
 */
export interface SessionDay {
  readonly projectId: number;
  /** UTC days since 1970-01-01. */
  readonly dayNumber: number;
  /** Length of every column. */
  readonly count: number;
  /** Start, second of the day. */
  readonly startSecond: Uint32Array;
  readonly durationMs: Uint32Array;
  /** `DeviceId`. */
  readonly deviceId: Uint8Array;
  /** Upper half of the 64-bit user id; a user keeps it over all visits, with device, country, language, browser and platform. */
  readonly userHigh: Uint32Array;
  readonly userLow: Uint32Array;
  /** Counts the visits of the user from 1: user and number together are unique in the project. */
  readonly sessionNumber: Uint16Array;
  /** At least 1; exactly 1 is a bounce. */
  readonly pageViews: Uint8Array;
  /** Number of transactions, mostly 0. */
  readonly transactions: Uint8Array;
  /** Sum over the transactions. */
  readonly revenueCents: Uint32Array;
  /** Bit n is set when the n-th goal of the project was reached. */
  readonly goals: Uint8Array;
  /** Bit n is set when the session lies in the n-th segment of the project. */
  readonly segments: Uint16Array;
  /** Index in `countries`. */
  readonly country: Uint8Array;
  /** Index in `languages`. */
  readonly language: Uint8Array;
  /** Index in `browsers`; 0, no browser, in apps and on unknown devices. */
  readonly browser: Uint8Array;
  /** Major version; 0 without a browser. */
  readonly browserVersion: Uint8Array;
  /** Index in `platforms`. */
  readonly platform: Uint8Array;
  /** Major version; 0 where unknown. */
  readonly platformVersion: Uint8Array;
  /** Index in `sources`. */
  readonly source: Uint8Array;
  /** Index in `campaigns`; 0 without a campaign. */
  readonly campaign: Uint8Array;
  /** Hash of the session, from which all its other facts derive (zone taps, views, cart items). */
  readonly seed: Uint32Array;
  readonly buying: Buying;
}

/** Memory of one session. */
export const BYTES_PER_SESSION = 40;

type ColumnArray = Uint8Array | Uint16Array | Uint32Array;
type ColumnType<T> = new (buffer: ArrayBuffer, offset: number, length: number) => T;
type Head = 'projectId' | 'dayNumber' | 'count' | 'buying';

/** A day whose columns come from `column`; wide ones first. Written out, because objects made of a list of names are slow to read. */
function dayOf(
  head: Pick<SessionDay, Head>,
  column: <T extends ColumnArray>(name: Exclude<keyof SessionDay, Head>, Type: ColumnType<T>) => T,
): SessionDay {
  const { projectId, dayNumber, count, buying } = head;
  return {
    projectId,
    dayNumber,
    count,
    startSecond: column('startSecond', Uint32Array),
    durationMs: column('durationMs', Uint32Array),
    userHigh: column('userHigh', Uint32Array),
    userLow: column('userLow', Uint32Array),
    revenueCents: column('revenueCents', Uint32Array),
    seed: column('seed', Uint32Array),
    sessionNumber: column('sessionNumber', Uint16Array),
    segments: column('segments', Uint16Array),
    deviceId: column('deviceId', Uint8Array),
    pageViews: column('pageViews', Uint8Array),
    transactions: column('transactions', Uint8Array),
    goals: column('goals', Uint8Array),
    country: column('country', Uint8Array),
    language: column('language', Uint8Array),
    browser: column('browser', Uint8Array),
    browserVersion: column('browserVersion', Uint8Array),
    platform: column('platform', Uint8Array),
    platformVersion: column('platformVersion', Uint8Array),
    source: column('source', Uint8Array),
    campaign: column('campaign', Uint8Array),
    buying,
  };
}

/** Columns of `count` sessions, all zero, in one piece of memory. */
export function emptyDay(projectId: number, dayNumber: number, count: number): SessionDay {
  // Allocating one buffer instead of twenty halves the time of a cold range; wide columns first, so that each is aligned.
  const buffer = new ArrayBuffer(count * BYTES_PER_SESSION);
  let offset = 0;
  return dayOf({ projectId, dayNumber, count, buying: NOBODY_BUYS }, (_name, Type) => {
    const column = new Type(buffer, offset, count);
    offset += column.byteLength;
    return column;
  });
}

/** The first `count` sessions of a day, in the same memory. */
export function firstOf(day: SessionDay, count: number): SessionDay {
  // No column lies in shared memory, which its type would allow.
  return dayOf({ ...day, count }, (name, Type) => new Type(day[name].buffer as ArrayBuffer, day[name].byteOffset, count));
}

/** The day as far as the clock has got: later sessions cut off, the running ones ended at the present. */
export function dayUpTo(day: SessionDay, nowMs: number): SessionDay {
  const elapsedMs = nowMs - day.dayNumber * DAY_MS;
  if (elapsedMs >= DAY_MS + MAX_SESSION_MS) return day;
  let count = day.count;
  while (count > 0 && nthUnsigned(day.startSecond, count - 1) * 1_000 > elapsedMs) count -= 1;
  const durationMs = day.durationMs.slice(0, count);
  for (let index = 0; index < count; index += 1) {
    durationMs[index] = Math.min(nthUnsigned(durationMs, index), elapsedMs - nthUnsigned(day.startSecond, index) * 1_000);
  }
  return { ...firstOf(day, count), durationMs };
}
