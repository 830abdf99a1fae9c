import { describe, expect, it } from 'vitest';
import { type FaultKind, faultKinds } from '../../src/emulator/faults.ts';
import { type Assistant, openAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { authentication, type Cell, enrichment, reads, type Subject, strike, writes } from './fault-cells.ts';

const platform = sharedPlatform();
const patient = sharedAssistant(platform);
const HASTY_MS = 200;
/** No cell waits in real time; a hang ends with its deadline. */
const LONGEST_MS = 2_000;
const hasty = sharedAssistant(platform, { timeoutMs: HASTY_MS });

/** What an answer says of each kind of failure, next step included. */
const words = {
  unauthorized:
    /^(The service|The authentication server|A token fetched a moment ago).*\(401, JWT_EXPIRED\).*\n.*credential was refused: ask the user/s,
  invalid: /did not accept .*it says "The request was refused\."\.\nCorrect the arguments and call again\.$/,
  'busy, wait a second': /is too busy for .*\(429, TOO_MANY_REQUESTS\).*\nWait 1 seconds, then call again\.$/,
  busy: /is too busy for .*\(409, CONCURRENT_API_CALL\).*\nThe platform limits calls: wait, then call again\.$/,
  down: /(failed at .*\(50\d|The connection to 127\.0\.0\.1:\d+ broke)/,
  timeout: /(The call was given up after|No answer within) 200 ms/,
  shape: /answered .* with 200 and (JSON that is broken or cut short|an unknown shape|text instead of JSON)/,
} as const;

interface Outcome {
  readonly says?: keyof typeof words;
  /** Requests of the operation that the service sees, at least and at most. */
  readonly requests: readonly [number, number];
  readonly effects: number;
  readonly outcomeUnknown: boolean;
}

const recovers = (requests: number): Outcome => ({ requests: [requests, requests], effects: 1, outcomeUnknown: false });
const fails = (says: keyof typeof words, requests: number, most = requests): Outcome => ({
  says,
  requests: [requests, most],
  effects: 0,
  outcomeUnknown: false,
});
/** A write that was sent once and whose fate is unknown; in truth it happened or not. */
const uncertain = (says: keyof typeof words, effects: 0 | 1): Outcome => ({ says, requests: [1, 1], effects, outcomeUnknown: true });

type Column = 'read' | 'write' | 'enrichment' | 'authenticate';
/** When the fault strikes once, and when it stays. */
type Outcomes = readonly [once: Outcome, always: Outcome];

const both = (outcome: Outcome): Outcomes => [outcome, outcome];
/** Refused for certain: a write may be repeated like a read. */
const surely = (says: keyof typeof words): Record<Column, Outcomes> => {
  const outcomes: Outcomes = [recovers(2), fails(says, 3)];
  return { read: outcomes, write: outcomes, enrichment: outcomes, authenticate: outcomes };
};
/** Lost on the way: reads are repeated, writes never. */
const lost = (effects: 0 | 1): Record<Column, Outcomes> => {
  const again: Outcomes = [recovers(2), fails('down', 3)];
  const once = both(uncertain('down', effects));
  return { read: again, write: once, enrichment: once, authenticate: again };
};
const renewed: Outcomes = [recovers(2), fails('unauthorized', 2)];

const table: Record<FaultKind, Record<Column, Outcomes>> = {
  'expired-token': { read: renewed, write: renewed, enrichment: renewed, authenticate: both(fails('unauthorized', 1)) },
  'rate-limit': surely('busy, wait a second'),
  'concurrent-call': surely('busy'),
  'server-error': lost(0),
  unavailable: lost(0),
  'bad-gateway': lost(0),
  reset: lost(0),
  'cut-download': lost(1),
  // A hang always stays here; that a read survives one is shown below.
  hang: {
    read: both(fails('timeout', 1, 2)),
    write: both(uncertain('timeout', 0)),
    enrichment: both(uncertain('timeout', 0)),
    authenticate: both(fails('timeout', 1, 2)),
  },
  slow: { read: both(recovers(1)), write: both(recovers(1)), enrichment: both(recovers(1)), authenticate: both(recovers(1)) },
  truncated: {
    read: both(fails('shape', 1)),
    write: both(uncertain('shape', 1)),
    enrichment: both(uncertain('shape', 1)),
    authenticate: both(fails('shape', 1)),
  },
  shape: {
    read: both(fails('shape', 1)),
    write: both(uncertain('shape', 1)),
    // What enrichment answers is not documented: any 2xx counts.
    enrichment: both(recovers(1)),
    authenticate: both(fails('shape', 1)),
  },
  refused: {
    read: both(fails('invalid', 1)),
    write: both(fails('invalid', 1)),
    enrichment: both(fails('invalid', 1)),
    authenticate: both(fails('invalid', 1)),
  },
  enveloped: { read: both(recovers(1)), write: both(recovers(1)), enrichment: both(recovers(1)), authenticate: both(recovers(1)) },
};

const subjects: { column: Column; subject: Subject }[] = [
  ...reads.map((subject) => ({ column: 'read' as const, subject })),
  ...writes.map((subject) => ({ column: 'write' as const, subject })),
  { column: 'enrichment', subject: enrichment },
  { column: 'authenticate', subject: authentication },
];

function leaks({ text, structured, links }: Cell['answer']): boolean {
  const seen = JSON.stringify([text, structured, links]);
  return /eyJ|Bearer [^[]/.test(seen) || Object.values(platform().credentials).some(({ clientSecret }) => seen.includes(clientSecret));
}

const WARNS = /It may have taken effect all the same\..*\n(Look with list_|A resend of the same records overwrites)/s;

/** What of a cell is not as expected, one sentence each. */
function complaints({ answer, requests, effects }: Cell, { says, outcomeUnknown, ...expected }: Outcome): string[] {
  const [least, most] = expected.requests;
  const { text, isError } = answer;
  const warned = outcomeUnknown ? WARNS.test(text) : !/may have/.test(text);
  return [
    isError === (says !== undefined) ? '' : `isError is ${isError}: ${text}`,
    says === undefined || words[says].test(text) ? '' : `not the words of ${says}: ${text}`,
    requests >= least && requests <= most ? '' : `${requests} requests reached the service, expected ${expected.requests.join(' to ')}`,
    effects === undefined || effects === expected.effects ? '' : `${effects} effects instead of ${expected.effects}`,
    warned ? '' : `wrong about whether the write may have happened: ${text}`,
    leaks(answer) ? `a secret is shown: ${text}` : '',
  ].filter((sentence) => sentence !== '');
}

async function expectHealthy(assistant: Assistant): Promise<void> {
  expect(await whileTimePasses(platform().clock, assistant.call('list_goals'))).toMatchObject({ isError: false });
}

describe.each(faultKinds)('%s', (kind) => {
  const isHang = kind === 'hang';

  it.each(subjects)('$column: $subject.tool', async ({ column, subject }) => {
    const [once, always] = table[kind][column];
    const rounds = isHang ? [{ expected: always }] : [{ times: 1, expected: once }, { expected: always }];
    const assistant = isHang ? hasty() : patient();
    // Tokens are there and what is cold has been computed before a short deadline begins.
    for (const each of [patient(), assistant])
      await whileTimePasses(platform().clock, each.call(subject.tool, subject.args(`warm ${kind} ${each === assistant}`)));
    for (const { expected, ...often } of rounds) {
      const started = performance.now();
      const cell = await strike(subject, {
        fault: { kind, ...often },
        mark: `${kind} ${'times' in often ? 'once' : 'always'}`,
        platform: platform(),
        assistant,
      });
      expect(complaints(cell, expected)).toEqual([]);
      expect(performance.now() - started).toBeLessThan(LONGEST_MS);
      await expectHealthy(assistant);
    }
  });
});

it('a read survives one hang, and is asked again before the deadline', async () => {
  const assistant = await openAssistant(platform(), { timeoutMs: 900 });
  try {
    const [subject] = reads;
    if (!subject) throw new Error('There is no read to try.');
    await expectHealthy(assistant);
    const cell = await strike(subject, { fault: { kind: 'hang', times: 1 }, mark: 'one hang', platform: platform(), assistant });
    expect(complaints(cell, recovers(2))).toEqual([]);
  } finally {
    await assistant.close();
  }
});

describe('the answer to a write is lost after the write was done', () => {
  it.each(['server-error', 'unavailable', 'bad-gateway', 'reset', 'hang'] as const)('%s', async (kind) => {
    const assistant = kind === 'hang' ? hasty() : patient();
    await expectHealthy(assistant);
    for (const subject of [...writes, enrichment]) {
      if (kind === 'hang') await assistant.call(subject.tool, subject.args(`warm after ${kind}`));
      const mark = `${kind} after`;
      const cell = await strike(subject, { fault: { kind, afterEffect: true }, mark, platform: platform(), assistant });
      expect(complaints(cell, uncertain(kind === 'hang' ? 'timeout' : 'down', 1))).toEqual([]);
      await expectHealthy(assistant);
    }
  });

  it('a 503 that names the time to come back does not make a write certain to have failed', async () => {
    for (const subject of [...writes, enrichment]) {
      const fault = { kind: 'unavailable', retryAfter: 1 } as const;
      const { answer, requests } = await strike(subject, { fault, mark: '503 with a time', platform: platform(), assistant: patient() });
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(/is too busy for .*\(503/);
      expect(answer.text).toMatch(/It may have taken effect all the same/);
      expect(requests).toBe(1);
    }
  });
});
