import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { beforeAll, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { type OperationName, operations } from '../../src/api/operations/index.ts';
import { shortHash } from '../../src/emulator/requests.ts';
import { toolsets } from '../../tools/index.ts';
import { sampleArguments } from './sample-arguments.ts';
import { useTools } from './support.ts';
import { type Known, type Step, stepsOf } from './walk-steps.ts';

const { ask, assistant, call, platform } = useTools({ timeZone: 'Europe/Paris' });
const validator = new AjvJsonSchemaValidator();
/** Names and bounds of the steps, before the world is asked for its records. */
const outline = stepsOf({ date: 0, stepResultId: '', jobId: 0, runId: 0, clientId: '', clientSecret: '' });
let steps: Step[] = [];
let outputSchemas = new Map<string, JsonSchemaType>();

async function known(): Promise<Known> {
  const { scenario } = await ask('listScenarioReports', { scenarioId: 4101, limit: 1 });
  const [run] = await ask('listSuccessfulExportRuns', { limit: 1 });
  const [report] = scenario.reports;
  const { clientId, clientSecret } = platform().credentials.account;
  return {
    date: report?.date ?? 0,
    stepResultId: String(report?.steps?.[0]?.stepResultId),
    jobId: Number(run?.jobId),
    runId: Number(run?.jobRunId),
    clientId,
    clientSecret: shortHash(clientSecret),
  };
}

beforeAll(async () => {
  steps = stepsOf(await known());
  const { tools } = await assistant().client.listTools();
  outputSchemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema as JsonSchemaType]));
});

it('walks no operation and no tool twice', () => {
  expect(new Set(outline.map(({ operation }) => operation)).size).toBe(outline.length);
  expect(new Set(outline.map(({ tool }) => tool)).size).toBe(outline.length);
});

const nameOf = (wanted: Operation | undefined) => (Object.keys(operations) as OperationName[]).find((name) => operations[name] === wanted);
const unlisted = toolsets
  .flatMap(({ tools }) => tools)
  .flatMap((tool) => ({ tool, name: tool.name, operation: nameOf(tool.operation) }))
  .filter(({ operation }) => operation !== undefined && outline.every((step) => step.operation !== operation));

it.each(unlisted)('$operation: $name sends it, and answers in its listed form', async ({ tool, name, operation }) => {
  const answer = await call(name, (await sampleArguments({ ask }))(tool));
  expect(answer).toMatchObject({ isError: false });
  expect(platform().requests.filter((request) => request.operation === operation)).toHaveLength(1);
  const schema = outputSchemas.get(name);
  expect(schema && validator.getValidator(schema)(answer.structured)).toMatchObject({ valid: true });
});

it.each(outline.map(({ tool, operation }, index) => ({ tool, operation, index })))(
  '$operation: $tool sends exactly what was meant, and answers in its listed form',
  async ({ tool, operation, index }) => {
    const step = steps[index];
    const answer = await call(tool, step?.args);
    expect(answer).toMatchObject({ isError: false });

    const arrived = platform().requests.filter((request) => request.operation === operation && request.url.startsWith(step?.path ?? ''));
    const { method, url, body } = arrived.at(-1) ?? { method: '', url: '', body: {} };
    const { pathname, searchParams } = new URL(url, 'http://platform');
    expect(method).toBe(operations[operation].method);
    expect(pathname).toBe(step?.path);
    expect(method === 'GET' ? Object.fromEntries(searchParams) : body).toEqual(step?.input);
    expect(method === 'GET' ? url : '').not.toMatch(/[+ ]/);
    expect(arrived).toHaveLength(1);

    const schema = outputSchemas.get(tool);
    expect(schema && validator.getValidator(schema)(answer.structured)).toMatchObject({ valid: true });
  },
);
