import { describe, expect, it } from 'vitest';
import { seconds } from '../../src/api/deadline.ts';
import { type FaultKind, faultKinds } from '../../src/emulator/faults.ts';
import { type Assistant, openAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { reads, type Subject, strike, writes } from './fault-cells.ts';

const platform = sharedPlatform();

/** The deadline of a call whose token or grants hang; of the latter it waits a third. */
const HANG_MS = 1_500;

/** The first read and the first write of a session: both need grants and a token. */
const subjects = [...reads, ...writes].filter(({ tool }) => tool === 'list_segments' || tool === 'create_speed_event');

/** What a call says when no token can be had; undefined where one comes in the end. */
const withoutToken: Record<FaultKind, RegExp | undefined> = {
  'expired-token': /refused the token or credential of POST \/v1\/oauth\/token \(401, JWT_EXPIRED\).*Check client id and secret/,
  'rate-limit': /too busy for POST \/v1\/oauth\/token \(429/,
  'concurrent-call': /too busy for POST \/v1\/oauth\/token \(409/,
  'server-error': /failed at POST \/v1\/oauth\/token \(500/,
  unavailable: /failed at POST \/v1\/oauth\/token \(503/,
  'bad-gateway': /failed at POST \/v1\/oauth\/token \(502\): it says "502 Bad Gateway"/,
  reset: /connection to 127\.0\.0\.1:\d+ broke/,
  hang: new RegExp(`(given up after|No answer within) ${seconds(HANG_MS)}\\b`),
  slow: undefined,
  truncated: /answered POST \/v1\/oauth\/token with 200 and JSON that is broken/,
  refused: /did not accept POST \/v1\/oauth\/token \(200, REQUEST_REFUSED\)/,
  shape: /answered POST \/v1\/oauth\/token with 200 and text instead of JSON/,
  enveloped: undefined,
  'cut-download': /connection to 127\.0\.0\.1:\d+ broke/,
};

async function onFreshSession(kind: FaultKind, run: (assistant: Assistant, subject: Subject) => Promise<void>): Promise<void> {
  for (const subject of subjects) {
    const assistant = await openAssistant(platform(), kind === 'hang' ? { timeoutMs: HANG_MS } : {});
    try {
      await run(assistant, subject);
      platform().faults.clear();
      expect(await whileTimePasses(platform().clock, assistant.call('list_goals'))).toMatchObject({ isError: false });
    } finally {
      await assistant.close();
    }
  }
}

async function callUnder(kind: FaultKind, at: 'requestToken' | 'readCredential', subject: Subject, assistant: Assistant) {
  const added = platform().faults.add({ kind, operation: at });
  if (kind === 'slow') void added.reached().then(() => added.release());
  const mark = `${at} ${kind}`;
  platform().requests.length = 0;
  const answer = await whileTimePasses(platform().clock, assistant.call(subject.tool, subject.args(mark)));
  const requests = platform().requests.filter(({ operation }) => operation === subject.operation).length;
  expect(added.applied).toBeGreaterThan(0);
  return { answer, requests, effects: subject.effects?.(platform(), mark) ?? requests };
}

describe.each(faultKinds)('%s', (kind) => {
  it('at the token endpoint: nothing is sent to the service, so a write has certainly not happened', { tags: 'nightly' }, () =>
    onFreshSession(kind, async (assistant, subject) => {
      const { answer, requests, effects } = await callUnder(kind, 'requestToken', subject, assistant);
      const expected = withoutToken[kind];
      const sent = expected ? 0 : 1;
      expect(answer).toMatchObject({ isError: expected !== undefined, text: expect.stringMatching(expected ?? /./) });
      expect(answer.text).not.toMatch(/may have/);
      expect({ requests, effects }).toEqual({ requests: sent, effects: sent });
    }),
  );

  it('where the grants are read: the call does without them, unless the credential itself is refused', () =>
    onFreshSession(kind, async (assistant, subject) => {
      const { answer, requests, effects } = await callUnder(kind, 'readCredential', subject, assistant);
      const refused = kind === 'expired-token' ? /refused the token or credential of POST \/v1\/oauth\/me/ : undefined;
      const sent = refused ? 0 : 1;
      expect(answer).toMatchObject({ isError: refused !== undefined, text: expect.stringMatching(refused ?? /./) });
      expect({ requests, effects }).toEqual({ requests: sent, effects: sent });
    }));
});

describe('a token that expires', () => {
  it('between two calls: one renewal, the write happens once', async () => {
    const assistant = await openAssistant(platform());
    const [event] = writes;
    if (!event) throw new Error('There is no write to try.');
    try {
      await assistant.call('list_goals');
      platform().clock.jump(2 * 3_600_000);
      const { answer, requests, effects } = await strike(event, {
        fault: { kind: 'enveloped' },
        mark: 'two hours later',
        platform: platform(),
        assistant,
      });
      expect({ answer, requests, effects }).toMatchObject({ answer: { isError: false }, requests: 1, effects: 1 });
    } finally {
      platform().clock.jump(-2 * 3_600_000);
      await assistant.close();
    }
  });
});
