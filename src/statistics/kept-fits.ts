import { hash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { LRUCache } from 'lru-cache';
import { yieldTurn } from '../lib/concurrency.ts';

/** Room for what was fitted, of all sessions together. */
const MOST_BYTES = 64 * 1_048_576;
/** Fits of one turn of the event loop take so long together, in ms, and at most one longer. */
const TURN_MS = 16;

/** Publishes the name of each fit that is made, and not read from what is kept. */
export const fitChannel = channel('web-analytics-mcp:fit');

/** Ends a computation where others have their turn before the next fit; one for all, whose stack nobody reads. */
const turnIsOver = new Error('Others have their turn before the next fit.');

interface Turn {
  /** Fits of the same computation, so that it gets on although others push them out of the keep. */
  readonly made: Map<string, Kept>;
  /** Infinite before the first fit of the turn. */
  endsMs: number;
  hasFitted: boolean;
}

interface Kept {
  readonly value: unknown;
}

const fits = new LRUCache<string, Kept>({ maxSize: MOST_BYTES });
/** Keys of lists and records that were seen: none of them is changed afterwards. */
const keys = new WeakMap<object, string>();
let turn: Turn | undefined;
/** Fits so far. */
let fitted = 0;

/** JSON has no number that is not finite. */
const exact = (_key: string, value: unknown) => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value);

/** Names a list or record by its content. */
function keyOf(data: object): string {
  const known = keys.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data);
  const key = hash('sha256', text.includes('null') ? JSON.stringify(data, exact) : text, 'base64url');
  keys.set(data, key);
  return key;
}

/** Freezes a value with all that it holds, and counts the bytes of it that nothing else holds. */
function settle(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.buffer.byteLength;
  if (Object.isFrozen(value)) return 8;
  return Object.values(Object.freeze(value)).reduce((sum: number, each) => sum + settle(each), 64);
}

/** Throws where a turn has had its time; each makes one fit at least, or a computation would never end. */
function startFit(own: Turn): void {
  const nowMs = performance.now();
  if (own.hasFitted && nowMs >= own.endsMs) throw turnIsOver;
  own.endsMs = Math.min(own.endsMs, nowMs + TURN_MS);
}

/**
 * The result of a fit, which may depend on its inputs alone: made once as long as there is room, whoever asks. Inputs are plain data;
 * neither they nor results are ever changed, and large ones are best given as the very same object.
 */
export function keptFit<Result>(name: string, inputs: readonly unknown[], fit: () => Result): Result {
  const parts = inputs.map((each) => (typeof each === 'object' && each !== null ? keyOf(each) : `${typeof each} ${String(each)}`));
  const key = [name, ...parts].join('\n');
  const known = turn?.made.get(key) ?? fits.get(key);
  if (known) return known.value as Result; // the key holds the name of the fit
  if (turn) startFit(turn);
  const value = fit();
  fitChannel.publish(name);
  fits.set(key, { value }, { size: key.length + settle(value) });
  if (turn) {
    turn.made.set(key, { value });
    turn.hasFitted = true;
  }
  // A fit of it depends on no more than it does itself, which is the very same as long as it is kept.
  if (typeof value === 'object' && value !== null && !keys.has(value)) {
    keys.set(value, `fit ${fitted}`);
    fitted += 1;
  }
  return value;
}

/** A fit that is kept by all of its inputs. */
export const kept =
  <Inputs extends readonly unknown[], Result>(name: string, fit: (...inputs: Inputs) => Result) =>
  (...inputs: Inputs): Result =>
    keptFit(name, inputs, () => fit(...inputs));

/** Results that are too large to be kept by their content: the last ones, by the very object that each is of. */
export const lastResults = <Of extends object, Result extends object>(): LRUCache<Of, Result> => new LRUCache({ max: 128 });

/**
 * Runs a computation that must not keep others waiting: after some fits these have their turn, and it begins anew with what was fitted.
 * Throws the reason of an aborted signal.
 */
export async function inTurns<Result>(signal: AbortSignal, compute: () => Result): Promise<Result> {
  const made = new Map<string, Kept>();
  for (;;) {
    await yieldTurn(signal);
    turn = { made, endsMs: Number.POSITIVE_INFINITY, hasFitted: false };
    try {
      return compute();
    } catch (error) {
      if (error !== turnIsOver) throw error;
    } finally {
      turn = undefined;
    }
  }
}
