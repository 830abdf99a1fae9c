import { ApiError, refuse } from '../../api/errors.ts';
import { currencyOf } from '../../exports/amounts.ts';
import { type ExportContext, readVariables } from '../../exports/export-lists.ts';
import { identifier } from '../../exports/query/view-sql.ts';
import { NO_VALUE } from '../../exports/statement.ts';
import { DAY_MS, dayText } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { formatNumber, inGroups } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { speedSentence } from '../../metrics/changes/changes-answer.ts';
import type { Drawing } from '../../names/context.ts';
import { fold } from '../../names/match-name.ts';
import { chooseScenarios, findSpeedChanges } from '../../speed/find-speed-changes.ts';
import type { SpeedChange } from '../../speed/scenario-study.ts';
import type { CoveredDays } from '../covered-days.ts';
import { readAsWords } from '../step.ts';
import { filterWords } from '../visit-filters.ts';
import {
  listed,
  requirePurchases,
  requireSeen,
  requireVisits,
  textOf,
  type VisitQuestion,
  type VisitScope,
  type Visits,
  visitRelation,
} from '../visit-relation.ts';
import { isVariable, missingVariable, requireListed, withVisits } from '../with-visits.ts';
import { type AskedCondition, type Condition, conditionWords } from './conditions.ts';
import {
  type Arm,
  atScore,
  type ConditionEffect,
  clearnessOf,
  compareVariant,
  doubtOf,
  effectOf,
  LEAST_SESSIONS,
  leastScore,
  referenceOf,
  sampleRatioMismatch,
  separate,
  standsOut,
  togetherOf,
  type Verdict,
} from './effect.ts';
import { answerSentence, byCost, type ImpactAnswer, type ImpactDrawn, type ImpactRow, rowOf } from './impact-answer.ts';
import { touchesPage } from './scenario-pages.ts';
import {
  conversionSql,
  fieldsOf,
  fieldsOfOutcome,
  goalColumn,
  type Hypothesis,
  type Outcome,
  parseOutcome,
  planConditions,
  readStrata,
  salesColumns,
  untold,
} from './strata-sql.ts';

/** More values than this are no variants of a test. */
const MOST_VARIANTS = 12;

interface FoundVariable {
  readonly scope: VisitScope;
  readonly column: string;
}

/** The column that holds a variable: by the name of the column, or of a variable of the project. */
async function variableColumn({ name = '', value }: AskedCondition, visits: Visits, context: ExportContext): Promise<FoundVariable> {
  // On days that lack the column no session has a value.
  const found = (names: readonly string[]) =>
    (['sessions', 'views'] as const)
      .flatMap((scope) => visits.columns(scope).map((column) => ({ scope, column })))
      .flatMap(({ scope, column }): FoundVariable[] =>
        names.some((each) => isVariable(column, each)) ? [{ scope, column: identifier(column) }] : [],
      )[0];
  const direct = found([name, `custom_var_${name}`, `dynamic_var_${name}`]);
  if (direct) return direct;
  const failures: string[] = [];
  const variables = await readVariables(context.ask, (sentence) => void failures.push(sentence));
  const meant = variables.find(({ key }) => isVariable(key, name));
  const own = meant && found([meant.key, meant.position === undefined ? `dynamic_var_${meant.key}` : `custom_var_${meant.position}`]);
  if (own) return own;
  if (meant) requireListed(value, meant);
  throw await missingVariable(name, { meant, variables, failures }, visits);
}

/** Sums by variant over visitors, of sessions with a value, and how many visitors have several. */
async function armsOf({ scope, column }: FoundVariable, outcome: Outcome, visits: Visits): Promise<{ arms: Arm[]; mixed: number }> {
  const value = `coalesce(toString(${column}), '')`;
  const isOfSessions = scope === 'sessions';
  const relation = visitRelation(visits, {
    visit: { ...salesColumns(outcome, visits), ...(isOfSessions && { variant: value }) },
    page: { goal: goalColumn(outcome, visits), ...(!isOfSessions && { variant: value }) },
  });
  const ofSeen = isOfSessions ? '' : ', max(variant) AS variant';
  const seen = `SELECT k AS k_seen, count(*) AS views, max(goal) AS goal_n${ofSeen} FROM seen GROUP BY k`;
  const ofViews = isOfSessions && outcome.kind === 'purchase' ? '' : ` JOIN (${seen}) AS x ON v.k = x.k_seen`;
  // No sum has the name of what it sums, which ClickHouse would take for the sum.
  const sums = { sessions: 'n', conversions: 'y', revenue: 'r', nn: 'n * n', ny: 'n * y', yy: 'y * y', nr: 'n * r', rr: 'r * r' };
  const columns = Object.entries(sums).map(([name, sum]) => `sum(${sum}) AS ${name}`);
  const several = "SELECT u FROM visitor WHERE variant <> '' GROUP BY u HAVING count(*) > 1";
  const rows = await visits.select(
    `WITH ${relation},\nsold AS (SELECT u, variant, ${conversionSql(outcome, true)} AS sold, cents FROM visit AS v${ofViews}),\n` +
      'visitor AS (SELECT u, variant, count(*) AS n, sum(sold) AS y, sum(1.0 * cents) AS r FROM sold GROUP BY u, variant)\n' +
      `SELECT variant, count(*) AS visitors, ${columns.join(', ')}, (SELECT count(*) FROM (${several}) AS m) AS mixed FROM visitor ` +
      'GROUP BY variant ORDER BY visitors DESC, variant LIMIT 200',
  );
  const arms = rows.map((row) => {
    const numbers = Object.fromEntries(['visitors', ...Object.keys(sums)].map((name) => [name, Number(row[name])]));
    return { ...(numbers as unknown as Omit<Arm, 'value'>), value: textOf(row['variant']) }; // these very names
  });
  return { arms: arms.filter((arm) => !NO_VALUE.test(arm.value.trim())), mixed: Number(rows[0]?.['mixed'] ?? 0) };
}

const percentText = (share: number) => `${formatNumber(Number((100 * share).toFixed(1)))}%`;

function noteSplit(name: string, arms: readonly Arm[], mixed: number, note: (sentence: string) => void): boolean {
  const planned = sampleRatioMismatch(arms);
  const total = arms.reduce((sum, { visitors }) => sum + visitors, 0);
  if (mixed > 0) note(`${inGroups(mixed)} visitors had several values of ${name}; they count in each of them.`);
  if (!planned) return false;
  const seen = arms.map(({ value, visitors }) => `${value} ${percentText(visitors / total)}`).join(', ');
  note(
    `Sample ratio mismatch in ${name}: visitors split ${seen}, which a plan of ${planned.map(percentText).join(' to ')} makes ` +
      'by chance less than once in 1,000 tests. Something lets one variant lose visitors or records; no winner can be named until it is ' +
      'found.',
  );
  return true;
}

/** Compares the variants of a test, which chance gave to visitors: nothing needs to be weighed. Refuses what is no variant of a test. */
async function readVariants(
  condition: AskedCondition,
  outcome: Outcome,
  hasRevenue: boolean,
  visits: Visits,
  context: ExportContext,
): Promise<ImpactRow[]> {
  const { name = '', value: wanted } = condition;
  const { arms, mixed } = await armsOf(await variableColumn(condition, visits, context), outcome, visits);
  if (arms.length === 0) await requireVisits(visits);
  const seen = listed(
    arms.map((arm) => ({ name: arm.value, count: arm.visitors })),
    8,
  );
  if (arms.length > MOST_VARIANTS)
    refuse(`conditions: ${name} has ${arms.length} values or more, which are no variants of a test: ${seen}`);
  const value = wanted === undefined ? undefined : arms.find((arm) => fold(arm.value) === fold(wanted))?.value;
  if (wanted !== undefined && value === undefined)
    refuse(`conditions: no session has ${name} = "${wanted}"; there are ${seen || 'no values'}.`);
  const reference = referenceOf(arms.filter((arm) => arm.value !== value));
  if (!reference || arms.length < 2) return refuse(`conditions: ${name} has ${seen || 'no value'}; a comparison needs two values.`);
  const isMismatched = noteSplit(name, arms, mixed, (sentence) => context.note(sentence));
  const compared = value === undefined ? arms.filter((arm) => arm !== reference) : arms.filter((arm) => arm.value === value);
  return compared.map((arm) => {
    const { effect, verdict, moreDays } = compareVariant(arm, reference, { variants: compared.length, days: visits.days.covered.length });
    const isOpen = verdict === 'within noise' || verdict === 'too few';
    const row = rowOf(effect, hasRevenue, {
      condition: `${name} = ${arm.value}, against ${reference.value}`,
      what: 'variable',
      pages: [],
      verdict: isMismatched ? 'no fair comparison' : verdict,
    });
    return {
      ...row,
      against: reference.value,
      visitors: arm.visitors,
      againstVisitors: reference.visitors,
      moreDays: isOpen ? moreDays : undefined,
    };
  });
}

/** The effect of a condition at a page, or of an error over several. */
interface Tested {
  readonly condition: Condition;
  readonly page: string;
  /** Of one that stands out by itself, what others leave of it; its intervals are as wide as verdicts ask. */
  readonly effect: ConditionEffect;
  /** It stands out; false where it would, did others not explain it. */
  readonly stands: boolean | undefined;
}

/** The place of an error over all pages that have it. */
const ALL_PAGES = 'all pages';
/** Findings whose sessions are counted against each other. */
const MOST_SEPARATED = 24;
/** Where nearly all sessions have bought already, nothing that they meet can keep them from it. */
const ALL_BOUGHT = 0.98;

type Met = Hypothesis & { readonly effect: ConditionEffect };

/** The errors that no page was named for, each over all its pages: one text is cut into pieces otherwise, too small to say anything. */
function sumsOf(met: readonly Met[]): { members: readonly Met[]; effect: ConditionEffect; condition: Condition }[] {
  const ofErrors = met.filter(({ condition }) => condition.message !== undefined && !condition.pages);
  return [...grouped(ofErrors, ({ condition }) => condition.message).values()].flatMap((members) => {
    // Pieces too small to be judged are not in the sum, because a call without conditions does not measure them.
    const effect = togetherOf(members.map((each) => each.effect).filter(({ sessions }) => sessions >= LEAST_SESSIONS));
    return effect && members[0] ? [{ members, effect, condition: members[0].condition }] : [];
  });
}

/** Measures conditions at pages: those that are asked about, or all. */
async function readEffects(asked: readonly AskedCondition[] | undefined, outcome: Outcome, visits: Visits): Promise<Tested[]> {
  const plan = await planConditions(asked, visits);
  const ask = await readStrata(plan, outcome, visits);
  const sums = await ask(plan.hypotheses);
  const met = plan.hypotheses.flatMap((hypothesis, at): Met[] => {
    const own = sums[at];
    // A condition that was not asked about is not worth a row that says nothing.
    if (!own || own.sessions < (asked ? 1 : LEAST_SESSIONS)) return [];
    const effect = effectOf(own);
    const isAfterAll =
      outcome.kind === 'purchase' && !hypothesis.condition.pages && effect.comparable > 0 && effect.withoutShare > ALL_BOUGHT;
    return isAfterAll ? [] : [{ ...hypothesis, effect }];
  });
  const wholes = sumsOf(met);
  const least = leastScore(
    [...met, ...wholes].map(({ effect }) => effect),
    outcome.aim,
  );
  // A score of frustration is made of clicks and errors, which say more.
  const order = ({ condition, effect }: Met) => (condition.what === 'frustration' ? 0 : 1_000) + Math.abs(clearnessOf(effect, outcome.aim));
  const found = met
    .filter(({ effect }) => standsOut(effect, outcome.aim, least))
    .toSorted((a, b) => order(b) - order(a))
    .slice(0, MOST_SEPARATED);
  const complete = found.length < 2 ? [] : await ask(found, found);
  const separated = separate(
    found.map(({ effect }, at) => (complete[at] ? effectOf(complete[at]) : effect)),
    outcome.aim,
    least,
  );
  const pages = [...plan.pages, ...plan.asked];
  const left = new Map(found.map((each, at) => [each, separated[at]]));
  const shown = wholes.filter(({ members }) => !members.some((each) => left.get(each)?.stands));
  const replaced = new Set(shown.flatMap(({ members }) => members));
  const single = met.filter((each) => !replaced.has(each));
  return [
    ...single.map((each): Tested => {
      const { condition, place } = each;
      const own = left.get(each);
      const effect = atScore(own?.effect ?? each.effect, least);
      return { condition, page: pages[place]?.pattern ?? '', effect, stands: own?.stands };
    }),
    ...shown.map(({ condition, effect }): Tested => {
      const stands = standsOut(effect, outcome.aim, least) || undefined;
      return { condition, page: ALL_PAGES, effect: atScore(effect, least), stands };
    }),
  ];
}

/** Scenarios that are read for one answer: each is a request. */
const MOST_SCENARIOS = 8;

/** Slow-downs of scenarios that began in the range; none where speed cannot be read, which is no part of the question. */
async function slowDowns({ first, last }: CoveredDays, context: ImpactUses): Promise<SpeedChange[]> {
  const silent = { ...context, note: () => undefined };
  const [startMs, endMs] = [first * DAY_MS, Math.min(context.nowMs, (last + 1) * DAY_MS - 1)];
  try {
    const scenarioIds = await chooseScenarios(MOST_SCENARIOS, true, silent);
    const facts = await findSpeedChanges({ scenarioIds, startMs, endMs, isAlone: false }, silent);
    const began = (facts?.changes ?? []).filter(
      ({ moves: [{ shape, fromMs, relative }] }) => shape !== 'drift' && fromMs >= startMs && relative > 0,
    );
    return began;
  } catch (error) {
    if (error instanceof ApiError && !context.signal.aborted) return [];
    throw error;
  }
}

function touches({ moves, scenario }: SpeedChange, { pages }: ImpactRow): boolean {
  const names = moves.flatMap(({ step }) => step ?? scenario);
  return pages.some((page) => names.some((name) => touchesPage(page, name)));
}

/** Names beside each slow page that costs sales the slow-down of a scenario of the same page that began in the range. */
async function coincidences(rows: readonly ImpactRow[], days: CoveredDays, context: ImpactUses): Promise<ImpactRow[]> {
  if (!rows.some(({ what, verdict }) => what === 'slow_page' && verdict === 'lowers')) return [...rows];
  const changes = await slowDowns(days, context);
  const today = dayText(days.last);
  return rows.map((row) => {
    const change = row.what === 'slow_page' && row.verdict === 'lowers' ? changes.find((each) => touches(each, row)) : undefined;
    return change ? { ...row, coincidesWith: speedSentence(change, { timeZone: 'UTC', today }) } : row;
  });
}

/** The parameters of `measure_impact`. */
interface ImpactQuestion extends VisitQuestion {
  readonly conditions?: readonly AskedCondition[] | undefined;
  readonly outcome: string;
  readonly limit: number;
}

/** The parts of a call that `measure_impact` uses. */
export type ImpactUses = ExportContext & Drawing<ImpactDrawn>;

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

/**
 * No visitor buys or stays because a page is slow or broken: where those who met it do so more often, they are others in what is not known.
 * Reaching a page, such as that of help, may come of it.
 */
function verdictOf({ condition, effect, stands }: Tested, { kind }: Outcome): Verdict {
  if (!stands) return doubtOf(effect) ?? 'within noise';
  const verdict = effect.difference.value < 0 ? 'lowers' : 'raises';
  const harm = { purchase: 'lowers', bounce: 'raises', step: verdict }[kind];
  return condition.what === 'page' || verdict === harm ? verdict : 'no fair comparison';
}

/** A condition at a page as a row. */
function rowOfTested(tested: Tested, outcome: Outcome, hasRevenue: boolean): ImpactRow {
  const { condition, effect, page } = tested;
  const { what, pages = [], message } = condition;
  return rowOf(effect, hasRevenue, {
    condition: what === 'page' ? `from ${page}, going to ${pages.join(' | ')} next` : `${conditionWords(condition)} on ${page}`,
    what,
    pages: [page],
    message,
    verdict: verdictOf(tested, outcome),
  });
}

/** Sessions with views; files may hold a session and none of its views, where these lie on a day that is missing. */
async function countSessions(visits: Visits): Promise<number> {
  const [row] = await visits.select(`WITH ${visitRelation(visits)}\nSELECT count(*) AS n FROM visit WHERE k IN (SELECT k FROM seen)`);
  const sessions = Number(row?.['n'] ?? 0);
  if (sessions === 0) await requireVisits(visits);
  if (sessions === 0) throw new ApiError('missing', 'The files hold no session of these days; widen the range.');
  return sessions;
}

/** The parts of an answer that say how it is to be read. */
interface Shown {
  readonly tested: readonly Tested[];
  readonly rows: readonly ImpactRow[];
  readonly isLooked: boolean;
  /** No condition was named. */
  readonly isAll: boolean;
}

function notesOf({ tested, rows, isLooked, isAll }: Shown, visits: Visits): string[] {
  const unlooked = isAll ? untold(visits) : [];
  const lackOf = (field: string) => (visits.partly('sessions', field) === undefined ? 'in the files' : 'known on all days');
  const unknown = Object.entries(TRAITS).filter(([field]) => visits.column('sessions', field) === undefined);
  const lacking = [...grouped(unknown, ([field]) => lackOf(field))]
    .map(([lack, own]) => `; ${own.map(([, words]) => words).join(', ')} not ${lack}`)
    .join('');
  const waiting = rows.find(({ moreDays }) => moreDays !== undefined && moreDays > 0);
  return present(
    unlooked.length > 0 && `Not looked at, because no export of all these days has the field: ${unlooked.join(', ')}.`,
    isLooked &&
      'Sessions with the condition at their first view of the page are held against sessions alike until then (device, visitor type, ' +
        `usual or rare browser version, source, number of the view${lacking}). Unknown causes remain: a rank, no proof.`,
    rows.some(({ pages }) => pages.includes(ALL_PAGES)) &&
      `On ${ALL_PAGES}: the pages that have it together; a session counts at each page at whose first view it met it.`,
    tested.some(({ stands }) => stands === false) &&
      'Figures of a condition are without what other rows explain of it, because the same sessions met both.',
    rows.some(({ verdict, lowPoints = 0, highPoints = 0 }) => verdict === 'no fair comparison' && lowPoints * highPoints > 0) &&
      'No trouble makes visitors buy or stay: where they do so more often with it, they differ in what is not known.',
    rows.some(({ what }) => what === 'page') &&
      'Going to a page is the choice of visitors and shows what they want: the difference is no effect of the page.',
    rows.some(({ what }) => what === 'variable') &&
      'Variants are compared by visitor, because sessions of one visitor depend on each other.',
    waiting !== undefined &&
      `${waiting?.condition}: a difference of 5% of the rate would need about ${waiting?.moreDays} more days at this traffic.`,
  );
}

/** Says as which pages the outcome is read; throws where nobody did it. */
async function requireOutcome({ step, kind }: Outcome, visits: Visits, { note }: ImpactUses): Promise<void> {
  for (const words of readAsWords(step ? [step] : [])) note(words);
  if (step) await requireSeen(step, 'outcome', visits);
  else if (kind === 'purchase') await requirePurchases(visits);
}

/** Measures what conditions cost: read → judge → explain → word. */
export async function measureImpact(question: ImpactQuestion, context: ImpactUses): Promise<ImpactAnswer> {
  const { conditions, limit } = question;
  const outcome = parseOutcome(question.outcome);
  for (const condition of conditions ?? []) checkCondition(condition);
  const ofVariables = conditions?.filter(({ what }) => what === 'variable') ?? [];
  const ofViews = conditions?.filter(({ what }) => what !== 'variable');
  const isLooked = ofViews?.length !== 0;
  const views = isLooked || outcome.kind !== 'purchase' ? { views: [] } : {};
  const variables = ofVariables.flatMap(({ name }) => name ?? []);
  const either = (ofViews ?? []).map(fieldsOf).filter((fields) => fields.length > 0);
  const needs = { sessions: fieldsOfOutcome(outcome), ...views, either, variables, beside: ['views'] } as const;
  return withVisits(question, needs, context, async (visits) => {
    await requireOutcome(outcome, visits, context);
    const hasRevenue = outcome.kind === 'purchase' && visits.column('sessions', 'session_transactions_revenue_cents') !== undefined;
    const totalSessions = isLooked ? await countSessions(visits) : undefined;
    const tested = isLooked ? await readEffects(ofViews, outcome, visits) : [];
    const experiments: ImpactRow[] = [];
    for (const condition of ofVariables) experiments.push(...(await readVariants(condition, outcome, hasRevenue, visits, context)));
    const all = [...tested.map((each) => rowOfTested(each, outcome, hasRevenue)), ...experiments];
    const isHarm = outcome.kind === 'bounce';
    const sorted = all.toSorted(byCost(outcome.aim, isHarm));
    const rows = await coincidences(sorted.slice(0, limit), visits.days, context);
    const plain = rows.some(({ plainPoints }) => plainPoints !== undefined)
      ? 'plainPoints: all sessions with it at that view less all without; '
      : '';
    const lost = `${plain}lost: over these days, negative where ${outcome.kind === 'purchase' ? 'more was sold' : 'there were more'}.`;
    for (const note of [...notesOf({ tested, rows, isLooked, isAll: conditions === undefined }, visits), lost]) context.note(note);
    if (sorted.length > rows.length) context.note(`${rows.length} of ${sorted.length} rows; limit shows more.`);
    const currency = hasRevenue ? await currencyOf(['cents'], context) : undefined;
    const judged = tested.filter(({ effect }) => doubtOf(effect) === undefined).length + experiments.length;
    const said = answerSentence(rows, sorted.length === 1 ? 1 : judged, { many: outcome.many, aim: outcome.aim, currency, isHarm });
    const { covered, lead } = visits.days;
    const answer: ImpactAnswer = {
      answer: lead + said,
      conditions: rows,
      outcome: outcome.aim === 'revenue' ? 'revenue' : question.outcome,
      days: visits.days.covered.length,
      totalSessions,
      total: sorted.length,
      judged,
      currency,
    };
    context.draw({ impact: answer, covered, filters: filterWords(question), answer: said });
    return answer;
  });
}
