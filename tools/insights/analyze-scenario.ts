import * as z from 'zod';
import { refuse } from '../../src/api/errors.ts';
import { text } from '../../src/api/params.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { hint } from '../../src/lib/hint.ts';
import { scenarioReport, scenarioReports } from '../../src/resources/scenarios.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import { type Asked, analyzeScenarios, type Detail } from '../../src/speed/analyze-scenarios.ts';
import type { Examples } from '../../src/speed/clues.ts';
import { resultIdOf } from '../../src/speed/runs.ts';
import { scenarioAnswerShape } from '../../src/speed/scenario-answer.ts';
import { yetWords } from '../../src/speed/scenario-cursor.ts';
import { BREAKDOWNS } from '../../src/speed/speed-cycle.ts';
import { viewScenarios } from '../../src/speed/view-scenarios.ts';
import * as p from '../../src/tooling/params.ts';
import { type AnswerContext, defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

const example = z.object({ time: z.string(), stepResultId: z.string(), reportUri: z.string(), harUri: z.string() });
const views = ['changes', 'levels', 'failures', 'runs'] as const;

/** Registers the picture of a study. */
function drawStudy(
  { draw, timeZone }: AnswerContext,
  { name, study, yet = '' }: Pick<Detail, 'study'> & { readonly name: string; readonly yet?: string },
  events: Detail['events'] = [],
  [told]: readonly Finding[] = [],
) {
  draw(async () => {
    const { failingBars, trendOf } = await import('../../src/views/from-study.ts');
    return told?.subject === 'failedRuns' ? failingBars(study, told, timeZone) : trendOf(study, { name, timeZone, events, yet });
  });
}

/** Verdicts, with links to the reports and HAR files of typical runs and a picture of the change. */
async function changesOf(asked: Asked, context: AnswerContext) {
  const { answer, notes, detail } = await analyzeScenarios(asked, context);
  const { study, events, part, examples: runs } = detail;
  const { scenarioId, name } = detail.summary;
  for (const sentence of notes) context.note(sentence);
  const yet = part?.cursor === undefined ? '' : yetWords(part);
  drawStudy(context, { name, study, yet }, events, answer.findings);
  const project = { projectId: await context.projectId() };
  const exampleOf = (run: Examples['before']) => {
    const stepResultId = run && resultIdOf(run.result);
    if (!run || stepResultId === undefined) return undefined;
    const time = new Date(run.date).toISOString();
    const reportUri = context.link(scenarioReport, { ...project, scenarioId, date: run.date }, `Report of ${time}`);
    return { time, stepResultId, reportUri, harUri: stepHar.uri({ ...project, stepResultId }) };
  };
  const examples = { before: exampleOf(runs.before), after: exampleOf(runs.after) };
  return { ...answer, scenarioId, name, uri: scenarioReports.uri({ ...project, scenarioId }), examples };
}

export default defineAnsweringTool({
  name: 'analyze_scenario',
  title: 'Analyze scenarios',
  description:
    'Is our site, home page, search, login or checkout slow, has it become slower or faster since or after a release ' +
    'or deploy? Performance, speed, load times of synthetic monitors (LCP, TTFB, TBT, CLS): which tests, journeys are ' +
    'slow, which step is slowest, unstable, red or failing (availability); change, trend by hour or night.' +
    hint('compare_hars', ' Then compare_hars.'),
  annotations: READ,
  searchHint:
    'loading, test, sluggish, laggy, slowdown, regression, drift, creeping, rollout, version, checks, robots, Lighthouse, ' +
    'speed index, time to first byte, peak hours, responsive',
  scope: 'speed-analysis',
  idsFrom: 'list_scenarios',
  charted: true,
  input: z.strictObject({
    scenarioIds: p.refsOrAll('scenario', 'Ids or names; default all').optional(),
    view: z.enum(views).describe('levels: medians; failures: since when; runs: slowest, fastest').default('changes'),
    breakdown: z.enum(BREAKDOWNS).describe('Trend of levels, judged: creeps up, bad for a while').optional(),
    startDate: p.startOf('Judged period (regression, slowdown)').default('-7d'),
    endDate: p.endOf('Default now').optional(),
    baselineStartDate: p.startOf('Default previous 30 days or month').optional(),
    baselineEndDate: p.endOf('Default startDate').optional(),
    step: text.describe('Name or number: all metrics').optional(),
    metrics: p.speedMetricsAndTimings,
    orderBy: p.speedMetric('Of levels, runs; default first metric').optional(),
    limit: z.int().min(1).max(200).describe('Rows per view').optional(),
    cursor: text.describe('Continues').optional(),
  }),
  output: scenarioAnswerShape.extend({
    examples: z.object({ before: example.optional(), after: example.optional() }).optional(),
  }),
  async handler({ scenarioIds: chosen, view, breakdown, orderBy, limit, ...asked }, context) {
    const scenarioIds = await p.idsOf(chosen, async () => (await context.lists()).of('scenario'));
    if (asked.step !== undefined && scenarioIds.length !== 1) refuse('step: belongs to one scenario; pass a single one in scenarioIds.');
    if (view === 'changes' && breakdown === undefined) return changesOf({ scenarioIds, ...asked }, context);
    const other = view === 'changes' ? 'levels' : view;
    const { answer, columns, rows, notes, cursor, drawn } = await viewScenarios(
      { scenarioIds, view: other, breakdown, orderBy, limit, ...asked },
      { ...context, draw: (read) => context.draw(async () => (await import('../../src/views/from-study.ts')).chartOfView(read)) },
    );
    for (const sentence of notes) context.note(sentence);
    if (drawn) drawStudy(context, { ...drawn, yet: breakdown === 'day' ? '' : `the ${breakdown}s are in the table` });
    return { answer, columns: [...columns], rows: rows.map((row) => [...row]), ...(cursor !== undefined && { cursor }) };
  },
});
