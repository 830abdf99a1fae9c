import * as z from 'zod';
import { ApiError } from '../../src/api/errors.ts';
import { sendEnrichments } from '../../src/api/operations/enrichment.ts';
import { text } from '../../src/api/params.ts';
import {
  badWords,
  checkEnrichments,
  enrichmentQuestion,
  enrichmentRecord,
  spellingWords,
  unnumberedWords,
} from '../../src/exports/enrichment/check-enrichments.ts';
import { keepSentFields, knownSessionsWords, sentFields } from '../../src/exports/known-sessions.ts';
import { listedAs } from '../../src/tooling/params.ts';
import { defineTool, OVERWRITE } from '../../src/tooling/tool.ts';

const READ_WHERE =
  'No operation of this interface reads enrichments back: the console shows them. A resend of the same records overwrites them.';

export default defineTool({
  name: 'send_enrichments',
  title: 'Send enrichments',
  description:
    'Attaches, connects or adds offline data of external systems (CRM, phone, call centre, store, till) to visits or ' +
    'sessions (sessionId, or userId plus sessionNumber), max. 3 records each; resends overwrite. Transactions excluded.',
  annotations: OVERWRITE,
  searchHint: 'upload, link, returns, loyalty level, match till sales, enrich',
  operation: sendEnrichments,
  confirmed: true,
  input: z.strictObject({
    enrichments: listedAs(z.array(enrichmentRecord).describe('Records of sessions'), z.array(z.unknown()).min(1)),
    skipInvalid: z.boolean().describe('Skips bad records').optional(),
    integrationVersion: text.describe('Integration version').optional(),
    encoding: z.enum(['form', 'json']).describe('Default form').optional(),
  }),
  output: z.object({ sent: z.number(), skipped: z.array(z.number()).optional(), answer: z.unknown() }),
  async handler({ enrichments, skipInvalid = false, encoding = 'form', ...input }, context) {
    const { call, note } = context;
    const checked = checkEnrichments(enrichments);
    const { good, bad } = checked;
    if (bad.length > 0 && (good.length === 0 || !skipInvalid)) {
      const way = good.length > 0 ? ` The other ${good.length} are in order: skipInvalid: true sends only these.` : '';
      throw new ApiError('invalid', `${badWords(checked)}${way}`);
    }
    if (bad.length > 0) note(badWords(checked));
    const unnumbered = unnumberedWords(checked);
    if (unnumbered) note(unnumbered);
    const names = good.flatMap(({ enrichment }) => Object.keys(enrichment));
    for (const words of spellingWords(names, await sentFields(context))) note(words);
    const answer = await call({ ...input, enrichments: [...good] }, { question: enrichmentQuestion(good), encoding });
    await keepSentFields(names, context);
    note(await knownSessionsWords(good, context));
    note(READ_WHERE);
    return { sent: good.length, ...(bad.length > 0 && { skipped: bad.map(({ position }) => position) }), answer };
  },
});
