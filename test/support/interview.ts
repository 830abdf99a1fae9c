import { afterAll, expect } from 'vitest';
import { countTokens } from '../../src/tooling/results.ts';
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

function line({ question, tools, tokens }: Spent): string {
  return `${String(tools.length).padStart(5)} ${String(tokens).padStart(6)}  ${question} (${tools.join(', ')})`;
}

/** Lets assistants answer questions of users by tool calls, holds each to its budget, and prints one table of what they took. */
export function useInterview() {
  const spent: Spent[] = [];
  const inOrder = () => spent.toSorted((a, b) => Number.parseInt(a.question) - Number.parseInt(b.question));
  afterAll(() => void process.stdout.write(`\ncalls tokens  question\n${inOrder().map(line).join('\n')}\n`));
  return {
    /** The questions asked so far, by their number. */
    asked: () => inOrder().map(({ question }) => question),
    ask: (assistant: () => Assistant) =>
      async function answer<T>(question: string, find: (call: Assistant['call']) => Promise<T>): Promise<T> {
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
      },
  };
}
