import { afterAll, expect } from 'vitest';
import { countTokens } from '../../src/lib/token-budget.ts';
import type { Assistant, ToolAnswer } from './assistant.ts';

/** What an assistant may spend on one question of a user. */
const MAX_CALLS = 3;
const MAX_TOKENS = 4_000;

interface Spent {
  readonly question: string;
  readonly tools: string[];
  /** Read by the model: the dearer channel of each answer. */
  tokens: number;
}

/** Answers questions of users by tool calls, holds each to its budget, and prints what they took. */
export function useInterview(assistant: () => Assistant) {
  const spent: Spent[] = [];
  afterAll(() => {
    const lines = spent.map(({ question, tools, tokens }) => `${String(tools.length).padStart(5)} ${String(tokens).padStart(6)}  ${question} (${tools.join(', ')})`); // biome-ignore format: one thought
    process.stdout.write(`\ncalls tokens  question\n${lines.join('\n')}\n`);
  });
  return async function answer<T>(question: string, find: (call: Assistant['call']) => Promise<T>): Promise<T> {
    const entry: Spent = { question, tools: [], tokens: 0 };
    spent.push(entry);
    const found = await find(async (tool, args): Promise<ToolAnswer> => {
      const given = await assistant().call(tool, args);
      entry.tools.push(tool);
      entry.tokens += Math.max(countTokens(given.text), countTokens(JSON.stringify(given.structured)));
      return given;
    });
    expect(entry.tools.length).toBeLessThanOrEqual(MAX_CALLS);
    expect(entry.tokens).toBeLessThanOrEqual(MAX_TOKENS);
    return found;
  };
}
