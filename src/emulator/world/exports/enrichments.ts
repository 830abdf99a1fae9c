import { nthUnsigned } from '../../../lib/nth.ts';
import { dayNumberOf, RETENTION_DAYS, type SessionWorld } from '../sessions/index.ts';
import { sessionOf, userIdOf } from './session-row.ts';

/** Records that one session can hold. */
const MAX_PER_SESSION = 3;
const MEMBERS = new Set(['userId', 'sessionNumber', 'sessionId', 'enrichmentNumber', 'enrichment']);
const MAX_USER_ID = 2n ** 64n - 1n;

/** Server-side data of a session, as it was received last. */
export interface Enrichment {
  readonly userId: string;
  readonly sessionNumber: number;
  /** From 1 to 3. */
  readonly enrichmentNumber: number;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

function wholeNumber(value: unknown, name: string, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from 1 to ${most}`);
}

function userIdText(value: unknown): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError('userId lost digits above 2^53: send it as text');
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > MAX_USER_ID) throw new RangeError('userId must be an unsigned 64-bit integer');
  return BigInt(text).toString();
}

function plainValue(name: string, value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new RangeError(`enrichment.${name} must be a text, a number, a boolean or an ISO date`);
}

function valuesOf(enrichment: unknown): Enrichment['values'] {
  if (typeof enrichment !== 'object' || enrichment === null || Array.isArray(enrichment))
    throw new RangeError('enrichment must be an object of fields');
  const values: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(enrichment)) values[name] = plainValue(name, value);
  if (Object.keys(values).length === 0) throw new RangeError('enrichment holds no field');
  return values;
}

/** Keeps received enrichments in memory, one set for each project. */
export function createEnrichments(sessions: SessionWorld) {
  const received = new Map<number, Map<string, Enrichment>>();

  function sessionById(projectId: number, value: unknown, nowMs: number): Pick<Enrichment, 'userId' | 'sessionNumber'> {
    const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) throw new RangeError('sessionId must be a whole number');
    const { dayNumber, index } = sessionOf(id);
    const age = dayNumberOf(nowMs) - dayNumber;
    const day = age >= 0 && age <= RETENTION_DAYS ? sessions.day(projectId, dayNumber, nowMs) : undefined;
    if (!day || index >= day.count) throw new RangeError(`project ${projectId} has no session ${id}`);
    return { userId: userIdOf(day, index).toString(), sessionNumber: nthUnsigned(day.sessionNumber, index) };
  }

  function read(projectId: number, record: Record<string, unknown>, nowMs: number): Enrichment {
    const unknown = Object.keys(record).find((name) => !MEMBERS.has(name));
    if (unknown !== undefined) throw new RangeError(`"${unknown}" is not known; transactions are not supported`);
    const { userId, sessionNumber, sessionId, enrichmentNumber = 1, enrichment } = record;
    const named = userId !== undefined || sessionNumber !== undefined;
    if (named === (sessionId !== undefined)) throw new RangeError('give either userId and sessionNumber, or sessionId');
    const session = named
      ? { userId: userIdText(userId), sessionNumber: wholeNumber(sessionNumber, 'sessionNumber', 65_535) }
      : sessionById(projectId, sessionId, nowMs);
    return {
      ...session,
      enrichmentNumber: wholeNumber(enrichmentNumber, 'enrichmentNumber', MAX_PER_SESSION),
      values: valuesOf(enrichment),
    };
  }

  return {
    /** Keeps all records or none: throws a RangeError that names the first bad one and what is wrong with it. */
    receive(projectId: number, records: readonly Record<string, unknown>[], nowMs: number): void {
      const enrichments = records.map((record, index) => {
        try {
          return read(projectId, record, nowMs);
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw new RangeError(`enrichments[${index}]: ${error.message}; the whole batch is refused.`, { cause: error });
        }
      });
      const kept = received.get(projectId) ?? new Map<string, Enrichment>();
      received.set(projectId, kept);
      for (const enrichment of enrichments) {
        kept.set(`${enrichment.userId}/${enrichment.sessionNumber}/${enrichment.enrichmentNumber}`, enrichment);
      }
    },
    /** In the order in which their places were first filled. */
    list: (projectId: number) => [...(received.get(projectId)?.values() ?? [])],
  };
}
