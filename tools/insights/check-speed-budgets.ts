import * as z from 'zod';
import { instantOf, text } from '../../src/api/params.ts';
import { findingShape } from '../../src/findings/finding.ts';
import { minuteAt, todayIn } from '../../src/lib/dates.ts';
import { budgetAnswer, checkScenario, inOwnUnits } from '../../src/speed/budgets.ts';
import { scenarioCursor } from '../../src/speed/scenario-cursor.ts';
import { MOST_KEPT_SCENARIOS, readToJudge, stopsAfter, walkScenarios } from '../../src/speed/scenario-reports.ts';
import { deviceOf } from '../../src/speed/speed-metrics.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

/** Fewer runs make a median that the next ones may overturn. */
const LEAST_RUNS = 15;

export default defineAnsweringTool({
  name: 'check_speed_budgets',
  title: 'Check speed budgets',
  description:
    'Is every page fast enough to go live, or too heavy? Which pages meet, break or exceed the limits, targets or ' +
    'thresholds of the speed budget we set (Core Web Vitals: LCP largest paint, TBT blocking time, CLS layout shift; ' +
    'seconds, megabytes, weight)? The gate for a build or release: pass or fail. Judges medians of steps.',
  annotations: READ,
  searchHint:
    'over, above, under, below, less than, not within, ship, pipeline, CI, red or green, requirements, violations, ' +
    'promised, weight, SLA',
  scope: 'speed-analysis',
  idsFrom: 'list_scenarios',
  input: z.strictObject({
    scenarioIds: p.refsOrAll('scenario', 'Ids or names; default all').optional(),
    budgets: p.speedBudgets,
    since: p.startOf(`Begin; ${LEAST_RUNS} runs minimum`).default('-7d'),
    runs: z.int().min(1).max(200).describe('Number of good runs').optional(),
    limit: z.int().min(1).max(200).describe('Rows per page, default 20').optional(),
    cursor: text.describe('Continues; repeat arguments').optional(),
  }),
  output: z.object({
    answer: z.string(),
    findings: z.array(findingShape),
    details: z.array(z.string()).optional(),
    broken: z.number(),
    passed: z.number(),
    unmeasured: z.number(),
    page: z.object({ matched: z.number(), from: z.number(), to: z.number(), cursor: z.string().optional() }),
    ...p.table,
    /** The newest report of each scenario of these rows, for a person. */
    pages: z.array(z.object({ scenarioId: z.number(), viewOnTheWeb: z.string() })),
  }),
  async handler({ scenarioIds, budgets: given, since, runs, limit, cursor }, { ask, clock, lists, note, nowMs, timeZone, whole }) {
    const { of, nameOf } = await lists();
    const budgets = inOwnUnits(given, note);
    const ids = await p.idsOf(scenarioIds, () => of('scenario'));
    const choice = { sinceMs: instantOf(since), least: runs ?? LEAST_RUNS, most: runs, passing: ids.length > MOST_KEPT_SCENARIOS };
    const check = async (scenarioId: number) => checkScenario(await readToJudge(ask, scenarioId, choice), budgets);
    // A gate waits for every scenario, a reader for the first screen.
    const asked = { ids, budgets, since, runs };
    const isDue = whole ? undefined : stopsAfter(clock, ids.length);
    const walked = await walkScenarios({ ids, cursor, list: asked }, check, { note, nameOf, isDue });
    const { done, missing, failed, start, part } = walked;
    const unread = [...(whole ? missing : []), ...failed.map(({ scenarioId }) => scenarioId)];
    const all = [...done, ...unread.map((id) => checkScenario({ scenarioId: id, name: nameOf('scenario', id), reports: [] }, budgets))];
    const paging = { cursor: walked.rows, limit, list: { ...asked, start }, whole, timeZone, year: todayIn(timeZone, nowMs).slice(0, 4) };
    const { notes, page, ...answer } = budgetAnswer(all, { ...paging, part });
    const next = page.cursor === undefined ? part?.cursor : scenarioCursor({ start, rows: page.cursor, end: part?.to }, asked);
    for (const sentence of notes) note(sentence);
    const from = minuteAt(choice.sinceMs, timeZone);
    const which = runs === undefined ? `since ${from}, at least ${LEAST_RUNS}` : `the latest ${runs}`;
    if (budgets === undefined && done.some(({ scenario }) => deviceOf(scenario) === 'unknown'))
      note('Limits of a phone where the name does not say the device.');
    note(`Medians of the runs without failure (${which}); close: the limit lies within the 95% interval of the median.`);
    return { ...answer, page: { ...page, ...(next !== undefined && { cursor: next }) } };
  },
});
