import { performance } from 'node:perf_hooks';
import { seconds } from '../../src/api/deadline.ts';
import type { FaultKind } from '../../src/emulator/faults.ts';
import type { Assistant } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { authentication, type Cell, enrichment, reads, type Subject, strike, writes } from './fault-cells.ts';

/** The deadline of the caller that waits for what hangs: long enough for every other call, however busy the machine is. */
export const HASTY_MS = 1_000;

/** What an answer says of each kind of failure, next step included. */
const words = {
  unauthorized: /^(The (authentication server|service)|A token fetched a moment ago).*\(401, JWT_EXPIRED\).* Check client ID and secret;/,
  invalid: /did not accept .*it says "The request was refused\."\.\nCorrect the arguments and call again\.$/,
  'busy, wait a second': /is too busy for .*\(429, TOO_MANY_REQUESTS\).*\nWait 1 seconds, then call again\.$/,
  busy: /is too busy for .*\(409, CONCURRENT_API_CALL\).*\nThe platform limits calls: wait, then call again\.$/,
  down: /(failed at .*\(50\d|The connection to 127\.0\.0\.1:\d+ broke)/,
  timeout: new RegExp(`(The call was given up after|No answer within) ${seconds(HASTY_MS)}\\b`),
  shape: /answered .* with 200 and (JSON that is broken or cut short|an unknown shape|text instead of JSON)/,
} as const;

/** What has to become of a call. */
export interface Outcome {
  readonly says?: keyof typeof words;
  /** Requests of the operation that the service sees, at least and at most. */
  readonly requests: readonly [number, number];
  readonly effects: number;
  readonly outcomeUnknown: boolean;
}

/** It succeeds after so many requests. */
export const recovers = (requests: number): Outcome => ({ requests: [requests, requests], effects: 1, outcomeUnknown: false });
/** It fails in these words, and nothing has happened. */
const fails = (says: keyof typeof words, requests: number, most = requests): Outcome => ({
  says,
  requests: [requests, most],
  effects: 0,
  outcomeUnknown: false,
});
/** A write that was sent once and whose fate is unknown; in truth it happened or not. */
export const uncertain = (says: keyof typeof words, effects: 0 | 1): Outcome => ({ says, requests: [1, 1], effects, outcomeUnknown: true });

type Column = 'read' | 'write' | 'enrichment' | 'authenticate';
/** When the fault strikes once, and when it stays. */
type Outcomes = readonly [once: Outcome, always: Outcome];

const both = (outcome: Outcome): Outcomes => [outcome, outcome];
const alike = (outcomes: Outcomes): Record<Column, Outcomes> => parted(outcomes, outcomes);
/** Reads, a token among them, and what writes. */
const parted = (reading: Outcomes, writing: Outcomes): Record<Column, Outcomes> => ({
  read: reading,
  write: writing,
  enrichment: writing,
  authenticate: reading,
});
/** Refused for certain: a write may be repeated like a read. */
const surely = (says: keyof typeof words) => alike([recovers(2), fails(says, 3)]);
/** Lost on the way: reads are repeated, writes never. */
const lost = (effects: 0 | 1) => parted([recovers(2), fails('down', 3)], both(uncertain('down', effects)));
const unknownShape = parted(both(fails('shape', 1)), both(uncertain('shape', 1)));

/**
 * What the rules of the tools demand, by kind of fault and of operation: what is surely refused is repeated, what may have happened is
 * repeated for reads alone.
 */
const table: Record<FaultKind, Record<Column, Outcomes>> = {
  'expired-token': { ...alike([recovers(2), fails('unauthorized', 2)]), authenticate: both(fails('unauthorized', 1)) },
  'rate-limit': surely('busy, wait a second'),
  'concurrent-call': surely('busy'),
  'server-error': lost(0),
  unavailable: lost(0),
  'bad-gateway': lost(0),
  reset: lost(0),
  'cut-download': lost(1),
  // A hang always stays here; that a read survives one is shown below.
  hang: parted(both(fails('timeout', 1, 2)), both(uncertain('timeout', 0))),
  slow: alike(both(recovers(1))),
  truncated: unknownShape,
  // The reference does not document the answer of enrichment, so any 2xx counts as success.
  shape: { ...unknownShape, enrichment: both(recovers(1)) },
  refused: alike(both(fails('invalid', 1))),
  enveloped: alike(both(recovers(1))),
};

/** Every subject with the column of the table that holds for it. */
export const subjects: { column: Column; subject: Subject }[] = [
  ...reads.map((subject) => ({ column: 'read' as const, subject })),
  ...writes.map((subject) => ({ column: 'write' as const, subject })),
  { column: 'enrichment', subject: enrichment },
  { column: 'authenticate', subject: authentication },
];

function leaks({ text, structured, links }: Cell['answer'], { credentials }: Platform): boolean {
  const seen = JSON.stringify([text, structured, links]);
  return /eyJ|Bearer [^[]/.test(seen) || Object.values(credentials).some(({ clientSecret }) => seen.includes(clientSecret));
}

const WARNS = /It may have taken effect all the same\..*\n(Look with list_|A resend of the same records overwrites)/s;

/** The outcome of a cell in one word: ok, or the kind of failure that its words say. */
export function kindOf({ answer }: Cell): string {
  if (!answer.isError) return 'ok';
  return Object.entries(words).find(([, pattern]) => pattern.test(answer.text))?.[0] ?? 'other';
}

/** What of a cell is not as expected, one sentence each. */
export function complaints(
  { answer, requests, effects }: Cell,
  { says, outcomeUnknown, ...expected }: Outcome,
  platform: Platform,
): string[] {
  const [least, most] = expected.requests;
  const { text, isError } = answer;
  const warned = outcomeUnknown ? WARNS.test(text) : !/may have/.test(text);
  return [
    isError === (says !== undefined) ? '' : `isError is ${isError}: ${text}`,
    says === undefined || words[says].test(text) ? '' : `not the words of ${says}: ${text}`,
    requests >= least && requests <= most ? '' : `${requests} requests reached the service, expected ${expected.requests.join(' to ')}`,
    effects === undefined || effects === expected.effects ? '' : `${effects} effects instead of ${expected.effects}`,
    warned ? '' : `wrong about whether the write may have happened: ${text}`,
    leaks(answer, platform) ? `a secret is shown: ${text}` : '',
  ].filter((sentence) => sentence !== '');
}

/** One cell of the matrix: what happened, and what of it the rules do not allow. */
interface Run {
  readonly often: 'once' | 'always';
  readonly cell: Cell;
  readonly complaints: readonly string[];
  /** How long the process had nothing to do meanwhile: not the time that other work of the machine took from it. */
  readonly waitedMs: number;
}

/** Calls one subject under a fault that strikes once and under one that stays; a hang always stays. */
export async function runCells(
  kind: FaultKind,
  { column, subject }: (typeof subjects)[number],
  { platform, patient, hasty }: { platform: Platform; patient: Assistant; hasty: Assistant },
): Promise<readonly Run[]> {
  const [once, always] = table[kind][column];
  const rounds = [
    { often: 'once', expected: once, times: 1 },
    { often: 'always', expected: always },
  ] as const;
  const caller = kind === 'hang' ? hasty : patient;
  // Tokens are there and what is cold has been computed before a short deadline begins.
  for (const [name, each] of Object.entries({ patient, own: caller }))
    await whileTimePasses(platform.clock, each.call(subject.tool, subject.args(`warm ${kind} ${name}`)));
  const runs: Run[] = [];
  for (const { often, expected, ...times } of kind === 'hang' ? rounds.slice(1) : rounds) {
    const before = performance.eventLoopUtilization();
    const cell = await strike(subject, { fault: { kind, ...times }, mark: `${kind} ${often}`, platform, assistant: caller });
    runs.push({ often, cell, complaints: complaints(cell, expected, platform), waitedMs: performance.eventLoopUtilization(before).idle });
  }
  return runs;
}
