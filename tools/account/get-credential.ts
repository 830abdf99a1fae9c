import * as z from 'zod';
import type { CredentialLevel } from '../../src/api/auth-server.ts';
import { readCredential } from '../../src/api/operations/account.ts';
import { recordId } from '../../src/api/operations/records.ts';
import { listed } from '../../src/findings/wording.ts';
import { counted } from '../../src/lib/number-text.ts';
import { defineTool, openedToolsets, READ } from '../../src/tooling/tool.ts';

/** Section 5; no answer of the interface holds a date of it. */
const LASTS = '1 year from when it was generated in the console, then it must be generated anew; the platform does not tell the date';

/** The basis of the level, where the number of projects does not show it. */
const LEVEL_BASIS: Readonly<Record<CredentialLevel, string>> = {
  account: 'Level account: a token was refused without projectId and granted with it, as the reference says of this level.',
  project: 'Level project: a token was granted without naming a project; by the reference, an account-level credential has to name one.',
  unknown: 'Level unknown: neither the projects nor a token request shows whether it is account or project level.',
};

export default defineTool({
  name: 'get_credential',
  title: 'Get the credential',
  description:
    'Permissions, access rights of credential, login or API key (403, forbidden, permission denied, allowed to see): ' +
    'level, scopes, projects, sites, account, toolsets, missing scopes, expiry date.',
  annotations: READ,
  searchHint: 'access, 403, sites, key valid, account level, permission',
  operation: readCredential,
  input: z.strictObject({}),
  output: z.object({
    answer: z.string(),
    level: z.enum(['account', 'project', 'unknown']),
    lasts: z.string(),
    scopes: z.array(z.string()),
    projects: z.array(z.object({ id: recordId, name: z.string().nullish() })),
    toolsets: z
      .array(z.object({ toolset: z.string(), opened: z.enum(['yes', 'partly', 'no']), missing: z.string().optional() }))
      .optional(),
  }),
  async handler(_, { client, offer, note, signal }) {
    // Not from the cache, because more may have been granted a moment ago.
    const granted = await client.credential({ signal, renew: true });
    const level = await client.credentialLevel({ signal });
    if (granted.projects.length <= 1) note(LEVEL_BASIS[level]);
    const own = client.hasEnrichmentCredential ? ['enrichment'] : [];
    const toolsets = offer && openedToolsets(offer, [...granted.scopes, ...own]);
    if (own.length > 0) note('Enrichment has a credential of its own, which is not shown here.');
    if (toolsets?.some(({ missing = '' }) => missing.includes('enrichment')))
      note('Enrichment can have a credential of its own; none is set.');
    const kind = level === 'unknown' ? 'credential' : `${level}-level credential`;
    const answer = `This ${kind} reaches ${counted(granted.projects.length, 'project')}; its scopes: ${listed(granted.scopes) || 'none'}.`;
    return { answer, level, lasts: LASTS, ...granted, ...(toolsets && { toolsets }) };
  },
});
