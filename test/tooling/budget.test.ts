import { describe, expect, it } from 'vitest';
import { toolsets } from '../../tools/index.ts';
import { ownAssistant, type ToolAnswer } from '../support/assistant.ts';
import { json, openStub, payload, tokenBody } from '../support/stub-platform.ts';
import { times } from '../support/times.ts';
import { sampleArguments } from '../tools/sample-arguments.ts';
import { useTools } from '../tools/support.ts';

const use = useTools();
const { ask, call, platform } = use;
const direct = toolsets.flatMap(({ tools }) => tools).filter(({ operation }) => operation !== undefined);
const tokensOf = ({ text, structured }: ToolAnswer) => Math.max(text.length, JSON.stringify(structured).length) / 4;

/** Every tool that stands for an operation, with its required arguments alone. */
async function callsWithDefaults(): Promise<[string, Record<string, unknown>][]> {
  const argumentsOf = await sampleArguments(use);
  return direct.map((tool) => [tool.name, argumentsOf(tool)]);
}

it('an answer stays under 2,000 tokens in both channels when nothing special is asked for, from any tool', {
  tags: 'nightly',
}, async () => {
  const calls = await callsWithDefaults();
  const costs: Record<string, number> = {};
  for (const [tool, args] of calls) {
    const answer = await call(tool, args);
    expect({ tool, error: answer.isError ? answer.text : '' }).toEqual({ tool, error: '' });
    costs[tool] = tokensOf(answer);
  }
  expect(Object.entries(costs).filter(([, tokens]) => tokens > 2_000)).toEqual([]);
});

it('an answer leaves out heavy members before it leaves out items, and cuts both channels alike', { tags: 'nightly' }, async () => {
  const answer = await call('list_export_jobs');
  const { jobs, notes, total } = answer.structured as { jobs: Record<string, unknown>[]; notes: string[]; total: number };
  const all = await ask('listExportJobs');
  // What recurs, is under way or ended without files is there, whatever is cut; the rest is in the order of the platform.
  const isOver = ({ frequency, state }: Record<string, unknown>) => frequency === 'once' && state === 'COMPLETED';
  const idsOf = (some: readonly Record<string, unknown>[]) => some.map(({ jobId }) => jobId);
  const failed = jobs.filter(({ name }) => String(name).endsWith('failed'));
  const [ended, endedOfAll] = [jobs, all].map((some: readonly Record<string, unknown>[]) =>
    idsOf(some.filter((job) => isOver(job) && job['jobId'] !== failed[0]?.['jobId'])),
  );
  expect(failed).toHaveLength(1);
  expect(new Set(idsOf(jobs.filter((job) => !isOver(job))))).toEqual(new Set(idsOf(all.filter((job) => !isOver(job)))));
  expect(ended).toEqual(endedOfAll?.slice(0, ended?.length));
  expect(jobs.length).toBeGreaterThanOrEqual(10);
  expect(tokensOf(answer)).toBeLessThanOrEqual(1_200);
  expect(notes[0]).toBe(`Showing ${jobs.length} of ${total} jobs; pass limit to see more.`);
  expect(notes[1]).toMatch(/^Left out, to show more jobs: fields, ownerId, .* \(get_export_job shows them of one\)\.$/);
  expect(jobs.flatMap(Object.keys)).not.toContain('fields');
  for (const { jobId, name } of all) expect(answer.text.includes(`\n${jobId}\t${name}\t`)).toBe(jobs.some((job) => job['jobId'] === jobId));
});

it.each([
  ['list_export_jobs', 'listExportJobs', 34, ['jobId', 'name', 'state', 'lastRunTime']],
  ['list_successful_export_runs', 'listSuccessfulExportRuns', 100, ['jobId', 'jobRunId', 'name', 'from', 'to', 'nbOfFiles']],
] as const)('an answer costs less than 2,000 tokens as text also for a page of 100 from %s', async (tool, operation, count, members) => {
  const { text, structured } = await call(tool, { limit: 100 });
  expect(text.length / 4).toBeLessThan(2_000);
  const chosen = (records: readonly object[]) =>
    records.map((record) => Object.fromEntries(members.map((name) => [name, (record as Record<string, unknown>)[name]])));
  const items = Object.values(structured).find((member): member is object[] => Array.isArray(member)) ?? [];
  expect(items).toHaveLength(count);
  expect(chosen(items)).toEqual(chosen(await ask(operation, { limit: 100 })));
  expect((structured['notes'] as string[])[0]).toMatch(/^Left out, to show more (jobs|runs): .*\(get_export_\w+ shows .*\)\.$/);
});

it('an answer keeps all jobs of a full page of them, each with its health, in less than 4,000 tokens as text', async () => {
  const own = await ask('listExportJobs', { limit: 100 });
  const once = own.filter(({ frequency }) => frequency === 'once');
  const others = times(100 - own.length, (index) => ({ ...once[index % once.length], jobId: 1_000 - index }));
  const page = [...own, ...others];
  const fault = platform().faults.add({ kind: 'shape', operation: 'listExportJobs', payload: page });
  const { text, structured } = await call('list_export_jobs', { limit: 100 });
  fault.remove();
  expect(text.length / 4).toBeLessThan(4_000);
  const idsIn = (list: string) => (structured[list] as { jobId: number }[]).map(({ jobId }) => jobId);
  expect(idsIn('jobs')).toEqual(page.map(({ jobId }) => jobId));
  // Of a once job of all devices that is over its state says all.
  const isOver = ({ frequency, state, filters }: Partial<(typeof own)[number]>) =>
    frequency === 'once' && state === 'COMPLETED' && filters?.deviceId === -1;
  expect(idsIn('health')).toEqual(page.filter((job) => !isOver(job)).map(({ jobId }) => jobId));
});

it.each<[string, Record<string, unknown>]>([
  ['list_export_jobs', { limit: 100 }],
  ['list_successful_export_runs', { limit: 100 }],
  ['list_scenario_reports', { scenarioId: 4101, limit: 500, metrics: ['all'] }],
  ['get_scenario_report', { scenarioId: 4101, metrics: ['all'] }],
  ['list_exportable_fields', { scope: 'sessions' }],
  ['get_site_metrics', { startDate: '2026-08-20', endDate: '2026-11-15', period: 'daily' }],
])('the hard cap holds for %s: valid JSON of whole items, and a word on the rest', { tags: 'nightly' }, async (tool, args) => {
  const assistant = await ownAssistant(platform(), { maxResultTokens: 1_000 });
  const answer = await assistant.call(tool, args);
  expect(tokensOf(answer)).toBeLessThanOrEqual(1_000);
  expect(answer).toMatchObject({
    isError: false,
    text: expect.stringMatching(/^(Of|Scenario|.* of \d+)[^]*Showing \d+ of \d+ \w+; (narrow with|read|the setting)/),
  });
  expect((answer.structured['notes'] as string[])[0]).toMatch(/^Showing \d/);
});

it('the hard cap refuses what cannot be cut, and says what would help', async () => {
  const assistant = await ownAssistant(platform(), { maxResultTokens: 100 });
  const [, args] = (await callsWithDefaults()).find(([tool]) => tool === 'get_step_report') ?? [];
  const answer = await assistant.call('get_step_report', { ...args, metrics: ['all'] });
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^The answer has about \d+ tokens; the limit is 100: /) });
});

describe('a write that is too long to be shown', () => {
  const batch = (count: number) =>
    times(count, (index) => ({
      userId: String(index),
      sessionNumber: 1,
      enrichmentNumber: 1,
      enrichment: { note: 'x'.repeat(200) },
    }));

  it('is previewed by its beginning, with the number of all', async () => {
    const answer = await call('send_enrichments', { enrichments: batch(500) });
    const { status, request, notes } = answer.structured as {
      status: string;
      request: { body: { enrichments: unknown[] } };
      notes: string[];
    };
    const shown = request.body.enrichments;
    expect({ status, shown }).toEqual({ status: 'preview', shown: batch(shown.length) });
    expect(notes[0]).toBe(`Showing ${shown.length} of 500 request.body.enrichments; the others would be sent too.`);
    expect(tokensOf(answer)).toBeLessThanOrEqual(20_000);
  });

  it('counts as done whatever the platform answers', async () => {
    const stub = await openStub({ answers: [payload({ echo: 'y'.repeat(100_000) })] });
    stub.token = (response, request) => json(200, tokenBody(stub, { scope: 'enrichment' }))(response, request);
    stub.me = json(200, { scopes: 'enrichment' });
    const assistant = await ownAssistant({ ...platform(), authUrl: stub.url });
    const answer = await assistant.call('send_enrichments', { enrichments: batch(1), confirm: true });
    const notes = [
      'answer was too long to be shown.',
      'Whether the platform knows these sessions cannot be seen: no export of sessions is here.',
      'No operation of this interface reads enrichments back: the console shows them. A resend of the same records overwrites them.',
    ];
    expect(answer).toMatchObject({ isError: false, structured: { status: 'done', sent: 1, notes } });
  });
});
