import { sentencesOf } from '../lib/sentences.ts';
import { type Facts, mayBeSeason } from './finding.ts';

/** Limits of a first paragraph. */
const MOST_SENTENCES = 3;
const MOST_WORDS = 60;

/** Part of a first paragraph: a text, or the sentences of a finding, which its record holds as well. */
export type Said = string | readonly string[];

/** The first paragraph of an answer, and the texts that found no room there, in their order; the first sentence whatever its length. */
export function paragraphOf(parts: readonly Said[], most = MOST_SENTENCES): { answer: string; rest: string[] } {
  const answer: string[] = [];
  const rest: string[] = [];
  let words = 0;
  let isFull = false;
  for (const part of parts) {
    for (const sentence of (typeof part === 'string' ? [part] : part).flatMap(sentencesOf)) {
      words += sentence.split(/\s+/).filter((word) => word !== '').length;
      isFull ||= answer.length > 0 && (answer.length >= most || words > MOST_WORDS);
      if (!isFull) answer.push(sentence);
      else if (typeof part === 'string') rest.push(sentence);
    }
  }
  return { answer: answer.join(' '), rest };
}

/** Where a finding stands: counting, what goes on, what ended or may be the season, what did not change. */
function classOf(facts: Facts): number {
  const { verdict, when } = facts;
  if (verdict === 'measurement') return 0;
  if (verdict !== 'higher' && verdict !== 'lower') return 3;
  return !mayBeSeason(facts) && (when.ongoing || when.shape === 'range') ? 1 : 2;
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
