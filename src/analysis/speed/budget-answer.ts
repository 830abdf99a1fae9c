import { type Check, inOrder, type Status } from './budgets.ts';
import { formatValue, metricFact } from './metric-facts.ts';

/** Rows of each kind that an answer for a model shows; a program gets all of them. */
const SHOWN: Readonly<Record<Status, number>> = { broken: 20, 'not measured': 5, passed: 5 };

const columns = ['scenarioId', 'scenario', 'step', 'metric', 'status', 'median', 'limit', 'marginPercent', 'basis', 'runs'];

function cellsOf({ scenarioId, scenario, step, metric, status, median, limit, margin, basis, runs }: Check) {
  const marginPercent = margin === null ? null : Math.round(margin * 1000) / 10;
  return [scenarioId, scenario, step, metric, status, median, limit, marginPercent, basis, runs];
}

function say({ scenario, step, metric, median, limit }: Check): string {
  const of = metric ?? '';
  return `${scenario}, step "${step}", ${metricFact(of).short} ${formatValue(of, median)} (limit ${formatValue(of, limit)})`;
}

function verdict(checks: readonly Check[]): string {
  const [broken, passed, missing] = (['broken', 'passed', 'not measured'] as const).map((status) =>
    checks.filter((check) => check.status === status),
  );
  const [worst, closest] = [broken?.[0], passed?.[0]];
  const example = worst ? ` Worst: ${say(worst)}.` : closest ? ` Closest: ${say(closest)}.` : '';
  const names = [...new Set(missing?.map(({ scenario, step, metric }) => [scenario, step, metric].filter(Boolean).join(', ')))];
  const lacking = names.length > 0 ? ` Not measured: ${names.slice(0, 3).join('; ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}.` : ''; // biome-ignore format: one thought
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
