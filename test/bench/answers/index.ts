import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { sentencesOf } from '../../../src/lib/sentences.ts';
import type { GateRow } from '../gate-row.ts';
import { median } from '../measure.ts';
import type { Called } from '../peer.ts';
import { type Claim, outcomeOf, wordsOf } from './claim.ts';
import { documentOf, PAGE } from './document.ts';
import { exportTruths } from './export-truths.ts';
import { metricTruths } from './metric-truths.ts';
import type { Call, Question } from './question.ts';
import { questions } from './questions.ts';
import { type Kept, kept, keyOf, outcomeOfRow, type Row, worse } from './row.ts';
import { speedTruths } from './speed-truths.ts';
import type { Asked, Truths } from './truth.ts';
import { drawnWorld, FIXED, type OpenWorld, openWorld, type WorldOf } from './world.ts';

const LAST = 'test/bench/answers/last.json';
const truths: Truths = { ...metricTruths, ...speedTruths, ...exportTruths };

async function claimsOf(number: number, call: number, asked: Asked): Promise<readonly Claim[]> {
  const found = await (truths[`${number}/${call}`] ?? (call === 0 ? truths[number] : undefined))?.(asked);
  return found ? [found].flat() : [];
}

/** Asks until the answer is of everything that was asked: one that ran out of time gives a cursor. */
async function askWhole(world: OpenWorld, [tool, args]: Call) {
  const answers = [await world.call([tool, args])];
  for (let cursor = answers[0]?.structured?.['cursor']; cursor !== undefined && answers.length < 4; ) {
    const next = await world.call([tool, { ...args, cursor }]);
    answers.push(next);
    cursor = next.structured?.['cursor'];
  }
  return answers;
}

/** For reading: the first sentence of an answer, empty where it has none. */
function firstSentence({ text, isError, structured }: Called): string {
  if (isError) return text.slice(0, 300).split('\n')[0] ?? '';
  const said = structured?.['answer'];
  return typeof said === 'string' ? (sentencesOf(said)[0] ?? '') : '';
}

async function askQuestion(question: Question, name: string, world: OpenWorld): Promise<Row[]> {
  const { number, asked } = question;
  const rows: Row[] = [];
  for (const [index, call] of question.calls.entries()) {
    const startMs = world.now();
    const ask = async () => {
      const own = await askWhole(world, call);
      return { own, claims: await claimsOf(number, index, { ...world, startMs, nowMs: world.now(), structured: own[0]?.structured }) };
    };
    let { own: answers, claims } = await ask();
    let calls = answers.length;
    // One whose time was over keeps what it read and asks to be called again, as happens on a busy machine: a refusal alone is an answer.
    for (let turn = 0; turn < 2 && answers.some(({ isError }) => isError) && !claims.some(({ refused }) => refused); turn += 1) {
      ({ own: answers, claims } = await ask());
      calls += answers.length;
    }
    const times = answers.flatMap(({ processorMs }) => processorMs ?? []);
    rows.push({
      number,
      asked,
      world: name,
      call: index,
      tool: call[0],
      args: call[1],
      calls,
      first: answers.slice(0, 1).map(firstSentence).join(''),
      judged: claims.map((claim) => {
        const outcomes = new Set(answers.map((answer) => outcomeOf(claim, answer)));
        // A figure may be in any part of an answer; what must not be there is looked for in all.
        const best = (['yes', 'words', 'no'] as const).find((each) => outcomes.has(each)) ?? 'no';
        return { truth: wordsOf(claim), outcome: claim.none && outcomes.has('no') ? 'no' : best };
      }),
      tokens: answers.reduce((sum, { text }) => sum + encode(text).length, 0),
      processorMs: times.length === answers.length ? times.reduce((sum, each) => sum + each, 0) : undefined,
    });
  }
  return rows;
}

const lastResults = async () => JSON.parse(await readFile(LAST, 'utf8')) as Kept;

function lineOf(row: Row): string {
  const lacks = row.judged.filter(({ outcome }) => outcome !== 'yes').map(({ truth, outcome }) => `    ${outcome}: ${truth}\n`);
  const outcome = outcomeOfRow(row) || 'no figure';
  return `${keyOf(row)}: ${outcome}, ${row.tokens} tokens, ${row.processorMs?.toFixed(0)} ms. ${row.first}\n${lacks.join('')}`;
}

/** Asks questions of a world. */
async function askWorld(product: string, of: WorldOf, chosen: readonly Question[], tell: (line: string) => void): Promise<Row[]> {
  const world = await openWorld(product, of);
  try {
    const rows: Row[] = [];
    for (const question of chosen) {
      const own = await askQuestion(question, of.name, world);
      rows.push(...own);
      for (const row of own) tell(lineOf(row));
    }
    return rows;
  } finally {
    await world.close();
  }
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
    rows.push(...(await askWorld(product, world, chosen, tell)));
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
