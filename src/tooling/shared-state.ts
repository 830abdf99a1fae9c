/** An answer of the platform as a replica got it. */
export interface SharedList {
  /** When it was asked for, by the clock. */
  readonly atMs: number;
  readonly answer: unknown;
}

/** What is known of one question. */
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
  /** Forgets all of them, here and in what other replicas have at hand. */
  forget(): void;
  /** Calls `listener` when another replica forgets, until the returned function is called. */
  onForgotten(listener: () => void): () => void;
}

/** Which replica looks at a resource for all of one principal, and what it has seen. */
export interface SharedWatches {
  /** True for one watcher at a time, for whoever cannot reach the others, and once for whoever may have missed word; another may look when `forMs` have passed without a look. */
  mayLook(uri: string, forMs: number): Promise<boolean>;
  /** Lets another look at once. */
  leave(uri: string): void;
  /** Tells the others the timestamp of the newest part. */
  tell(uri: string, newest: number): void;
  /** Calls `listener` with what others tell, until the returned function is called. */
  onTold(listener: (uri: string, newest: number) => void): () => void;
}

/** What the sessions of one principal share with its sessions on other replicas. */
export interface SharedState {
  /** Left out where the lists stay in this process. */
  readonly lists?: SharedLists;
  readonly watches: SharedWatches;
}
