import type { Stories } from '../../../src/emulator/world/index.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import type { Rest } from './rest.ts';

/** What must stand in an answer, found without the product. */
export interface Truth {
  /** Figures asked of the platform by plain requests and computed here, or what was planted in the world. */
  readonly by: 'REST' | 'planted';
  /** For people. */
  readonly says: string;
  /** Each must stand there as a figure, as exactly as it is written. */
  readonly figures?: readonly number[];
  readonly texts?: readonly string[];
  /** Must not stand there. */
  readonly without?: readonly string[];
  /** `said`: the sentences before the table; `text`: the whole answer. */
  readonly within: 'said' | 'text';
}

/** What a truth is found from. */
export interface Asked {
  readonly rest: Rest;
  readonly dates: Readonly<Record<string, string>>;
  readonly stories: Stories;
  readonly nowMs: number;
  /** The answer, for ids that it chose itself. */
  readonly text: string;
}

/** By number of the question and, behind a stroke, of the call from 0. */
export type Truths = Readonly<Record<string, (asked: Asked) => Promise<Truth | readonly Truth[]>>>;

/** The day `days` later, UTC. */
export const shift = (day: string | undefined, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The value as people read it. */
export const rounded = (value: number, digits = 2) => Number(value.toFixed(digits));

/** The sentences before the table: those of `answer` or `verdict`, else of the error. */
export function saidOf(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^(?:answer|verdict): /.test(line));
  if (start < 0) return '';
  const end = lines.findIndex(
    (line, index) =>
      index > start &&
      (/^\w[\w.]*(?: \(\d+.*\))?: ?/.test(line) || line.includes('\t')) &&
      !/^(?:Worst|Besides|Highest|Also|Special days|But|Visits|Runs|Mobile|Desktop)/.test(line),
  );
  return lines
    .slice(start, end < 0 ? undefined : end)
    .join('\n')
    .replace(/^(?:answer|verdict): /, '');
}

/** The first sentence; empty where an answer begins with its table. */
export function firstSentence(text: string): string {
  const [line = ''] = saidOf(text).split('\n');
  return /^.*?[.!?](?= [A-Z0-9]|$)/.exec(line)?.[0] ?? line;
}

interface Shown {
  readonly value: number;
  readonly decimals: number;
}

function shownIn(text: string): Shown[] {
  return [...text.matchAll(/(?<![\w.])[-−+±]?\d[\d,]*(?:\.\d+)?/g)].map(([match]) => {
    const plain = match.replaceAll(/[,+±]/g, '').replace('−', '-');
    return { value: Number(plain), decimals: plain.split('.')[1]?.length ?? 0 };
  });
}

/** What of the truth the answer lacks or says otherwise; none where they agree. */
export function disagreements({ figures = [], texts = [], without = [], within }: Truth, text: string): string[] {
  const read = within === 'said' ? saidOf(text) : text;
  const shown = shownIn(read);
  const stands = (figure: number) => shown.some(({ value, decimals }) => Math.abs(value - figure) <= 0.5 * 10 ** -decimals + 1e-9);
  return [
    ...figures.filter((figure) => !stands(figure)).map((figure) => `${rounded(figure, 4)} is not said`),
    ...texts.filter((each) => !read.includes(each)).map((each) => `"${each}" is not said`),
    ...without.filter((each) => read.includes(each)).map((each) => `"${each}" is said`),
  ];
}
