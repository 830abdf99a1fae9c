import * as z from 'zod';
import { getStepHar } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { pageAfterCut } from '../../src/domain/har/analyse/analyse-har.ts';
import { HAR_VIEWS, harAnswerShape } from '../../src/domain/har/analyse/har-answer.ts';
import { PROBLEM_KINDS } from '../../src/domain/har/analyse/problem.ts';
import { resourceTypes } from '../../src/domain/har/read/har-model.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { readStepResult } from '../../src/usecases/speed/step-number.ts';

export default defineAnsweringTool({
  name: 'analyze_har',
  title: 'Analyze a HAR',
  description:
    'What loads on a page, what weighs most, and what would you fix first? Findings by cost: TTFB, blocking scripts, third ' +
    'parties (tags, trackers), images, caching, errors, in one HAR; the waterfall. Any filter lists requests with bytes; a single ' +
    'match shows all its timings.',
  annotations: READ,
  searchHint: 'requests of a page, waterfall, images, scripts, third parties, bytes, what to fix, slow page',
  alwaysLoad: true,
  scope: 'speed-analysis',
  idsFrom: 'get_scenario_report',
  input: z.strictObject({
    scenarioStepResultId: text.describe('stepResultId from a scenario report'),
    view: z.enum(HAR_VIEWS).optional(),
    problem: z.enum(PROBLEM_KINDS).describe('Only what has it').optional(),
    url: text.describe('Part of the address as shown').optional(),
    type: z.enum(resourceTypes).optional(),
    domain: text.describe('Registrable domain or host').optional(),
    status: z
      .string()
      .regex(/^(?:\d{1,3}|[1-5]xx)$/i, 'expected a status such as 404, a class such as 4xx, or 0')
      .describe('404, 4xx, or 0: no response')
      .optional(),
    minDurationMs: z.number().min(0).describe('At least this duration').optional(),
    minBytes: z.number().min(0).describe('At least these transferBytes').optional(),
    limit: z.int().min(1).max(500).describe('Rows, default 25').optional(),
    cursor: text.describe('Of the answer before; repeat its filters').optional(),
  }),
  output: harAnswerShape.extend({ uri: z.string() }),
  pageAfterCut,
  charted: true,
  async handler(query, { ask, remember, draw, projectId, link, note, ownDomains }) {
    const { scenarioStepResultId } = query;
    const { har: file } = await readStepResult(scenarioStepResultId, ask, () => ask(getStepHar, { scenarioStepResultId }));
    const { analyseHar, loadEntities, readHar } = await import('../../src/domain/har/index.ts');
    const read = () => readHar(file, { firstParty: ownDomains });
    const project = await projectId();
    const { answer, notes } = await remember(['HAR', project, query, ownDomains], async () =>
      analyseHar(read(), query, await loadEntities()),
    );
    for (const sentence of notes) note(sentence);
    draw(async () => (await import('../../src/usecases/speed/step-waterfall.ts')).stepWaterfall(read(), query, ask));
    const uri = stepHar.uri({ projectId: project, stepResultId: scenarioStepResultId });
    link({ uri, name: stepHar.name, title: 'The HAR file, sanitised', mimeType: stepHar.mimeType });
    return { ...answer, uri };
  },
});
