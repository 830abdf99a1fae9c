import type { Ask } from '../api/client.ts';
import type { WriteRequest } from '../api/wire.ts';
import type { CalendarSettings } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import type { Named, NameKind } from './match-name.ts';

/** The lists of names that a session keeps for the project of the call, at most some seconds old. */
export interface Lists {
  /** All objects of a kind, or those of a large tree that can be listed in a few seconds: `onPart` then gets the words for that part. */
  readonly of: (kind: NameKind, onPart?: (words: string) => void) => Promise<readonly Named[]>;
  /** The whole path of an object, where a list that was read holds it; else its id. Nothing is fetched. */
  readonly nameOf: (kind: NameKind, id: number) => string;
  /** Sends an operation whose answer may be some seconds old. */
  readonly ask: Ask;
}

/** The context of a use case, which the call that runs it provides: the platform, the answer beside its data, and names of objects. */
export interface Context {
  /** Sends an operation to the platform for the project of the call. */
  readonly ask: Ask;
  /**
   * A value that `make` computes from answers of the platform, once for all calls of the principal as long as there is room. `key` names
   * everything that the value depends on; the value is frozen.
   */
  readonly remember: <T>(key: readonly unknown[], make: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Goes on only where the person has consented to exactly this write; throws otherwise, and the call asks. */
  readonly confirm: (request: WriteRequest) => void;
  /** Id of the project that the call goes to. */
  readonly projectId: () => Promise<number>;
  /** The time as it passes while the call runs; `nowMs` stands still, also over a question to the person. */
  readonly clock: Clock;
  /** The present of the call, ms since 1970. */
  readonly nowMs: number;
  /** IANA zone of dates without one. */
  readonly timeZone: string;
  /** Domains that are no third party in HAR files, beside that of the page. */
  readonly ownDomains: readonly string[];
  /** The settings on the calendar of the visitors. */
  readonly calendar: CalendarSettings;
  readonly signal: AbortSignal;
  /** Adds one sentence to the notes of the answer. */
  readonly note: (sentence: string) => void;
  /** Reports how far a long call is; hosts may drop it, so the answer repeats whatever matters. */
  readonly progress: (done: number, total: number, message: string) => void;
  /** States the range that the answer covers, where no date parameter says it. */
  readonly covers: (startMs: number, endMs: number) => void;
  /** A program reads the answer and wants every row instead of those that matter. */
  readonly whole: boolean;
  /** Several projects are asked the same, each by itself: the answer is what was found in this one, without its explanation. */
  readonly isOneOfSeveral: boolean;
  /** A picture of the answer was asked for. */
  readonly isDrawn: boolean;
  readonly lists: () => Promise<Lists>;
  /** A sentence on the other project in which a text names zones of an app; empty where none is known, or the call chose its project. */
  readonly zonesElsewhere: (text: string) => Promise<string>;
}

/** Where a question hands over what of its answer is drawn. */
export interface Drawing<Drawn> {
  readonly draw: (drawn: Drawn) => void;
}
