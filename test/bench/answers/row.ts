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
  readonly first: string;
  readonly truth: string;
  /** Empty where no figure can be found apart. */
  readonly agrees: 'yes' | 'no' | '';
  /** What the answer lacks. */
  readonly lacks: readonly string[];
  readonly tokens: number;
}

/** What is kept of a row to compare a later build with. */
export type Kept = Readonly<Record<string, Pick<Row, 'agrees' | 'calls' | 'tokens'>>>;

export const keyOf = ({ number, world, call, tool }: Pick<Row, 'number' | 'world' | 'call' | 'tool'>) =>
  `${world} ${number}.${call + 1} ${tool}`;

/** The rows as they are kept. */
export function kept(rows: readonly Row[]): Kept {
  return Object.fromEntries(rows.map((row) => [keyOf(row), { agrees: row.agrees, calls: row.calls, tokens: row.tokens }]));
}

/** Tokens may grow by this much: instants and ids are others in each run. */
const GROWTH = 1.1;

/** Sentences that name each row that got worse: wrong where it was right, more calls, more tokens, or gone. */
export function worse(before: Kept, rows: readonly Row[]): string[] {
  const now = kept(rows);
  return Object.entries(before).flatMap(([key, was]) => {
    const is = now[key];
    if (!is) return [`${key}: is no longer asked`];
    return [
      ...(was.agrees === 'yes' && is.agrees !== 'yes' ? [`${key}: agreed with the truth before, no longer does`] : []),
      ...(is.calls > was.calls ? [`${key}: ${is.calls} calls, ${was.calls} before`] : []),
      ...(is.tokens > was.tokens * GROWTH ? [`${key}: ${is.tokens} tokens, ${was.tokens} before`] : []),
    ];
  });
}
