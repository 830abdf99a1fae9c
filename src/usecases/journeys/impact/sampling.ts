import { type Condition, FRUSTRATION_SCORES, SLOW_SECONDS } from '../../../domain/journeys/impact/conditions.ts';
import { nth } from '../../../lib/nth.ts';
import { type Profile, type ProfiledPath, TROUBLES } from './profile.ts';

/** Which of the sessions that reached a page are read: all that met one of some conditions at its first view, and a part of the others. */
export interface Sampling {
  /** One of so many others; 1: all are read. */
  readonly oneOf: number;
  /** Conditions that are rare here, by their bit. */
  readonly kept: readonly number[];
}

/** Of a page that twice as many sessions may have reached only a part is read: more take seconds and make intervals hardly narrower. */
const ENOUGH_SESSIONS = 25_000;
/** All sessions are read that met a condition which no more views than this met: none of them can be spared. */
const MOST_KEPT = 20_000;

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
  const at = TROUBLES.indexOf(({ js_error: 'js', api_error: 'api', rage_click: 'rage' } as const)[what]);
  return paths.reduce((sum, { troubled }) => sum + nth(troubled, at), 0);
}

/** How the sessions of a page are read; `conditions` in the order of their bits, with the limits of the page. */
export function samplingOf(paths: readonly ProfiledPath[], conditions: readonly Condition[], profile: Profile): Sampling {
  const views = paths.reduce((sum, path) => sum + path.views, 0);
  const oneOf = Math.max(1, Math.floor(Math.min(views, profile.sessions) / ENOUGH_SESSIONS));
  if (oneOf === 1) return { oneOf, kept: [] };
  return { oneOf, kept: conditions.flatMap((condition, bit) => (viewsWith(condition, paths, profile) <= MOST_KEPT ? [bit] : [])) };
}

/** The note of an answer; undefined where all sessions were read. */
export function samplingNote(samplings: readonly Sampling[]): string | undefined {
  const most = Math.max(1, ...samplings.map(({ oneOf }) => oneOf));
  if (most === 1) return undefined;
  return (
    `Of pages that more than ${(2 * ENOUGH_SESSIONS).toLocaleString('en')} sessions may have reached, a part of them is read ` +
    `(1 in ${most} of the largest) and all that met a rarer condition; counts are scaled to all sessions, and intervals allow for it.`
  );
}
