import type { OperationName } from '../../src/api/operations/index.ts';
import type { CredentialName } from '../../src/emulator/credentials.ts';
import { type AssistantOptions, sharedAssistant, type ToolAnswer } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { readable } from '../support/readable.ts';

/** The whole product for one test file: tools to call through an MCP client, and the platform to ask itself what is true. */
export function useTools(options: AssistantOptions = {}) {
  const platform = sharedPlatform();
  const assistant = sharedAssistant(platform, options);
  return {
    platform,
    assistant,
    call: (tool: string, args: Record<string, unknown> = {}) => assistant().call(tool, args),
    /** The raw payload of an operation, without the product between; the project is that of the credential. */
    async ask<Name extends OperationName>(operation: Name, input: Record<string, unknown> = {}, credential: CredentialName = 'shop') {
      const { ask, token } = platform();
      return ask(operation, input, await token(credential));
    },
  };
}

/** An answer as a snapshot holds it: text, structured content and links, with the ports of this run taken out. */
export function whole({ isError, text, structured, links }: ToolAnswer): string {
  const parts = [isError ? `error: ${text}` : text, readable(structured), ...links];
  return parts.join('\n\n').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:port');
}
