import * as z from 'zod';
import { unwrap } from '../api/operation.ts';
import { endNamedBy } from '../lib/date-texts.ts';
import { isRecord } from '../lib/is-record.ts';
import { mapTexts } from '../lib/map-texts.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { asWritten } from '../lib/strangers-text.ts';
import { isNearly, onlyOneOf } from '../names/match-name.ts';
import { closeMetricOf, metricOf, standInFor } from './metric-words.ts';
import { listedSchemaOf, type ParamFact, paramFacts } from './params.ts';
import { type Deprecation, deprecationOf } from './tool.ts';

type MetricFact = Extract<ParamFact, { metric: unknown }>;

type InputMembers = Readonly<Record<string, unknown>>;
type Schema = z.core.$ZodType;

const NUMBER = /^[+-]?\d+(\.\d+)?$/;
/** No text of an argument that stands for an object or a list is longer. */
const LONGEST_JSON = 1_000_000;

/** The schema as a caller sees it: without `optional`, `default` and the like, and as it is listed. */
function core(schema: Schema): Schema {
  const inner = unwrap(schema, (each) => listedSchemaOf(each) !== undefined);
  return listedSchemaOf(inner) ?? inner;
}

/** Whether an argument may be left out. */
function isOptional(schema: Schema): boolean {
  return z.safeParse(schema, undefined).success;
}

/** The object or list that a text holds as JSON; the text itself where it holds neither. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > LONGEST_JSON || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    return value;
  }
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : value;
}

function toBoolean(value: unknown): unknown {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return text === 'true' || text === 'false' ? text === 'true' : value;
}

/** A number that lost no digits as text, or the only one of a list. */
function toText(given: unknown): unknown {
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  return typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value)) ? String(value) : value;
}

const foldValue = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Whether commas part the values of a list: no value of it holds one. */
function isCommaList(element: Schema): boolean {
  const fact = paramFacts.get(element as z.ZodType);
  return element instanceof z.ZodEnum || element instanceof z.ZodNumber || (fact !== undefined && 'metric' in fact);
}

/** Names of one argument: of an id in the reference's requests and answers, and of what is searched or asked in other servers. */
const SAME_NAMES: readonly (readonly string[])[] = [
  ['stepResultId', 'scenarioStepResultId', 'stepId'],
  ['runId', 'jobRunId'],
  ['text', 'sql', 'query'],
];

/** `jobIds` for `jobId`, and the other way round, where a tool has only one of both. */
function otherNumber(shape: z.ZodObject['shape'], said: string, isGiven: (name: string) => boolean): string | undefined {
  const other = said.endsWith('s') ? said.slice(0, -1) : `${said}s`;
  return Object.hasOwn(shape, other) && !isGiven(other) ? other : undefined;
}

/**
 * Names that hosts add to the arguments of every call: n8n the context of its workflow, Cline its list of tasks, Gemini CLI and Antigravity
 * the order of calls, Cursor a placeholder for no argument. No tool has an argument of these names.
 */
export const HOST_NAMES: ReadonlySet<string> = new Set([
  'action',
  'chatInput',
  'tool',
  'task_progress',
  'wait_for_previous',
  'waitForPreviousTools',
  'toolAction',
  'toolSummary',
  'random_string',
]);

/** Marks of gateways begin with one _; the others are of the conversation in which a host calls. */
const OF_CONVERSATION = /^_[a-z]|^(session|thread|conversation|chat|trace|tool_?call)_?id$/i;

/** Whether a host added an argument on its own. */
function isOfHost({ shape }: z.ZodObject, name: string): boolean {
  return !Object.hasOwn(shape, name) && (HOST_NAMES.has(name) || OF_CONVERSATION.test(name));
}

/** The argument that another name stands for, where it was not given itself; any other name is refused with the nearest. */
function argumentOf({ shape }: z.ZodObject, said: string, given: InputMembers): string {
  if (Object.hasOwn(shape, said)) return said;
  const isGiven = (name: string) => given[name] !== null && given[name] !== undefined;
  const same = SAME_NAMES.find((names) => names.includes(said))?.filter((name) => name !== said);
  const name = same?.find((each) => Object.hasOwn(shape, each));
  if (name === undefined) return otherNumber(shape, said, isGiven) ?? said;
  return same?.some(isGiven) ? said : name;
}

/** The deprecation of an argument that was given. */
function deprecationAt({ shape }: z.ZodObject, said: string, given: InputMembers): Deprecation | undefined {
  return Object.hasOwn(shape, said) && given[said] !== null && given[said] !== undefined ? deprecationOf(shape[said]) : undefined;
}

/** `[{metric: 'weight', limit: 1}]` for `{weight: 1}`, where a list of such pairs is expected; undefined for anything else. */
function pairsOf(element: Schema, given: unknown): InputMembers[] | undefined {
  if (!(element instanceof z.ZodObject) || !isRecord(given)) return undefined;
  const [name, value, ...rest] = Object.keys(element.shape);
  const names = Object.keys(given);
  if (name === undefined || value === undefined || rest.length > 0 || names.some((each) => each === name || each === value))
    return undefined;
  return names.map((each) => ({ [name]: each, [value]: given[each] }));
}

/** The end of a range whose start says it, where a tool wants both and only the start was given. */
function endOfNamedRange({ shape }: z.ZodObject, { startDate, endDate }: InputMembers): InputMembers {
  const end = shape['endDate'];
  const isWanted = end !== undefined && shape['startDate'] !== undefined && !isOptional(end) && endDate === undefined;
  const named = isWanted && typeof startDate === 'string' ? endNamedBy(startDate) : undefined;
  return named === undefined ? {} : { endDate: named };
}

/** How arguments are read: whether the only close word may be taken, and the sentences that a person should know. */
interface ArgumentReading {
  readonly guess: boolean;
  readonly notes: string[];
}

function guessed(what: string, value: string, close: string, { notes }: ArgumentReading): string {
  notes.push(ofAnswer(`There is no ${what} "${value.slice(0, 100)}": ${close}, the only close one, is taken.`));
  return close;
}

/** The option that a value means, whatever its case and separators, or the only one that it means with few typing mistakes. */
function optionOf(value: unknown, options: readonly string[], reading: ArgumentReading): unknown {
  if (typeof value !== 'string' || options.includes(value)) return value;
  const word = foldValue(value);
  const same = options.find((option) => foldValue(option) === word);
  if (same !== undefined || !reading.guess) return same ?? value;
  const close = onlyOneOf(options.filter((option) => isNearly(foldValue(option), word)));
  return close === undefined ? value : guessed('value', value, close, reading);
}

function metric({ metric: family, exact }: MetricFact, value: unknown, reading: ArgumentReading): unknown {
  const { guess, notes } = reading;
  if (typeof value !== 'string') return value;
  const standIn = exact ? undefined : standInFor(family, value);
  if (standIn) {
    notes.push(ofAnswer(standIn.words));
    return standIn.metric;
  }
  const known = metricOf(family, value);
  // A limit applies to the metric that was named, and to no other.
  const close = guess && !exact && known === undefined ? closeMetricOf(family, value) : undefined;
  if (close !== undefined) return guessed('metric', value, close, reading);
  return known ?? value;
}

/** The values that an everyday word in a list stands for; any other value as it is. */
function meant(element: Schema, value: unknown, { notes }: ArgumentReading): unknown[] {
  const fact = paramFacts.get(element as z.ZodType);
  const words = fact && 'words' in fact ? fact.words : {};
  const word = typeof value === 'string' ? foldValue(value) : '';
  const values = Object.hasOwn(words, word) ? words[word] : undefined;
  if (!values) return [value];
  notes.push(`"${String(value)}" = ${values.join(', ')}`);
  return [...values];
}

function list(element: Schema, value: unknown, reading: ArgumentReading): unknown {
  const given = fromJson(value);
  if (given === null || given === undefined) return given;
  const inner = core(element);
  const parts = typeof given === 'string' && given.includes(',') && isCommaList(inner) ? given.split(',') : undefined;
  const values: readonly unknown[] = Array.isArray(given) ? given : (parts?.map((part) => part.trim()) ?? pairsOf(inner, given) ?? [given]);
  return values.flatMap((each) => meant(inner, each, reading)).map((each) => read(element, each, reading));
}

/** The largest number that an argument takes for one beyond it, where that is what it means. */
function atMost(name: string, member: Schema, value: unknown, notes: string[]): unknown {
  const fact = paramFacts.get(core(member) as z.ZodType);
  if (!fact || !('most' in fact) || typeof value !== 'number' || value <= fact.most) return value;
  notes.push(ofAnswer(`${name}: ${value} is more than ${fact.most}, which is taken.`));
  return fact.most;
}

/** Whether a value stands for none: hosts and models fill what they leave out with null, its word or an empty text, alone or in a list. */
function isVoid(value: unknown): boolean {
  const [only, ...more]: unknown[] = Array.isArray(value) ? value : [value];
  return more.length === 0 && (only === null || (typeof only === 'string' && /^\s*(?:null)?\s*$/.test(only)));
}

/** Whether a value is an empty list of names or numbers where one is of no use; one of records that came out empty is a mistake. */
function isRefusedEmpty(schema: Schema, value: unknown): boolean {
  const inner = core(schema);
  const isOfValues = inner instanceof z.ZodArray && !(core(inner.element) instanceof z.ZodObject);
  return isOfValues && Array.isArray(value) && value.length === 0 && !z.safeParse(schema, value).success;
}

function members(object: z.ZodObject, given: InputMembers, reading: ArgumentReading): InputMembers {
  const { notes } = reading;
  const entries = Object.entries(given).flatMap(([said, value]): [string, unknown][] => {
    const going = deprecationAt(object, said, given);
    if (going) notes.push(`${said} is deprecated since ${going.since} and goes with the next major version: use ${going.use}.`);
    const name = argumentOf(object, going && given[going.use] === undefined ? going.use : said, given);
    const member: Schema | undefined = Object.hasOwn(object.shape, name) ? object.shape[name] : undefined;
    if (!member) return [[name, value]];
    return isOptional(member) && (isVoid(value) || isRefusedEmpty(member, value))
      ? []
      : [[name, atMost(name, member, read(member, value, reading), notes)]];
  });
  return Object.fromEntries(entries);
}

function read(schemaOf: Schema, value: unknown, reading: ArgumentReading): unknown {
  const inner = core(schemaOf);
  const fact = paramFacts.get(inner as z.ZodType); // all schemas of tools are made by zod's classes
  if (fact && 'ref' in fact && Array.isArray(value) && value.length === 1) return read(schemaOf, value[0], reading);
  if (fact && 'metric' in fact) return metric(fact, value, reading);
  if (inner instanceof z.ZodArray) return list(inner.element, value, reading);
  if (inner instanceof z.ZodObject) {
    const given = fromJson(value);
    return isRecord(given) ? members(inner, given, reading) : given;
  }
  if (inner instanceof z.ZodRecord) return fromJson(value);
  if (inner instanceof z.ZodEnum) return optionOf(value, inner.options.map(String), reading);
  if (inner instanceof z.ZodNumber) return toNumber(value);
  if (inner instanceof z.ZodBoolean) return toBoolean(value);
  return inner instanceof z.ZodString ? toText(value) : value;
}

/**
 * Reads arguments as models and hosts send them, by the schema of the tool. It drops what hosts add, and what is empty for what may be
 * left out. It takes numbers and booleans as text, numbers for ids and names, one value for a list, and JSON as text. It also takes a
 * start that names the whole range, values in another case, and everyday names of metrics. With `guess`, for calls that write nothing, it
 * takes the only word of a closed list that is close to a mistyped one. What fits nothing stays as it is, for the strict check to word.
 */
export function understand(schema: z.ZodObject, args: unknown, { guess = false } = {}) {
  const reading: ArgumentReading = { guess, notes: [] };
  const own = Object.entries(isRecord(args) ? args : {})
    .map(([name, value]) => [name, mapTexts(value, asWritten)] as const)
    .filter(([name]) => !isOfHost(schema, name));
  const input = members(schema, Object.fromEntries(own), reading);
  return { input: { ...input, ...endOfNamedRange(schema, input) }, notes: [...new Set(reading.notes)] };
}
