import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import * as p from '../params.ts';

/** Sends one batch of records about visits; a resend overwrites. */
export const sendEnrichments = defineOperation({
  method: 'POST',
  path: '/v1/enrichments',
  base: 'enrichment',
  scope: 'enrichment',
  section: '4.5',
  safe: false,
  input: z.strictObject({
    // The client fills it in from the token where it is left out.
    projectId: p.id.optional(),
    integrationVersion: z.union([z.string().min(1), z.number()]).optional(),
    enrichments: p.enrichmentRecords,
  }),
  // The reference does not show the answer: whatever a 2xx carries is handed back.
  payload: z.unknown(),
});
