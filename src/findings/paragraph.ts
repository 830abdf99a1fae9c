import { sentencesOf } from '../lib/sentences.ts';
import type { Facts } from './finding.ts';

/** Limits of a first paragraph. */
const MOST_SENTENCES = 3;
const MOST_WORDS = 60;

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

/** The first paragraph of an answer and the sentences left for its details, in their order; the first one whatever its length. */
export function paragraphOf(texts: readonly string[]): { answer: string; rest: string[] } {
  const sentences = texts.flatMap(sentencesOf);
  const answer: string[] = [];
  const rest: string[] = [];
  let words = 0;
  for (const sentence of sentences) {
    const isRoom = rest.length === 0 && answer.length < MOST_SENTENCES && words + wordsIn(sentence) <= MOST_WORDS;
    if (answer.length === 0 || isRoom) answer.push(sentence);
    else rest.push(sentence);
    words += wordsIn(sentence);
  }
  return { answer: answer.join(' '), rest };
}

/** Where a finding stands: counting, what goes on, what ended, what did not change. */
function classOf({ verdict, when }: Facts): number {
  if (verdict === 'measurement') return 0;
  if (verdict !== 'higher' && verdict !== 'lower') return 3;
  return when.ongoing || when.shape === 'range' ? 1 : 2;
}

const costOf = ({ cost }: Facts) => Math.abs(cost?.value ?? 0);
const isMoney = ({ cost }: Facts) => cost !== undefined && /^[A-Z]{3}$/.test(cost.unit);
const narrowness = ({ place }: Facts) => Object.keys(place).length;

/** Findings in the order of telling: within a class by cost, money before counts, then by clearness, then the narrower place. */
export function ranked<Found extends Facts>(findings: readonly Found[]): Found[] {
  return findings.toSorted(
    (a, b) =>
      classOf(a) - classOf(b) ||
      Number(isMoney(b)) - Number(isMoney(a)) ||
      costOf(b) - costOf(a) ||
      (a.chance ?? 1) - (b.chance ?? 1) ||
      narrowness(b) - narrowness(a),
  );
}
