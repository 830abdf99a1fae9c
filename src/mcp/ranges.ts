import * as z from 'zod';
import type { ResolvedRange } from './resolve.ts';

/** The range that an answer covers, as sent to the service. */
export const rangeOutput = z.object({ start: z.string(), end: z.string(), timeZone: z.string(), days: z.number() });

interface RangeOptions {
  readonly timeZone: string;
  readonly nowMs: number;
  /** Days before now in which the numbers may still change. */
  readonly provisionalDays: number | undefined;
}

/** Describes the range of an answer and what of it is provisional; empty where the answer covers none. */
export async function rangeWords(
  { start, end }: ResolvedRange,
  { timeZone, nowMs, provisionalDays = 0 }: RangeOptions,
): Promise<{ range: { range?: z.output<typeof rangeOutput> }; notes: string[] }> {
  if (!start) return { range: {}, notes: [] };
  const [{ isoAt }, { describeRange }] = await Promise.all([import('../lib/dates.ts'), import('../lib/date-range.ts')]);
  const last = end ?? { iso: isoAt(nowMs, timeZone), ms: nowMs };
  const bounds = { startIso: start.iso, startMs: start.ms, endIso: last.iso, endMs: last.ms };
  const { provisional, text, ...range } = describeRange({ ...bounds, timeZone, nowMs, provisionalDays });
  return { range: { range: rangeOutput.parse(range) }, notes: [`Range: ${text}`, ...provisional] };
}
