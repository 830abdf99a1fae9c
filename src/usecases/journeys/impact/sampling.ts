import { type Condition, FRUSTRATION_SCORES, SLOW_SECONDS } from '../../../domain/journeys/impact/conditions.ts';
import { nth } from '../../../lib/nth.ts';
import { sparing } from '../visit-relation.ts';
import type { Profile, ProfiledPath } from './profile.ts';

/** Which of the sessions that reached a page are read: one of a power of two, so that a sparer draw is a part of a fuller one. */
export interface Sampling {
  /** One of so many sessions without any of the conditions; 1: all are read. */
  readonly oneOf: number;
  /** The same of those that met a condition at their first view, by its bit; of several the least counts. */
  readonly met: readonly number[];
}

/** Of a page that twice as many sessions may have reached only a part is read: more take seconds and make intervals hardly narrower. */
const ENOUGH_SESSIONS = 16_000;
/** Of those that met a condition this many views are enough, because they are compared with more than as many others. */
const ENOUGH_MET = 8_000;

/** The views of these paths that exceed the highest of the limits which is not above the asked one; at least as many as exceed that. */
function exceeding(
  paths: readonly ProfiledPath[],
  limits: readonly number[],
  over: number,
  counts: (path: ProfiledPath) => readonly number[],
) {
  const at = limits.findLastIndex((limit) => limit <= over);
  return at < 0 ? Number.POSITIVE_INFINITY : paths.reduce((sum, path) => sum + nth(counts(path), at), 0);
}

/** How many views of the paths met the condition at most. */
function viewsWith({ what, over, message }: Condition, paths: readonly ProfiledPath[], { messages }: Profile): number {
  if (what === 'page') return Number.POSITIVE_INFINITY;
  if (what === 'slow_page') return exceeding(paths, SLOW_SECONDS, over ?? 0, ({ slow }) => slow);
  if (what === 'frustration') return exceeding(paths, FRUSTRATION_SCORES, over ?? FRUSTRATION_SCORES[0], ({ frustrated }) => frustrated);
  if (message !== undefined) return messages.find(({ value }) => value === message)?.count ?? Number.POSITIVE_INFINITY;
  const at = ({ js_error: 0, api_error: 1, rage_click: 2 } as const)[what];
  return paths.reduce((sum, { troubled }) => sum + nth(troubled, at), 0);
}

/** How the sessions of a page are read; `conditions` in the order of their bits, with the limits of the page. */
export function samplingOf(paths: readonly ProfiledPath[], conditions: readonly Condition[], profile: Profile): Sampling {
  const views = paths.reduce((sum, path) => sum + path.views, 0);
  const oneOf = sparing(Math.min(views, profile.sessions), ENOUGH_SESSIONS);
  return { oneOf, met: conditions.map((condition) => Math.min(oneOf, sparing(viewsWith(condition, paths, profile), ENOUGH_MET))) };
}

/** Every session is read. */
export const ALL: Sampling = { oneOf: 1, met: [] };

/** The bits of the conditions of which one of so many is read. */
export function maskOf(met: Sampling['met'], draw: number): number {
  return met.reduce((bits, each, bit) => bits + (each === draw ? 2 ** bit : 0), 0);
}

/** One of so many sessions is read at the page where fewest are. */
export function mostOf({ samplings }: { readonly samplings: readonly Sampling[] }): number {
  return Math.max(1, ...samplings.map(({ oneOf }) => oneOf));
}

/** How many sessions one with these conditions stands for; `holds` tells which bits are set. */
export function standsFor({ oneOf, met }: Sampling, holds: (bit: number) => boolean): number {
  return oneOf === 1 ? 1 : met.reduce((least, each, bit) => (each < least && holds(bit) ? each : least), oneOf);
}

/** The note of an answer; undefined where all sessions were read. */
export function samplingNote(samplings: readonly Sampling[]): string | undefined {
  const most = mostOf({ samplings });
  if (most === 1) return undefined;
  return (
    `Of pages that ${(2 * ENOUGH_SESSIONS).toLocaleString('en')} sessions or more may have reached, a part of them is read (1 in ${most} ` +
    'of the largest), and of those that met a rarer condition more or all; counts are scaled to all sessions, and intervals allow for it.'
  );
}
