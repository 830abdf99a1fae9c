import { expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { loadTool } from '../../src/commands/catalogue.ts';
import type { Log } from '../../src/lib/log.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { callTool } from '../../src/tooling/call-tool.ts';
import { createSession } from '../../src/tooling/session.ts';
import { ownAssistant } from '../support/assistant.ts';
import { manualClock } from '../support/clock.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';

const SECRET = 'canary/secret+7f3a9c';
const platform = sharedPlatform();

/** Calls a tool whose handler fails with this, as nothing foresees it. */
async function failWith(thrown: unknown) {
  const lines: string[] = [];
  const log: Log = (_level, words) => void lines.push(words);
  const client = { redact: createRedactor([SECRET]) } as Client; // nothing else of it is reached
  const session = createSession({
    connect: async () => client,
    log,
    clock: manualClock('2026-11-20T10:00:00Z'),
    timeZone: 'UTC',
    maxResultTokens: 1_000,
    rawHar: false,
    workspace: NO_WORKSPACE,
  });
  const tool = await loadTool('list_scenarios');
  const failing = {
    ...tool,
    async handler() {
      throw thrown;
    },
  };
  const outcome = await callTool(failing, {}, { session, signal: new AbortController().signal, canAsk: false });
  if ('ask' in outcome) throw new Error('Nothing is to be asked.');
  return { text: outcome.text, lines };
}

it.each([
  new Error(`Invalid regular expression: /${SECRET}|${'x'.repeat(200_000)}/: too large`),
  new RangeError('Maximum call stack size exceeded'),
  SECRET,
  undefined,
])(
  'a failure that nothing foresees is answered without its words, which go to the log under the same reference, without secrets: %#',
  async (error) => {
    const { text, lines } = await failWith(error);
    const reference = /\(reference ([\da-f]{8})\)/.exec(text)?.[1];
    expect(text).toBe(
      `Unexpected failure inside the server (reference ${reference}). Report it to the maintainers; the server's log has the details.`,
    );
    expect(lines).toEqual([expect.stringContaining(`unexpected failure ${reference}: `)]);
    expect(lines[0]?.length).toBeLessThan(2_100);
    expect(lines[0]).not.toContain(SECRET);
  },
);

it.each<[string, Record<string, unknown>]>([
  ['authenticate', { scope: 'x'.repeat(1_000_000) }],
  ['get_site_visits', { startDate: 'x'.repeat(1_000_000), endDate: 'today' }],
  ['list_goals', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`unknown${index}`, 1]))],
])('no error is longer than an answer may be %s', async (tool, args) => {
  const assistant = await ownAssistant(platform(), { maxResultTokens: 300 });
  const { isError, text } = await assistant.call(tool, args);
  expect(isError).toBe(true);
  expect(text.length).toBeLessThanOrEqual(1_200);
});
