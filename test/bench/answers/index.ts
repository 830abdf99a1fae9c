import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { documentOf } from './document.ts';
import { exportTruths } from './export-truths.ts';
import { metricTruths } from './metric-truths.ts';
import type { Question } from './question.ts';
import { questions } from './questions.ts';
import { type Kept, kept, keyOf, type Row, worse } from './row.ts';
import { speedTruths } from './speed-truths.ts';
import { type Asked, disagreements, firstSentence, saidOf, type Truth, type Truths } from './truth.ts';
import { type OpenWorld, openWorld, WORLDS } from './world.ts';

const LAST = 'test/bench/answers/last.json';
const PAGE = 'docs/answers.md';
const truths: Truths = { ...metricTruths, ...speedTruths, ...exportTruths };

async function truthsOf(key: string, whole: string, asked: Asked): Promise<readonly Truth[]> {
  const found = await (truths[key] ?? truths[whole])?.(asked);
  return found ? [found].flat() : [];
}

/** An answer and what it went on with, the sentences of both first. */
const joined = (text: string, next: string) => `answer: ${saidOf(text)}\n${saidOf(next)}\n${text}\n${next}`;

/** Asks until the answer is of everything that was asked: one that ran out of time says so and gives a cursor. */
async function askWhole(world: OpenWorld, [tool, args]: Question['calls'][number]) {
  let answer = await world.call([tool, args]);
  let calls = 1;
  for (; calls < 4 && /of the first \d+ of \d+ scenarios/.test(answer.text); calls += 1) {
    const cursor = /^cursor: (\S+)/m.exec(answer.text)?.[1];
    if (cursor === undefined) break;
    const next = await world.call([tool, { ...args, cursor }]);
    answer = { ...next, text: joined(answer.text, next.text) };
  }
  return { ...answer, calls };
}

async function askQuestion({ number, asked, calls }: Question, name: string, world: OpenWorld): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, call] of calls.entries()) {
    const answer = await askWhole(world, call);
    const { rest, dates, stories } = world;
    const found = await truthsOf(`${number}/${index}`, index === 0 ? String(number) : '', {
      rest,
      dates,
      stories,
      nowMs: world.now(),
      text: answer.text,
    });
    const lacks = found.flatMap((truth) => disagreements(truth, answer.text));
    const isJudged = found.some(({ figures, texts, without }) => figures || texts || without);
    const judged = lacks.length === 0 ? 'yes' : 'no';
    rows.push({
      number,
      asked,
      world: name,
      call: index,
      tool: call[0],
      args: call[1],
      calls: answer.calls,
      first: firstSentence(answer.text) || (answer.isError ? (answer.text.split('\n')[0] ?? '').slice(0, 300) : ''),
      truth: found.map(({ by, says }) => `${by}: ${says}`).join('; '),
      agrees: isJudged ? judged : '',
      lacks,
      tokens: encode(answer.text).length,
    });
  }
  return rows;
}

async function lastResults(): Promise<Kept> {
  try {
    return JSON.parse(await readFile(LAST, 'utf8')) as Kept;
  } catch {
    return {};
  }
}

function lineOf(row: Row): string {
  const lacks = row.agrees === 'no' ? `    ${row.lacks.join('; ')} (${row.truth})\n` : '';
  return `${keyOf(row)}: ${row.agrees || 'no figure'}, ${row.tokens} tokens. ${row.first}\n${lacks}`;
}

/**
 * Asks the questions of users of two worlds and holds the answers against what is found without the product. `-u` writes docs/answers.md
 * and what later builds are compared with; numbers behind it ask only these questions.
 */
export async function benchAnswers(product: string, args: readonly string[]): Promise<void> {
  const only = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  const chosen = questions.filter(({ number }) => only.length === 0 || only.includes(number));
  const rows: Row[] = [];
  for (const of of WORLDS) {
    const world = await openWorld(product, of);
    try {
      for (const question of chosen) {
        const own = await askQuestion(question, of.name, world);
        rows.push(...own);
        for (const row of own) process.stdout.write(lineOf(row));
      }
    } finally {
      await world.close();
    }
  }
  const last = await lastResults();
  const isPart = only.length > 0;
  const asked = new Set(rows.map(keyOf));
  const complaints = worse(isPart ? Object.fromEntries(Object.entries(last).filter(([key]) => asked.has(key))) : last, rows);
  for (const complaint of complaints) process.stdout.write(`WORSE ${complaint}\n`);
  if (args.includes('-u') && !isPart) {
    await writeFile(LAST, `${JSON.stringify(kept(rows), undefined, 2)}\n`);
    await writeFile(PAGE, documentOf(rows, WORLDS));
  } else if (complaints.length > 0) process.exitCode = 1;
}
