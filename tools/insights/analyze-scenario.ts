import * as z from 'zod';
import { text } from '../../src/api/params.ts';
import { cluesIn } from '../../src/domain/speed/clues.ts';
import { chooseStep, studyWindows } from '../../src/domain/speed/runs.ts';
import { scenarioAnswer, scenarioAnswerShape } from '../../src/domain/speed/scenario-answer.ts';
import { soundSteps, studyScenario } from '../../src/domain/speed/scenario-study.ts';
import { scenarioReport, scenarioReports } from '../../src/resources/scenarios.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { readEventsNear, readFailures, readReports } from '../../src/usecases/speed/scenario-reports.ts';

const example = z.object({ time: z.string(), stepResultId: z.string(), reportUri: z.string(), harUri: z.string() });

export default defineAnsweringTool({
  name: 'analyze_scenario',
  title: 'Analyze a scenario',
  description:
    'Is a scenario slower than its baseline, or is it noise? Verdicts per step and metric, since when, events near, what fails. ' +
    'Then compare_hars with the two stepResultIds.',
  annotations: READ,
  scope: 'speed-analysis',
  idsFrom: 'list_scenarios',
  charted: true,
  input: z.strictObject({
    scenarioId: p.ref('scenario'),
    startDate: p.startOf('Begin of the judged period').default('-7d'),
    endDate: p.endOf('Default now').optional(),
    baselineStartDate: p.startOf('Default 30 days before the end of the baseline').optional(),
    baselineEndDate: p.endOf('Default the instant before startDate').optional(),
    step: text.describe('Step name or number; shows all its metrics').optional(),
    metrics: p.speedMetrics,
  }),
  output: scenarioAnswerShape.extend({
    examples: z.object({ before: example.optional(), after: example.optional() }),
  }),
  async handler({ scenarioId, step, metrics, ...bounds }, { ask, projectId, link, note, covers, draw, nowMs, timeZone }) {
    const windows = studyWindows(bounds, nowMs);
    covers(windows.period.startMs, windows.period.endMs);
    const { name, reports } = await readReports(ask, scenarioId, windows);
    const chosen = step === undefined ? undefined : await chooseStep(soundSteps(reports, windows), step);
    const study = studyScenario(reports, { ...windows, metrics, step: chosen });
    const clues = cluesIn(study);
    const events = await readEventsNear(ask, scenarioId, clues.since, note);
    const failures = await readFailures(ask, clues.failedSteps, note);
    const { notes, ...answer } = scenarioAnswer(study, clues, { events, failures }, { name, whole: chosen !== undefined });
    for (const sentence of notes) note(sentence);
    draw(async () => {
      const { trendOf } = await import('../../src/views/from-study.ts');
      return trendOf(study, clues, { title: name ?? `Scenario ${scenarioId}`, timeZone, events });
    });
    const project = { projectId: await projectId() };
    const exampleOf = (run: typeof clues.examples.before) => {
      if (!run) return undefined;
      const stepResultId = String(run.result.stepResultId);
      const reportUri = scenarioReport.uri({ ...project, scenarioId, date: run.date });
      link({
        uri: reportUri,
        name: scenarioReport.name,
        title: `Report of ${new Date(run.date).toISOString()}`,
        mimeType: scenarioReport.mimeType,
      });
      return { time: new Date(run.date).toISOString(), stepResultId, reportUri, harUri: stepHar.uri({ ...project, stepResultId }) };
    };
    const uri = scenarioReports.uri({ ...project, scenarioId });
    const examples = { before: exampleOf(clues.examples.before), after: exampleOf(clues.examples.after) };
    return { ...answer, scenarioId, name, uri, examples };
  },
});
