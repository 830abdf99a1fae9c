// Code points that Unicode keeps for the inside of a program, as those of hints; `unmarked` takes them away before a note leaves.
const [OF_ANSWER, OF_SESSION] = ['\ufdd4', '\ufdd5'] as const;

/**
 * A note of this answer alone: its range, what its data lack, the way to the next page. It is said whole each time, however often a session
 * was told it; a long note without a mark is left out where it was said lately.
 */
export function ofAnswer(sentence: string): string {
  return `${sentence}${OF_ANSWER}`;
}

/** A note that stands for a session until another such one takes its place, as that of its project: it is said once. */
export function ofSession(sentence: string): string {
  return `${sentence}${OF_SESSION}`;
}

/** A note without its mark. */
export interface MarkedNote {
  readonly sentence: string;
  readonly isOfAnswer: boolean;
  readonly isOfSession: boolean;
}

/** The mark of a note, which may have been put behind other words since. */
export function markOf(note: string): MarkedNote {
  const sentence = note.replaceAll(OF_ANSWER, '').replaceAll(OF_SESSION, '');
  return { sentence, isOfAnswer: note.includes(OF_ANSWER), isOfSession: note.includes(OF_SESSION) };
}

/** The words of a note. */
export const unmarked = (note: string): string => markOf(note).sentence;
