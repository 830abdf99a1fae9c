import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { WriteRequest } from '../api/wire.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/is-record.ts';
import { seal, sealKey, unseal } from '../lib/seal.ts';

/** The consent of the person in this call. */
export type Consent =
  /** Not asked yet: the write must not leave. */
  | { readonly given: false }
  /** Given for the request that `digest` stands for; without one, for what the arguments say, where the client cannot ask. */
  | { readonly given: true; readonly digest?: string };

/** Thrown instead of sending a write that is not confirmed. */
export class NeedsConfirmation extends Error {
  readonly request: WriteRequest;

  constructor(request: WriteRequest) {
    super('The write waits for a confirmation');
    this.name = 'NeedsConfirmation';
    this.request = request;
  }
}

/** Short hash of a request, so that a confirmation counts for that request only. */
export function digestOf(request: WriteRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url').slice(0, 22);
}

/** Lets a write pass only with a consent to exactly this request. */
export function requireConsent(consent: Consent, request: WriteRequest): void {
  if (!consent.given || (consent.digest !== undefined && consent.digest !== digestOf(request))) throw new NeedsConfirmation(request);
}

/** A confirmation that is not valid; the message says what to do. */
export class ConfirmationError extends Error {
  override name = 'ConfirmationError';
}

/** The call that a question was about. */
export interface Asked {
  readonly digest: string;
  /** The present of that call, ms since 1970, so that "today" still means the same after the answer. */
  readonly nowMs: number;
}

/** The call that a question belongs to. */
interface AskedCall {
  readonly tool: string;
  readonly args: unknown;
}

/** Marks an id as used for `lifeMs` in all replicas; false where one of them did so before. */
export type UseOnce = (id: string, lifeMs: number) => Promise<boolean>;

/** How long a question can be answered. */
const LIFE_MS = 600_000;
const ID_BYTES = 12;
/** No process puts so many questions in that time. */
const MOST_USED = 100_000;
const AGAIN = 'Nothing was sent. Call again with the arguments alone, and the person is asked again.';

/** The sealed content: an id that is used once, a digest of the question, and the times. */
type Sealed = readonly [id: string, digest: string, nowMs: number, askedAtMs: number];

/** JSON with its members in order, since a client may send the same arguments in another. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isRecord(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/**
 * Makes the confirmations of a process: those of each session for what names it, such as its principal. Replicas that are given the
 * same secret (32 random bytes, as `sealKey` takes them) open each other's; without one only this process opens its own.
 */
export function createConfirmations({ clock, secret }: { clock: Clock; secret?: string | undefined }) {
  const key = sealKey(secret ?? randomBytes(32).toString('base64'), 'confirmations');
  /** Ids that were used, as long as they could be used again. */
  const used = new LRUCache<string, true>({
    maxSize: MOST_USED,
    sizeCalculation: () => 1,
    ttl: 2 * LIFE_MS,
    ttlResolution: 0,
    perf: clock,
  });

  return (owner: readonly string[], useEverywhere?: () => UseOnce | undefined) => {
    const context = ({ tool, args }: AskedCall) => [
      ...owner,
      tool,
      createHash('sha256')
        .update(canonical(args ?? {}))
        .digest('base64url'),
    ];

    function open(state: unknown, call: AskedCall): Sealed {
      try {
        // A state that opens was sealed below.
        return JSON.parse(unseal(String(state), [key], context(call))) as Sealed;
      } catch {
        throw new ConfirmationError(`The confirmation belongs to no question that was asked for this call. ${AGAIN}`);
      }
    }

    return {
      /** Seals what a session asks the person: what travels through the client can be neither read nor made there. */
      seal({ digest, nowMs }: Asked, call: AskedCall): string {
        const sealed: Sealed = [randomBytes(ID_BYTES).toString('base64url'), digest, nowMs, clock.now()];
        return seal(JSON.stringify(sealed), key, context(call));
      },
      /** Opens it once; throws a `ConfirmationError` for a state that is not of this session and call, too old, or opened before. */
      async redeem(state: unknown, call: AskedCall): Promise<Asked> {
        const [id, digest, nowMs, askedAtMs] = open(state, call);
        // A clock that was set back must not prolong it.
        if (Math.abs(clock.now() - askedAtMs) > LIFE_MS)
          throw new ConfirmationError(`The confirmation came later than ${LIFE_MS / 60_000} minutes after the question. ${AGAIN}`);
        const isUsed = used.has(id);
        used.set(id, true);
        if (isUsed || (await useEverywhere?.()?.(id, LIFE_MS)) === false)
          throw new ConfirmationError(
            'The confirmation was used before, and it counts once. Nothing was sent by this call: look first whether the change was ' +
              'made. To make it again, call with the arguments alone, and the person is asked again.',
          );
        return { digest, nowMs };
      },
    };
  };
}

/** Seals and opens the questions of one session. */
export type Confirmations = ReturnType<ReturnType<typeof createConfirmations>>;

/** How long a question waits for the person: hosts give a call a minute, and one that cannot show a form may never answer. */
export const ANSWER_MS = 50_000;
/** A program that asks the same in quick succession doubts nothing. */
const QUICK_MS = 2_000;
/** Nothing that may change is kept longer. */
const LONGEST_MS = 10 * 60_000;
const MAX_CALLS = 200;
/** Longer arguments are not repeated by hand. */
const MAX_CHARS = 4_000;

/** Remembers the latest calls of one session. */
export function createRepeats(clock: Clock) {
  const forgetful = { max: MAX_CALLS, ttl: LONGEST_MS, ttlResolution: 0, perf: clock };
  /** When each call was made last, ms since 1970. */
  const calls = new LRUCache<string, number>(forgetful);
  const shown = new LRUCache<string, true>({ max: MAX_CALLS });
  /** When each question was put first, ms since 1970. */
  const open = new LRUCache<string, number>(forgetful);
  return {
    /** Whether the same question was put to the person a while ago and never came back; remembers that it is put now. */
    wasLeftOpen(digest: string) {
      const askedMs = open.get(digest);
      if (askedMs === undefined) open.set(digest, clock.now());
      return askedMs !== undefined && clock.now() - askedMs >= ANSWER_MS;
    },
    /** Forgets a question that came back. */
    settle(digest: string) {
      open.delete(digest);
    },
    /** Whether the session was shown this text before, as a digest; remembers that it is shown now. */
    wasShown(digest: string) {
      const before = shown.has(digest);
      shown.set(digest, true);
      return before;
    },
    /** Whether the same was asked a while before; remembers the call. */
    isRepeat(tool: string, args: unknown) {
      const key = `${tool} ${JSON.stringify(args ?? {})}`;
      if (key.length > MAX_CHARS) return false;
      const askedMs = calls.get(key);
      if (askedMs !== undefined && Math.abs(clock.now() - askedMs) < QUICK_MS) return false;
      calls.set(key, clock.now());
      return askedMs !== undefined;
    },
  };
}
