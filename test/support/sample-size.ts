import process from 'node:process';

const isFull = process.env['FULL_SAMPLES'] === 'true';

/** How many are drawn, killed or judged: `full` in `npm run full`, else `short`, with the same bounds. */
export function sampleSize({ full, short }: { readonly full: number; readonly short: number }): number {
  return isFull ? full : short;
}

/** All cases in `npm run full`, the first `short` of them in every other run. */
export function someOf<T>(cases: readonly T[], short: number): readonly T[] {
  return isFull ? cases : cases.slice(0, short);
}

/** All cases in `npm run full`; in every other run those of one of `of` takers, who have all of them together. */
export function inTurn<T>(cases: readonly T[], taker: number, of: number): readonly T[] {
  return isFull ? cases : cases.filter((_, index) => index % of === taker);
}

/** Tools that judge hundreds of series a call, or millions of views. */
const SLOW = new Set(
  'analyze_scenario compare_metrics find_changes analyze_funnel analyze_paths analyze_retention measure_impact'.split(' '),
);

/** All tools in `npm run full`, those that answer at once in every other run. */
export function quickTools<T extends { readonly name: string }>(tools: readonly T[]): readonly T[] {
  return isFull ? tools : tools.filter(({ name }) => !SLOW.has(name));
}

/** Registers tests in `npm run full` alone: each takes seconds, and shorter ones beside them hold the same code. */
export function inFullRun(register: () => void): void {
  if (isFull) register();
}
