import { fold } from './match-name.ts';

/** Stands among segments side by side for the selection without any of them. */
export const ALL_VISITORS = 'all visitors';

/** The id of a segment, or all visitors beside it. */
export type SegmentChoice = number | typeof ALL_VISITORS;

const WORDS: ReadonlySet<string> = new Set(['allvisitors', 'allvisits', 'everyone', 'allusers']);

/** Whether a name stands for all visitors, case and spaces ignored; a segment that is called so comes first. */
export function meansAllVisitors(text: string): boolean {
  return WORDS.has(fold(text).replaceAll(/[\s_-]/g, ''));
}

/** The segments that visitors of each choice are in, all of them also in `within`. */
export function segmentSetsOf(within: readonly number[], choices: readonly SegmentChoice[]): (readonly number[])[] {
  return choices.map((choice) => (choice === ALL_VISITORS ? [...within] : [...within.filter((id) => id !== choice), choice]));
}
