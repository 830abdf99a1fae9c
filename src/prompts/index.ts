import type { Prompt } from '../mcp/prompt.ts';

/** All prompts, in the order in which they are listed. */
export const prompts: readonly Prompt[] = [];
