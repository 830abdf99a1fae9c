import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { type OperationName, operations } from '../../src/api/operations/index.ts';
import type { CredentialName } from '../../src/emulator/credentials.ts';
import { BARE, type Deployment, FORGIVING, REFERENCE } from '../../src/emulator/deployment.ts';
import { shortHash } from '../../src/emulator/requests.ts';
import { toolsets } from '../../tools/index.ts';
import { sampleArguments } from './sample-arguments.ts';
import { useTools } from './support.ts';
import { type Known, type Step, stepsOf } from './walk-steps.ts';

const validator = new AjvJsonSchemaValidator();
/** Names and bounds of the steps, before the world is asked for its records. */
const outline = stepsOf({ date: 0, stepResultId: '', jobId: 0, runId: 0, clientId: '', clientSecret: '' });
const isOfApp = ({ path }: Step) => path.startsWith('/v1/metrics/zone/');

interface Walk {
  readonly name: string;
  readonly deployment: Deployment;
  readonly credential: CredentialName;
  readonly takes: (step: Step) => boolean;
}

/** Every operation on each deployment, and for accounts of one project, where no call says which. */
const walks: Walk[] = [
  { name: 'the reference to the letter', deployment: REFERENCE, credential: 'account', takes: () => true },
  { name: 'its open choices made otherwise', deployment: BARE, credential: 'account', takes: () => true },
  { name: 'what deployments forgive', deployment: FORGIVING, credential: 'account', takes: () => true },
  { name: 'an account of one project', deployment: REFERENCE, credential: 'smallAccount', takes: (step) => !isOfApp(step) },
  { name: 'an account of one app', deployment: REFERENCE, credential: 'smallAppAccount', takes: isOfApp },
];

it('walks no operation and no tool twice', () => {
  expect(new Set(outline.map(({ operation }) => operation)).size).toBe(outline.length);
  expect(new Set(outline.map(({ tool }) => tool)).size).toBe(outline.length);
});

const nameOf = (wanted: Operation | undefined) => (Object.keys(operations) as OperationName[]).find((name) => operations[name] === wanted);
const unlisted = toolsets
  .flatMap(({ tools }) => tools)
  .flatMap((tool) => ({ tool, name: tool.name, operation: nameOf(tool.operation) }))
  .filter(({ operation }) => operation !== undefined && outline.every((step) => step.operation !== operation));

/** The arguments of a step; an account of one project is not told which. */
function argumentsOf({ args }: Step, { credential }: Walk): Step['args'] {
  const { projectId: _, ...others } = args;
  return credential === 'account' ? args : others;
}

describe.each(walks)('$name', (walk) => {
  const { ask, assistant, call, platform } = useTools(
    { timeZone: 'Europe/Paris', credential: walk.credential },
    { deployment: walk.deployment },
  );
  let steps: Step[] = [];
  let outputSchemas = new Map<string, JsonSchemaType>();

  async function known(): Promise<Known> {
    const { scenario } = await ask('listScenarioReports', { scenarioId: 4101, limit: 1 });
    const runs = await ask('listSuccessfulExportRuns', { limit: 100 });
    const ofSameJob = (jobId: unknown) => runs.filter((each) => each.jobId === jobId).length;
    // Of the job with the most runs, so that page 1 holds some even where the first page is 0.
    const [run] = runs.toSorted((a, b) => ofSameJob(b.jobId) - ofSameJob(a.jobId));
    const [report] = scenario.reports;
    const { clientId, clientSecret } = platform().credentials[walk.credential];
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

  it.each(unlisted)('$operation: $name sends it, and answers in its listed form', async ({ tool, name, operation }) => {
    const answer = await call(name, (await sampleArguments({ ask }))(tool));
    expect(answer).toMatchObject({ isError: false });
    expect(platform().requests.filter((request) => request.operation === operation)).toHaveLength(1);
    const schema = outputSchemas.get(name);
    expect(schema && validator.getValidator(schema)(answer.structured)).toMatchObject({ valid: true });
  });

  it.each(outline.map((step, index) => ({ ...step, index })).filter(walk.takes))(
    '$operation: $tool sends exactly what was meant, and answers in its listed form',
    { tags: 'nightly' },
    async ({ tool, operation, index }) => {
      const step = steps[index];
      const answer = await call(tool, step && argumentsOf(step, walk));
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
});
