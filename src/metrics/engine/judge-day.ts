import { scoreOfTail } from '../../statistics/tails.ts';
import { type Expectation, expectationsOf, isNewAt, LEAST_LEVEL_DAYS } from './expectation.ts';
import { type Judgement, judgePeriods, type Question } from './judge.ts';

/** Chance of a verdict on a day on which nothing happened, and on one of a known change, which is no draw of many. */
const [ERROR, OWN_ERROR] = [0.01, 0.05];

/** A day held against what was to be expected of it by all days before, as every tool expects it. */
export interface DayJudgement extends Judgement {
  /** Left out where too little is known, or where the day is compared with another one instead. */
  readonly expected?: Expectation;
}

/**
 * Judges a single day. Its baseline is another single day, which may be an unusual one, so the verdict is against what was to be expected;
 * sums of so few events that one decides them are compared with the baseline.
 */
export function judgeDay(question: Question): DayJudgement {
  const { kind, days, baseline, period, share = 1 } = question;
  const judged = judgePeriods(question);
  const day = days.find(({ label }) => label === period.from);
  const before = days.filter(({ label }) => label < period.from);
  if (!day || baseline.from > period.from) return judged;
  const { changes } = judged;
  const isMoved = changes.some((own) => own.shape === 'step' && own.to === undefined && own.latest < day.label && isNewAt(day.label, own));
  const chance = isMoved ? OWN_ERROR : share * ERROR;
  const { rows: [expected] = [], isRare } = expectationsOf(kind, before, [{ days: [day] }], { chance, least: LEAST_LEVEL_DAYS }) ?? {};
  if (!expected || isRare) return judged;
  const { score, noise } = expected;
  const direction = score > 0 ? 'up' : 'down';
  return {
    changes,
    verdict: Math.abs(score) > scoreOfTail(Math.log(chance)) ? direction : 'within noise',
    relative: day.numerator / day.denominator / expected.expected - 1,
    noise,
    score,
    expected: { expected: expected.expected, low: expected.low, high: expected.high },
  };
}
