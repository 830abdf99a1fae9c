import { BARE, type Deployment, FORGIVING, REFERENCE } from '../../../src/emulator/deployment.ts';
import { type Assistant, type AssistantOptions, withAssistant } from '../../support/assistant.ts';
import { type Platform, type PlatformOptions, withPlatform } from '../../support/emulator.ts';

/** The reference to the letter, with its open choices made otherwise than usual, and with all that deployments forgive. */
export const deployments: readonly (readonly [name: string, Deployment])[] = [
  ['the reference to the letter', REFERENCE],
  ['its open choices made otherwise', BARE],
  ['what deployments forgive', FORGIVING],
];

/** Runs one test with an assistant on a platform of its own. */
export function connected(
  deployment: Partial<Deployment>,
  run: (assistant: Assistant, platform: Platform) => Promise<void>,
  { assistant = {}, ...options }: PlatformOptions & { readonly assistant?: AssistantOptions } = {},
): Promise<void> {
  return withPlatform((platform) => withAssistant(platform, { maxResultTokens: 500_000, ...assistant }, (each) => run(each, platform)), {
    ...options,
    deployment,
  });
}
