import { expect } from 'vitest';
import type { OperationName } from '../../src/api/operations/index.ts';
import type { CredentialName } from '../../src/emulator/credentials.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { type Assistant, type AssistantOptions, sharedAssistant, type ToolAnswer, withAssistant } from '../support/assistant.ts';
import { type Platform, type PlatformOptions, sharedPlatform, withPlatform } from '../support/emulator.ts';
import { truthOf, type Wanted, wholeDays } from '../support/truth.ts';

/** A week that is over, from Monday to Sunday, as a caller and as the wire says it. */
export const WEEK = { startDate: '2026-11-09', endDate: '2026-11-15' };
export const WIRE_WEEK = { startDate: '2026-11-09T00:00:00.000Z', endDate: '2026-11-15T23:59:59.999Z' };

/** The whole product for one test file: tools to call through an MCP client, and the platform to ask itself what is true. */
export function useTools(options: AssistantOptions = {}, platformOptions: PlatformOptions = {}) {
  const platform = sharedPlatform(platformOptions);
  const assistant = sharedAssistant(platform, options);
  return {
    platform,
    assistant,
    /** What was asked for of an operation. */
    sent: (name: string) => platform().requests.filter(({ operation }) => operation === name),
    call: (tool: string, args: Record<string, unknown> = {}) => assistant().call(tool, args),
    /** What the sessions of the test week were, or of other days. */
    truth: (wanted: Partial<Wanted> = {}) => truthOf(platform(), { ...wholeDays(WEEK.startDate, WEEK.endDate), ...wanted }),
    /** The raw payload of an operation, without the product between; the project is that of the credential. */
    ask: async <Name extends OperationName>(operation: Name, input: Record<string, unknown> = {}, credential: CredentialName = 'shop') => {
      const { ask, token } = platform();
      return ask(operation, input, await token(credential));
    },
  };
}

/** The same with tables of metrics, of the visits of the test week unless a question says otherwise. */
export function useQueries(options: AssistantOptions = {}) {
  const tools = useTools(options);
  const query = (args: Record<string, unknown> = {}) => tools.call('query_metrics', { ...WEEK, metrics: ['visits'], ...args });
  return { ...tools, query, rowsOf: async (args: Record<string, unknown> = {}) => records(await query(args)) };
}

/** Runs with an assistant on a platform of its own; both are closed afterwards. */
export function withTools<T>(
  run: (assistant: Assistant, platform: Platform) => Promise<T>,
  options: AssistantOptions = {},
  platformOptions?: PlatformOptions,
): Promise<T> {
  return withPlatform((platform) => withAssistant(platform, options, (assistant) => run(assistant, platform)), platformOptions);
}

/** What an answer is that refuses in these words. */
export const refusal = (words: string | RegExp) => ({
  isError: true,
  text: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
});

/** Lines of a table that a snapshot shows, its head included; what tables hold is compared with the platform. */
const TABLE_LINES = 4;

/**
 * An answer as a snapshot holds it: its text and links, without the ports, ids of plans and folders of this run. The text is made from the
 * structured content and holds all of it (`test/tooling/two-channels.long.test.ts`).
 */
export function whole({ isError, text, links }: ToolAnswer): string {
  return [isError ? `error: ${text}` : text, ...links]
    .join('\n\n')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:port')
    .replace(/plan-[a-z0-9]{10}/g, 'plan-id')
    .replace(/\/[^\s"]*\/local-[0-9a-f]{24}\/http-127-0-0-1-\d+-[0-9a-f]{24}/g, '<workspace>')
    .replace(/(?:^.*\t.*\n){6,}/gm, (table) => {
      const lines = table.split('\n');
      return [...lines.slice(0, TABLE_LINES), `… ${lines.length - 1 - TABLE_LINES} more`, ''].join('\n');
    });
}

/** The plan that an answer names with the call that applies it; empty where it names none. */
export const planIn = (text: string) => /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})","confirm":true[,}]/.exec(text)?.[1] ?? '';

/** The table of an answer, a record for each row. */
export function records({ structured }: ToolAnswer): Record<string, unknown>[] {
  const { columns, rows } = structured;
  if (!Array.isArray(columns) || !Array.isArray(rows)) throw new TypeError('The answer holds no table.');
  return rows.map((row: unknown[]) => Object.fromEntries(columns.map((column, index) => [String(column), row[index]])));
}

/** A list of records of an answer. */
export function listIn({ structured }: ToolAnswer, member: string): Record<string, string | number | null>[] {
  const rows = structured[member];
  if (!Array.isArray(rows)) throw new TypeError(`The answer holds no ${member}.`);
  return rows;
}

/** The notes of an answer, a line each. */
export const notesOf = ({ structured }: ToolAnswer) => (structured['notes'] as string[]).join('\n');

/** The findings of an answer, the most important first; none where it has none. */
export const findingsOf = ({ structured }: ToolAnswer) => (structured['findings'] ?? []) as Finding[];

/** How a sentence about failed runs that are no more than before names the share before, as a pattern, by its record. */
export function failingBefore(answer: ToolAnswer): string {
  const found = findingsOf(answer).find(({ subject }) => subject === 'failedRuns');
  const [before, now] = [found?.against?.value, found?.now].map((percent) => Math.round(Number(percent)));
  return before === now ? ', as before' : ` \\(${before}% before, no significant change\\)`;
}

/** The only row of an answer's table. */
export function only(answer: ToolAnswer): Record<string, unknown> {
  const [row, ...rest] = records(answer);
  if (!row || rest.length > 0) throw new Error(`Expected one row, found ${rest.length + (row ? 1 : 0)}: ${answer.text}`);
  return row;
}
