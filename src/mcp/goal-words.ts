import { definitionOf } from '../analysis/metric-units.ts';
import type { MetricRow } from '../analysis/metrics/answers.ts';
import { ApiError } from '../api/errors.ts';
import type { Lists } from './tool.ts';

/** Metrics of e-commerce projects alone (section 4.4). */
const COMMERCE: ReadonlySet<string> = new Set(['revenueSum', 'cartAverage']);

/** Says which metrics have no value because the project has no e-commerce goal, or is no e-commerce project; throws where nothing else was asked for. */
export async function requireGoal(
  metrics: readonly string[],
  rows: readonly MetricRow[],
  lists: Lists,
  note: (sentence: string) => void,
): Promise<void> {
  const isEmpty = (metric: string) => rows.every(({ values }) => typeof values[metric] !== 'number');
  if (isEmpty('visits') || rows.every(({ values }) => !values['visits'])) {
    note('There are no visits in this selection on either side.');
    return;
  }
  const commerce = metrics.filter((metric) => COMMERCE.has(metric) && isEmpty(metric));
  if (commerce.length > 0) note(`No value for ${commerce.join(', ')}: e-commerce projects only.`);
  const perGoal = metrics.filter((metric) => definitionOf(metric)?.perGoal && isEmpty(metric));
  if (perGoal.length === 0) return;
  const goals = await lists.of('goal').catch(() => []);
  const named = goals.map(({ id, path }) => `${id} "${path.join(' / ')}"`).join(', ');
  const words = `A goal is needed in this project for ${perGoal.join(' and ')}: pass goalId.${named === '' ? ' list_goals lists them.' : ` Goals: ${named}.`}`;
  if (perGoal.length === metrics.length) throw new ApiError('invalid', words);
  note(words);
}
