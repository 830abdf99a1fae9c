import * as z from 'zod';
import { text } from '../../src/api/params.ts';
import { harAnswerShape } from '../../src/har/answer/har-answer.ts';
import { harQuery, pageAfterCut, viewOf } from '../../src/har/answer/har-query.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'analyze_har',
  title: 'Analyze a HAR',
  description:
    'What loads on a page, why does the page load slow, which images are big, heavy or late (hero), what should we ' +
    'fix first, how? Network capture (HAR) diagnosis for requests, files, resources, scripts, JavaScript, fonts, ' +
    'tags, widgets, third parties, domains: the heaviest, what blocks rendering, caching, 404; waterfall,' +
    ' problems, suggestions.',
  annotations: READ,
  searchHint:
    'late, tag manager, biggest, optimize, quick wins, improvements, bottlenecks, formats, sizes, ads, chat, CSS, cookies, ' +
    'redirects, compression, weigh',
  scope: 'speed-analysis',
  idsFrom: 'get_scenario_report',
  input: z.strictObject({
    scenarioStepResultId: text.describe('stepResultId of report').optional(),
    scenarioId: p.ref('scenario', 'Or a typical run of it').optional(),
    step: text.describe('Step').optional(),
    ...harQuery,
  }),
  output: harAnswerShape.extend({
    run: z.object({ stepResultId: z.string(), step: z.string().optional(), time: z.string().optional(), place: z.string().optional() }),
    uri: z.string(),
  }),
  pageAfterCut,
  charted: true,
  async handler(query, context) {
    const { remember, draw, projectId, link, note, ownDomains } = context;
    const { readRun, verdictOfRun } = await import('../../src/speed/har-run.ts');
    const view = viewOf(query);
    const read = await readRun({ ...query, isPlaced: view === 'summary' }, context);
    const { file, run, paints } = read;
    const { analyseHar, loadEntities, readHar } = await import('../../src/har/index.ts');
    const har = () => readHar(file, { firstParty: ownDomains });
    const project = await projectId();
    const { answer, notes } = await remember(['HAR', project, run.stepResultId, query, paints, ownDomains], async () =>
      analyseHar(har(), query, await loadEntities(), paints),
    );
    for (const sentence of notes) note(sentence);
    draw(async () => (await import('../../src/views/from-har.ts')).stepWaterfall(har(), query, read, answer.answer ?? ''));
    const uri = link(stepHar, { projectId: project, stepResultId: run.stepResultId });
    return { ...answer, ...(answer.answer !== undefined && { answer: verdictOfRun(answer.answer, run) }), run, uri };
  },
});
