import type { ListedTool, Offer } from './tool.ts';

/** A word written like the name of a tool. */
const TOOL_LIKE = /\b[a-z]+(?:_[a-z]+)+\b|\bauthenticate\b/g;
const LIST = /\b[a-z]+(?:_[a-z]+)+\b(?:(?:, or |, and |, | or | and )[a-z]+(?:_[a-z]+)+\b)+/g;
/** Between two sentences: after the stop, before a capital, a quote or the name of a tool. */
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z"“`]|[a-z]+_[a-z])/;
/** Between two clauses, each of which can stand alone: a semicolon, or a comma before the name of a tool. */
const CLAUSE_END = /; |, (?=[a-z]+_[a-z]+\w* [a-z])/;

function names(text: string, absent: ReadonlySet<string>): boolean {
  return (text.match(TOOL_LIKE) ?? []).some((word) => absent.has(word));
}

/** `b` for `a, b or c` where a and c are absent; a list of absent tools alone stays, for its clause to go. */
function shortenList(list: string, absent: ReadonlySet<string>): string {
  const present = (list.match(TOOL_LIKE) ?? []).filter((word) => !absent.has(word));
  const conjunction = / and /.test(list) ? ' and ' : ' or ';
  const [last, ...before] = present.toReversed();
  if (last === undefined || !names(list, absent)) return list;
  return before.length > 0 ? `${before.toReversed().join(', ')}${conjunction}${last}` : last;
}

function capitalised(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}

function withoutClauses(sentence: string, absent: ReadonlySet<string>): string {
  if (!names(sentence, absent)) return sentence;
  const stop = /[.!?]$/.exec(sentence)?.[0] ?? '';
  const kept = sentence
    .slice(0, sentence.length - stop.length)
    .split(CLAUSE_END)
    .filter((clause) => !names(clause, absent));
  return kept.length > 0 ? `${capitalised(kept.join('; '))}${stop}` : '';
}

function ofLine(line: string, absent: ReadonlySet<string>): string {
  const shortened = line.replaceAll(LIST, (list) => shortenList(list, absent));
  const bare = shortened.replaceAll(/ \([^()]*\)/g, (group) => (names(group, absent) ? '' : group));
  return bare
    .split(SENTENCE_END)
    .map((sentence) => withoutClauses(sentence, absent))
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/**
 * A text without what sends its reader to tools that are left out: the name in a list of names, the parenthesis, the clause or the
 * sentence that holds it. Texts are written so that each part can go; empty where nothing is left.
 */
export function withoutAbsent(text: string, absent: ReadonlySet<string> | undefined): string {
  if (!absent || !names(text, absent)) return text;
  return text
    .split('\n')
    .map((line) => ofLine(line, absent))
    .filter((line) => line !== '')
    .join('\n');
}

/** The same for what must not be empty: where nothing would be left, the names alone go. */
export function someWithoutAbsent(text: string, absent: ReadonlySet<string> | undefined): string {
  const left = withoutAbsent(text, absent);
  return left === '' ? text.replaceAll(TOOL_LIKE, (word) => (absent?.has(word) ? 'a tool that is switched off' : word)) : left;
}

/** A JSON schema whose descriptions name no absent tool. */
function describedWithin(node: unknown, absent: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => describedWithin(item, absent));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === 'description' && typeof value === 'string' ? withoutAbsent(value, absent) : describedWithin(value, absent),
    ]),
  );
}

/** Those of all tools that `isOffered` picks, in their order, each described without the others. */
export function offerOf(all: readonly ListedTool[], isOffered: (tool: ListedTool) => boolean): Offer {
  const offered = all.filter(isOffered);
  const absent = new Set(all.filter((tool) => !isOffered(tool)).map(({ name }) => name));
  if (absent.size === 0) return { tools: offered, absent };
  const tools = offered.map((tool) => ({
    ...tool,
    description: withoutAbsent(tool.description, absent),
    inputSchema: describedWithin(tool.inputSchema, absent) as ListedTool['inputSchema'],
  }));
  return { tools, absent };
}
