import * as z from 'zod';
import { readCredential } from '../../src/api/operations/account.ts';
import { recordId } from '../../src/api/operations/records.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_credential',
  title: 'Get the credential',
  description: 'What the credential can reach: its scopes and projects.',
  annotations: READ,
  operation: readCredential,
  input: z.strictObject({}),
  output: z.object({ scopes: z.array(z.string()), projects: z.array(z.object({ id: recordId, name: z.string().nullish() })) }),
  async handler(_, { client, signal }) {
    // Read afresh, because who asks may have just been granted more.
    return client.credential({ signal, renew: true });
  },
});
