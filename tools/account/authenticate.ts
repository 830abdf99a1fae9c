import * as z from 'zod';
import { requestToken } from '../../src/api/operations/account.ts';
import { scopeList } from '../../src/api/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'authenticate',
  title: 'Authenticate',
  description: 'Log in again: renews the access token (never shown), normally automatic; project, scopes, endpoint, expiry.',
  annotations: READ,
  searchHint: 'log in, sign in, token, connection',
  operation: requestToken,
  input: z.strictObject({
    scope: scopeList.describe('Scope names, separated by spaces; default all granted').optional(),
    renew: z.boolean().describe('Forces renewal').optional(),
  }),
  output: z.object({
    projectId: z.number().optional(),
    scope: z.string(),
    endpoint: z.string(),
    expiresAt: z.string(),
    expiresInSeconds: z.number(),
    fromCache: z.boolean(),
  }),
  async handler(input, { client, chosenProjectId, signal }) {
    const token = await client.authenticate({ ...input, ...(chosenProjectId !== undefined && { projectId: chosenProjectId }), signal });
    return { ...token, expiresAt: new Date(token.expiresAt).toISOString() };
  },
});
