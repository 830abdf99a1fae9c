// A code point that Unicode keeps for the inside of a program, as those of hints; `unmarked` takes it away before a note leaves.
const OF_ANSWER = '\ufdd4';

/**
 * A note of this answer alone: its project and range, what its data lack, the way to the next page. It is said whole each time, however
 * often a session was told it; a long note without a mark is left out where it was said lately.
 */
export const ofAnswer = (sentence: string): string => `${sentence}${OF_ANSWER}`;

/** Whether a note is of its answer alone; the mark may have been put behind other words since. */
export const isOfAnswer = (note: string): boolean => note.includes(OF_ANSWER);

/** The words of a note. */
export const unmarked = (note: string): string => note.replaceAll(OF_ANSWER, '');
