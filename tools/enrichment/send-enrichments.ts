import * as z from 'zod';
import { sendEnrichments } from '../../src/api/operations/enrichment.ts';
import { enrichmentRecords } from '../../src/api/params.ts';
import { defineTool, OVERWRITE } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'send_enrichments',
  title: 'Send enrichments',
  description:
    'Sends server-side data of sessions, at most 3 records per session. One bad record rejects the batch; a resend overwrites. No transactions.',
  annotations: OVERWRITE,
  operation: sendEnrichments,
  confirmed: true,
  input: z.strictObject({
    enrichments: enrichmentRecords.describe('Records: userId, sessionNumber, enrichmentNumber 1–3, enrichment {field: value}'),
    integrationVersion: z
      .union([z.string().min(1), z.number()])
      .describe('Version of the integration')
      .optional(),
    encoding: z.enum(['form', 'json']).describe('Default form').optional(),
  }),
  output: z.object({ sent: z.number(), answer: z.unknown() }),
  async handler({ encoding = 'form', ...input }, { call }) {
    const answer = await call(input, { encoding });
    return { sent: input.enrichments.length, answer };
  },
});
