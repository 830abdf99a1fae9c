import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isOutOfTime, QUEUED } from '../api/deadline.ts';
import { ApiError, type ErrorKind } from '../api/errors.ts';
import { WorkspaceError } from '../exports/store/disk.ts';
import { HarError } from '../har/read/har-model.ts';
import { type Clock, MINUTE_MS } from '../lib/clock.ts';
import { hint, shownHints } from '../lib/hint.ts';
import type { Log } from '../lib/log.ts';
import { quote, type Redactor } from '../lib/redact.ts';
import { present } from '../lib/sentences.ts';
import { oneLine } from '../lib/strangers-text.ts';
import type { ToolName } from '../lib/tool-name.ts';
import type { CallOutcome } from '../telemetry/call-watch.ts';
import { ConfirmationError } from './confirmation.ts';
import { type AnyTool, scopeOf } from './tool.ts';

/** Code of the error for calls beyond the rate limit. */
export const RATE_LIMITED = 'RATE_LIMITED';

/** Callers that are remembered, the latest. */
const MAX_CALLERS = 100_000;

/** Makes a bucket for each principal: `perMinute` calls fit in, and as many flow in over a minute. */
export function createRateLimit({ clock, perMinute }: { clock: Clock; perMinute: number }) {
  const buckets = new LRUCache<string, { calls: number; atMs: number }>({ maxSize: MAX_CALLERS, sizeCalculation: () => 1 });
  return {
    /** Takes one call of this principal; throws a `busy` error that says when the next is due. */
    admit(principalId: string) {
      const nowMs = clock.now();
      const { calls, atMs } = buckets.get(principalId) ?? { calls: perMinute, atMs: nowMs };
      // A clock that was set back gives nothing and takes nothing.
      const left = Math.min(perMinute, calls + (Math.max(0, nowMs - atMs) * perMinute) / MINUTE_MS);
      buckets.set(principalId, { calls: left >= 1 ? left - 1 : left, atMs: nowMs });
      if (left >= 1) return;
      const message = `This server takes ${perMinute} calls a minute from each caller, and yours are used up; nothing was sent.`;
      throw new ApiError('busy', message, { code: RATE_LIMITED, retryAfterMs: ((1 - left) * MINUTE_MS) / perMinute });
    },
  };
}

/** The next step by kind of error, in words for a person at a command as well as a model; an empty text where the message says it. */
const nextSteps: Record<ErrorKind, string> = {
  invalid: 'Correct the arguments and call again.',
  unauthorized: '',
  forbidden: hint('get_credential', 'get_credential lists what the credential may do.'),
  missing: '',
  busy: 'The platform limits calls: wait, then call again.',
  down: 'This is a fault of the platform or of the way to it; the call may be repeated.',
  timeout: 'Ask for less (a shorter range, fewer metrics) or call again.',
  shape: 'The answer does not fit the reference, so it was not used. Report it to the maintainers.',
  settings: '',
};

/** The part of a tool that the text depends on. */
type Failed = Pick<AnyTool, 'operation' | 'scope' | 'idsFrom'>;

/** The surroundings of an unexpected failure. */
export interface FaultReport {
  /** Left out where there is no log. */
  readonly log?: Log | undefined;
  readonly redact: Redactor;
  /** Of the call: an abort is not a failure. */
  readonly signal?: AbortSignal | undefined;
  /** The project that the call chose; calls that the text prints name it. */
  readonly projectId?: number | undefined;
}

/** Longest part of an unexpected failure that the log takes. */
const LONGEST_FAULT = 2_000;

/**
 * The text of a failure that this server did not foresee. Its own words go to the log alone, because they can quote anything, secrets
 * included; the reference leads from the answer to that line.
 */
function unexpectedFailure(error: unknown, { log, redact, signal }: FaultReport): string {
  if (signal?.aborted) return 'The call was cancelled.';
  const reference = randomBytes(4).toString('hex');
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log?.('error', `unexpected failure ${reference}: ${quote(words, redact, LONGEST_FAULT)}`);
  return `Unexpected failure inside the server (reference ${reference}). Report it to the maintainers; the server's log has the details.`;
}

/** The text of a resource that could not be read for another reason than the platform's. */
export function resourceErrorText(error: unknown, report: FaultReport): string {
  return error instanceof HarError || error instanceof WorkspaceError ? error.message : unexpectedFailure(error, report);
}

/** The text of a failed call: what happened and what to do next, with none of the `absent` tools. */
export function errorText(error: unknown, tool: Failed, report: FaultReport, absent?: ReadonlySet<string>): string {
  return shownHints(textOf(error, tool, report), absent, report.projectId);
}

function textOf(error: unknown, { idsFrom, ...tool }: Failed, report: FaultReport): string {
  if (error instanceof HarError) return `The HAR file of this step cannot be read: ${oneLine(error.message)}`;
  if (error instanceof WorkspaceError || error instanceof ConfirmationError) return oneLine(error.message);
  if (!(error instanceof ApiError)) return unexpectedFailure(error, report);
  const lines = error.lines.map(oneLine);
  if (error.outcomeUnknown) lines.push(howToLook({ ...tool, idsFrom }));
  if (error.kind === 'busy' && error.retryAfterMs !== undefined)
    lines.push(
      `Wait ${Math.ceil(error.retryAfterMs / 1000)} seconds, then call again${error.code === QUEUED ? ', with fewer calls at once' : ''}.`,
    );
  else if (error.kind === 'missing') lines.push(listerOf(error, idsFrom));
  else if (!error.outcomeUnknown) lines.push(nextSteps[error.kind]);
  return present(...lines).join('\n');
}

function howToLook({ idsFrom, ...tool }: Failed): string {
  if (scopeOf(tool) === 'enrichment') return 'A resend of the same records overwrites them and is safe.';
  const look = 'Look before you repeat it.';
  return idsFrom ? lister(idsFrom, (name) => `Look with ${name} before you repeat it.`, look) : look;
}

/** Names the tool that lists what exists, unless the error itself says where else to look. */
function listerOf({ saysWayOn }: ApiError, idsFrom: ToolName | undefined): string {
  return idsFrom && !saysWayOn ? lister(idsFrom, (name) => `${name} lists what exists.`) : '';
}

/** Names the tool that lists ids, where that is switched off the one that finds all objects. */
function lister(idsFrom: ToolName, words: (name: ToolName) => string, otherwise = ''): string {
  return hint(idsFrom, words(idsFrom), hint('find_objects', words('find_objects'), otherwise));
}

/** The number of requests that were answered before the time of a call was over, and how to go on. */
export function wayOn(error: unknown, answers: number): string {
  if (!isOutOfTime(error) || answers === 0) return '';
  const had = answers === 1 ? '1 request was answered' : `${answers} requests were answered`;
  return `${had} before; a call that follows soon does not ask again for what is kept of them.`;
}

/** How a call failed, in one word for logs and counters. */
export function outcomeOf(error: unknown, signal: AbortSignal): CallOutcome {
  if (signal.aborted) return 'cancelled';
  if (error instanceof ApiError) return error.code === RATE_LIMITED ? 'limited' : error.kind;
  if (error instanceof HarError) return 'shape';
  if (error instanceof ConfirmationError) return 'invalid';
  if (error instanceof WorkspaceError) return 'workspace';
  return 'fault';
}
