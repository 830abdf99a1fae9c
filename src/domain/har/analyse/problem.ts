import type { ConcernedRequest } from './concerned-requests.ts';
import type { Wins } from './wins.ts';

/** The first names of a list, and how many more there are: `a, b and 3 more`. */
export function someOf(names: readonly string[], shown: number): string {
  const more = names.length - shown;
  const listed = names.slice(0, shown).join(', ');
  return more > 0 ? `${listed} and ${more} more` : listed;
}

/** Kinds of problems of a page load; the names are those of the answers. */
export const PROBLEM_KINDS = [
  'failed_document',
  'errors',
  'redirects',
  'slow_document',
  'render_blocking',
  'third_party_blocking',
  'late_lcp_image',
  'slow_lcp_image',
  'blocking_font',
  'slow_answers',
  'heavy_page',
  'uncompressed_text',
  'uncompressed_answers',
  'duplicates',
  'duplicated_scripts',
  'image_formats',
  'http1',
  'reconnects',
  'no_cache',
  'short_cache',
] as const;
/** A kind of problem of a page load. */
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** A finding with what it costs; null where a cost does not apply or the file does not show it. */
export interface Problem {
  readonly problem: ProblemKind;
  /** The requests it concerns, each once; their number is what an answer counts. */
  readonly concerned: readonly ConcernedRequest[];
  readonly costMs: number | null;
  readonly costBytes: number | null;
  /** How sure it is: recorded in the file, stated by the browser, derived from its priorities, or one of the less sure ones. */
  readonly basis: 'measured' | 'stated' | 'priority' | 'heuristic' | 'estimate';
  /** Left out where it touches no paint, as far as the file shows, or the paints are unknown. */
  readonly wins?: Wins;
  /** When the cost arises. */
  readonly when: 'this load' | 'next visits';
  /** One sentence free of secrets that names the worst. */
  readonly says: string;
}

/** A problem whose request failed comes first whatever it costs. */
const FIRST: ProblemKind = 'failed_document';
/** One ms is taken to be worth the bytes that 8 Mbit/s carry in it. */
const BYTES_PER_MS = 1000;

/** Time that no paint waits for, as a part of time that one does. */
const BESIDE_PAINTS = 0.25;

/** What can win most of both paints first, then the costliest; costs of this load before those of later visits. */
export function byCost(a: Problem, b: Problem): number {
  return rankOf(b) - rankOf(a);
}

function rankOf({ problem, costMs, costBytes, when, wins }: Problem): number {
  if (problem === FIRST) return Number.MAX_VALUE;
  const { fcpMs = 0, lcpMs = 0 } = wins ?? {};
  const beside = (costMs ?? 0) + (costBytes ?? 0) / BYTES_PER_MS - Math.max(fcpMs, lcpMs);
  const ms = fcpMs + lcpMs + BESIDE_PAINTS * Math.max(0, beside);
  return when === 'this load' ? ms + 1e15 : ms;
}

/** How the order of problems comes about. */
export const ORDER_NOTE =
  'Order of findings: FCP and LCP to win at best; other ms, and 1 kB as 1 ms, count a quarter; costs of later visits last.';
