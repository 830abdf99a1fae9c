/** What the world is a pure function of. */
export interface Origin {
  readonly seed: number;
  /** The clock at start, ms since 1970: stories are placed relative to it. */
  readonly startMs: number;
}
