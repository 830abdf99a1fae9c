import type { Client } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import type { Schema } from '../support/listing.ts';
import { toolArguments } from './tool-arguments.ts';
import { type Rules, resultViolations } from './violations.ts';

/** One message that the server did not take as it should. */
export interface Finding {
  /** What was sent, cut for a log. */
  readonly sent: string;
  readonly violations: readonly string[];
}

/** What a round of fuzzing did. */
export interface Tally {
  readonly messages: number;
  readonly findings: readonly Finding[];
}

/** What every round needs. */
export interface Round {
  readonly rules: Rules;
  readonly seed: number;
  /** Lets time pass where the server waits for it. */
  readonly settle: <T>(answer: Promise<T>) => Promise<T>;
}

const LONGEST_SENT = 400;

/** What was sent, cut so that a log stays readable. */
export function briefly(sent: unknown): string {
  const text = typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? 'nothing');
  return text.length > LONGEST_SENT ? `${text.slice(0, LONGEST_SENT)}… (${text.length} characters)` : text;
}

/** The rounds taken together. */
export function together(tallies: readonly Tally[]): Tally {
  return { messages: tallies.reduce((sum, { messages }) => sum + messages, 0), findings: tallies.flatMap(({ findings }) => findings) };
}

async function violationsOf(client: Client, call: { name: string; arguments: Record<string, unknown> }, { rules, settle }: Round) {
  try {
    return resultViolations(await settle(client.callTool(call)), rules);
  } catch (error) {
    return [`is no answer but a failure of the call: ${String(error).slice(0, 300)}`];
  }
}

/** Calls each tool with so many sets of arguments made from its own schema, then once more with good ones. */
export async function fuzzTools(
  client: Client,
  { runs, sampleOf, ...round }: Round & { runs: number; sampleOf: (name: string) => Record<string, unknown> },
): Promise<Tally> {
  const { tools } = await client.listTools();
  const tallies: Tally[] = [];
  for (const { name, inputSchema } of tools) {
    const sample = sampleOf(name);
    const all = fc.sample(toolArguments(inputSchema as Schema, sample, round.rules.known), { numRuns: runs, seed: round.seed });
    const findings: Finding[] = [];
    for (const args of all) {
      const violations = await violationsOf(client, { name, arguments: args }, round);
      if (violations.length > 0) findings.push({ sent: `${name} ${briefly(args)}`, violations });
    }
    tallies.push({ messages: all.length, findings });
  }
  const good = await violationsOf(client, { name: 'list_goals', arguments: {} }, round);
  return together([...tallies, { messages: 1, findings: good.length > 0 ? [{ sent: 'list_goals at the end', violations: good }] : [] }]);
}
