import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import type { GateRow } from '../gate-row.ts';
import { median } from '../measure.ts';
import { askWorld } from './asking.ts';
import { documentOf, PAGE } from './document.ts';
import { questions } from './questions.ts';
import { type Kept, kept, keyOf, outcomeOfRow, type Row, worse } from './row.ts';
import { drawnWorld, FIXED } from './world.ts';

const LAST = 'test/bench/answers/last.json';

const lastResults = async () => JSON.parse(await readFile(LAST, 'utf8')) as Kept;

function lineOf(row: Row): string {
  const lacks = row.judged.filter(({ outcome }) => outcome !== 'yes').map(({ truth, outcome }) => `    ${outcome}: ${truth}\n`);
  const outcome = outcomeOfRow(row) || 'no figure';
  return `${keyOf(row)}: ${outcome}, ${row.tokens} tokens, ${row.processorMs?.toFixed(0)} ms. ${row.first}\n${lacks.join('')}`;
}

/** What is asked, and of which worlds; left out: everything, of those that stay and one that is drawn. */
export interface AnswersOptions {
  readonly product: string;
  /** Of the drawn world. */
  readonly seed?: number;
  readonly numbers?: readonly number[];
  readonly tell?: (line: string) => void;
}

async function askWorlds({ product, seed = Math.floor(Math.random() * 1e9), numbers = [], tell = () => undefined }: AnswersOptions) {
  const worlds = [...FIXED, drawnWorld(seed)];
  const chosen = questions.filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  const rows: Row[] = [];
  for (const world of worlds) {
    tell(`World ${world.name}: --seed ${world.seed}, from ${world.clock}\n`);
    rows.push(...(await askWorld(product, world, chosen, (row) => tell(lineOf(row)))));
  }
  return { worlds, rows };
}

/** The value below which nine of ten lie. */
const ninth = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.ceil(0.9 * values.length) - 1] ?? Number.NaN;

/**
 * The rows of the gate: how many truths the answers hold as data, world by world, the tokens of their texts, and the processor time of a
 * call. The drawn world is named with its seed, so that no run is held against another's.
 */
export async function answersRows(options: AnswersOptions): Promise<GateRow[]> {
  const { worlds, rows } = await askWorlds(options);
  const fixed = rows.filter(({ world }) => FIXED.some(({ name }) => name === world));
  const tokens = fixed.map((row) => row.tokens);
  const times = fixed.flatMap(({ processorMs }) => processorMs ?? []);
  const shares = worlds.map(({ name, seed }): GateRow => {
    const judged = rows.filter(({ world }) => world === name).flatMap((row) => row.judged);
    const right = judged.filter(({ outcome }) => outcome === 'yes').length;
    const what = `answers: truths that they hold as data, world ${name === 'drawn' ? `of seed ${seed}, drawn` : name}`;
    return { what, value: (100 * right) / judged.length, unit: '%', better: 'higher' };
  });
  return [
    ...shares,
    { what: 'answers: text, median', value: median(tokens), unit: 'tokens', better: 'lower' },
    { what: 'answers: text, 90th percentile', value: ninth(tokens), unit: 'tokens', better: 'lower' },
    ...(times.length > 0
      ? [{ what: 'answers: processor time of a call, median', value: median(times), unit: 'ms', better: 'lower' } as const]
      : []),
  ];
}

/**
 * Asks the questions of users and holds the data of the answers against what is found without the product. `-u` writes the page and what
 * later builds are compared with; numbers ask only these questions; `--seed N` repeats a drawn world.
 */
export async function benchAnswers(product: string, args: readonly string[]): Promise<void> {
  const at = args.indexOf('--seed');
  const numbers = args.filter((arg, index) => /^\d+$/.test(arg) && (at < 0 || index !== at + 1)).map(Number);
  const tell = (line: string) => void process.stdout.write(line);
  const { worlds, rows } = await askWorlds({ product, numbers, tell, ...(at >= 0 && { seed: Number(args[at + 1]) }) });
  const fixed = rows.filter(({ world }) => FIXED.some(({ name }) => name === world));
  if (args.includes('-u') && numbers.length === 0) {
    // As the formatter has them.
    const lines = Object.entries(kept(fixed)).map(
      ([key, row]) => `  "${key}": ${JSON.stringify(row, null, 1).replaceAll(/\s*\n\s*/g, ' ')}`,
    );
    await writeFile(LAST, `{\n${lines.join(',\n')}\n}\n`);
    await writeFile(PAGE, documentOf(rows, worlds));
    return;
  }
  const asked = new Set(fixed.map(keyOf));
  const last = Object.entries(await lastResults()).filter(([key]) => numbers.length === 0 || asked.has(key));
  const complaints = worse(Object.fromEntries(last), fixed);
  for (const complaint of complaints) tell(`WORSE ${complaint}\n`);
  if (complaints.length > 0) process.exitCode = 1;
}
