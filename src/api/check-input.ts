import type * as z from 'zod';
import { isRecord } from '../lib/is-record.ts';
import { nearest, nearestFirst } from '../lib/nearest.ts';
import { ApiError } from './errors.ts';
import { type Operation, unwrap } from './operation.ts';
import * as p from './params.ts';
import { CHOOSE_PROJECT } from './tokens.ts';

/** `frequency.dateRange.to`, `fields[2].fieldName`. */
function memberOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** The expected kind of value in a person's words. */
const NOUNS: Readonly<Record<string, string>> = {
  int: 'whole number',
  array: 'list',
  record: 'object',
  boolean: 'true or false',
};

/** `whole number` of the schema type `int`. */
export function noun(type: string): string {
  return NOUNS[type] ?? type;
}

/** `(string)`, `(one of all, desktop)`: what is missing. */
function kindOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return noun(issue.expected);
  return issue.code === 'invalid_value' ? `one of ${issue.values.map(String).join(', ')}` : '';
}

function bound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const [inclusive, exclusive] = issue.code === 'too_small' ? ['at least', 'more than'] : ['at most', 'less than'];
  const words = issue.inclusive ? inclusive : exclusive;
  if (issue.origin === 'array') return `must hold ${words} ${limit} item${Number(limit) === 1 ? '' : 's'}`;
  if (issue.origin === 'string') return Number(limit) === 1 ? 'must not be empty' : `must have ${words} ${limit} characters`;
  return `must be ${words} ${limit}`;
}

/** The plain name of the type of a value that was not expected. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : 'fraction';
  return noun(Array.isArray(value) ? 'array' : typeof value);
}

/** The choices in words; a schema may add words of its own. */
function choiceWords(issue: z.core.$ZodIssueInvalidValue): string {
  return `must be ${kindOf(issue)}${issue.message.startsWith('Invalid ') ? '' : `; ${issue.message}`}`;
}

function expectation(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message;
  if (value === undefined || value === null) return kindOf(issue) === '' ? 'is required' : `is required (${kindOf(issue)})`;
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    // A schema may have words of its own.
    return issue.message.startsWith('Too ') ? bound(issue) : issue.message;
  }
  if (issue.code === 'invalid_value') return choiceWords(issue);
  if (issue.code === 'invalid_type') {
    const lost = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    if (lost) return p.LOST_DIGITS;
    return `expected ${noun(issue.expected)}, received ${typeOf(value)}`;
  }
  if (issue.code === 'invalid_union') {
    const choices = issue.errors.flatMap((issues) => issues.slice(0, 1).map((each) => expectation(each, value)));
    return choices.length > 0 ? [...new Set(choices)].join(', or ') : 'has none of the accepted forms';
  }
  return issue.message.replace(/^Invalid (input|string): /, '');
}

/** The value at a path; undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined), value);
}

/** The schema of the value at a path; undefined where the schema names no such member. */
export function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return schema;
  const { def } = unwrap(schema)._zod;
  // The core of zod types neither members nor elements of a definition.
  if ('element' in def) return schemaAt(def.element as z.core.$ZodType, rest);
  if (!('shape' in def)) return undefined;
  const member = (def.shape as Record<string, z.core.$ZodType>)[String(first)]; // an object's shape holds schemas
  return member && schemaAt(member, rest);
}

/** Members of the object that a schema describes at a path. */
function membersAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const at = schemaAt(schema, path);
  if (!at) return [];
  const { def } = unwrap(at)._zod;
  return 'shape' in def && isRecord(def.shape) ? Object.keys(def.shape) : [];
}

/** Members whose names begin with one: the parts of what it means, such as the first and the last day of a baseline. */
function partsOf(name: string, known: readonly string[]): string[] {
  return known.filter((each) => each.length > name.length && each.startsWith(name) && /[A-Z]/.test(each[name.length] ?? ''));
}

function unknownMember(key: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not known here; nothing is taken';
  const parts = partsOf(key, known);
  const meant = parts.length > 1 ? parts.join(' and ') : nearest(key, known);
  const names = nearestFirst(key, known, (name) => name).join(', ');
  return meant === undefined ? `is not known here; there are ${names}` : `is not known here; did you mean ${meant}? There are ${names}`;
}

/** Where a value may stand instead that a member with a few choices does not take. */
function elsewhere(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code !== 'invalid_value') return '';
  const parts = partsOf(String(issue.path.at(-1) ?? ''), membersAt(schema, issue.path.slice(0, -1)));
  return parts.length > 0 ? `; see also ${parts.join(' and ')}` : '';
}

/** The description of a value, as the end of a sentence. */
function describedAs(schema: z.core.$ZodType | undefined): string {
  const words = (schema as z.ZodType | undefined)?.description;
  return words === undefined ? '' : `: ${words}`;
}

/** Each broken rule as "member: what is expected". */
export function wordIssues(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, value: unknown): string[] {
  return issues.flatMap((issue) => {
    const member = memberOf(issue.path);
    if (issue.code === 'unrecognized_keys') {
      const known = membersAt(schema, issue.path);
      return issue.keys.map((key) => `${memberOf([...issue.path, key])}: ${unknownMember(key, known)}`);
    }
    const given = valueAt(value, issue.path);
    const meaning = given === undefined ? describedAs(schemaAt(schema, issue.path)) : '';
    return [`${member || 'input'}: ${expectation(issue, given)}${meaning}${elsewhere(issue, schema)}`];
  });
}

/** Complaints that are listed; the rest is like them. */
const MAX_COMPLAINTS = 20;

/** The complaints; of a long list its beginning and how many there are more. */
export function firstComplaints(complaints: readonly string[]): readonly string[] {
  const more = complaints.length - MAX_COMPLAINTS;
  return more > 0 ? [...complaints.slice(0, MAX_COMPLAINTS), `and ${more} more`] : complaints;
}

/** Returns the checked value; throws one ApiError that words every broken rule as "member: what is expected". */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid', `${firstComplaints(wordIssues(parsed.error.issues, schema, value)).join('; ')}.`);
}

/** Refuses a number that cannot be a project id. */
export function checkProjectId(projectId: number | undefined): void {
  if (!p.id.optional().safeParse(projectId).success)
    throw new ApiError('invalid', `projectId: expected a positive integer, got ${projectId}.`);
}

/** The project that a token names; refuses where it names none. */
export function knownProject(projectId: number | undefined): number {
  if (projectId !== undefined) return projectId;
  throw new ApiError('invalid', `projectId: the token does not say which project it is for; ${CHOOSE_PROJECT}.`);
}

/** The input with the project that the token is for, where the operation takes one; enrichments cannot go without. */
export function withProject(operation: Operation, input: Record<string, unknown>, projectId: number | undefined): Record<string, unknown> {
  if (!Object.hasOwn(operation.input.shape, 'projectId') || input['projectId'] !== undefined) return input;
  if (projectId !== undefined) return { projectId, ...input };
  return operation.base === 'enrichment' ? { ...input, projectId: knownProject(projectId) } : input;
}

/** Refuses scope names that do not exist or do not go together; returns them sorted, without repeats. */
export function checkScopes(scope: string): string[] {
  const parsed = p.scopeList.safeParse(scope);
  if (!parsed.success) throw new ApiError('invalid', `scope: ${parsed.error.issues.map(({ message }) => message).join('; ')}.`);
  return [...new Set(parsed.data.split(/\s+/))].toSorted();
}

/**
 * The input as it goes on the wire, checked against every rule of the operation. `projectId` is filled in where the operation
 * takes one; that of enrichment may be unknown until the token names it, and is then absent.
 */
export function checkInput(operation: Operation, input: Record<string, unknown>, projectId?: number): Record<string, unknown> {
  if (!Object.hasOwn(operation.input.shape, 'projectId')) return check(operation.input, input);
  const given = input['projectId'] ?? projectId;
  const isOpen = given === undefined && operation.base === 'enrichment';
  const { projectId: checked, ...rest } = check(operation.input, { ...input, projectId: isOpen ? 1 : given });
  return isOpen || checked === undefined ? rest : { projectId: checked, ...rest };
}
