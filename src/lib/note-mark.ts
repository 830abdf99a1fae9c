// Code points that Unicode keeps for the inside of a program, as those of hints; `unmarked` takes them away before a note leaves.
const [OF_ANSWER, OF_SESSION] = ['\ufdd4', '\ufdd5'] as const;

/**
 * A note of this answer alone: its range, what its data lack, the way to the next page. It is said whole each time, however often a session
 * was told it; a note without a mark stands in short where it was said lately.
 */
export function ofAnswer(sentence: string): string {
  return `${sentence}${OF_ANSWER}`;
}

/** A note that stands for a session until another one `about` the same takes its place, such as its project: it is said once. */
export function ofSession(about: string, sentence: string): string {
  return `${sentence}${OF_SESSION}${about}`;
}

/** A note without its mark. */
export interface MarkedNote {
  readonly sentence: string;
  readonly isOfAnswer: boolean;
  /** The subject of a note of the session; undefined for all others. */
  readonly about: string | undefined;
}

/** The mark of a note, which may have been put behind other words since. */
export function markOf(note: string): MarkedNote {
  const [marked = '', about] = note.split(OF_SESSION, 2);
  return { sentence: marked.replaceAll(OF_ANSWER, ''), isOfAnswer: marked.includes(OF_ANSWER), about };
}

/** The words of a note. */
export const unmarked = (note: string): string => markOf(note).sentence;
