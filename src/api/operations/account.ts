import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import * as p from '../params.ts';
import { recordId, text } from './records.ts';

/** Exchanges a credential for a token; the only operation at the authentication server. */
export const requestToken = defineOperation({
  method: 'POST',
  path: '/v1/oauth/token',
  base: 'auth',
  section: '5',
  safe: true,
  input: z.strictObject({
    client_id: p.text,
    client_secret: p.text,
    grant_type: z.literal('client_credentials'),
    scope: p.scopeList,
    project_id: p.id.optional(),
  }),
  payload: z.looseObject({
    access_token: z.string().min(1),
    token_type: text,
    expires_in: z.union([z.number(), z.string()]).nullish(),
    scope: text,
    project_id: recordId.nullish(),
    endpoint: text,
  }),
});

/** Tells scopes and projects of the credential behind a token. */
export const readCredential = defineOperation({
  method: 'POST',
  path: '/v1/oauth/me',
  base: 'auth',
  section: '5',
  safe: true,
  input: z.strictObject({ client_id: p.text, client_secret: p.text }),
  payload: z.looseObject({
    scopes: z.string(),
    permissions: z.looseObject({ projects: z.array(z.looseObject({ id: recordId, name: text })).nullish() }).nullish(),
  }),
});
