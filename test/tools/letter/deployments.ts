import { BARE, type Deployment, FORGIVING, REFERENCE } from '../../../src/emulator/deployment.ts';
import type { Assistant } from '../../support/assistant.ts';
import type { Platform } from '../../support/emulator.ts';
import { withTools } from '../support.ts';

/** The reference to the letter, with its open choices made otherwise than usual, and with all that deployments forgive. */
export const deployments: readonly (readonly [name: string, Deployment])[] = [
  ['the reference to the letter', REFERENCE],
  ['its open choices made otherwise', BARE],
  ['what deployments forgive', FORGIVING],
];

/** Runs one test with an assistant on a platform of its own, whose answers nothing cuts. */
export const connected = (deployment: Partial<Deployment>, run: (assistant: Assistant, platform: Platform) => Promise<void>) =>
  withTools(run, { maxResultTokens: 500_000 }, { deployment });
