import * as z from 'zod';
import { joinAddress } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Log } from '../lib/log.ts';
import { quote, type Redactor } from '../lib/redact.ts';
import { withoutBreaks } from '../lib/strangers-text.ts';
import { noun, schemaAt, typeOf, valueAt } from './check-input.ts';
import { type Limits, MAX_ATTEMPTS, retryAfterMs, timeIsOver } from './deadline.ts';
import { ApiError, asksForProject, type ErrorKind, kindOf, readRefusal } from './errors.ts';
import { type Http, type HttpAnswer, unread } from './http.ts';
import { outlineOf, parseJson, parseLargeJson } from './json.ts';
import type { ApiEvent, Observer, Operation } from './operation.ts';
import { getStepHar } from './operations/speed-analysis.ts';
import { CHOOSE_PROJECT } from './tokens.ts';
import { encodeRequest } from './wire.ts';

/** Parts of an answer that cannot be used, counted: entries of a list, or members of other records. */
interface LeftOut {
  readonly kind: 'entries' | 'members';
  /** Name of the list, without the lists around it: `reports`; undefined where the payload itself is the list. */
  readonly list: string | undefined;
  readonly count: number;
  /** Entries that the list came with; undefined where it stands inside another list, and for members. */
  readonly of: number | undefined;
  /** `id is missing`, each reason once. */
  readonly reasons: readonly string[];
}

/** A payload of which everything that can be used is kept. */
export interface Tolerated<T> {
  readonly payload: T;
  readonly leftOut: readonly LeftOut[];
}

/** Why nothing of a payload can be used: the member that is wrong, from the outside in, and in which way. */
interface Unusable {
  readonly path: readonly PropertyKey[];
  readonly words: string;
}

/** The fault of a received value, in a person's words. */
function fault(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is null';
  return issue.code === 'invalid_type'
    ? `is ${typeOf(value)} instead of ${noun(issue.expected)}`
    : `is ${typeOf(value)}, which is not expected`;
}

/** Where an answer is mended: an entry that goes from its list, or a member that goes from its record. */
interface Mend {
  readonly kind: LeftOut['kind'];
  /** Of the list, or of the record. */
  readonly at: readonly PropertyKey[];
  readonly key: PropertyKey;
  readonly reason: string;
}

/** Whether a record is complete without the member at a path. */
function mayBeAbsent(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  const own = schemaAt(schema, path);
  return own !== undefined && z.safeParse(own, undefined).success;
}

/** The smallest part of the payload to do without; undefined where that is all of it. */
function mendFor(issue: z.core.$ZodIssue, schema: z.ZodType, payload: unknown): Mend | undefined {
  const { path } = issue;
  const words = fault(issue, valueAt(payload, path));
  const key = path.at(-1);
  if (typeof key === 'string' && mayBeAbsent(schema, path))
    return { kind: 'members', at: path.slice(0, -1), key, reason: `${key} ${words}` };
  const place = path.findLastIndex((part) => typeof part === 'number');
  const entry = path[place];
  if (entry === undefined) return undefined;
  const member = path.slice(place + 1).join('.');
  return { kind: 'entries', at: path.slice(0, place), key: entry, reason: member === '' ? words : `${member} ${words}` };
}

/** Removes what the mends name: the innermost first, and entries from the end, so that all others keep their places. */
function apply(payload: unknown, mends: readonly Mend[]): unknown {
  const mended: unknown = structuredClone(payload);
  for (const { at, key } of mends.toReversed().toSorted((a, b) => b.at.length - a.at.length)) {
    const holder = valueAt(mended, at);
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (isRecord(holder)) Reflect.deleteProperty(holder, key);
  }
  return mended;
}

/** One mend for each place, with the first of its reasons, and none inside what goes anyway. */
function onceEach(mends: readonly Mend[]): Mend[] {
  const wayTo = ({ at, key }: Mend) => [...at, key].map(String);
  const places = new Map(mends.toReversed().map((mend) => [wayTo(mend).join('\n'), mend]));
  const isInside = ({ at }: Mend) =>
    at.some((_, index) =>
      places.has(
        at
          .slice(0, index + 1)
          .map(String)
          .join('\n'),
      ),
    );
  return [...places.values()].toReversed().filter((mend) => !isInside(mend));
}

/** The last name on a way through lists and records. */
function nameOf(path: readonly PropertyKey[]): string | undefined {
  return path.findLast((part) => typeof part === 'string');
}

function isOuterList(path: readonly PropertyKey[]): boolean {
  return path.every((part) => typeof part === 'string');
}

function sizeOf(payload: unknown, path: readonly PropertyKey[]): number {
  const list = valueAt(payload, path);
  return Array.isArray(list) ? list.length : 0;
}

/** The mends as counts, one for each list. */
function counted(payload: unknown, mends: readonly Mend[]): LeftOut[] {
  const groups = grouped(mends, ({ kind, at }) => `${kind} ${nameOf(at) ?? ''}`);
  return [...groups.values()].flatMap((group): LeftOut[] => {
    const [first] = group;
    if (!first) return [];
    const of = first.kind === 'entries' && isOuterList(first.at) ? sizeOf(payload, first.at) : undefined;
    const reasons = [...new Set(group.map(({ reason }) => reason))];
    return [{ kind: first.kind, list: nameOf(first.at), count: group.length, of, reasons }];
  });
}

/** True where an outer list that an answer cannot do without would lose every entry that it came with. */
function emptiesList(schema: z.ZodType, payload: unknown, mends: readonly Mend[]): boolean {
  const lists = mends.filter(({ kind, at }) => kind === 'entries' && isOuterList(at) && !mayBeAbsent(schema, at));
  return lists.some(({ at }) => lists.filter((other) => other.at.join() === at.join()).length === sizeOf(payload, at));
}

/** The issue that reaches deepest into the value says most. */
function deepest(issues: readonly z.core.$ZodIssue[], payload: unknown): Unusable {
  const [first] = issues.toSorted((a, b) => b.path.length - a.path.length);
  return first ? { path: first.path, words: fault(first, valueAt(payload, first.path)) } : { path: [], words: 'is not expected' };
}

/**
 * Reads a payload forgivingly: a record that lacks what identifies it goes from its list, an optional member of a wrong type from its
 * record, and both are counted. Unusable is a payload that is wrong outside its lists, or whose list would keep no entry.
 */
export function tolerate<Schema extends z.ZodType>(schema: Schema, payload: unknown): Tolerated<z.output<Schema>> | Unusable {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return { payload: parsed.data, leftOut: [] };
  const { issues } = parsed.error;
  const found = issues.map((issue) => mendFor(issue, schema, payload));
  const mends = onceEach(found.flatMap((mend) => mend ?? []));
  if (found.includes(undefined) || emptiesList(schema, payload, mends)) return deepest(issues, payload);
  const again = schema.safeParse(apply(payload, mends));
  return again.success ? { payload: again.data, leftOut: counted(payload, mends) } : deepest(issues, payload);
}

/** One sentence for each kind of record that was left out of an answer to this operation. */
export function leftOutWords(title: string, leftOut: readonly LeftOut[]): string[] {
  return leftOut.map(({ kind, list, count, of, reasons }) => {
    const why = reasons.join(', ');
    if (kind === 'members') return `${title}: in ${count} record${count === 1 ? '' : 's'} ${why}; shown without.`;
    const verb = count === 1 ? 'is' : 'are';
    const what = list ?? 'records';
    if (of !== undefined) return `${title}: ${count} of ${of} ${what} ${verb} left out, because ${why}.`;
    return `${title}: ${count} ${count === 1 ? 'entry' : 'entries'} of ${what} ${verb} left out, because ${why}.`;
  });
}

/** The operation, and the options for reading its answer. */
interface Reading {
  operation: Operation;
  redact: Redactor;
  /** Delay that the service asks for, where it does. */
  retryAfterMs: number | undefined;
}

type Body = { form: 'json'; value: object } | { form: 'empty' | 'html' | 'text' | 'broken'; value: string };

/** No answer comes near: HAR files have 20 levels, and under 3 million lists and objects in 96 MB. */
const JSON_LIMITS = { maxDepth: 512, maxContainers: 5_000_000 };

async function readBody(pieces: readonly Buffer[], operation: Operation): Promise<Body> {
  const isFile = operation === getStepHar;
  const outline = outlineOf(pieces, JSON_LIMITS);
  if (outline.excess) {
    const what =
      outline.excess === 'depth' ? `is nested more than ${JSON_LIMITS.maxDepth} levels deep` : 'holds too many lists and objects';
    throw unread(`${what}, so it was not read`, operation.safe);
  }
  const large = isFile ? undefined : await parseLargeJson(pieces, outline);
  if (typeof large === 'object' && large !== null) return { form: 'json', value: large };
  const text = Buffer.concat(pieces).toString('utf8');
  const start = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .slice(0, 1);
  if (start === '') return { form: 'empty', value: '' };
  try {
    const parsed = await parseJson(text);
    // A HAR is a file in a text: its reader takes it as it is.
    const value = isFile ? parsed : withoutBreaks(parsed, text);
    // A bare word or number is a text that happens to be JSON.
    return typeof value === 'object' && value !== null ? { form: 'json', value } : { form: 'text', value: String(value) };
  } catch {
    if (start === '<') return { form: 'html', value: text };
    return { form: start === '{' || start === '[' ? 'broken' : 'text', value: text };
  }
}

/** `GET /v1/segments`. */
export function titleOf(operation: Operation): string {
  return `${operation.method} ${operation.path}`;
}

const VERBS: Readonly<Record<ErrorKind, string>> = {
  invalid: 'did not accept',
  unauthorized: 'refused the token or credential of',
  forbidden: 'does not allow',
  missing: 'found nothing for',
  busy: 'is too busy for',
  down: 'failed at',
  timeout: 'gave up',
  shape: 'answered unexpectedly to',
  settings: 'does not know',
};

/** Whether a repeat may help, and whether it is certain that a refused request did nothing. */
function remedyOf(known: ErrorKind, status: number, isAuth: boolean) {
  const broke = status >= 500 || status === 408;
  const isDown = known === 'down';
  return {
    certain: known === 'busy' || known === 'unauthorized' || (!broke && !isDown),
    transient: known === 'busy' || (broke && !(isAuth && !isDown) && known !== 'unauthorized'),
  };
}

/** Advice on a refusal, as the end of a sentence; empty where nothing is known. */
function hintOf(kind: ErrorKind, text: string): string {
  if (asksForProject(text)) return ` The credential is of account level: ${CHOOSE_PROJECT}.`;
  return kind === 'unauthorized' ? ' Check client ID and secret; a credential expires after one year.' : '';
}

function serverOf({ base }: Operation): string {
  return base === 'auth' ? 'The authentication server' : 'The service';
}

/** Turns an answer that refuses into the error; decides kind, certainty and whether a repeat may help. */
function refusalOf(answer: HttpAnswer, body: Body, { operation, redact, retryAfterMs: statedDelayMs }: Reading): ApiError {
  const { status } = answer;
  const isAuth = operation.base === 'auth';
  const refusal = readRefusal(body.value, redact);
  const known = kindOf(status, refusal, isAuth);
  // A service that names the time to come back is busy rather than broken.
  const kind = known === 'down' && status === 503 && statedDelayMs !== undefined ? 'busy' : known;
  const { certain, transient } = remedyOf(known, status, isAuth);
  const source = [String(status), refusal.code].filter(Boolean).join(', ');
  const hint = hintOf(kind, refusal.text);
  const says = refusal.text === '' ? 'the body was empty' : `it says "${refusal.text}"`;
  return new ApiError(kind, `${serverOf(operation)} ${VERBS[kind]} ${titleOf(operation)} (${source}): ${says}.${hint}`, {
    status,
    code: refusal.code,
    retryAfterMs: statedDelayMs,
    transient,
    outcomeUnknown: !operation.safe && !certain,
  });
}

function unreadable(answer: HttpAnswer, what: string, { operation }: Reading): ApiError {
  return new ApiError('shape', `${serverOf(operation)} answered ${titleOf(operation)} with ${answer.status} and ${what}.`, {
    status: answer.status,
    outcomeUnknown: !operation.safe,
  });
}

function describe(body: Body, redact: Redactor): string {
  const words = readRefusal(body.value, redact).text;
  if (body.form === 'empty') return 'an empty body';
  if (body.form === 'html') return `an HTML page ("${words}") instead of JSON`;
  if (body.form === 'broken') return 'JSON that is broken or cut short';
  return `text instead of JSON: "${words}"`;
}

/** The part of the body that the operation's payload describes. */
function unwrap(operation: Operation, value: object): unknown {
  if ('payload' in value) return value.payload;
  // OAuth answers have no envelope; what enrichment answers is not documented.
  return operation.base === 'service' ? undefined : value;
}

function fit(payload: unknown, answer: HttpAnswer, reading: Reading): Tolerated<unknown> {
  const read = tolerate(reading.operation.payload, payload);
  if ('leftOut' in read) return read;
  const member = quote(['payload', ...read.path.map(String)].join('.'), reading.redact, 120);
  throw unreadable(answer, `an unknown shape: ${member} ${read.words}`, reading);
}

function refuses(value: object): boolean {
  if ('success' in value && value.success === false) return true;
  // OAuth style with a status of 200: an error and nothing else that could be a payload.
  return 'error' in value && typeof value.error === 'string' && !('payload' in value) && !('access_token' in value);
}

/** The usable payload of an answer, by the operation's schema; everything else becomes an ApiError of the fitting kind. */
export async function readAnswer(answer: HttpAnswer, reading: Reading): Promise<Tolerated<unknown>> {
  const { operation, redact } = reading;
  const { status } = answer;
  const body = await readBody(answer.pieces, operation);
  if (status >= 300 && status < 400) throw unreadable(answer, 'a redirect, which is never followed; check the address', reading);
  if (status < 200 || status >= 400) throw refusalOf(answer, body, reading);
  if (body.form === 'json' && typeof body.value === 'object' && body.value !== null) {
    if (refuses(body.value)) throw refusalOf(answer, body, reading);
    return fit(unwrap(operation, body.value), answer, reading);
  }
  // Any 2xx of enrichment counts as taken, unless what came is evidently not the service's.
  if (operation.base === 'enrichment' && (body.form === 'empty' || body.form === 'text'))
    return fit(body.form === 'empty' ? undefined : quote(body.value, redact), answer, reading);
  throw unreadable(answer, describe(body, redact), reading);
}

/** Largest answers that are read. */
const MAX_BYTES = { har: 96 * 1_048_576, other: 32 * 1_048_576 };

/** A read may wait this share of the remaining time without an answer, so that time remains for a retry. */
const IDLE_TIMEOUT_SHARE = 2 / 3;

/** Parts that all requests of a client share. */
export interface Wiring {
  readonly http: Http;
  readonly clock: Clock;
  readonly redact: Redactor;
  readonly userAgent: string;
  /** One line for each request, without secrets. */
  readonly log: Log;
  /** Called for every request. */
  readonly observe?: Observer | undefined;
}

/** One request on its way: what to send, and how to read the answer. */
export interface Exchange {
  operation: Operation;
  /** Checked input, as on the wire. */
  input: Record<string, unknown>;
  /** Base address. */
  base: string;
  accessToken?: string;
  /** Where the base address comes from a token: as `HttpRequest` has it. */
  trustedHost?: string | undefined;
  /** How a body travels; `form` is for enrichment alone. */
  encoding: 'form' | 'json';
  limits: Limits;
  /** Which attempt this is, from 1. */
  attempt: number;
  /** Called for this request too. */
  observe?: Observer | undefined;
  /** Reads an answer, or gives what one of the same content was read as before. */
  readOnce?: ((answer: HttpAnswer, read: () => Promise<Tolerated<unknown>>) => Promise<Tolerated<unknown>>) | undefined;
}

function readOf({ readOnce }: Exchange, answer: HttpAnswer, reading: Reading): Promise<Tolerated<unknown>> {
  const read = () => readAnswer(answer, reading);
  return readOnce ? readOnce(answer, read) : read();
}

/** Form fields: objects and arrays travel as the JSON of themselves. */
function formOf(body: Record<string, unknown>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form.toString();
}

function headersOf({ encoding, accessToken }: Exchange, userAgent: string, hasBody: boolean): Record<string, string> {
  const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(hasBody && { 'content-type': type }),
    ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
  };
}

/** A call of several requests with less time than this sends its last one once. */
const LATE_MS = 2_000;

/** Sends one request of an operation and reads its payload; throws an ApiError that says whether a repeat may help. */
export async function exchange(wiring: Wiring, request: Exchange): Promise<Tolerated<unknown>> {
  const { http, clock, redact, userAgent, log } = wiring;
  const { operation, limits, attempt, encoding } = request;
  const startMs = clock.now();
  const leftMs = limits.deadlineMs - startMs;
  if (leftMs <= 0) throw timeIsOver();
  // At the end of a call there is no time for another attempt.
  const isLate = limits.endsCall === true && leftMs < LATE_MS;
  const { target, body } = encodeRequest(operation, request.input);
  let outcome = 'no answer';
  let ended: Pick<ApiEvent & { type: 'request' }, 'outcome' | 'status'> = { outcome: 'ok' };
  try {
    const answer = await http.send({
      method: operation.method,
      url: joinAddress(request.base, target),
      headers: headersOf(request, userAgent, body !== undefined),
      body: body && (encoding === 'form' ? formOf(body) : JSON.stringify(body)),
      safe: operation.safe,
      trustedHost: request.trustedHost,
      maxBytes: operation === getStepHar ? MAX_BYTES.har : MAX_BYTES.other,
      idleTimeoutMs: operation.safe && attempt < MAX_ATTEMPTS && !isLate ? leftMs * IDLE_TIMEOUT_SHARE : undefined,
      signal: limits.signal,
    });
    outcome = String(answer.status);
    ended = { outcome: 'ok', status: answer.status };
    return await readOf(request, answer, { operation, redact, retryAfterMs: retryAfterMs(answer.retryAfter, clock.now()) });
  } catch (error) {
    outcome = error instanceof ApiError ? [error.status, error.kind, error.code].filter(Boolean).join(' ') : 'aborted';
    ended = error instanceof ApiError ? { outcome: error.kind, status: error.status ?? ended.status } : { ...ended, outcome: 'aborted' };
    throw error;
  } finally {
    const durationMs = clock.now() - startMs;
    for (const observe of [wiring.observe, request.observe]) observe?.({ type: 'request', operation, attempt, durationMs, ...ended });
    log('debug', `${operation.method} ${operation.path} attempt ${attempt}: ${outcome}, ${Math.round(durationMs)} ms`);
  }
}
