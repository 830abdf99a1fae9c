/** What a page is, which decides how heavy and how fast it is. */
export type PageKind = 'home' | 'category' | 'product' | 'cart' | 'payment' | 'search' | 'article' | 'section' | 'help';

/** One page of a scenario and what is done on it. */
export interface Step {
  readonly id: number;
  /** Place within the scenario, from 0. */
  readonly index: number;
  readonly name: string;
  readonly description: string;
  readonly kind: PageKind;
  /** Path of the page below the first party's origin. */
  readonly path: string;
  /** In order; the last one checks the content. */
  readonly actions: readonly string[];
}

/** A synthetic visit that is repeated every hour. */
export interface Scenario {
  /** Place in the list of all scenarios; identifiers of runs are built on it. */
  readonly index: number;
  readonly id: number;
  readonly projectId: number;
  /** The record of the console that schedules it; the interface cannot list it. */
  readonly monitoringId: number;
  readonly name: string;
  readonly device: 'desktop' | 'mobile';
  /** Key of the site in the tables of hosts. */
  readonly site: 'shop' | 'content' | 'app';
  readonly steps: readonly Step[];
}

/** Why a run failed: a content check ends nothing, any other failure ends the run at its step. */
export interface Failure {
  readonly stepIndex: number;
  readonly actionIndex: number;
  readonly contentCheck: boolean;
}

/** One execution of a scenario. */
export interface Run {
  readonly scenario: Scenario;
  /** Hours since 1970. */
  readonly hour: number;
  /** Start, ms since 1970. */
  readonly dateMs: number;
  readonly failure: Failure | undefined;
}
