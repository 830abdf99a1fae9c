import type { Sampling } from './sampling.ts';

/** Pages whose first view in a session is looked at. */
export interface IndexPage {
  readonly pattern: string;
  /** Whether a path belongs to it, on the column path. */
  readonly sql: string;
  /** Loading over this counts as slow here where no limit is named, ms. */
  readonly slowMs: number;
}

/** A condition of views as bit of a number. */
export interface Probe {
  /**
   * On the columns load_ms, score, slow_ms, js, api and rage of a view, and next_pages, the bits of the pages of the view after it, NULL
   * where there is none; or the text of an error that it had, numbers and addresses left out.
   */
  readonly on: { readonly sql: string } | { readonly message: string };
}

/** The definition of a conversion. */
export interface OutcomeSql {
  readonly kind: 'purchase' | 'bounce' | 'step';
  /** Of a step: whether a path fulfils it, on the column path. */
  readonly page?: string | undefined;
  /** Of a step: ms since 1970 of the last app event that fulfils it, on columns of sessions; 0 where there is none. */
  readonly event?: string | undefined;
  /** Of a step: a purchase fulfils it too. */
  readonly purchase?: boolean | undefined;
}

/** All that the statement of the cells depends on. */
export interface CellPlan {
  /** The pages of the site, of which a path belongs to one at most, the first that it is like. */
  readonly pages: readonly IndexPage[];
  /** More pages that are asked about, which may be parts of those. */
  readonly asked: readonly IndexPage[];
  readonly probes: readonly Probe[];
  /** How the sessions of each page, in the order of `pages` and then `asked`, are read. */
  readonly samplings: readonly Sampling[];
  readonly outcome: OutcomeSql;
  /** Levels by name: what stands in none is one more level. */
  readonly browsers: readonly string[];
  readonly countries: readonly string[];
  readonly sources: readonly string[];
  /** Whether conditions read the view after. */
  readonly looksAhead: boolean;
  /** The pages whose cells are counted, by index. */
  readonly judged: readonly number[];
  /** Other findings, of which it is counted how many sessions met them: page, then probe. */
  readonly met: readonly (readonly [page: number, probe: number])[];
  /** Whether it is counted as well how many sessions met conditions at any view of a page, and how many of them buy. */
  readonly isPlain: boolean;
}

/** Covariates in the order in which the key of a cell holds them, the last one lowest; how many levels each may have. */
export const COVARIATES = [
  ['device', 5],
  ['visitor type', 2],
  ['browser', 16],
  ['country', 8],
  ['source', 8],
  ['day', 32],
  ['entry page', 16],
  ['depth', 8],
  ['time', 8],
  ['trouble before', 2],
  ['slow before', 2],
] as const;

/** Pages of the site that sessions are compared by: the key of a cell has a bit for each, and the entry page a level more. */
export const MOST_PAGES = 15;
/** How many sets of pages seen there may be: the lowest part of the key of a cell. */
export const SETS_OF_PAGES = 2 ** MOST_PAGES;

/** The number that holds the first view of a page: its number from the first of these on, the second of it from the other, conditions. */
export const FIRST_VIEW = { numberAt: 2 ** 50, secondAt: 2 ** 26, largestNumber: 4_000 } as const;
/** Conditions that fit beside them. */
export const MOST_PROBES = 26;

/** The branches of a CASE. */
export function cases(branches: readonly (readonly [when: string, then: string | number])[], other: string | number): string {
  return branches.length === 0
    ? String(other)
    : `CASE ${branches.map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} ELSE ${other} END`;
}
