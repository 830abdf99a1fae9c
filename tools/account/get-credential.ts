import * as z from 'zod';
import { readCredential } from '../../src/api/operations/account.ts';
import { recordId } from '../../src/api/operations/records.ts';
import { defineTool, openedToolsets, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_credential',
  title: 'Get the credential',
  description:
    'Which project am I looking at, and what can this credential reach: scopes, projects, toolsets they open, scopes that are ' +
    'missing.',
  annotations: READ,
  searchHint: 'access rights, projects, scopes, level',
  operation: readCredential,
  input: z.strictObject({}),
  output: z.object({
    scopes: z.array(z.string()),
    projects: z.array(z.object({ id: recordId, name: z.string().nullish() })),
    toolsets: z
      .array(z.object({ toolset: z.string(), opened: z.enum(['yes', 'partly', 'no']), missing: z.string().optional() }))
      .optional(),
  }),
  async handler(_, { client, offer, note, signal }) {
    // Not from the cache, because more may have been granted a moment ago.
    const granted = await client.credential({ signal, renew: true });
    const toolsets = offer && openedToolsets(offer, granted.scopes);
    if (toolsets?.some(({ missing = '' }) => missing.includes('enrichment')))
      note('Enrichment may have a credential of its own, which is not shown here.');
    return { ...granted, ...(toolsets && { toolsets }) };
  },
});
