import { type Device, deviceOf, thresholdOf, thresholds } from '../thresholds.ts';
import { roundValue } from './metric-facts.ts';
import { median } from './order.ts';
import { isFailed, metricOf, type Report, stepsOf } from './runs.ts';

/** A scenario with its newest reports. */
export interface Measured {
  readonly scenarioId: number;
  readonly name: string | undefined;
  readonly reports: readonly Report[];
}

export interface BudgetOptions {
  /** Limit by metric; left out: the good limits of the thresholds. */
  readonly budgets: Readonly<Record<string, number>> | undefined;
  /** How many of the latest runs without failure are taken. */
  readonly runs: number;
}

export type Status = 'broken' | 'passed' | 'not measured';

/** One metric of one step held against its limit; without step and metric: a scenario that could not be measured. */
export interface Check {
  readonly scenarioId: number;
  readonly scenario: string;
  readonly step: string | null;
  readonly metric: string | null;
  readonly status: Status;
  /** Of the runs; null where none of them has a value. */
  readonly median: number | null;
  readonly limit: number | null;
  /** What the limit is: given, or a threshold. */
  readonly basis: string | null;
  /** What is left of the limit, as a share of it; negative where it is broken, null also for a limit of 0. */
  readonly margin: number | null;
  readonly runs: number;
}

interface Limit {
  readonly metric: string;
  readonly limit: number;
  readonly basis: string;
}

function limitsFor(budgets: BudgetOptions['budgets'], device: Device): Limit[] {
  if (budgets) return Object.entries(budgets).map(([metric, limit]) => ({ metric, limit, basis: 'given' }));
  return Object.keys(thresholds).flatMap((metric) => {
    const threshold = thresholdOf(metric, device);
    return threshold ? [{ metric, limit: threshold.good, basis: `good, ${threshold.basis}` }] : [];
  });
}

/** The latest runs without failure. */
function latestSound(reports: readonly Report[], runs: number): Report[] {
  return reports.filter((report) => !isFailed(report)).toSorted((a, b) => b.date - a.date).slice(0, runs); // biome-ignore format: one thought
}

/** What stands for a scenario of which nothing could be read. */
export function unmeasured(scenarioId: number, name: string | undefined): Check {
  const nothing = { step: null, metric: null, median: null, limit: null, basis: null, margin: null, runs: 0 };
  return { scenarioId, scenario: name ?? String(scenarioId), status: 'not measured', ...nothing };
}

/** Holds each step of a scenario against the limits; a metric that has only a default limit and no value at all is left out. */
export function checkScenario({ scenarioId, name, reports }: Measured, { budgets, runs }: BudgetOptions): Check[] {
  const sound = latestSound(reports, runs);
  if (sound.length === 0) return [unmeasured(scenarioId, name)];
  const limits = limitsFor(budgets, deviceOf(name));
  return stepsOf(sound).flatMap((step) =>
    limits.flatMap(({ metric, limit, basis }): Check[] => {
      const values = step.runs.flatMap(({ result }) => metricOf(result, metric) ?? []);
      const about = { scenarioId, scenario: name ?? String(scenarioId), step: step.name, metric, limit, basis, runs: values.length };
      if (values.length === 0) return budgets ? [{ ...about, status: 'not measured', median: null, margin: null }] : [];
      const value = median(values);
      const status: Status = value > limit ? 'broken' : 'passed';
      return [{ ...about, status, median: roundValue(metric, value), margin: limit > 0 ? (limit - value) / limit : null }];
    }),
  );
}

const PLACES: readonly Status[] = ['broken', 'not measured', 'passed'];

/** Checks in the order in which they matter: broken ones, the worst first, then those without a value, then the closest. */
export function inOrder(checks: readonly Check[]): Check[] {
  const margin = (check: Check) => check.margin ?? (check.status === 'broken' ? Number.NEGATIVE_INFINITY : 0);
  const order = (a: Check, b: Check) => (margin(a) < margin(b) ? -1 : Number(margin(a) > margin(b)));
  return checks.toSorted((a, b) => PLACES.indexOf(a.status) - PLACES.indexOf(b.status) || order(a, b));
}
