import { describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { failure } from '../support/failure.ts';
import { grants, json, openClient, openStub, SHOP, text, tokenBody } from '../support/stub-platform.ts';

const { listSegments, listExportJobs, sendEnrichments } = operations;
const BLOG = { id: 8, name: 'Blog' };

describe('projects', () => {
  const several = grants('metrics data-export', SHOP, BLOG);

  test('the one of the call wins over the default, and each has its token', async () => {
    const stub = await openStub({ me: several });
    stub.token = (response, request) => json(200, tokenBody(stub, { project_id: JSON.parse(request.body).project_id }))(response, request);
    const client = openClient(stub, { defaultProjectId: 8 });
    await client.call(listSegments, {});
    await client.call(listSegments, {}, { projectId: 7 });
    await client.call(listSegments, { projectId: 7, ids: [1, 2] }, { projectId: 8 });
    await client.call(listExportJobs, {}, { projectId: 7 });
    expect(stub.tokenRequests.map(({ body }) => JSON.parse(body).project_id)).toEqual([8, 7]);
    expect(stub.calls.map(({ target, headers }) => [target, headers.authorization])).toEqual([
      ['/eu/v1/segments?projectId=8', 'Bearer token-1'],
      ['/eu/v1/segments?projectId=7', 'Bearer token-2'],
      ['/eu/v1/segments?projectId=7&ids=1%2C2', 'Bearer token-2'],
      ['/eu/v1/exports', 'Bearer token-2'],
    ]);
    expect(await client.projectId()).toBe(8);
    expect(await client.projectId({ projectId: 7 })).toBe(7);
  });

  test('the only one is named to the token and in queries, whatever the level of the credential is', async () => {
    const stub = await openStub({ me: grants('metrics', SHOP) });
    await openClient(stub).call(listSegments, {});
    expect(JSON.parse(stub.tokenRequests[0]?.body ?? '')).toMatchObject({ project_id: 7 });
    expect(stub.calls[0]?.target).toBe('/eu/v1/segments?projectId=7');
  });

  test('none is sent for a token where none was chosen and the grants are unknown; queries name that of the token', async () => {
    const stub = await openStub({ me: text(404, '') });
    const client = openClient(stub);
    await client.call(listSegments, {});
    expect(JSON.parse(stub.tokenRequests[0]?.body ?? '')).not.toHaveProperty('project_id');
    expect(stub.calls[0]?.target).toBe('/eu/v1/segments?projectId=7');
    expect(await client.projectId()).toBe(7);
  });

  test.each([
    ['says so', 'Invalid request: project_id is required for this credential.', 'The credential is of account level'],
    ['says nothing', '', 'If the credential is of account level'],
  ])('a token that is refused without one leads to projectId and the setting, where the refusal %s', async (_, words, hint) => {
    const stub = await openStub({ me: text(404, '') });
    stub.token = text(400, words);
    const error = await failure(openClient(stub).call(listSegments, {}));
    expect(error.kind).toBe('invalid');
    expect(error.message).toContain(hint);
    expect(error.message).toContain('pass projectId, or set WEB_ANALYTICS_PROJECT_ID');
  });

  test.each([
    ['the only one that the credential reaches', grants('metrics', SHOP), {}, 7],
    ['the chosen one', text(404, ''), { projectId: 9 }, 9],
  ])('a token without a project counts for %s', async (_, me, options, expected) => {
    const stub = await openStub({ me });
    stub.token = json(200, tokenBody(stub, { project_id: undefined }));
    expect(await openClient(stub).projectId(options)).toBe(expected);
  });
});

describe('enrichment', () => {
  const enrichments = [{ userId: 'a+b&c', sessionNumber: 1, enrichmentNumber: 1, enrichment: { score: 'ä=1' } }];
  const own = { clientId: 'integration', clientSecret: 'integration-secret' };

  async function openIntegration() {
    const stub = await openStub({ me: grants('enrichment', SHOP), answers: [text(202, '')] });
    stub.token = (response, request) =>
      json(200, tokenBody(stub, { scope: 'enrichment', endpoint: `${stub.endpoint}/` }))(response, request);
    return { stub, client: openClient(stub, { enrichmentCredential: own }) };
  }

  test('has its own credential and scope; the project comes from the token', async () => {
    const { stub, client } = await openIntegration();
    expect(await client.call(sendEnrichments, { enrichments, integrationVersion: 2 })).toBeUndefined();
    expect(JSON.parse(stub.tokenRequests[0]?.body ?? '')).toMatchObject({ client_id: 'integration', scope: 'enrichment' });
    const [call] = stub.calls;
    expect(call?.target).toBe('/eu/v1/enrichments');
    expect(call?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(call?.body))).toEqual({
      projectId: '7',
      integrationVersion: '2',
      enrichments: JSON.stringify(enrichments),
    });
  });

  test('travels as JSON on demand', async () => {
    const { stub, client } = await openIntegration();
    await client.call(sendEnrichments, { enrichments }, { encoding: 'json' });
    expect(stub.calls[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(stub.calls[0]?.body ?? '')).toEqual({ projectId: 7, enrichments });
  });

  test('uses the main credential where it has no other, in a token of its own', async () => {
    const stub = await openStub({ me: grants('enrichment metrics', SHOP), answers: [json(200, { payload: [], success: true })] });
    stub.token = (response, request) => json(200, tokenBody(stub, { scope: JSON.parse(request.body).scope }))(response, request);
    const client = openClient(stub);
    await client.call(listSegments, {});
    await client.call(sendEnrichments, { enrichments });
    expect(stub.tokenRequests.map(({ body }) => JSON.parse(body).scope)).toEqual(['metrics', 'enrichment']);
  });
});
