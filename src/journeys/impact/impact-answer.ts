import * as z from 'zod';
import { members } from '../../lib/members.ts';
import { formatNumber } from '../../lib/number-text.ts';
import { capital } from '../../lib/sentences.ts';
import type { VisitsDrawn } from '../covered-days.ts';
import { type Aim, type ConditionEffect, type Verdict, verdicts } from './effect.ts';

const known = z.number().optional();

/** The answer of `measure_impact`; shares in percent and points, money in the currency of the project. */
export const impactShape = z.object({
  answer: z.string(),
  conditions: z.array(
    z.object({
      condition: z.string(),
      what: z.string(),
      pages: z.array(z.string()),
      message: z.string().optional(),
      /** Sessions (of a variant: sessions too) with the condition, and those that have others like them. */
      ...members(z.number(), 'sessions', 'comparable'),
      /**
       * `intervalPercent`: that all intervals of the row hold, so high that one leaves out 0 where the verdict is a claim, and only there;
       * `plainPoints`: all sessions with it anywhere against all without.
       */
      ...members(known, 'withPercent', 'withoutPercent', 'intervalPercent', 'differencePoints', 'lowPoints', 'highPoints', 'plainPoints'),
      verdict: z.enum(verdicts),
      ...members(known, 'lostConversions', 'lostConversionsLow', 'lostConversionsHigh'),
      ...members(known, 'lostRevenue', 'lostRevenueLow', 'lostRevenueHigh'),
      /** A change of a speed scenario of the same pages that began in the range. */
      coincidesWith: z.string().optional(),
      /** Of a variant: the value that it is compared with, and visitors on both sides. */
      against: z.string().optional(),
      /** `moreDays`: until a relative difference of 5 % would show in four of five tests. */
      ...members(known, 'visitors', 'againstVisitors', 'moreDays'),
    }),
  ),
  outcome: z.string(),
  days: z.number(),
  /** Left out where only variants are compared. */
  totalSessions: known,
  total: z.number(),
  judged: z.number(),
  currency: z.string().optional(),
});

/** The answer of `measure_impact`. */
export type ImpactAnswer = z.output<typeof impactShape>;
/** One condition at one page in that answer. */
export type ImpactRow = ImpactAnswer['conditions'][number];

const percent = (share: number) => Number((100 * share).toFixed(2));
const money = (cents: number) => Number((cents / 100).toFixed(2)) + 0;

/** A row of the answer; without figures where nothing is comparable, and without what is lost where visitors chose to go to a page. */
export function rowOf(
  effect: ConditionEffect,
  hasRevenue: boolean,
  facts: Pick<ImpactRow, 'condition' | 'what' | 'pages' | 'message' | 'verdict'>,
): ImpactRow {
  const { sessions, comparable, difference, lostRevenue, intervalPercent, plain } = effect;
  const count = (share: number) => Number((-share * comparable).toFixed(1)) + 0;
  const isLost = comparable > 0 && facts.what !== 'page';
  return {
    ...facts,
    sessions,
    comparable,
    ...(comparable > 0 && {
      withPercent: percent(effect.withShare),
      withoutPercent: percent(effect.withoutShare),
      intervalPercent,
      differencePoints: percent(difference.value),
      lowPoints: percent(difference.low),
      highPoints: percent(difference.high),
    }),
    plainPoints: plain === undefined ? undefined : percent(plain),
    ...(isLost && {
      lostConversions: count(difference.value),
      lostConversionsLow: count(difference.high),
      lostConversionsHigh: count(difference.low),
    }),
    ...(isLost &&
      hasRevenue && {
        lostRevenue: money(lostRevenue.value),
        lostRevenueLow: money(lostRevenue.low),
        lostRevenueHigh: money(lostRevenue.high),
      }),
  };
}

const RANK: Readonly<Record<Verdict, number>> = { lowers: 0, raises: 1, 'within noise': 2, 'no fair comparison': 3, 'too few': 4 };

/** The order of verdicts where more of the outcome is a loss. */
const RANK_OF_HARM: typeof RANK = { ...RANK, raises: RANK.lowers, lowers: RANK.raises };

/**
 * Orders rows by cost, the costliest first; where nothing is lost beyond chance, by the clearest differences. `isHarm`: of an outcome that
 * is no aim, more is a loss.
 */
export function byCost(aim: Aim, isHarm = false): (a: ImpactRow, b: ImpactRow) => number {
  const rank = isHarm ? RANK_OF_HARM : RANK;
  const sign = isHarm ? -1 : 1;
  const cost = (row: ImpactRow) => sign * ((aim === 'revenue' ? row.lostRevenue : row.lostConversions) ?? 0);
  return (a, b) => rank[a.verdict] - rank[b.verdict] || cost(b) - cost(a) || b.sessions - a.sessions;
}

/** How an outcome is called, in the plural. */
interface OutcomeWords {
  /** `purchases`, `visits that end there`, `visits that reach /cart` */
  readonly many: string;
  readonly aim: Aim;
  readonly currency: string | undefined;
  /** It is no aim: more of it is a loss. */
  readonly isHarm?: boolean | undefined;
}

const grouped = (value: number) => formatNumber(value, { digits: 0, group: true });

/** `about 820 purchases lost (99.97%: 640 to 1,000)`, `about 1,200 EUR more (95%: -400 to 2,800)` */
function lostWords(row: ImpactRow, { many, aim, currency }: OutcomeWords): string {
  const [value = 0, low = 0, high = 0] =
    aim === 'revenue'
      ? [row.lostRevenue, row.lostRevenueLow, row.lostRevenueHigh]
      : [row.lostConversions, row.lostConversionsLow, row.lostConversionsHigh];
  const isGain = value < 0;
  const [least, most] = isGain ? [-high, -low] : [low, high];
  const amount = grouped(Math.abs(value));
  const more = aim === 'revenue' ? `${amount} ${currency ?? 'in revenue'} more` : `${amount} more ${many}`;
  const lost = `${amount} ${aim === 'revenue' ? (currency ?? 'in revenue') : many} lost`;
  return `about ${isGain ? more : lost} (${row.intervalPercent}%: ${grouped(least)} to ${grouped(most)})`;
}

/** The words of a clear loss: of purchases where the baskets scatter too much to say how much revenue it is. */
const clearWords = ({ lostRevenueLow = 0, lostRevenueHigh = 0 }: ImpactRow, words: OutcomeWords): OutcomeWords =>
  lostRevenueLow * lostRevenueHigh > 0 ? words : { ...words, aim: 'conversions' };

const REASONS: Readonly<Partial<Record<Verdict, string>>> = {
  'within noise': 'shows no effect beyond chance',
  'too few': 'was met by too few sessions to judge',
  'no fair comparison': 'has no sessions like those that met it to compare with',
};

const shareWords = ({ withPercent, withoutPercent }: ImpactRow, one: string, other: string) =>
  `${formatNumber(withPercent)}% ${one} ${formatNumber(withoutPercent)}%${other}`;

/** A variant of a test: wins, loses, or neither; and what it brings where revenue is asked for. */
function variantAnswer(row: ImpactRow, words: OutcomeWords): string {
  const { condition, verdict, intervalPercent, lowPoints, highPoints, lostRevenue, lostRevenueLow = 0, lostRevenueHigh = 0 } = row;
  const shares = shareWords(row, `${words.many} against`, '');
  const range = `(difference ${intervalPercent}%: ${formatNumber(lowPoints)} to ${formatNumber(highPoints)} points)`;
  const isOpen = lostRevenueLow <= 0 && lostRevenueHigh >= 0;
  const revenue =
    words.aim === 'revenue' && lostRevenue !== undefined ? ` Revenue: ${lostWords(row, words)}${isOpen ? ', within noise' : ''}.` : '';
  const said = {
    lowers: `${condition}, ${words.isHarm ? 'wins' : 'loses'}: ${shares} ${range}.`,
    raises: `${condition}, ${words.isHarm ? 'loses' : 'wins'}: ${shares} ${range}.`,
    'within noise': `No winner yet: ${condition}, has ${shares}, a difference within noise.`,
    'too few': `No winner can be named: ${condition}, has too few sessions.`,
    'no fair comparison': `No winner can be named: ${condition}, split its visitors otherwise than planned.`,
  };
  return said[verdict] + revenue;
}

/** A page that visitors chose to go to: their choice shows what they want, so it is no effect. */
function pageAnswer(row: ImpactRow, { many }: OutcomeWords): string {
  const isClaim = row.verdict === 'lowers' || row.verdict === 'raises';
  const goes = `${capital(row.condition)}, goes with`;
  if (!isClaim) return `${goes} no difference beyond chance in ${many}.`;
  return `${goes} ${row.verdict === 'raises' ? 'more' : 'fewer'} ${many}: ${shareWords(row, 'against', '')}.`;
}

/** The one condition that was asked about; trouble with which sessions do better is no cause of it. */
function singleAnswer(row: ImpactRow, wanted: string, words: OutcomeWords): string {
  const { verdict, comparable, condition } = row;
  const figures = words.aim === 'revenue' ? lostWords(row, words) : shareWords(row, 'with it,', ' without');
  if (verdict === 'lowers') return `${capital(condition)} costs ${wanted}: ${lostWords(row, clearWords(row, words))}.`;
  if (verdict === 'raises') return `${capital(condition)} goes with more ${wanted}: ${figures}.`;
  if (verdict === 'no fair comparison' && comparable > 0 && (row.lowPoints ?? 0) * (row.highPoints ?? 0) > 0) {
    const costs = words.isHarm ? 'goes with more' : 'costs';
    return `No sign that ${condition} ${costs} ${wanted}: ${figures}, a difference that is hardly its doing.`;
  }
  return `${capital(condition)} ${REASONS[verdict] ?? verdict}${verdict === 'within noise' ? ` on ${wanted}: ${figures}` : ''}.`;
}

/** The first sentence: what costs most, or that nothing stands out. */
export function answerSentence(rows: readonly ImpactRow[], judged: number, words: OutcomeWords): string {
  const [first, ...others] = rows;
  if (!first) return 'No session of these days met any of the conditions.';
  if (first.what === 'variable') return variantAnswer(first, words);
  if (first.what === 'page') return pageAnswer(first, words);
  const wanted = words.aim === 'revenue' ? 'revenue' : words.many;
  if (others.length === 0 && judged <= 1) return singleAnswer(first, wanted, words);
  const harm = words.isHarm ? 'raises' : 'lowers';
  if (first.verdict === harm)
    return `${words.isHarm ? 'Clearest' : 'Costliest beyond chance'}: ${first.condition}, ${lostWords(first, clearWords(first, words))}.`;
  if (judged === 0) return 'No condition was met by enough comparable sessions to judge its effect.';
  return `None of the ${judged} conditions that can be judged ${harm} ${wanted} beyond chance.`;
}

/** The answer of which costs are drawn, and its visits. */
export interface ImpactDrawn extends VisitsDrawn {
  readonly impact: ImpactAnswer;
}
