import * as z from 'zod';
import { wordIssues } from '../../api/check-input.ts';
import { complain, LOST_DIGITS, lostDigits } from '../../api/params.ts';
import { grouped } from '../../lib/grouped.ts';
import { isRecord } from '../../lib/is-record.ts';
import { counted } from '../../lib/number-text.ts';
import { plainText } from '../../lib/strangers-text.ts';

/** Records that one session can hold. */
const MAX_PER_SESSION = 3;

const sessionText = z.string().trim().min(1);

const fields = z.record(z.string(), z.unknown()).superRefine((values, context) => {
  const path = lostDigits(values);
  if (path) complain(context, LOST_DIGITS, ...path);
});

/**
 * Server-side data of one session. The reference matches by session id and names no members (section 4.5); the public example has
 * `userId` and `sessionNumber`. Which of the two a platform takes only its operator knows, so neither stands for the other.
 */
export const enrichmentRecord = z.strictObject({
  sessionId: sessionText.describe('session_id').optional(),
  userId: sessionText.describe('user_id').optional(),
  sessionNumber: z.int().min(1).describe('session_number').optional(),
  enrichmentNumber: z.int().min(1).max(MAX_PER_SESSION).describe('Same one overwrites').optional(),
  enrichment: fields.describe('Any fields'),
});

/** Problems with how a record names its session; empty where it does so once. */
function sessionProblems(record: Readonly<Record<string, unknown>>): string[] {
  const has = (member: string) => record[member] !== undefined && record[member] !== null;
  const second = ['userId', 'sessionNumber'].find(has);
  if (has('sessionId') && !second && !/^\d+$/.test(String(record['sessionId']).trim()))
    return ['sessionId: expected the session_id of an export, a whole number'];
  if (has('sessionId'))
    return second ? [`${second}: names the session a second time; give sessionId alone, or userId with sessionNumber`] : [];
  if (!has('userId')) return ['sessionId: is required (the session by its sessionId, or by userId and sessionNumber)'];
  return has('sessionNumber') ? [] : ['sessionNumber: is required with userId (whole number)'];
}

/** A record about one visit, as callers send it. */
export type EnrichmentRecord = z.output<typeof enrichmentRecord>;

const sessionOf = ({ sessionId, userId, sessionNumber }: EnrichmentRecord) => JSON.stringify([sessionId, userId, sessionNumber]);

/** A record by its place in the batch. */
type Placed = readonly [record: EnrichmentRecord, position: number];

/** The problem with one more record of a session; undefined where it has room. */
function roomProblem({ enrichmentNumber }: EnrichmentRecord, own: readonly Placed[]): string | undefined {
  const [, first] = own.find(([other]) => enrichmentNumber !== undefined && other.enrichmentNumber === enrichmentNumber) ?? [];
  if (first !== undefined) return `repeats the enrichmentNumber of enrichments[${first}], which it would overwrite`;
  return own.length === MAX_PER_SESSION ? `is one too many: a session holds at most ${MAX_PER_SESSION} records` : undefined;
}

/**
 * Holds each record of a batch against the rules, and the batch against repeats: of two for the same place only the first is good. Gives
 * the problems of the others by position: `enrichments[2].sessionNumber: is required with userId (whole number)`.
 */
export function checkEnrichments(records: readonly unknown[]) {
  const good: EnrichmentRecord[] = [];
  const bad: { readonly position: number; readonly problems: readonly string[] }[] = [];
  const sessions = new Map<string, readonly Placed[]>();
  for (const [position, record] of records.entries()) {
    const parsed = enrichmentRecord.safeParse(record);
    const words = isRecord(record)
      ? [...sessionProblems(record), ...(parsed.success ? [] : wordIssues(parsed.error.issues, enrichmentRecord, record))]
      : ['expected object'];
    if (!parsed.success || words.length > 0) {
      bad.push({ position, problems: words.map((each) => `enrichments[${position}]${isRecord(record) ? '.' : ': '}${each}`) });
      continue;
    }
    const key = sessionOf(parsed.data);
    const own = sessions.get(key) ?? [];
    const problem = roomProblem(parsed.data, own);
    if (problem === undefined) {
      good.push(parsed.data);
      sessions.set(key, [...own, [parsed.data, position]]);
    } else bad.push({ position, problems: [`enrichments[${position}]: ${problem}`] });
  }
  return { good, bad };
}

type CheckedEnrichments = ReturnType<typeof checkEnrichments>;

/** A warning about records that name the same session without a number; undefined where there are none. */
export function unnumberedWords({ good }: CheckedEnrichments): string | undefined {
  const unnumbered = good.filter(({ enrichmentNumber }) => enrichmentNumber === undefined);
  const own = grouped(unnumbered, sessionOf);
  const several = [...own.values()].filter(({ length }) => length > 1).length;
  if (several === 0) return undefined;
  const sessions = several === 1 ? 'One session has' : `${several} sessions have`;
  const next = `Number them 1 to ${MAX_PER_SESSION}.`;
  return `${sessions} several records without enrichmentNumber: the platform may keep only the last one. ${next}`;
}

/** Bad records whose problems are worded; of the rest the positions are listed. */
const MAX_WORDED = 10;

/** Which records of a batch cannot be sent, and why. */
export function badWords({ good, bad }: CheckedEnrichments): string {
  const worded = bad.slice(0, MAX_WORDED).flatMap(({ problems }) => problems);
  const rest = bad.slice(MAX_WORDED).map(({ position }) => position);
  const more = rest.length > 0 ? [`likewise the records at ${rest.join(', ')}`] : [];
  return `${bad.length} of ${good.length + bad.length} records cannot be sent: ${[...worded, ...more].join('; ')}.`;
}

/** Records that a question shows, and the longest text of one. */
const SHOWN_RECORDS = 10;
const LONGEST_SHOWN = 300;

function recordWords({ sessionId, userId, sessionNumber, enrichment }: EnrichmentRecord): string {
  const session = sessionId === undefined ? `user ${userId}, session ${sessionNumber}` : `session ${sessionId}`;
  const values = Object.entries(enrichment).map(
    ([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const words = plainText(`${session}: ${values.join(', ')}`);
  return words.length > LONGEST_SHOWN ? `${words.slice(0, LONGEST_SHOWN).toWellFormed()}…` : words;
}

/** The question that a person is asked before records are sent. */
export function enrichmentQuestion(records: readonly EnrichmentRecord[]): string {
  const more = records.length - SHOWN_RECORDS;
  return [
    `Send ${counted(records.length, 'record')} of your own data to the platform? They overwrite earlier ones of the same session and ` +
      'number, and cannot be read back or deleted from here.',
    ...records.slice(0, SHOWN_RECORDS).map(recordWords),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

/** Two spellings of what may be one field: case, spaces, hyphens and underscores aside they are equal. */
const foldField = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Warns of field names that differ only in spelling, among the new ones and from those that were sent before. */
export function spellingWords(names: readonly string[], earlier: readonly string[]): string[] {
  const all = [...new Set([...earlier, ...names])];
  return all.flatMap((name, at) => {
    const other = all.slice(0, at).find((each) => foldField(each) === foldField(name));
    if (other === undefined || earlier.includes(name)) return [];
    const when = earlier.includes(other) ? ', which was sent before,' : '';
    return [`"${name}" differs from "${other}"${when} only in spelling: the platform may keep them as two fields.`];
  });
}
