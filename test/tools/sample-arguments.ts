import type * as z from 'zod';
import { inputOf } from '../../src/tooling/schema.ts';
import type { AnyTool } from '../../src/tooling/tool.ts';
import type { useTools } from './support.ts';

type Args = Record<string, unknown>;

/** What tools take under names that mean something else elsewhere, or beside what is required. */
const OF_TOOL: Readonly<Record<string, Args>> = {
  create_export_job: { fields: [{ fieldName: 'user_id' }], frequency: { value: 'daily' } },
  plan_export: { fields: ['browser'] },
  find_objects: { text: 'checkout' },
  // Nothing to fetch: the call ends at once.
  sync_exports: { since: 'now' },
};

/** Arguments by the names of required parameters: what every tool can be called with. */
export async function sampleArguments({ ask }: Pick<ReturnType<typeof useTools>, 'ask'>): Promise<(tool: AnyTool) => Args> {
  const { scenario } = await ask('listScenarioReports', { scenarioId: 4101, limit: 1 });
  const [run] = await ask('listSuccessfulExportRuns', { limit: 1 });
  const stepResultId = String(scenario.reports[0]?.steps?.[0]?.stepResultId);
  const samples: Args = {
    startDate: 'last_week',
    endDate: 'last_week',
    date: 'now',
    metrics: ['visits'],
    zoneId: 8120447,
    scenarioId: 4101,
    stepId: stepResultId,
    scenarioStepResultId: stepResultId,
    before: stepResultId,
    after: stepResultId,
    steps: ['/', '/p/*'],
    from: 'entry',
    key: 'sample',
    text: 'Sample',
    name: 'Sample',
    format: 'CSV',
    scope: 'sessions',
    deviceLabel: 'all',
    jobId: run?.jobId,
    runId: run?.jobRunId,
    planId: 'no-such-plan',
    mappingId: 21504,
    pageGroupId: 210617,
    zoningId: 910240,
    enrichments: [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { agent: 'Mia' } }],
  };
  return (tool) => {
    const required = Object.entries(inputOf(tool).shape).filter(([, field]) => !(field as z.ZodType).safeParse(undefined).success);
    const own = OF_TOOL[tool.name] ?? {};
    const named = Object.fromEntries(
      required.map(([name]) => {
        const sample = own[name] ?? samples[name];
        if (sample === undefined) throw new Error(`${tool.name}.${name}: test/tools/sample-arguments.ts needs a sample for it`);
        return [name, sample];
      }),
    );
    const args = { ...named, ...own };
    return 'zoneId' in args ? { ...args, projectId: 1202 } : args;
  };
}
