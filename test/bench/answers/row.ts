import type { Outcome } from './claim.ts';
import type { Call } from './question.ts';

/** One call of one question in one world, and what became of it. */
export interface Row {
  readonly number: number;
  readonly asked: string;
  readonly world: string;
  /** Place of the call within the question, from 0. */
  readonly call: number;
  readonly tool: Call[0];
  readonly args: Call[1];
  /** Calls that it took: more than one where an answer ran out of time and went on. */
  readonly calls: number;
  /** For reading; nothing is judged by it. */
  readonly first: string;
  /** What was found without the product, in words, and whether the answer holds it; empty where nothing can be found. */
  readonly judged: readonly { readonly truth: string; readonly outcome: Outcome }[];
  /** Of the text. */
  readonly tokens: number;
  /** Processor time of the product's process and its children; undefined where the system does not tell. */
  readonly processorMs: number | undefined;
}

/** From the best to the worst. */
const RANKS: readonly (Outcome | '')[] = ['yes', 'words', 'no', ''];

/** The worst outcome of a row; empty where nothing is judged. */
export const outcomeOfRow = ({ judged }: Row): Outcome | '' =>
  RANKS.toReversed().find((rank) => judged.some(({ outcome }) => outcome === rank)) ?? '';

/** What is kept of a row to compare a later build with. */
export type Kept = Readonly<Record<string, { readonly agrees: Outcome | ''; readonly calls: number; readonly tokens: number }>>;

export const keyOf = ({ number, world, call, tool }: Pick<Row, 'number' | 'world' | 'call' | 'tool'>) =>
  `${world} ${number}.${call + 1} ${tool}`;

/** The rows as they are kept. */
export function kept(rows: readonly Row[]): Kept {
  return Object.fromEntries(rows.map((row) => [keyOf(row), { agrees: outcomeOfRow(row), calls: row.calls, tokens: row.tokens }]));
}

/** Tokens may grow by this much: instants and ids are others in each run. */
const GROWTH = 1.1;

/** Sentences that name each row that is farther from the truth, or gone. */
export function fartherFromTruth(before: Kept, rows: readonly Row[]): string[] {
  const now = kept(rows);
  return Object.entries(before).flatMap(([key, was]) => {
    const is = now[key];
    if (!is) return [`${key}: is no longer asked`];
    return RANKS.indexOf(is.agrees) > RANKS.indexOf(was.agrees) ? [`${key}: agrees "${is.agrees}", "${was.agrees}" before`] : [];
  });
}

/** The same, and rows that take more calls or tokens: what goes before a call and the speed of the machine change these too. */
export function worse(before: Kept, rows: readonly Row[]): string[] {
  const dearer = Object.entries(kept(rows)).flatMap(([key, is]) => {
    const was = before[key] ?? is;
    return [
      ...(is.calls > was.calls ? [`${key}: ${is.calls} calls, ${was.calls} before`] : []),
      ...(is.tokens > was.tokens * GROWTH ? [`${key}: ${is.tokens} tokens, ${was.tokens} before`] : []),
    ];
  });
  return [...fartherFromTruth(before, rows), ...dearer];
}
