import type * as api from '../api/operations/metrics.ts';

/** How the values of several ranges become one of all: always from what they are made of, never as their plain average. */
export type Combination =
  /** A count or an amount. */
  | { readonly by: 'sum' }
  /** An average over what `weight` counts, so that value × weight is a sum. */
  | { readonly by: 'mean'; readonly weight: string }
  /** `numerator` over a count that is in no answer, but is numerator / value in each range. */
  | { readonly by: 'quotient'; readonly numerator: string }
  /** Recomputed from counts that the interface gives: `times` × sum of `numerator` / sum of `denominator`. */
  | { readonly by: 'ratio'; readonly numerator: string; readonly denominator: string; readonly times: number }
  /** Not at all: counts that it is made of are in no answer of the interface. */
  | { readonly by: 'refusal'; readonly lacks: string };

type MetricEndpoint = Extract<(typeof api)[keyof typeof api], { readonly metric: string }>;

/** Counts that can be wrong one without the other. */
export type Count = 'visits' | 'orders';

/** All that is known of a metric of site or zone, said here alone. */
export interface RangeMetricDefinition {
  /** `currency` stands for the currency of the value. */
  readonly unit: string;
  readonly words: string;
  /** The endpoint that answers this metric alone, else the one that answers all. */
  readonly endpoint: MetricEndpoint | typeof api.getZoneMetrics;
  /** Other everyday names; case, spaces and punctuation do not matter. */
  readonly aliases: readonly string[];
  readonly combination: Combination;
  /** Depends on the goal that is asked for. */
  readonly perGoal?: true;
  /** Missing from the answer that gives all metrics. */
  readonly onlyAlone?: true;
}

/** The same of a site, with what its number rests on. */
export interface SiteMetricDefinition extends RangeMetricDefinition {
  /** Where one of these counts is wrong, so is the metric. */
  readonly countedFrom: readonly Count[];
}

/** A definition for each endpoint that answers one metric alone: one that is missing, or names another endpoint, does not compile. */
export type Definitions<Of extends 'site' | 'zone', Definition> = {
  readonly [Endpoint in Extract<MetricEndpoint, { readonly of: Of }> as Endpoint['metric']]: Definition & { readonly endpoint: Endpoint };
};
