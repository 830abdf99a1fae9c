import type { Toolset } from '../../src/tooling/tool.ts';
import authenticate from './authenticate.ts';
import getCredential from './get-credential.ts';

export default {
  name: 'account',
  description: 'Tokens, scopes and projects of the credential',
  tools: [authenticate, getCredential],
} satisfies Toolset;
