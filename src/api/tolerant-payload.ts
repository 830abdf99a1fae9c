import * as z from 'zod';
import { isRecord } from '../lib/is-record.ts';
import { noun, schemaAt, typeOf, valueAt } from './check-input.ts';

/** Parts of an answer that cannot be used, counted: entries of a list, or members of other records. */
export interface LeftOut {
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
export interface Unusable {
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
  const groups = new Map<string, Mend[]>();
  for (const mend of mends) {
    const name = `${mend.kind} ${nameOf(mend.at) ?? ''}`;
    groups.set(name, [...(groups.get(name) ?? []), mend]);
  }
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
