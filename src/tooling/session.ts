import { LRUCache } from 'lru-cache';
import type { Ask, Client } from '../api/client.ts';
import type { Scope } from '../api/operation.ts';
import type { ProjectWorkspace } from '../exports/project-workspace.ts';
import type { Warehouse } from '../exports/warehouse/warehouse.ts';
import type { CalendarSettings } from '../lib/calendar.ts';
import { type Clock, MINUTE_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { isOfAnswer, unmarked } from '../lib/note-mark.ts';
import type { CallWatch } from '../telemetry/call-watch.ts';
import { type Confirmations, createConfirmations, createRepeats } from './confirmation.ts';
import { createNames, type Names, type SharedLists } from './names.ts';

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

/** A conversation that rests for longer may be another one. */
const LIFE_MS = 10 * MINUTE_MS;
/** Shorter notes are repeated: they cost little. */
const LONG = 70;
const MOST = 500;

/** Remembers the notes that a session has received lately, so that it does not receive long ones again. */
export function createSaidNotes(clock: Clock) {
  const said = new LRUCache<string, true>({ max: MOST, ttl: LIFE_MS, ttlResolution: 0, perf: clock });

  /** Whether this was said lately; remembers that it is said now. */
  function isKnown(sentence: string): boolean {
    const known = said.has(sentence);
    said.set(sentence, true);
    return known;
  }

  return {
    /** The notes of an answer without their marks, and without long ones that were said lately. */
    unsaid: (notes: readonly string[]): string[] =>
      notes.filter((note) => isOfAnswer(note) || note.length < LONG || !isKnown(note)).map(unmarked),
  };
}

type SaidNotes = ReturnType<typeof createSaidNotes>;

/** Where the downloaded exports of a session are stored. */
export interface WorkspaceOptions {
  readonly dir: string;
  readonly quotaMb: number;
  /** Whether downloaded files stay when their run has become a table. */
  readonly keepSource?: boolean | undefined;
  /** Whose they are; `local` over stdio. */
  readonly principal: string;
  /** Where converted runs are loaded and queried, opened when first used; left out: they stay on the disk alone. */
  readonly warehouse?: (() => Promise<Warehouse>) | undefined;
  /** Address of the authentication server; known once the session is connected. */
  readonly authUrl: () => string;
}

/** Options of a session; limits and zone come from the settings. */
export interface SessionOptions {
  /** Opens the connection to the platform; called at the first call, so that a start costs nothing. */
  connect(): Promise<Client>;
  readonly clock: Clock;
  readonly timeZone: string;
  /** Largest answer in tokens (characters / 4), per channel. */
  readonly maxResultTokens: number;
  /** The HAR resource delivers the file unchanged. */
  readonly rawHar: boolean;
  /** Domains that are no third party in HAR files, beside that of the page. */
  readonly ownDomains?: readonly string[] | undefined;
  /** Country and own special days; left out: the country of the time zone, no own days. */
  readonly calendar?: CalendarSettings | undefined;
  readonly workspace: WorkspaceOptions;
  /** Seals the questions of this session; left out: with a key of its own. */
  readonly confirmations?: Confirmations | undefined;
  /** Logs what no answer may show, such as the message of an unexpected failure. */
  readonly log?: Log | undefined;
  /** Watches the calls of this session. */
  readonly watch?: CallWatch | undefined;
  /** Takes one more call, or throws a `busy` error where the caller has had enough. */
  readonly admit?: (() => void) | undefined;
  /** Resolves when a call of this session may begin; left out: at once. */
  readonly takeTurn?: (() => Promise<void>) | undefined;
  /** State shared with other replicas for the same principal; known once the session is connected, undefined where there are none. */
  readonly shared?: () => SharedState | undefined;
  /** The notes that the session has received; left out: a memory of its own. */
  readonly said?: SaidNotes | undefined;
}

/** One user's state: token cache (inside the client) and name lists; nothing of it is shared with another session. */
export interface Session {
  readonly options: SessionOptions;
  readonly names: Names;
  readonly confirmations: Confirmations;
  readonly repeats: ReturnType<typeof createRepeats>;
  readonly said: SaidNotes;
  /** The session's client, connected once. */
  client(): Promise<Client>;
  /** The downloaded exports of a project, opened once; nothing of them is loaded before. */
  workspace(projectId: number): Promise<ProjectWorkspace>;
  /** Ends downloads, forgets tokens and names. */
  close(): Promise<void>;
}

/** Opens a session; free of side effects until `client` is called. */
export function createSession(options: SessionOptions): Session {
  let connecting: Promise<Client> | undefined;
  const names = createNames(options.clock, () => options.shared?.()?.lists);
  const workspaces = new Map<number, ProjectWorkspace>();
  const ending = new AbortController();
  const session: Session = {
    options,
    names,
    confirmations: options.confirmations ?? createConfirmations(options)([]),
    repeats: createRepeats(options.clock),
    said: options.said ?? createSaidNotes(options.clock),
    async client() {
      connecting ??= options.connect();
      try {
        return await connecting;
      } catch (error) {
        connecting = undefined;
        throw error;
      }
    },
    async workspace(projectId) {
      const client = await session.client();
      const { openProjectWorkspace } = await import('../exports/project-workspace.ts');
      const { authUrl, warehouse: open, ...where } = options.workspace;
      const warehouse = await open?.();
      const ask: Ask = (operation, input, { fresh } = {}) => client.call(operation, input, { projectId, signal: ending.signal, fresh });
      const opening = {
        ...where,
        warehouse,
        authUrl: authUrl(),
        projectId,
        ask,
        askKept: names.remembered(projectId, ask),
        clock: options.clock,
      };
      const opened = workspaces.get(projectId) ?? openProjectWorkspace(opening);
      workspaces.set(projectId, opened);
      return opened;
    },
    async close() {
      const closing = [...workspaces.values()].map((workspace) => workspace.close());
      // Their requests to the platform are no longer wanted.
      ending.abort(new Error('The session ended.'));
      await Promise.all(closing);
      names.close();
      await (await connecting?.catch(() => undefined))?.close();
    },
  };
  return session;
}

/** Scopes that these tools need in one token; enrichment has a token of its own. */
export function neededScopes(tools: readonly { scope?: Scope }[]): Scope[] {
  const scopes = new Set<Scope>();
  for (const { scope } of tools) if (scope && scope !== 'enrichment') scopes.add(scope);
  return [...scopes];
}
