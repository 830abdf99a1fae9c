/** An answer of the platform as a replica got it. */
export interface SharedList {
  /** When it was asked for, by the clock. */
  readonly atMs: number;
  readonly answer: unknown;
}

/** The shared answer to one question. */
export interface SharedAnswer {
  /** Undefined while no replica has asked. */
  readonly list: SharedList | undefined;
  /** Keeps the answer for all, unless a replica has made them forget since. */
  write(list: SharedList): void;
}

/** Lists of names that the replicas of one principal share, by question. */
export interface SharedLists {
  /** Undefined where the store cannot be reached. */
  look(question: string): Promise<SharedAnswer | undefined>;
  /** Forgets all of them, here and in the caches of other replicas. */
  forget(): void;
  /** Calls `listener` when another replica forgets, until the returned function is called. */
  onForgotten(listener: () => void): () => void;
}

/** Which replica polls a resource for all sessions of one principal, and what it found. */
export interface SharedWatches {
  /**
   * True for one watcher at a time, for one that cannot reach the others, and once for one that may have missed messages; another may poll
   * when `forMs` have passed without a poll.
   */
  mayPoll(uri: string, forMs: number): Promise<boolean>;
  /** Lets another watcher poll at once. */
  release(uri: string): void;
  /** Sends the timestamp of the newest part to the other watchers. */
  publish(uri: string, newest: number): void;
  /** Calls `listener` with each message of the others, until the returned function is called. */
  onMessage(listener: (uri: string, newest: number) => void): () => void;
}

/** State that the sessions of one principal share with its sessions on other replicas. */
export interface SharedState {
  /** Left out where the lists stay in this process. */
  readonly lists?: SharedLists;
  readonly watches: SharedWatches;
}
