import { refuse } from '../../../api/errors.ts';
import { daysWords } from '../../../domain/journeys/covered-days.ts';
import { type AskedCondition, conditionWords } from '../../../domain/journeys/impact/conditions.ts';
import {
  answerSentence,
  byCost,
  type ImpactAnswer,
  type ImpactRow,
  type RowFacts,
  rowOf,
} from '../../../domain/journeys/impact/impact-answer.ts';
import { doubtOf, type Verdict } from '../../../domain/journeys/impact/judge-effects.ts';
import { readAsWords } from '../../../domain/journeys/step.ts';
import { FALSE_DISCOVERY_RATES } from '../../../statistics/discoveries.ts';
import type { Context } from '../../context.ts';
import { currencyOf } from '../../exports/amounts.ts';
import { requirePurchases, requireSeen } from '../unseen-step.ts';
import type { VisitQuestion, Visits } from '../visits.ts';
import { type VisitUses, withVisits } from '../with-visits.ts';
import { fieldsOfOutcome, type Outcome, outcomeSql, parseOutcome } from './outcome.ts';
import { untold } from './plan-probes.ts';
import { ALL_PAGES, type Judged, type Looked, readEffects } from './read-effects.ts';
import { readExperiment } from './read-experiment.ts';
import { coincidences } from './speed-coincidence.ts';

/** The parameters of `measure_impact`. */
export interface ImpactQuestion extends VisitQuestion {
  readonly conditions?: readonly AskedCondition[] | undefined;
  readonly outcome: string;
  readonly limit: number;
}

/** The parts of a call that `measure_impact` uses. */
export type ImpactUses = VisitUses & Pick<Context, 'lists'>;

/** All that was read, before it is put into words. */
interface Read {
  readonly looked: Looked | undefined;
  readonly experiments: readonly ImpactRow[];
  readonly days: number;
  readonly hasRevenue: boolean;
  readonly unknown: readonly string[];
  /** Kinds of conditions that no export asked for. */
  readonly unlooked: readonly string[];
}

/** Members of a condition that each kind takes, beside `what`. */
const MEMBERS: Readonly<Record<AskedCondition['what'], readonly (keyof AskedCondition)[]>> = {
  slow_page: ['pages', 'overSeconds'],
  js_error: ['pages', 'message'],
  api_error: ['pages'],
  rage_click: ['pages'],
  frustration: ['pages', 'over'],
  page: ['pages'],
  variable: ['name', 'value'],
};

function checkCondition(condition: AskedCondition): void {
  const { what } = condition;
  const allowed: ReadonlySet<string> = new Set(['what', ...MEMBERS[what]]);
  const other = Object.entries(condition).find(([member, value]) => value !== undefined && !allowed.has(member));
  if (other) refuse(`conditions: ${what} takes ${MEMBERS[what].join(', ')}, not ${other[0]}.`);
  if (what === 'page' && !condition.pages) refuse('conditions: page needs pages, the page that visitors go to next, such as ["/guide/*"].');
  if (what === 'variable' && !condition.name)
    refuse('conditions: variable needs name, a custom or dynamic variable; value is one variant of it.');
}

/** Fields by which sessions are compared, beside those that tell of views; a plain word for each. */
const TRAITS = {
  device_id: 'device',
  session_number: 'visitor type',
  browser_name: 'browser',
  referer_url: 'source',
};

async function read(question: ImpactQuestion, outcome: Outcome, visits: Visits, context: ImpactUses): Promise<Read> {
  const { conditions } = question;
  for (const words of readAsWords(outcome.step ? [outcome.step] : [])) context.note(words);
  if (outcome.step) await requireSeen(outcome.step, 'outcome', visits);
  else if (outcome.kind === 'purchase') await requirePurchases(visits);
  const sql = outcomeSql(outcome, visits);
  const hasRevenue = outcome.kind === 'purchase' && visits.column('sessions', 'session_transactions_revenue_cents') !== undefined;
  const ofViews = conditions?.filter(({ what }) => what !== 'variable');
  const isLooked = ofViews === undefined || ofViews.length > 0;
  const looked = isLooked ? await readEffects(ofViews, { outcome: sql, aim: outcome.aim }, visits) : undefined;
  const experiments: ImpactRow[] = [];
  for (const condition of conditions?.filter(({ what }) => what === 'variable') ?? [])
    experiments.push(...(await readExperiment(condition, { outcome: sql, hasRevenue }, visits, context)));
  const unknown = Object.entries(TRAITS).flatMap(([field, words]) => (visits.column('sessions', field) === undefined ? [words] : []));
  const unlooked = conditions === undefined ? untold(visits) : [];
  return { looked, experiments, hasRevenue, unknown, unlooked, days: visits.days.covered.length };
}

/**
 * No visitor buys or stays because a page is slow or broken: where those who met it do so more often, they are others in what is not known.
 * Reaching a page, such as that of help, may come of it.
 */
function verdictOf({ condition, effect, finding }: Judged, { kind }: Outcome): Verdict {
  const doubt = doubtOf(effect);
  if (doubt !== undefined || !finding?.stands) return doubt ?? 'within noise';
  const verdict = finding.difference.value < 0 ? 'lowers' : 'raises';
  const harm = { purchase: 'lowers', bounce: 'raises', step: verdict }[kind];
  return condition.what === 'page' || verdict === harm ? verdict : 'no fair comparison';
}

/** A condition at a page as a row; without figures where nothing is comparable. */
function factsOf(judged: Judged, outcome: Outcome, hasRevenue: boolean): RowFacts {
  const { condition, effect, finding, page } = judged;
  const { difference, lostRevenue } = finding ?? effect;
  const place =
    condition.what === 'page'
      ? `from ${page}, going to ${condition.pages?.join(' | ') ?? ''} next`
      : `${conditionWords(condition)} on ${page}`;
  return {
    condition: place,
    what: condition.what,
    pages: [page],
    message: condition.message,
    sessions: effect.sessions,
    comparable: effect.comparable,
    verdict: verdictOf(judged, outcome),
    plain: effect.plain,
    ...(effect.comparable > 0 && {
      // What another finding explains is no part of the difference, so the share without it moves with it.
      shares: { with: effect.withShare, without: effect.withShare - difference.value, difference },
      lostCents: hasRevenue && condition.what !== 'page' ? lostRevenue : undefined,
    }),
  };
}

/** A row within noise whose own interval says otherwise. */
const isBeyondItself = ({ verdict, lowPoints = 0, highPoints = 0, lostRevenueLow = 0, lostRevenueHigh = 0 }: ImpactRow) =>
  verdict === 'within noise' && (lowPoints * highPoints > 0 || lostRevenueLow * lostRevenueHigh > 0);

/** What columns of the answer mean. */
function lostNote({ kind }: Outcome, rows: readonly ImpactRow[]): string {
  const plain = rows.some(({ plainPoints }) => plainPoints !== undefined);
  const words = plain ? 'plainPoints: all sessions with it at that view less all without; lost: ' : 'lost: ';
  return `${words}over these days, negative where ${kind === 'purchase' ? 'more was sold' : 'there were more'}.`;
}

function noteMethod({ looked, unknown, unlooked }: Read, rows: readonly ImpactRow[], note: (sentence: string) => void): void {
  if (unlooked.length > 0) note(`Not looked at, because no downloaded export asked for the field: ${unlooked.join(', ')}.`);
  if (looked) {
    const lacking = unknown.length > 0 ? `; ${unknown.join(', ')} not in the files` : '';
    note(
      'Sessions with the condition at their first view of the page are held against sessions alike until then (device, visitor type, ' +
        `usual or rare browser version, source, number of the view${lacking}). Unknown causes remain: a rank, no proof.`,
    );
  }
  if (rows.some(({ pages }) => pages.includes(ALL_PAGES)))
    note(`On ${ALL_PAGES}: the pages that have it together; a session counts at each page at whose first view it met it.`);
  if (looked?.judged.some(({ finding }) => finding?.stands === false))
    note('Figures of a condition are without what other rows explain of it, because the same sessions met both.');
  if (rows.some(isBeyondItself))
    note(
      `Verdicts go by the outcome at a false discovery rate of ${100 * FALSE_DISCOVERY_RATES.conditions}% over all rows: an interval may ` +
        'leave out 0 and the row be within noise.',
    );
  if (rows.some(({ verdict, lowPoints = 0, highPoints = 0 }) => verdict === 'no fair comparison' && lowPoints * highPoints > 0))
    note('No trouble makes visitors buy or stay: where they do so more often with it, they differ in what is not known.');
  if (rows.some(({ what }) => what === 'page'))
    note('Going to a page is the choice of visitors and shows what they want: the difference is no effect of the page.');
  if (rows.some(({ what }) => what === 'variable'))
    note('Variants are compared by visitor, because sessions of one visitor depend on each other.');
  const waiting = rows.find(({ moreDays }) => moreDays !== undefined && moreDays > 0);
  if (waiting) note(`${waiting.condition}: a difference of 5% of the rate would need about ${waiting.moreDays} more days at this traffic.`);
}

/** Measures what conditions cost: read → judge → explain → word. */
export async function measureImpact(question: ImpactQuestion, context: ImpactUses): Promise<ImpactAnswer & { covered: string[] }> {
  const outcome = parseOutcome(question.outcome);
  for (const condition of question.conditions ?? []) checkCondition(condition);
  const isOfVariables = question.conditions?.every(({ what }) => what === 'variable') ?? false;
  const variables = (question.conditions ?? []).flatMap(({ what, name }) => (what === 'variable' && name !== undefined ? [name] : []));
  const views = isOfVariables && outcome.kind === 'purchase' ? {} : { views: [] };
  const needs = { sessions: fieldsOfOutcome(outcome), ...views, variables, beside: ['views'] } as const;
  return withVisits(question, needs, context, async (visits) => {
    const found = await read(question, outcome, visits, context);
    const { looked, experiments, days, hasRevenue } = found;
    const all = [...(looked?.judged ?? []).map((judged) => rowOf(factsOf(judged, outcome, hasRevenue))), ...experiments];
    const isHarm = outcome.kind === 'bounce';
    const sorted = all.toSorted(byCost(outcome.aim, isHarm));
    const rows = await coincidences(sorted.slice(0, question.limit), visits.days, context);
    noteMethod(found, rows, (sentence) => context.note(sentence));
    context.note(lostNote(outcome, rows));
    if (sorted.length > rows.length) context.note(`${rows.length} of ${sorted.length} rows; limit shows more.`);
    const { currency } = await currencyOf(hasRevenue ? ['cents'] : [], context);
    const judged = (looked?.judgeable ?? 0) + experiments.length;
    return {
      answer: answerSentence(rows, sorted.length === 1 ? 1 : judged, { many: outcome.many, aim: outcome.aim, currency, isHarm }),
      conditions: rows,
      outcome: outcome.aim === 'revenue' ? 'revenue' : question.outcome,
      days,
      covered: daysWords(visits.days.covered),
      ...(looked && { totalSessions: looked.sessions }),
      total: sorted.length,
      judged,
      ...(currency !== undefined && { currency }),
    };
  });
}
