import { openAssistant } from './assistant.ts';
import { openPlatform } from './emulator.ts';

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
