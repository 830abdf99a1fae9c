import { isRecord } from '../../../src/lib/is-record.ts';

/** What a host knows of a tool before it loads it. */
export interface Searched {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** Usual values of the measure (Robertson and Zaragoza 2009): how soon repetition stops to count, and how much length counts. */
const [K1, B] = [1.2, 0.75];

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Names and descriptions of all arguments, those inside of arguments included. */
function argumentWords(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  const own = properties.flatMap(([name, argument]) => [
    ...wordsOf(name),
    ...(isRecord(argument) && typeof argument['description'] === 'string' ? wordsOf(argument['description']) : []),
    ...argumentWords(argument),
  ]);
  return [...own, ...argumentWords(schema['items'])];
}

/**
 * A search as hosts document it: BM25 over tool names, descriptions, argument names and argument descriptions, words as they are written,
 * without stems or synonyms. Gives the names of the tools that share a word with the question, the best first.
 */
export function searchOver(tools: readonly Searched[]): (question: string) => string[] {
  const documents = tools.map(({ name, description, inputSchema }) => {
    const words = [...wordsOf(name.replaceAll('_', ' ')), ...wordsOf(description ?? ''), ...argumentWords(inputSchema)];
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { name, counts, length: words.length };
  });
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const weightOf = (word: string) => {
    const holders = documents.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5));
  };
  const scoreOf = ({ counts, length }: (typeof documents)[number], words: readonly string[]) =>
    words.reduce((sum, word) => {
      const count = counts.get(word) ?? 0;
      return sum + (weightOf(word) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / meanLength));
    }, 0);
  return (question) => {
    const words = wordsOf(question);
    return documents
      .map((document) => ({ name: document.name, score: scoreOf(document, words) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || a.name.localeCompare(b.name))
      .map(({ name }) => name);
  };
}

/** Tools that a host loads of what it found. */
export const LOADED = 5;
