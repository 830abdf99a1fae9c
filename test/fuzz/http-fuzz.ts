import * as fc from 'fast-check';
import { HEADERS, openRawSession, post, post2026, request2026 } from '../support/http.ts';
import { hostileValue } from './hostile-values.ts';
import { type Raw, RESULT_TYPES, rawMessage } from './raw-messages.ts';
import { briefly, type Finding, type Round, type Tally } from './tool-fuzz.ts';
import { messageViolations } from './violations.ts';

/** The two eras of the protocol, by what a client of theirs sends. */
export type Era = '2025' | '2026';

/** One HTTP request. */
interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The method, where the body is a request. */
  readonly method?: unknown;
}

/** Visible ASCII without line ends, as header values are. */
function headerText(value: unknown): string {
  return briefly(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 200);
}

function requestOf(raw: Raw, era: Era, session: Record<string, string>): Sent {
  const own = era === '2025' ? { ...HEADERS, ...session } : { ...HEADERS, 'mcp-protocol-version': '2026-07-28' };
  if ('bytes' in raw) return { headers: own, body: raw.bytes };
  const { method, params } = raw;
  const isPlain = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (era === '2026' && isPlain && typeof method === 'string') {
    const { headers, body } = request2026(method, params as Record<string, unknown>);
    const shown = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, headerText(text)]));
    return { headers: shown, body, method };
  }
  return { headers: own, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), method };
}

/** Headers that contradict the body, in one request of five. */
const SPOILT = [
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'accept',
  'content-type',
  'traceparent',
  'last-event-id',
];

function spoiltHeaders(): fc.Arbitrary<Record<string, string>> {
  const one = fc.tuple(fc.constantFrom(...SPOILT), hostileValue()).map(([name, value]) => ({ [name]: headerText(value) }));
  return fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: one });
}

/** The messages of an answer; of a stream that stays open, those up to the first that ends or opens something. */
async function messagesOf(response: Response): Promise<string[]> {
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    const text = await response.text();
    return text === '' ? [] : [text];
  }
  const found: string[] = [];
  let rest = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + next.value).split('\n');
    rest = lines.pop() ?? '';
    found.push(...lines.filter((line) => line.startsWith('data: {')).map((line) => line.slice(6)));
    if (found.some((line) => /"(result|error)":|acknowledged/.test(line))) break;
  }
  await reader?.cancel();
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const isFault = (status: number) => status >= 500 && status !== 503;

async function violationsOf(url: string, { headers, body, method }: Sent, { rules, settle }: Round): Promise<string[]> {
  const response = await settle(fetch(url, { method: 'POST', headers, body }));
  const messages = await settle(messagesOf(response));
  const type = typeof method === 'string' && Object.hasOwn(RESULT_TYPES, method) ? RESULT_TYPES[method] : undefined;
  return [
    ...(isFault(response.status) ? [`is HTTP ${response.status}`] : []),
    ...messages.flatMap((text) => messageViolations(parsed(text), rules, type)),
  ];
}

/** Sends so many bodies in one era, then asks whether the server still answers in both. */
export async function fuzzHttp(url: string, era: Era, { runs, ...round }: Round & { runs: number }): Promise<Tally> {
  const session = await openRawSession(url);
  const all = fc.sample(fc.tuple(rawMessage(), spoiltHeaders()), { numRuns: runs, seed: round.seed });
  const findings: Finding[] = [];
  for (const [raw, spoilt] of all) {
    const sent = requestOf(raw, era, session);
    const violations = await violationsOf(url, { ...sent, headers: { ...sent.headers, ...spoilt } }, round);
    if (violations.length > 0) findings.push({ sent: `${era} ${briefly(sent.body)} ${briefly(spoilt)}`, violations });
  }
  const call = { name: 'list_goals', arguments: {} };
  const last = await openRawSession(url);
  const answers = [
    await round.settle(post(url, { id: 'end', method: 'tools/call', params: call }, last)),
    await round.settle(post2026(url, 'tools/call', call)),
  ];
  for (const { message } of answers)
    if (!message || !('result' in message))
      findings.push({ sent: `list_goals after ${era}`, violations: [`is not answered: ${briefly(message)}`] });
  // One of them may have been closed by what was sent.
  for (const headers of [session, last]) await fetch(url, { method: 'DELETE', headers });
  return { messages: all.length + answers.length, findings };
}
