import { definitionOf } from '../../analysis/metric-units.ts';
import type { MetricRow } from '../../analysis/metrics/answers.ts';
import { commerceMetrics, commerceNote } from '../../analysis/metrics/value-notes.ts';
import { ApiError } from '../../api/errors.ts';
import type { Lists } from '../../mcp/tool.ts';

/** Says that metrics need a goal, in which parameter, and which goals the project has, where they can be had. */
export async function goalWords(metrics: readonly string[], parameter: 'goalId' | 'goalIds', lists: Lists): Promise<string> {
  const goals = await lists.of('goal').catch(() => []);
  const listed = goals.map(({ id, path }) => `${id} "${path.join(' / ')}"`).join(', ');
  const need = metrics.length === 1 ? 'needs' : 'need';
  return `${metrics.join(' and ')} ${need} a goal in this project: pass ${parameter}.${listed === '' ? ' list_goals lists them.' : ` Goals: ${listed}.`}`;
}

/** Says which metrics of a comparison have no value because the project has no e-commerce goal, or is no e-commerce project; throws where nothing else was asked for. */
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
  const commerce = metrics.filter((metric) => commerceMetrics.has(metric) && isEmpty(metric));
  if (commerce.length > 0) note(commerceNote(commerce));
  const perGoal = metrics.filter((metric) => definitionOf(metric)?.perGoal && isEmpty(metric));
  if (perGoal.length === 0) return;
  const words = await goalWords(perGoal, 'goalId', lists);
  if (perGoal.length === metrics.length) throw new ApiError('invalid', words);
  note(words);
}
