import * as z from 'zod';
import { wordIssues } from '../../api/check-input.ts';
import { isRecord } from '../../lib/is-record.ts';

/** Records that one session can hold. */
const MAX_PER_SESSION = 3;
const MAX_USER_ID = 2n ** 64n - 1n;

const userId = z
  .string()
  .trim()
  .refine((text) => /^\d{1,20}$/.test(text) && BigInt(text) <= MAX_USER_ID, 'must be an unsigned 64-bit number, as text of digits');

function isValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return typeof value === 'string' || typeof value === 'boolean';
}

const fields = z.record(z.string(), z.unknown()).superRefine((values, context) => {
  const entries = Object.entries(values);
  if (entries.length === 0) context.addIssue({ code: 'custom', message: 'holds no field' });
  for (const [name, value] of entries) {
    if (isValue(value)) continue;
    const message =
      typeof value === 'number'
        ? 'a number beyond 2^53 loses digits; pass it as text'
        : 'must be a text, a number, true or false, or an ISO date';
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

/** Server-side data of one session, by the rules of the platform. */
export const enrichmentRecord = z.strictObject({
  userId: userId.describe('user_id, digits as text'),
  sessionNumber: z.int().min(1).describe('session_number'),
  enrichmentNumber: z.int().min(1).max(MAX_PER_SESSION).describe('Same one overwrites'),
  enrichment: fields.describe('Fields: text, number, boolean, ISO date'),
});

export type EnrichmentRecord = z.output<typeof enrichmentRecord>;

export interface CheckedEnrichments {
  readonly good: readonly EnrichmentRecord[];
  /** What is wrong, by position in the batch: `enrichments[2].sessionNumber: is required (whole number)`. */
  readonly bad: readonly { readonly position: number; readonly problems: readonly string[] }[];
}

/** Holds each record of a batch against the rules, and the batch against repeats: of two for the same place only the first is good. */
export function checkEnrichments(records: readonly unknown[]): CheckedEnrichments {
  const good: EnrichmentRecord[] = [];
  const bad: CheckedEnrichments['bad'][number][] = [];
  const places = new Map<string, number>();
  for (const [position, record] of records.entries()) {
    const parsed = enrichmentRecord.safeParse(record);
    if (!parsed.success) {
      const words = isRecord(record) ? wordIssues(parsed.error.issues, enrichmentRecord, record) : ['expected object'];
      const problems = words.map((each) => `enrichments[${position}]${isRecord(record) ? '.' : ': '}${each}`);
      bad.push({ position, problems });
      continue;
    }
    const { userId: user, sessionNumber, enrichmentNumber } = parsed.data;
    const place = `${BigInt(user)} ${sessionNumber} ${enrichmentNumber}`;
    const first = places.get(place);
    if (first !== undefined) {
      const words = `repeats enrichments[${first}]: one session holds at most ${MAX_PER_SESSION} records, one for each enrichmentNumber`;
      bad.push({ position, problems: [`enrichments[${position}]: ${words}`] });
      continue;
    }
    places.set(place, position);
    good.push(parsed.data);
  }
  return { good, bad };
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
