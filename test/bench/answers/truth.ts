import type { Stories } from '../../../src/emulator/world/index.ts';
import { DAY_MS, isoTime } from '../../../src/lib/clock.ts';
import type { Called } from '../peer.ts';
import type { Claim } from './claim.ts';
import type { ExportFiles } from './files.ts';
import type { Rest } from './rest.ts';

/** What a truth is found from. */
export interface Asked {
  readonly rest: Rest;
  readonly dates: Readonly<Record<string, string>>;
  readonly stories: Stories;
  /** The present of the world as the call began, and after it, ms since 1970. */
  readonly startMs: number;
  readonly nowMs: number;
  /** For ids and instants that the answer chose itself. */
  readonly structured: Called['structured'];
  readonly query: ExportFiles['query'];
}

/** By number of the question and, behind a stroke, of the call from 0. */
export type Truths = Readonly<Record<string, (asked: Asked) => Promise<Claim | readonly Claim[]>>>;

/** The day `days` later, UTC. */
export const shift = (day: string | undefined, days: number) => isoTime(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).slice(0, 10);

/** Names of the first day, the size and the cost of a change, in today's answers and in findings. */
export const CHANGE = {
  from: ['when.from', 'from', 'since', 'since.time', 'change.from'],
  percent: ['change.percent', 'changePercent', 'sinceChangePercent', 'change.changePercent'],
  cost: ['cost.value', 'effect.value', 'change.conversionCount', 'change.revenueSum'],
} as const;
/** Names of what a figure was and is. */
export const WAS = ['against.value', 'before'] as const;
export const IS = ['now', 'after', 'value'] as const;
