export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What the world is a pure function of. */
export interface Origin {
  readonly seed: number;
  /** The clock at start, ms since 1970: stories are placed relative to it. */
  readonly startMs: number;
}
