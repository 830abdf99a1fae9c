import { openAssistant } from './assistant.ts';
import { openPlatform } from './emulator.ts';

/** The part of a JSON schema that the tools' inputs use. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

/** What a model reads once it is connected: the tools as listed, and the instructions; gathered with nothing called. */
export async function listing() {
  const platform = await openPlatform();
  const assistant = await openAssistant(platform);
  try {
    const { tools } = await assistant.client.listTools();
    if (platform.requests.length > 0) throw new Error('Listing the tools sent requests to the platform.');
    return { tools, instructions: assistant.client.getInstructions() ?? '' };
  } finally {
    await assistant.close();
    await platform.close();
  }
}
