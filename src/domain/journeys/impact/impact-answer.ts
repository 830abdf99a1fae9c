import * as z from 'zod';
import { formatNumber } from '../../../lib/number-text.ts';
import type { Estimate } from './effect.ts';
import type { Aim, Verdict } from './judge-effects.ts';

const verdicts = ['lowers', 'raises', 'within noise', 'too few', 'no fair comparison'] as const satisfies readonly Verdict[];

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
      sessions: z.number(),
      comparable: z.number(),
      withPercent: z.number().optional(),
      withoutPercent: z.number().optional(),
      differencePoints: z.number().optional(),
      lowPoints: z.number().optional(),
      highPoints: z.number().optional(),
      /** All sessions with it anywhere against all without. */
      plainPoints: z.number().optional(),
      verdict: z.enum(verdicts),
      lostConversions: z.number().optional(),
      lostConversionsLow: z.number().optional(),
      lostConversionsHigh: z.number().optional(),
      lostRevenue: z.number().optional(),
      lostRevenueLow: z.number().optional(),
      lostRevenueHigh: z.number().optional(),
      /** A change of a speed scenario of the same pages that began in the range. */
      coincidesWith: z.string().optional(),
      /** Of a variant: the value that it is compared with, and visitors on both sides. */
      against: z.string().optional(),
      visitors: z.number().optional(),
      againstVisitors: z.number().optional(),
      /** More days until a relative difference of 5 % would show in four of five tests. */
      moreDays: z.number().optional(),
    }),
  ),
  outcome: z.string(),
  days: z.number(),
  /** Left out where only variants are compared. */
  totalSessions: z.number().optional(),
  total: z.number(),
  judged: z.number(),
  currency: z.string().optional(),
});

/** The answer of `measure_impact`. */
export type ImpactAnswer = z.output<typeof impactShape>;
/** One condition at one page in that answer. */
export type ImpactRow = ImpactAnswer['conditions'][number];

/** A row before it is put into words. */
export interface RowFacts {
  readonly condition: string;
  readonly what: string;
  readonly pages: readonly string[];
  readonly message?: string | undefined;
  readonly sessions: number;
  readonly comparable: number;
  /** Shares from 0 to 1; left out where nothing is comparable. */
  readonly shares?: { readonly with: number; readonly without: number; readonly difference: Estimate } | undefined;
  readonly plain?: number | undefined;
  /** Cents; left out where the files hold no revenue or the outcome is not sales. */
  readonly lostCents?: Estimate | undefined;
  readonly verdict: Verdict;
  readonly more?: Partial<ImpactRow> | undefined;
}

const percent = (share: number) => Number((100 * share).toFixed(2));
const money = (cents: number) => Number((cents / 100).toFixed(2));
const count = (value: number) => Number(value.toFixed(1));

/** A row of the answer. */
export function rowOf({ shares, plain, lostCents, comparable, verdict, more, pages, message, ...facts }: RowFacts): ImpactRow {
  return {
    ...facts,
    pages: [...pages],
    ...(message !== undefined && { message }),
    comparable,
    ...(shares && {
      withPercent: percent(shares.with),
      withoutPercent: percent(shares.without),
      differencePoints: percent(shares.difference.value),
      lowPoints: percent(shares.difference.low),
      highPoints: percent(shares.difference.high),
    }),
    ...(plain !== undefined && { plainPoints: percent(plain) }),
    verdict,
    ...(shares &&
      facts.what !== 'page' && {
        lostConversions: count(-shares.difference.value * comparable) + 0,
        lostConversionsLow: count(-shares.difference.high * comparable) + 0,
        lostConversionsHigh: count(-shares.difference.low * comparable) + 0,
      }),
    ...(lostCents && {
      lostRevenue: money(lostCents.value) + 0,
      lostRevenueLow: money(lostCents.low) + 0,
      lostRevenueHigh: money(lostCents.high) + 0,
    }),
    ...more,
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
export interface OutcomeWords {
  /** `purchases`, `visits that end there`, `visits that reach /cart` */
  readonly many: string;
  readonly aim: Aim;
  readonly currency: string | undefined;
  /** It is no aim: more of it is a loss. */
  readonly isHarm?: boolean | undefined;
}

const grouped = (value: number) => formatNumber(Math.round(value), { group: true });
/** A range in which lost figures lie; a gain is negative. */
const between = (low: number, high: number) => `95%: ${grouped(low)} to ${grouped(high)}`;

function lostWords(row: ImpactRow, { many, aim, currency }: OutcomeWords): string {
  if (aim === 'revenue')
    return (
      `about ${grouped(row.lostRevenue ?? 0)} ${currency ?? 'in revenue'} lost ` +
      `(${between(row.lostRevenueLow ?? 0, row.lostRevenueHigh ?? 0)})`
    );
  return `about ${grouped(row.lostConversions ?? 0)} ${many} lost (${between(row.lostConversionsLow ?? 0, row.lostConversionsHigh ?? 0)})`;
}

const REASONS: Readonly<Partial<Record<Verdict, string>>> = {
  'within noise': 'shows no effect beyond chance',
  'too few': 'was met by too few sessions to judge',
  'no fair comparison': 'has no sessions like those that met it to compare with',
};

/** What is hoped for: sales by number or by value. */
const wantedOf = ({ many, aim }: OutcomeWords) => (aim === 'revenue' ? 'revenue' : many);

/** Begins a sentence. */
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** ` Revenue: about 1,200 EUR more than as many sessions without it would bring (95%: -400 to 2,800), within noise.` */
function variantRevenue({ lostRevenue, lostRevenueLow = 0, lostRevenueHigh = 0 }: ImpactRow, { aim, currency }: OutcomeWords): string {
  if (aim !== 'revenue' || lostRevenue === undefined) return '';
  const unit = currency === undefined ? '' : ` ${currency}`;
  const amount = `about ${grouped(Math.abs(lostRevenue))}${unit} ${lostRevenue > 0 ? 'less' : 'more'}`;
  const isOpen = lostRevenueLow <= 0 && lostRevenueHigh >= 0;
  const bounds = between(-lostRevenueHigh, -lostRevenueLow);
  return ` Revenue: ${amount} than as many sessions without it would bring (${bounds})${isOpen ? ', within noise' : ''}.`;
}

/** A variant of a test: wins, loses, or neither. */
function variantAnswer(row: ImpactRow, { many, isHarm = false }: OutcomeWords): string {
  const { condition, verdict, withPercent, withoutPercent, lowPoints, highPoints } = row;
  const shares = `${formatNumber(withPercent)}% ${many} against ${formatNumber(withoutPercent)}%`;
  if (verdict === 'lowers' || verdict === 'raises')
    return (
      `${condition}, ${(verdict === 'raises') === isHarm ? 'loses' : 'wins'}: ${shares} ` +
      `(difference 95%: ${formatNumber(lowPoints)} to ${formatNumber(highPoints)} points).`
    );
  if (verdict === 'within noise') return `No winner yet: ${condition}, has ${shares}, a difference within noise.`;
  const why = verdict === 'too few' ? 'has too few sessions' : 'split its visitors otherwise than planned';
  return `No winner can be named: ${condition}, ${why}.`;
}

/** A page that visitors chose to go to: their choice shows what they want, so it is no effect. */
function pageAnswer({ condition, verdict, withPercent, withoutPercent }: ImpactRow, { many }: OutcomeWords): string {
  const shares = `${formatNumber(withPercent)}% against ${formatNumber(withoutPercent)}%`;
  if (verdict === 'lowers' || verdict === 'raises')
    return `${capital(condition)}, goes with ${verdict === 'raises' ? 'more' : 'fewer'} ${many}: ${shares}.`;
  return `${capital(condition)}, goes with no difference beyond chance in ${many}.`;
}

/** ` about 53 more visits that end on that page (95%: 41 to 64)` */
function moreWords({ lostConversions = 0, lostConversionsLow = 0, lostConversionsHigh = 0 }: ImpactRow, { many }: OutcomeWords): string {
  return `about ${grouped(-lostConversions)} more ${many} (${between(-lostConversionsHigh, -lostConversionsLow)})`;
}

/** The first sentence about an outcome that is no aim: what raises it most, or that nothing does. */
function harmAnswer(first: ImpactRow, judged: number, words: OutcomeWords): string {
  if (first.verdict === 'raises') return `Clearest: ${first.condition}, ${moreWords(first, words)}.`;
  if (judged === 0) return NOTHING_JUDGED;
  return `None of the ${judged} conditions that can be judged raises ${words.many} beyond chance.`;
}

const NOTHING_JUDGED = 'No condition was met by enough comparable sessions to judge its effect.';

const sharesOf = ({ withPercent, withoutPercent }: ImpactRow) =>
  `${formatNumber(withPercent)}% with it, ${formatNumber(withoutPercent)}% without`;

/** Trouble with which sessions do better is no cause of it. */
function gainAnswer(row: ImpactRow, words: OutcomeWords): string {
  const { condition, lostRevenue = 0, lostRevenueLow = 0, lostRevenueHigh = 0 } = row;
  if (words.isHarm)
    return `No sign that ${condition} goes with more ${words.many}: ${sharesOf(row)}, a difference that is hardly its doing.`;
  const range = between(-lostRevenueHigh, -lostRevenueLow);
  const more = `about ${grouped(-lostRevenue)} ${words.currency ?? 'in revenue'} more with it (${range})`;
  const gained = words.aim === 'revenue' ? more : sharesOf(row);
  return `No sign that ${condition} costs ${wantedOf(words)}: ${gained}, a gain beyond chance that is hardly its doing.`;
}

/** The one condition that was asked about. */
function singleAnswer(row: ImpactRow, words: OutcomeWords): string {
  const { verdict, comparable, lowPoints = 0, highPoints = 0 } = row;
  const [reason, what] = [REASONS[verdict], wantedOf(words)];
  const figures = words.aim === 'revenue' ? lostWords(row, words) : sharesOf(row);
  if (verdict === 'lowers') return `${capital(row.condition)} costs ${what}: ${lostWords(row, words)}.`;
  if (verdict === 'raises') return `${capital(row.condition)} goes with more ${what}: ${figures}.`;
  if (verdict === 'no fair comparison' && comparable > 0 && lowPoints * highPoints > 0) return gainAnswer(row, words);
  return `${capital(row.condition)} ${reason ?? verdict}${verdict === 'within noise' ? ` on ${what}: ${figures}` : ''}.`;
}

/** The first sentence: what costs most, or that nothing stands out. */
export function answerSentence(rows: readonly ImpactRow[], judged: number, words: OutcomeWords): string {
  const [first, ...others] = rows;
  if (!first) return 'No session of these days met any of the conditions.';
  if (first.what === 'variable') return variantAnswer(first, words) + variantRevenue(first, words);
  if (first.what === 'page') return pageAnswer(first, words);
  if (others.length === 0 && judged <= 1) return singleAnswer(first, words);
  if (words.isHarm) return harmAnswer(first, judged, words);
  if (first.verdict === 'lowers') return `Costliest: ${first.condition}, ${lostWords(first, words)}.`;
  if (judged === 0) return NOTHING_JUDGED;
  return `None of the ${judged} conditions that can be judged lowers ${wantedOf(words)} beyond chance.`;
}
