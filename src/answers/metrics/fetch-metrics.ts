import type { MetricValue } from '../../analysis/metric-table.ts';
import { assemble, bySlot, type MetricAnswers, otherBoundsOf, type SlotAnswer } from '../../analysis/metrics/answers.ts';
import { inputOf, MAX_CALLS, type MetricGrid, oneByOne, type PlannedCall, planGrid } from '../../analysis/metrics/grid.ts';
import { ApiError } from '../../api/errors.ts';
import type { ToolContext } from '../../mcp/tool.ts';

type Fetching = Pick<ToolContext, 'ask' | 'progress' | 'signal' | 'timeZone'>;

/**
 * Asks for a grid of metrics in as few calls as the interface allows, all at once (the limiter bounds them), and joins the answers.
 * Where some calls fail or time runs out, the rest is answered and `missing` says what is not; throws where all fail.
 */
export async function fetchMetrics(grid: MetricGrid, { ask, progress, signal, timeZone }: Fetching): Promise<MetricAnswers> {
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
    if (calls + call.slots.length > MAX_CALLS) {
      const failure = `the days of the platform do not begin at midnight in ${timeZone}, and so many days cannot be asked for one by one; ask for fewer`;
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
