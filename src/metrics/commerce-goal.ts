import { onApiError } from '../api/errors.ts';
import { listGoals } from '../api/operations/objects.ts';
import type { Context } from '../names/context.ts';
import type { MetricGrid } from './read/metric-grid.ts';

/** Whether a goal is that of e-commerce, which conversions are counted of where no goal is named. */
export const isCommerceGoal = ({ type }: { readonly type?: string | null | undefined }): boolean => /commerce/i.test(type ?? '');

/** The goals of a grid that revenue does not follow from; all that are named where the list of goals cannot be read. */
export async function otherGoalsOf(
  { goalIds = [], metrics }: Pick<MetricGrid, 'goalIds' | 'metrics'>,
  { ask }: Pick<Context, 'ask'>,
): Promise<ReadonlySet<number>> {
  const named = goalIds.filter((id) => id !== undefined);
  if (named.length === 0 || !metrics.includes('revenueSum')) return new Set();
  const goals = await ask(listGoals, {}).catch(onApiError(() => []));
  const ofCommerce = new Set(goals.filter(isCommerceGoal).map(({ id }) => Number(id)));
  return new Set(named.filter((id) => !ofCommerce.has(id)));
}
