import { isSpecType, type SpecTypeName } from '@modelcontextprotocol/client';
import type { Credentials } from '../../src/emulator/credentials.ts';
import { SECRET_MARK } from '../../src/emulator/world/speed/planted-secrets.ts';
import { PASTED_TOKEN } from './hostile-values.ts';

/** What no text of an answer may hold: signs that something inside was not foreseen, or came out unworded. */
const INTERNALS: readonly (readonly [string, RegExp])[] = [
  ['an exhausted stack', /Maximum call stack/i],
  ['a stack trace', /\n\s+at .+[:(]\d+:\d+/],
  [
    'words of the language about a fault',
    /Cannot (read|set) propert|is not (a function|iterable|a constructor)|Cannot convert|circular structure/i,
  ],
  ['words of the schema library', /ZodError|invalid_type|unrecognized_keys|invalid_union|too_(big|small)\b|_zod\b|"code":\s*"invalid/],
  ['words of the operating system', /\b(ENOENT|EACCES|EISDIR|ENOTDIR|ENAMETOOLONG|ERR_[A-Z_]{4,})\b/],
  ['a value that is none', /\bundefined\b|\bNaN\b|\[object [A-Z]\w*\]/],
  ['a failure that was not foreseen', /Unexpected failure inside the server|Internal (server )?error/i],
];

/** What no result may hold either; errors of the protocol quote the message to the one who sent it. */
const UNSEEN: (typeof INTERNALS)[number] = [
  'characters that are not seen or turn the direction',
  /(?!\s)\p{Cc}|[\u200B\u202A-\u202E\u2060-\u2069\uFEFF]/u,
];

/** Bounds of an answer and what must stand in none. */
export interface Rules {
  /** Characters of each channel. */
  readonly maxChars: number;
  /** Values that no answer may show. */
  readonly secrets: readonly string[];
  /** Those of them that the server can tell from other text, so that they may be sent as arguments of tools. */
  readonly known: readonly string[];
}

/** The usual limit of an answer (settings), in characters of one channel. */
const MAX_CHARS = 80_000;

/** What must stand in no answer of a server with the emulator's account. */
export function rulesFor(credentials: Credentials): Rules {
  const known = [credentials.account.clientSecret, credentials.enrichment.clientSecret, PASTED_TOKEN];
  const others = Object.values(credentials).map(({ clientSecret }) => clientSecret);
  return { maxChars: MAX_CHARS, known, secrets: [...known, ...others, SECRET_MARK] };
}

/** Every text within a value, names of members included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** The part of a text around a finding, short enough for a log. */
function around(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 100));
}

/** What of a channel breaks the rules, one sentence each. */
function channelViolations(channel: unknown, { maxChars, secrets }: Rules, patterns = INTERNALS): string[] {
  const size = typeof channel === 'string' ? channel.length : (JSON.stringify(channel)?.length ?? 0);
  const shown = textsIn(channel).flatMap((text) => [
    ...patterns.flatMap(([what, pattern]) => {
      const found = pattern.exec(text);
      return found ? [`shows ${what}: ${around(text, found.index)}`] : [];
    }),
    ...secrets.filter((secret) => text.includes(secret)).map((secret) => `shows a secret: ${around(text, text.indexOf(secret))}`),
  ]);
  return size > maxChars ? [`is ${size} characters long, of ${maxChars}`, ...shown] : shown;
}

/** What is wrong with the result of a tool, one sentence each. */
export function resultViolations(result: unknown, rules: Rules): string[] {
  if (!isSpecType.CallToolResult(result)) return [`is no result of a tool call: ${JSON.stringify(result).slice(0, 300)}`];
  const { content = [], structuredContent } = result;
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const links = content.filter((block) => block.type === 'resource_link');
  // The data of a chart stand outside of the limit, as its picture does.
  const { chart, ...structured } = (structuredContent ?? {}) as Record<string, unknown>;
  return [texts.join('\n'), structured, chart ?? {}, links].flatMap((channel) => channelViolations(channel, rules, [...INTERNALS, UNSEEN]));
}

const INTERNAL_ERROR = -32_603;

/**
 * A refusal of what has no readable id bears none: JSON-RPC writes null there, the protocol's schema leaves it out. A number that is no
 * id comes back as it was sent.
 */
function withoutOddId(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('id' in message) || !('error' in message)) return message;
  const { id, ...rest } = message;
  return id === null || (typeof id === 'number' && !Number.isSafeInteger(id)) ? rest : message;
}

/** What is wrong with any message that the server sends, one sentence each; `type` names the result that its request is answered with. */
export function messageViolations(sent: unknown, rules: Rules, type?: SpecTypeName): string[] {
  const message = withoutOddId(sent);
  if (!isSpecType.JSONRPCMessage(message)) return [`is no message of JSON-RPC: ${JSON.stringify(message).slice(0, 300)}`];
  if ('error' in message) {
    const code = message.error.code === INTERNAL_ERROR ? [`is an internal error: ${message.error.message.slice(0, 200)}`] : [];
    return [...code, ...channelViolations(message.error.message, rules), ...channelViolations(message.error.data ?? '', rules)];
  }
  if (!('result' in message)) return channelViolations(message, rules);
  const { result } = message;
  if (type === 'CallToolResult') return resultViolations(result, rules);
  return type !== undefined && !isSpecType[type](result) ? [`is no ${type}: ${JSON.stringify(result).slice(0, 300)}`] : [];
}
