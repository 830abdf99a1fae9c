import * as z from 'zod';
import { budgetAnswer, checkScenario, unmeasured } from '../../src/domain/speed/budgets.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { readEach, readLatest } from '../../src/usecases/speed/scenario-reports.ts';

export default defineAnsweringTool({
  name: 'check_speed_budgets',
  title: 'Check speed budgets',
  description:
    'Which scenarios break a speed budget? Holds the median of the latest runs of each step against limits; broken ones first, then ' +
    'the closest.',
  annotations: READ,
  scope: 'speed-analysis',
  idsFrom: 'list_scenarios',
  input: z.strictObject({
    scenarioIds: p.refs('scenario', 'Scenario ids or names; default all').optional(),
    budgets: p.speedBudgets,
    runs: z.int().min(1).max(200).describe('Latest runs without failure').default(5),
  }),
  output: z.object({
    answer: z.string(),
    broken: z.number(),
    passed: z.number(),
    unmeasured: z.number(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  }),
  async handler({ scenarioIds, budgets: limits, runs }, { ask, lists, note, whole }) {
    const budgets = limits && Object.fromEntries(limits.map(({ metric, limit }) => [metric, limit]));
    const { of, nameOf } = await lists();
    const ids = scenarioIds ?? (await of('scenario')).map(({ id }) => id);
    const { done, missing } = await readEach([...new Set(ids)], (scenarioId) => readLatest(ask, scenarioId, runs));
    if (missing.length > 0) note(`The time of the call ran out before ${missing.length} scenarios; ask for them with scenarioIds.`);
    const checks = [
      ...done.flatMap((measured) => checkScenario(measured, { budgets, runs })),
      ...missing.map((id) => unmeasured(id, nameOf('scenario', id))),
    ];
    const { notes, ...answer } = budgetAnswer(checks, whole);
    for (const sentence of notes) note(sentence);
    note(`Medians of the latest ${runs} runs without failure; lab runs, also where the limit is one of the field.`);
    return answer;
  },
});
