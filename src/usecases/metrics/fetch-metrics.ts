import { ApiError } from '../../api/errors.ts';
import { definitionOf } from '../../domain/metrics/metric-definitions.ts';
import type { MetricValue } from '../../domain/metrics/metric-table.ts';
import {
  assemble,
  bySlot,
  type MetricAnswers,
  type MetricRow,
  otherBoundsOf,
  type SlotAnswer,
} from '../../domain/metrics/read/metric-answers.ts';
import { inputOf, MAX_CALLS, type MetricGrid, oneByOne, type PlannedCall, planGrid } from '../../domain/metrics/read/metric-grid.ts';
import { commerceMetrics, commerceNote } from '../../domain/metrics/read/query-notes.ts';
import type { Context, Lists } from '../context.ts';

interface Fetching extends Pick<Context, 'ask' | 'progress' | 'signal' | 'timeZone'> {
  /** Calls beyond this are not sent where the days of the platform have to be asked for one by one. */
  readonly maxCalls?: number;
}

/**
 * Asks for a grid of metrics in as few calls as the interface allows, all at once (the limiter bounds them), and joins the answers.
 * Where some calls fail or time runs out, the rest is answered and `missing` says what is not; throws where all fail.
 */
export async function fetchMetrics(
  grid: MetricGrid,
  { ask, progress, signal, timeZone, maxCalls = MAX_CALLS }: Fetching,
): Promise<MetricAnswers> {
  const plan = planGrid(grid, timeZone);
  const currencies = new Set<string>();
  const failures: unknown[] = [];
  let otherBounds: string | undefined;
  let calls = 0;
  let done = 0;

  async function send(call: PlannedCall): Promise<readonly MetricValue[]> {
    calls += 1;
    const { values } = await ask(call.endpoint.operation, inputOf(call, timeZone));
    for (const { currency } of values) if (currency) currencies.add(currency);
    return values;
  }

  function failed(error: unknown, { slots }: PlannedCall): SlotAnswer[] {
    if (!(error instanceof ApiError)) throw error;
    failures.push(error);
    return slots.map(() => ({ failure: error.message }));
  }

  async function answer(call: PlannedCall): Promise<SlotAnswer[]> {
    try {
      const values = await send(call);
      const slots = bySlot(values, call);
      if (!slots) return await dayByDay(call);
      otherBounds ??= otherBoundsOf(values, call);
      return slots.map((each) => ({ values: each }));
    } catch (error) {
      return failed(error, call);
    }
  }

  /** The days of this platform are not those of the zone, so each is asked for by itself. */
  async function dayByDay(call: PlannedCall): Promise<SlotAnswer[]> {
    if (calls + call.slots.length > maxCalls) {
      const failure =
        `the days of the platform do not begin at midnight in ${timeZone}, and so many days cannot be asked for one by ` +
        `one; ask for fewer`;
      return call.slots.map(() => ({ failure }));
    }
    return (await Promise.all(oneByOne(call).map(answer))).flat();
  }

  const answers = await Promise.all(
    plan.calls.map(async (call) => {
      const slots = await answer(call);
      done += 1;
      if (plan.calls.length > 1) progress(done, plan.calls.length, `${done} of ${plan.calls.length} calls for metrics`);
      return slots;
    }),
  );
  signal.throwIfAborted();
  if (calls > 0 && failures.length === calls) throw failures[0];
  const [currency] = currencies;
  return {
    ...assemble(grid, plan, answers),
    ...(currency !== undefined && currencies.size === 1 && { currency }),
    calls,
    ...(otherBounds !== undefined && { otherBounds }),
  };
}

/** Says that metrics need a goal, in which parameter, and which goals the project has, where they can be had. */
export async function goalWords(metrics: readonly string[], parameter: 'goalId' | 'goalIds', lists: Lists): Promise<string> {
  const goals = await lists.of('goal').catch(() => []);
  const listed = goals.map(({ id, path }) => `${id} "${path.join(' / ')}"`).join(', ');
  const need = metrics.length === 1 ? 'needs' : 'need';
  return (
    `${metrics.join(' and ')} ${need} a goal in this project: pass ` +
    `${parameter}.${listed === '' ? ' list_goals lists them.' : ` Goals: ${listed}.`}`
  );
}

/**
 * Says which metrics of a comparison have no value because the project has no e-commerce goal, or is no e-commerce project; throws where
 * nothing else was asked for.
 */
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
