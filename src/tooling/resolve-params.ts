import * as z from 'zod';
import { firstComplaints, wordIssues } from '../api/check-input.ts';
import { ApiError } from '../api/errors.ts';
import { type Operation, unwrap } from '../api/operation.ts';
import { documentedDate, instantOf, requireOrderWords } from '../api/params.ts';
import { shiftDays } from '../lib/calendar.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { ACCEPTED_WORDS, DateError, isOfNoYear } from '../lib/date-texts.ts';
import { describeRange, FutureError, resolveDate as instantAt, isoAt, todayIn } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { isRecord } from '../lib/is-record.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import {
  ALL_VISITORS,
  EACH,
  fold,
  isNameOf,
  matchName,
  meansAllVisitors,
  meansEach,
  type Named,
  type NameKind,
  pathOf,
} from '../names/match-name.ts';
import { type FoundName, guessWords, idIn, listedNames, type Within } from './names.ts';
import { listedSchemaOf, type ParamFact, paramFacts } from './params.ts';

/** An instant; `iso` is what was sent where the platform was asked with it, and left out for one that was computed. */
interface Bound {
  readonly iso?: string;
  readonly ms: number;
}

/** Bounds of the range that the date parameters name, in ms and as sent. */
export interface ResolvedRange {
  start?: Bound;
  end?: Bound;
}

/** A parameter that is a date. */
type DateFact = Extract<ParamFact, { date: unknown }>;

/** Where a schema has a value of some kind: the value goes back to `holder[key]`. */
interface ArgumentPlace<Fact> {
  readonly fact: Fact;
  readonly text: string;
  readonly path: string;
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

/** The present and the zone that dates are read with, and where a note goes. */
interface DateReading {
  readonly timeZone: string;
  readonly nowMs: number;
  readonly note: (sentence: string) => void;
  /** The instant of the event that a text names, in questions about lab runs, or words on those it could mean; left out in others. */
  readonly eventAt?: ((text: string) => Promise<{ readonly atMs?: number; readonly words: string } | undefined>) | undefined;
}

/** How days that lie ahead may be asked about. */
interface Ahead {
  readonly mayBeAhead: boolean;
  /** How a forecast is asked for; empty where there is none. */
  readonly forecast: string;
}

/** How to ask for a forecast where the schema asks about metrics that have one. */
function forecastOf({ shape: { metrics } }: z.ZodObject, { ahead }: DateFact): string {
  if (ahead !== undefined) return ` ${ahead}: true forecasts it.`;
  const list = metrics && unwrap(metrics);
  const fact = list instanceof z.ZodArray ? paramFacts.get(list.element as z.ZodType) : undefined; // as in findPlaces
  const isOfRange = fact !== undefined && 'metric' in fact && fact.metric === 'range';
  return isOfRange ? hint('query_metrics', ' query_metrics with expected: true forecasts it.') : '';
}

/** The value of a date, and the bound of the range that it is, if any. */
interface ReadDate {
  readonly value: unknown;
  readonly range: ResolvedRange;
}

/** A text that is spelt as a date, of whatever month: no event is looked for. */
const DATE_SHAPE = /^\s*\d{4}-\d{1,2}(?:-\d{1,2}(?:[T ]\d.*)?)?\s*$/i;

/** The event that stands in place of a date, where what was read as one is none. */
async function eventFor(text: string, error: unknown, { eventAt }: DateReading) {
  return error instanceof DateError && !(error instanceof FutureError) && !DATE_SHAPE.test(text) ? eventAt?.(text) : undefined;
}

/** The error of what is no date, or lies ahead. */
function refusedDate(path: string, error: unknown, forecast: string): ApiError {
  const words = error instanceof Error ? error.message : 'no date';
  return new ApiError('invalid', `${path}: ${words}${error instanceof FutureError ? forecast : ''}`);
}

/** The instant of a date, and the bound of the range that it is, if any. */
async function resolveDate(place: ArgumentPlace<DateFact>, ahead: Ahead, options: DateReading): Promise<ReadDate> {
  const { fact, text, path } = place;
  const { mayBeAhead, forecast } = ahead;
  const { timeZone, nowMs, note } = options;
  try {
    const moment = fact.date === 'moment';
    const resolved = instantAt(text, { edge: moment ? 'start' : fact.date, timeZone, nowMs, allowFuture: moment || mayBeAhead });
    const bound: Bound = { iso: documentedDate(resolved.iso), ms: resolved.instantMs };
    if (resolved.cutToNow) note(`${path} "${text}" reaches into the future and was cut to now.`);
    if (fact.date === 'start' && isOfNoYear(text))
      note(ofAnswer(`"${text}" is taken as that of ${todayIn(timeZone, bound.ms).slice(0, 4)}.`));
    const isEnd = fact.date === 'end' || fact.date === 'exportEnd';
    return {
      value: fact.as === 'ms' ? bound.ms : bound.iso,
      range: { ...(fact.date === 'start' && { start: bound }), ...(isEnd && { end: bound }) },
    };
  } catch (error) {
    const event = await eventFor(text, error, options);
    if (event?.atMs !== undefined) {
      note(event.words);
      return resolveDate({ ...place, text: isoTime(event.atMs) }, ahead, options);
    }
    throw event ? new ApiError('invalid', `${path}: ${event.words}`) : refusedDate(path, error, forecast);
  }
}

/** Takes an end that comes back each year, and lies before its start, as the next one: `Black Friday` to `Cyber Monday`. */
async function moveEndBehind(dates: readonly ArgumentPlace<DateFact>[], range: ResolvedRange, options: DateReading): Promise<void> {
  const { start, end } = range;
  const place = dates.find(({ fact }) => fact.date === 'end');
  if (!place || !start || !end || end.ms > start.ms || !isOfNoYear(place.text)) return;
  const ahead = { mayBeAhead: false, forecast: '' };
  // Less than a year behind the start.
  const next = await resolveDate(place, ahead, { ...options, nowMs: start.ms + 364 * DAY_MS });
  const isOver = (next.range.end?.ms ?? 0) <= options.nowMs;
  const { value, range: bounds } = isOver ? next : await resolveDate({ ...place, text: 'now' }, ahead, options);
  Object.assign(range, bounds);
  place.holder[place.key] = value;
}

/** Says where weeks begin that `-4w` to `last_week` does not hold whole: it begins on the day of the week that today is. */
function partWeekWords(dates: readonly ArgumentPlace<DateFact>[], { start, end }: ResolvedRange, timeZone: string): string | undefined {
  const textOf = (edge: DateFact['date']) => dates.find(({ fact }) => fact.date === edge)?.text ?? '';
  const count = /^-(\d+)w$/i.exec(textOf('start').trim())?.[1];
  if (count === undefined || !/^last[_ ]week$/i.test(textOf('end').trim()) || !start || !end) return undefined;
  const wholeMs = shiftDays(end.ms + 1, -7 * Number(count), timeZone);
  if (wholeMs === start.ms) return undefined;
  const weeks = count === '1' ? 'week begins' : `${count} whole weeks begin`;
  return `"-${count}w" is the day ${count} ${count === '1' ? 'week' : 'weeks'} ago: the ${weeks} on ${todayIn(timeZone, wholeMs)}.`;
}

/** Complaints of which the last alone lists the accepted dates, where several do. */
function listedOnce(complaints: readonly string[]): string[] {
  const last = complaints.findLastIndex((words) => words.endsWith(ACCEPTED_WORDS));
  return complaints.map((words, at) =>
    at < last && words.endsWith(ACCEPTED_WORDS) ? `${words.slice(0, -ACCEPTED_WORDS.length)}.` : words,
  );
}

/** Gives a name's object; throws where there is none or several. */
type FindName = (kind: NameKind, text: string) => Promise<FoundName>;

/** The present, the zone and the lookups that arguments are resolved with. */
interface ResolveOptions extends DateReading {
  readonly find: FindName;
  /** All objects of a kind. */
  readonly list: (kind: NameKind) => Promise<readonly Named[]>;
  /** The operation that the tool stands for: its rules between members are held before a name is looked up. */
  readonly operation?: Operation | undefined;
  /** The objects in the only container of this name, where one has it. */
  readonly within: (kind: NameKind, text: string) => Promise<Within | undefined>;
}

type RefFact = Extract<ParamFact, { ref: unknown }>;

/** All dates and names in arguments. */
interface Places {
  readonly dates: ArgumentPlace<DateFact>[];
  readonly names: ArgumentPlace<RefFact>[];
}

function findPlaces(schema: z.ZodObject, input: Record<string, unknown>): Places {
  const places: Places = { dates: [], names: [] };

  function take(fact: ParamFact, value: unknown, at: Omit<ArgumentPlace<unknown>, 'fact' | 'text'>): void {
    if ('ref' in fact && typeof value === 'string') places.names.push({ ...at, fact, text: value.trim() });
    if (!('date' in fact)) return;
    if (fact.as === 'ms' && /^\d{9,}$/.test(String(value))) at.holder[at.key] = Number(value);
    else if (typeof value === 'string') places.dates.push({ ...at, fact, text: value });
  }

  function visit(schemaOf: z.core.$ZodType, value: unknown, at: Omit<ArgumentPlace<unknown>, 'fact' | 'text'>): void {
    const inner = unwrap(schemaOf, (each) => paramFacts.has(each));
    const fact = paramFacts.get(inner as z.ZodType); // all schemas of tools are made by zod's classes
    if (fact) {
      take(fact, value, at);
    } else if (inner instanceof z.ZodArray && Array.isArray(value)) {
      const items: Record<number, unknown> = value;
      for (const index of value.keys()) visit(inner.element, items[index], { path: `${at.path}[${index}]`, holder: items, key: index });
    } else if (inner instanceof z.ZodObject && isRecord(value)) {
      for (const [name, field] of Object.entries(inner.shape))
        if (value[name] !== undefined)
          visit(field, value[name], { path: at.path === '' ? name : `${at.path}.${name}`, holder: value, key: name });
    }
  }

  visit(schema, input, { path: '', holder: {}, key: '' });
  return places;
}

/** Gives the ids of names; a name that stands in a list many times is looked up once. */
function createNameResolver(options: ResolveOptions): (place: ArgumentPlace<RefFact>) => Promise<unknown> {
  const found = new Map<string, ReturnType<FindName>>();

  function findOne(kind: NameKind, text: string): Promise<FoundName> {
    const key = `${kind} ${text}`;
    const finding = found.get(key) ?? options.find(kind, text);
    found.set(key, finding);
    return finding;
  }

  /** All visitors or all objects where the text says so, unless an object has that very name. */
  async function allOrOne({ ref, orAll }: RefFact, text: string): Promise<FoundName | typeof ALL_VISITORS | typeof EACH> {
    const all = orAll === 'visitors' ? ALL_VISITORS : EACH;
    const meansAll = orAll === 'visitors' ? meansAllVisitors(text) : meansEach(ref, text);
    if (!orAll || !meansAll || (await options.list(ref)).some((object) => isNameOf(object, text))) return findOne(ref, text);
    if (fold(text) !== all) options.note(`"${text}" = ${all}`);
    return all;
  }

  /**
   * All that a name stands for which is that of no object; undefined where it may stand for one alone, or for nothing. Beside one whose
   * name only begins so, a container has to bear the very name.
   */
  async function severalOf({ ref, orAll, orWithin }: RefFact, text: string, one?: FoundName): Promise<readonly Named[] | undefined> {
    if (orWithin && meansEach(ref, text)) return options.list(ref);
    if (orWithin) {
      const within = await options.within(ref, text);
      if (!within || (one && !isNameOf(within.container, text))) return undefined;
      options.note(`${within.kind} "${pathOf(within.container)}" stands for its ${within.objects.length} ${ref}s`);
      return within.objects;
    }
    const match = orAll === 'each' && !one && (await matchName(text, await options.list(ref)));
    if (!match || !('several' in match)) return undefined;
    options.note(`${ref} "${text}" = all ${match.several.length} that it fits: ${listedNames(match.several, MOST_LISTED)}`);
    return match.several;
  }

  return async ({ fact, text, path }) => {
    const given = idIn(text, path);
    if (given !== undefined) return given;
    const one = await allOrOne(fact, text).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'invalid') return new ApiError('invalid', `${path}: ${error.message}`);
      throw error;
    });
    if (typeof one === 'string') return one;
    const object = one instanceof ApiError ? undefined : one;
    const several = object && isNameOf(object, text) ? undefined : await severalOf(fact, text, object);
    if (several) return several.map(({ id }) => id);
    if (one instanceof ApiError) throw one;
    const { id, part, isGuess } = one;
    const among = part === undefined ? '' : `, found among ${part}; others may bear that name`;
    options.note(isGuess ? ofAnswer(guessWords(fact.ref, text, one)) : `${fact.ref} "${pathOf(one)}" = ${id}${among}`);
    return id;
  };
}

/** Replaces dates by instants and names by ids wherever the schema says so; the rest stays as it is. */
export async function resolveParams<T extends Record<string, unknown>>(schema: z.ZodObject, input: T, options: ResolveOptions) {
  const range: ResolvedRange = {};
  const resolved = structuredClone(input);
  const { dates, names } = findPlaces(schema, resolved);
  // Dates first: a wrong date is an error before any list is fetched.
  await allOrWords(dates, async (place) => {
    const { ahead } = place.fact;
    const mayBeAhead = ahead !== undefined && input[ahead] === true;
    const { value, range: bounds } = await resolveDate(place, { mayBeAhead, forecast: forecastOf(schema, place.fact) }, options);
    Object.assign(range, bounds);
    place.holder[place.key] = value;
  });
  await moveEndBehind(dates, range, options);
  requireRules(resolved, { dates, schema, operation: options.operation });
  const weeks = partWeekWords(dates, range, options.timeZone);
  if (weeks !== undefined) options.note(ofAnswer(weeks));
  const idsOf = createNameResolver(options);
  await allOrWords(names, async (place) => void (place.holder[place.key] = await idsOf(place)));
  // A name in a list may have become several ids.
  for (const holder of new Set(names.map((place): unknown => place.holder)))
    if (Array.isArray(holder)) holder.splice(0, holder.length, ...holder.flat());
  return { input: resolved, range };
}

const STARTS: Readonly<Record<string, string>> = { to: 'from', To: 'From', end: 'start', End: 'Start' };

/** The start that belongs to the end of a range of this name; undefined for other names. */
function startOf(end: string): string | undefined {
  const start = end.replace(/^to$|To$|^end|End/, (word) => STARTS[word] ?? '');
  return start === end ? undefined : start;
}

/** Holds what a client can check of several members: the order of each range, and the rules of the operation. */
function requireRules(
  input: Record<string, unknown>,
  { dates, schema, operation }: { dates: Places['dates']; schema: z.ZodObject; operation: Operation | undefined },
): void {
  const complaints = dates.flatMap(({ path, holder, key }) => {
    const start = startOf(String(key));
    const [from, to] = [start === undefined ? undefined : holder[start], holder[key]];
    if (start === undefined || typeof from !== 'string' || typeof to !== 'string' || instantOf(from) < instantOf(to)) return [];
    return [`${path}: ${requireOrderWords(start, from, to)}`];
  });
  if (complaints.length === 0 && operation) complaints.push(...brokenRules(input, schema, operation.input));
  if (complaints.length > 0) throw new ApiError('invalid', `${firstComplaints(complaints).join('; ')}.`);
}

/** The broken rules between members of the operation's input, while its names are not known yet; those of single values are the tool's. */
function brokenRules(input: Record<string, unknown>, schema: z.ZodObject, rules: z.ZodObject): string[] {
  const draft = structuredClone(input);
  // Any id will do.
  for (const { holder, key } of findPlaces(schema, draft).names) holder[key] = 1;
  // A member that the tool lists otherwise than it checks, it checks itself.
  const isOwn = (name: string) => schema.shape[name] !== undefined && listedSchemaOf(schema.shape[name]) !== undefined;
  const own = Object.entries({ projectId: 1, ...draft }).filter(([name]) => Object.hasOwn(rules.shape, name) && !isOwn(name));
  const known = Object.fromEntries(own);
  const { error } = rules.safeParse(known);
  return wordIssues(error?.issues.filter(({ code }) => code === 'custom') ?? [], rules, known);
}

/** Objects of one name that a note lists. */
const MOST_LISTED = 6;

/** Resolves all; throws one `invalid` error with every complaint, or the first failure of another kind. */
async function allOrWords<T>(places: readonly T[], resolve: (place: T) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(places.map((place) => resolve(place)));
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }): unknown => reason);
  if (failures.length === 0) return;
  const complaints = failures.filter((failure) => failure instanceof ApiError).filter(({ kind }) => kind === 'invalid');
  if (complaints.length < failures.length) throw failures.find((failure) => !(failure instanceof ApiError && failure.kind === 'invalid'));
  throw new ApiError('invalid', firstComplaints(listedOnce(complaints.map(({ message }) => message))));
}

/** The range that an answer covers, as sent to the service. */
export const rangeOutput = z.object({ start: z.string(), end: z.string(), timeZone: z.string(), days: z.number() });

interface RangeOptions {
  readonly timeZone: string;
  readonly nowMs: number;
  /** Days before now in which the numbers may still change. */
  readonly provisionalDays: number;
}

/** Describes the range of an answer and whether it is final; empty where the answer covers none. */
export function rangeWords({ start, end }: ResolvedRange, { timeZone, nowMs, provisionalDays }: RangeOptions) {
  if (!start) return { range: {}, notes: [] };
  const last = end ?? { ms: nowMs };
  const isoOf = ({ iso, ms }: Bound) => iso ?? isoAt(ms, timeZone);
  const bounds = { startIso: isoOf(start), startMs: start.ms, endIso: isoOf(last), endMs: last.ms };
  const { finality, text, ...range } = describeRange({ ...bounds, timeZone, nowMs, provisionalDays });
  return { range: { range: rangeOutput.parse(range) }, notes: [ofAnswer(`Range: ${text}`), ...finality] };
}
