import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { sentencesOf } from '../../../src/lib/sentences.ts';
import type { Called } from '../peer.ts';
import { type Claim, outcomeOf, wordsOf } from './claim.ts';
import { exportTruths } from './export-truths.ts';
import { metricTruths } from './metric-truths.ts';
import type { Call, Question } from './question.ts';
import type { Row } from './row.ts';
import { speedTruths } from './speed-truths.ts';
import type { Asked, Truths } from './truth.ts';
import { needsFiles, type OpenWorld, openWorld, type WorldOf } from './world.ts';

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

/** Asks questions of a world that is opened for them; each row is told as soon as it is judged. */
export async function askWorld(
  product: string,
  of: WorldOf,
  chosen: readonly Question[],
  tell: (row: Row) => void = () => undefined,
): Promise<Row[]> {
  const world = await openWorld(product, of, needsFiles(chosen.flatMap(({ calls }) => calls)));
  try {
    const rows: Row[] = [];
    for (const question of chosen) {
      const own = await askQuestion(question, of.name, world);
      rows.push(...own);
      for (const row of own) tell(row);
    }
    return rows;
  } finally {
    await world.close();
  }
}
