import type { Origin } from '../origin.ts';
import type { MetricStories } from './stories.ts';

/** What the platform calls a device: 0 unknown, 1 desktop, 2 mobile web, 3 tablet web, 4 mobile app, 5 tablet app. */
export type DeviceId = 0 | 1 | 2 | 3 | 4 | 5;

/**
 * The sessions of a project that began on one UTC day, one column for each fact, ordered by start; metrics and exports read these same columns.
 * A session belongs to the day of its start and is not cut at midnight. It exists from its start on: later than the clock there is none.
 * One that still runs at the clock's present ends there (`durationMs` reaches to it), its other columns are those of the whole session;
 * from `MAX_SESSION_MS` after midnight on a day no longer changes.
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
  /** Hash of the session: whatever else is told of it (zone taps, views, cart items) derives from it. */
  readonly seed: Uint32Array;
}

/** The sessions of one emulator, computed day by day when asked for. */
export interface SessionWorld {
  readonly origin: Origin;
  /** What was placed in them. */
  readonly stories: MetricStories;
  /** The day as it stands at `nowMs`; empty in the future and before retention. */
  day(projectId: number, dayNumber: number, nowMs: number): SessionDay;
}
