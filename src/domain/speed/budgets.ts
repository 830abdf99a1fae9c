import { median } from './order.ts';
import { isFailed, metricOf, type Report, stepsOf } from './runs.ts';
import { formatValue, metricFact, roundValue } from './speed-metrics.ts';
import { type Device, deviceOf, thresholdOf, thresholds } from './thresholds.ts';

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
  return reports
    .filter((report) => !isFailed(report))
    .toSorted((a, b) => b.date - a.date)
    .slice(0, runs);
}

/** The entry of a scenario that could not be read. */
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
function inOrder(checks: readonly Check[]): Check[] {
  const margin = (check: Check) => check.margin ?? (check.status === 'broken' ? Number.NEGATIVE_INFINITY : 0);
  const order = (a: Check, b: Check) => (margin(a) < margin(b) ? -1 : Number(margin(a) > margin(b)));
  return checks.toSorted((a, b) => PLACES.indexOf(a.status) - PLACES.indexOf(b.status) || order(a, b));
}

/** Rows of each kind that an answer for a model shows; a program gets all of them. */
const SHOWN: Readonly<Record<Status, number>> = { broken: 20, 'not measured': 5, passed: 5 };

const columns = ['scenarioId', 'scenario', 'step', 'metric', 'status', 'median', 'limit', 'marginPercent', 'basis', 'runs'];

function cellsOf({ scenarioId, scenario, step, metric, status, median: middle, limit, margin, basis, runs }: Check) {
  const marginPercent = margin === null ? null : Math.round(margin * 1000) / 10;
  return [scenarioId, scenario, step, metric, status, middle, limit, marginPercent, basis, runs];
}

function say({ scenario, step, metric, median: middle, limit }: Check): string {
  const of = metric ?? '';
  return `${scenario}, step "${step}", ${metricFact(of).short} ${formatValue(of, middle)} (limit ${formatValue(of, limit)})`;
}

function verdict(checks: readonly Check[]): string {
  const [broken, passed, missing] = (['broken', 'passed', 'not measured'] as const).map((status) =>
    checks.filter((check) => check.status === status),
  );
  const [worst, closest] = [broken?.[0], passed?.[0]];
  const example = worst ? ` Worst: ${say(worst)}.` : closest ? ` Closest: ${say(closest)}.` : '';
  const names = [...new Set(missing?.map(({ scenario, step, metric }) => [scenario, step, metric].filter(Boolean).join(', ')))];
  const lacking =
    names.length > 0 ? ` Not measured: ${names.slice(0, 3).join('; ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}.` : '';
  return `${broken?.length ?? 0} of ${(broken?.length ?? 0) + (passed?.length ?? 0)} budgets broken.${example}${lacking}`;
}

/** The answer of a check of budgets, the verdict first; without `whole` only the rows that matter. */
export function budgetAnswer(checks: readonly Check[], whole: boolean) {
  const ordered = inOrder(checks);
  const of = (status: Status) => ordered.filter((check) => check.status === status);
  const shown = (['broken', 'not measured', 'passed'] as const).flatMap((status) => of(status).slice(0, whole ? undefined : SHOWN[status]));
  const more = ordered.length - shown.length;
  return {
    answer: verdict(ordered),
    broken: of('broken').length,
    passed: of('passed').length,
    unmeasured: of('not measured').length,
    columns,
    rows: shown.map(cellsOf),
    notes: more > 0 ? [`${more} more rows: the least broken and those with the largest margin. Narrow with scenarioIds or budgets.`] : [],
  };
}
