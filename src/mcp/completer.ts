import type { Ask } from './catalogues.ts';
import type { Session } from './session.ts';

/**
 * A value that may be inserted. The protocol shows values only, no labels beside them: typed text is matched
 * against `words` too, so that a name finds its id, and `resources/list` shows ids with their names.
 */
export interface Candidate {
  readonly value: string;
  readonly words?: string;
}

/** What a completer may do and know. */
export interface CompletionContext {
  readonly session: Session;
  /** Arguments that are filled in already, not decoded. */
  readonly filled: Readonly<Record<string, string>>;
  /** The project that is filled in, else the default one. */
  readonly projectId: () => Promise<number>;
  /** Sends an operation for that project. */
  readonly ask: Ask;
}

/** Gives all that a variable may be; what does not fit the typed text is dropped afterwards. Whatever it throws means no proposal. */
export type Completer = (context: CompletionContext) => Promise<readonly Candidate[]> | readonly Candidate[];
