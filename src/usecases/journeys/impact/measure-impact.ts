import { ApiError, refuse } from '../../../api/errors.ts';
import { type CoveredDays, daysWords } from '../../../domain/journeys/covered-days.ts';
import { type AskedCondition, type Condition, conditionWords } from '../../../domain/journeys/impact/conditions.ts';
import { type ConditionEffect, effectOf } from '../../../domain/journeys/impact/effect.ts';
import { type Arm, compareVariant, referenceOf, sampleRatioMismatch } from '../../../domain/journeys/impact/experiment.ts';
import {
  answerSentence,
  byCost,
  type ImpactAnswer,
  type ImpactRow,
  type RowFacts,
  rowOf,
} from '../../../domain/journeys/impact/impact-answer.ts';
import {
  type Aim,
  discoveries,
  doubtOf,
  type Finding,
  LEAST_SESSIONS,
  separate,
  type Verdict,
} from '../../../domain/journeys/impact/judge-effects.ts';
import { touchesPage } from '../../../domain/journeys/impact/scenario-pages.ts';
import { togetherOf } from '../../../domain/journeys/impact/together.ts';
import { readAsWords } from '../../../domain/journeys/step.ts';
import { speedSentence } from '../../../domain/metrics/changes/changes-answer.ts';
import { fold } from '../../../domain/names/match-name.ts';
import type { SpeedChange } from '../../../domain/speed/scenario-study.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { isoAt } from '../../../lib/dates.ts';
import { grouped } from '../../../lib/grouped.ts';
import { formatNumber } from '../../../lib/number-text.ts';
import { FALSE_DISCOVERY_RATES } from '../../../statistics/discoveries.ts';
import type { Context } from '../../context.ts';
import { currencyOf } from '../../exports/amounts.ts';
import { readVariables } from '../../exports/export-lists.ts';
import { NO_VALUE } from '../../exports/no-value.ts';
import type { PlanContext } from '../../exports/plan-export.ts';
import { chooseScenarios, findSpeedChanges } from '../../speed/find-speed-changes.ts';
import { requireVisits } from '../held-values.ts';
import { isVariable, missingVariable, requireListed, type Variable } from '../missing-data.ts';
import { requirePurchases, requireSeen } from '../unseen-step.ts';
import { visitRelation } from '../visit-relation.ts';
import type { VisitQuestion, VisitScope, Visits } from '../visits.ts';
import { type VisitUses, withVisits } from '../with-visits.ts';
import { type EffectPlan, effectsSql, type OutcomeSql, sessionsOf, sumsOfRow } from './effects-sql.ts';
import { fieldsOfOutcome, type Outcome, outcomeOfSession, outcomeSql, parseOutcome } from './outcome.ts';
import { type Hypothesis, planProbes, untold } from './plan-probes.ts';
import { type Counted, type Profile, profileOf, textOf } from './profile.ts';

/** More values than this are no variants of a test. */
const MOST_VARIANTS = 12;

interface FoundVariable {
  readonly scope: VisitScope;
  readonly column: string;
}

/** The column that holds a variable: by the name of the column, or of a variable of the project. */
async function columnOf(
  { name, value }: { readonly name: string; readonly value: string | undefined },
  visits: Visits,
  context: PlanContext,
): Promise<FoundVariable> {
  const found = (names: readonly string[]) => {
    for (const each of names)
      for (const scope of ['sessions', 'views'] as const) {
        const column = visits.column(scope, each);
        if (column !== undefined) return { scope, column };
      }
    return undefined;
  };
  const alike = (['sessions', 'views'] as const).flatMap((scope) => visits.columns(scope).filter((column) => isVariable(column, name)));
  const direct = found([name, ...alike, `custom_var_${name}`, `dynamic_var_${name}`]);
  if (direct) return direct;
  const failures: string[] = [];
  const { customVariables, dynamicKeys } = await readVariables(context.ask, (sentence) => void failures.push(sentence));
  const variables: Variable[] = [
    ...customVariables.map((variable) => ({ kind: 'custom', ...variable }) as const),
    ...dynamicKeys.map((key) => ({ kind: 'dynamic', key }) as const),
  ];
  const meant = variables.find(({ key }) => isVariable(key, name));
  const own = meant && found([meant.key, meant.position === undefined ? `dynamic_var_${meant.key}` : `custom_var_${meant.position}`]);
  if (own) return own;
  if (meant) requireListed(value, meant);
  throw await missingVariable(name, { meant, variables, failures }, visits);
}

/** Sums by variant over visitors, of sessions with a value. */
async function armsOf({ scope, column }: FoundVariable, outcome: OutcomeSql, visits: Visits): Promise<{ arms: Arm[]; mixed: number }> {
  const value = `coalesce(${visits.sql.asText(column)}, '')`;
  const { visit, ctes, join, converts } = outcomeOfSession(outcome, visits);
  const ofSession = scope === 'sessions';
  const relation = visitRelation(visits, {
    visit: { ...visit, ...(ofSession && { variant: value }) },
    page: ofSession ? {} : { variant: value },
  });
  const ofViews = ofSession ? '' : ' JOIN (SELECT k, max(variant) AS variant FROM seen GROUP BY k) AS x ON v.k = x.k';
  const variant = `${ofSession ? 'v' : 'x'}.variant`;
  const sessions = `SELECT v.u AS u, ${variant} AS variant, ${converts} AS y, v.cents AS r FROM visit AS v${ofViews}${join}`;
  const visitors = `SELECT u, variant, count(*) AS n, sum(y) AS y, sum(1.0 * r) AS r FROM (${sessions}) AS s GROUP BY u, variant`;
  // No sum has the name of what it sums, which ClickHouse would take for the sum.
  const sums =
    'count(*) AS visitors, sum(n) AS sessions, sum(y) AS conversions, sum(r) AS revenue, sum(n * n) AS nn, ' +
    'sum(n * y) AS ny, sum(y * y) AS yy, sum(n * r) AS nr, sum(r * r) AS rr';
  const rows = await visits.select(
    `WITH ${[relation, ...ctes].join(',\n')},\nvisitor AS (${visitors})\n` +
      `SELECT variant, ${sums} FROM visitor GROUP BY variant ORDER BY visitors DESC, variant LIMIT 200`,
  );
  const arms = rows.map((row) => {
    const number = (name: string) => Number(row[name]);
    const [nn, ny, yy, nr, rr] = ['nn', 'ny', 'yy', 'nr', 'rr'].map(number) as [number, number, number, number, number]; // five names
    const base = {
      visitors: number('visitors'),
      sessions: number('sessions'),
      conversions: number('conversions'),
      revenue: number('revenue'),
    };
    return { value: textOf(row['variant']), ...base, nn, ny, yy, nr, rr };
  });
  const [mixed] = await visits.select(
    `WITH ${[relation, ...ctes].join(',\n')},\nvisitor AS (${visitors})\n` +
      "SELECT count(*) AS n FROM (SELECT u FROM visitor WHERE variant <> '' " +
      'GROUP BY u HAVING count(*) > 1) AS m',
  );
  return { arms: arms.filter(({ value: own }) => !NO_VALUE.test(own.trim())), mixed: Number(mixed?.['n'] ?? 0) };
}

const percentText = (share: number) => `${formatNumber(Number((100 * share).toFixed(1)))}%`;

function noteSplit(name: string, arms: readonly Arm[], mixed: number, note: (sentence: string) => void): boolean {
  const mismatch = sampleRatioMismatch(arms);
  const total = arms.reduce((sum, { visitors }) => sum + visitors, 0);
  if (mixed > 0) note(`${formatNumber(mixed, { group: true })} visitors had several values of ${name}; they count in each of them.`);
  if (!mismatch) return false;
  const seen = arms.map(({ value, visitors }) => `${value} ${percentText(visitors / total)}`).join(', ');
  note(
    `Sample ratio mismatch in ${name}: visitors split ${seen}, which a plan of ${mismatch.planned.map(percentText).join(' to ')} makes ` +
      'by chance less than once in 1,000 tests. Something lets one variant lose visitors or records; no winner can be named until it is ' +
      'found.',
  );
  return true;
}

/** The variants of a variable, and the one that is asked about as the sessions hold it; refuses what is no variant of a test. */
async function variantsOf({ name = '', value: wanted }: AskedCondition, outcome: OutcomeSql, visits: Visits, context: PlanContext) {
  const { arms, mixed } = await armsOf(await columnOf({ name, value: wanted }, visits, context), outcome, visits);
  if (arms.length === 0) await requireVisits(visits);
  const seen = arms.map(({ value: own, visitors }) => `${own} (${formatNumber(visitors, { group: true })} visitors)`).slice(0, 8);
  if (arms.length > MOST_VARIANTS)
    refuse(`conditions: ${name} has ${arms.length} values or more, which are no variants of a test: ${seen.join(', ')} …`);
  const value = wanted === undefined ? undefined : (arms.find((arm) => fold(arm.value) === fold(wanted))?.value ?? wanted);
  if (value !== undefined && !arms.some((arm) => arm.value === value))
    refuse(`conditions: no session has ${name} = "${value}"; there are ${seen.join(', ') || 'no values'}.`);
  const reference = referenceOf(arms.filter((arm) => arm.value !== value));
  if (!reference || arms.length < 2)
    return refuse(`conditions: ${name} has ${seen.join(', ') || 'no value'}; a comparison needs two values.`);
  return { arms, mixed, value, reference };
}

/** Compares the variants of a test, which chance gave to visitors: nothing needs to be weighed. */
async function readExperiment(
  condition: AskedCondition,
  { outcome, hasRevenue }: { readonly outcome: OutcomeSql; readonly hasRevenue: boolean },
  visits: Visits,
  context: PlanContext,
): Promise<ImpactRow[]> {
  const { name = '', over } = condition;
  if (name === '' || over !== undefined) refuse('conditions: variable needs name, and takes value; over is of frustration.');
  const { arms, mixed, value, reference } = await variantsOf(condition, outcome, visits, context);
  const isMismatched = noteSplit(name, arms, mixed, (sentence) => context.note(sentence));
  const compared = value === undefined ? arms.filter((arm) => arm !== reference) : arms.filter(({ value: own }) => own === value);
  const days = visits.days.covered.length;
  return compared.map((arm) => {
    const effect = compareVariant(arm, reference, { variants: compared.length, days });
    const isOpen = effect.verdict === 'within noise' || effect.verdict === 'too few';
    return rowOf({
      condition: `${name} = ${arm.value}, against ${reference.value}`,
      what: 'variable',
      pages: [],
      sessions: arm.sessions,
      comparable: arm.sessions,
      shares: { with: effect.withShare, without: effect.withoutShare, difference: effect.difference },
      plain: effect.difference.value,
      lostCents: hasRevenue ? effect.lostRevenue : undefined,
      verdict: isMismatched ? 'no fair comparison' : effect.verdict,
      more: {
        against: reference.value,
        visitors: arm.visitors,
        againstVisitors: reference.visitors,
        ...(isOpen && effect.moreDays !== undefined && { moreDays: effect.moreDays }),
      },
    });
  });
}

/** The effect of a condition at a page, and whether it stands out by itself. */
interface Judged {
  readonly condition: Condition;
  readonly page: string;
  readonly effect: ConditionEffect;
  /** Left out where the effect does not stand out, before others explain a part of it. */
  readonly finding?: Pick<Finding, 'difference' | 'lostRevenue' | 'stands'> | undefined;
}

/** All that was looked at. */
interface Looked {
  readonly judged: readonly Judged[];
  readonly sessions: number;
  /** Conditions at pages that enough sessions met to be judged. */
  readonly judgeable: number;
}

/** The place of an error over all pages that have it. */
const ALL_PAGES = 'all pages';
/** A value needs at least this share of sessions to be told from others … */
const LEAST_SHARE = 0.01;
/** … and of sources there are no more. */
const MOST_SOURCES = 6;
/** Findings whose sessions are counted against each other. */
const MOST_SEPARATED = 24;

function usualValues(counted: readonly Counted[], { sessions }: Profile): string[] {
  return counted.filter(({ count }) => count >= LEAST_SHARE * sessions).map(({ value }) => value);
}

type Effects = (pairs: readonly Hypothesis[], met?: readonly Hypothesis[]) => Promise<(ConditionEffect | undefined)[]>;

/** Asks for the effects of conditions at pages; `met`: findings that are counted too. Undefined where no session reached the page. */
async function effectsBy(plan: EffectPlan, visits: Visits): Promise<Effects> {
  const sessions = await sessionsOf(plan, visits);
  return async (pairs, met = []) => {
    const judged = [...new Set(pairs.map(({ page }) => page))];
    const others = met.map(({ page, probe }) => [page, probe] as const);
    const rows = await visits.select(effectsSql({ ...plan, judged }, visits, { sessions, met: others }));
    return pairs.map(({ page, probe }) => {
      const row = rows.find((each) => Number(each['here']) === page && Number(each['probe']) === probe);
      return row && effectOf(sumsOfRow(row, met.length));
    });
  };
}

/** Where nearly all sessions have bought already, nothing that they meet can keep them from it. */
const ALL_BOUGHT = 0.98;
const isAfterAll = ({ comparable, withoutShare }: ConditionEffect) => comparable > 0 && withoutShare > ALL_BOUGHT;

/** One error over all its pages. */
interface Sum {
  readonly condition: Condition;
  readonly effect: ConditionEffect;
  /** Indices of the effects at its pages. */
  readonly members: readonly number[];
}

type Met = Pick<Judged, 'effect'> & { readonly hypothesis: Hypothesis };

/** The errors that no page was named for, each over all its pages: one text is cut into pieces otherwise, too small to say anything. */
function sumsOf(met: readonly Met[]): Sum[] {
  const ofErrors = [...met.entries()].filter(
    ([
      ,
      {
        hypothesis: { condition },
      },
    ]) => condition.message !== undefined && !condition.pages,
  );
  return [...grouped(ofErrors, ([, { hypothesis }]) => hypothesis.condition.message).values()].flatMap((own) => {
    // Pieces too small to be judged are not in the sum, because a call without conditions does not measure them.
    const effect = togetherOf(own.map(([, each]) => each.effect).filter(({ sessions }) => sessions >= LEAST_SESSIONS));
    const [first] = own;
    return effect && first ? [{ condition: first[1].hypothesis.condition, effect, members: own.map(([at]) => at) }] : [];
  });
}

/** Rows at pages, and those over all pages in place of their pieces where none of these stands out by itself. */
function withSums(single: readonly Judged[], sums: readonly (Sum & { readonly stands: boolean })[]): Judged[] {
  const shown = sums.filter(({ members }) => !members.some((at) => single[at]?.finding?.stands));
  const replaced = new Set(shown.flatMap(({ members }) => members));
  const whole = shown.map(
    ({ condition, effect, stands }): Judged => ({ condition, page: ALL_PAGES, effect, ...(stands && { finding: { ...effect, stands } }) }),
  );
  return [...single.filter((_, at) => !replaced.has(at)), ...whole];
}

/**
 * Discoveries without what others explain of them; where there are several, the sessions are asked who met which of them. Sums of effects
 * share their false discovery rate and are given as they stand.
 */
async function judge(met: readonly Met[], sums: readonly Sum[], aim: Aim, ask: Effects) {
  const effects = [...met, ...sums].map(({ effect }) => effect);
  // A score of frustration is made of clicks and errors, which say more.
  const all = discoveries(effects, aim, (at) => met[at]?.hypothesis.condition.what === 'frustration');
  const order = all.filter((at) => at < met.length).slice(0, MOST_SEPARATED);
  const found = order.flatMap((at) => met[at]?.hypothesis ?? []);
  const complete = order.length < 2 ? [] : await ask(found, found);
  const findings = separate(
    effects.map((effect, at) => complete[order.indexOf(at)] ?? effect),
    order,
    aim,
  );
  return { findings, standing: new Set(all.map((at) => at - met.length)) };
}

/** Measures conditions at pages: those that are asked about, or all. */
async function readEffects(
  asked: readonly AskedCondition[] | undefined,
  { outcome, aim }: { readonly outcome: OutcomeSql; readonly aim: Aim },
  visits: Visits,
): Promise<Looked> {
  const profile = await profileOf(visits, asked?.some(({ what }) => what === 'js_error') ?? true);
  if (profile.sessions === 0) await requireVisits(visits);
  if (profile.sessions === 0) throw new ApiError('missing', 'The files hold no session of these days; widen the range.');
  const { hypotheses, ...probes } = await planProbes(asked, profile, visits);
  const plan = {
    ...probes,
    outcome,
    browsers: usualValues(profile.browsers, profile),
    sources: usualValues(profile.sources, profile).slice(0, MOST_SOURCES),
    judged: [],
  };
  const ask = await effectsBy(plan, visits);
  const effects = await ask(hypotheses);
  const met = hypotheses.flatMap((hypothesis, at): Met[] => {
    const effect = effects[at];
    // A condition that was not asked about is not worth a row that says nothing.
    if (!effect || effect.sessions < (asked ? 1 : LEAST_SESSIONS)) return [];
    return outcome.kind === 'purchase' && !hypothesis.condition.pages && isAfterAll(effect) ? [] : [{ effect, hypothesis }];
  });
  const sums = sumsOf(met);
  const { findings, standing } = await judge(met, sums, aim, ask);
  const pages = [...plan.pages, ...plan.asked];
  const single = met.map(
    ({ effect, hypothesis: { condition, page } }, index): Judged => ({
      condition,
      page: pages[page]?.pattern ?? '',
      effect,
      finding: findings.find(({ at }) => at === index),
    }),
  );
  const judged = withSums(
    single,
    sums.map((each, index) => ({ ...each, stands: standing.has(index) })),
  );
  return { sessions: profile.sessions, judgeable: judged.filter(({ effect }) => doubtOf(effect) === undefined).length, judged };
}

type CoincidenceContext = VisitUses & Pick<Context, 'lists'>;

/** Scenarios that are read for one answer: each is a request. */
const MOST_SCENARIOS = 8;

/** Slow-downs of scenarios that began in the range; none where speed cannot be read, which is no part of the question. */
async function slowDowns({ first, last }: CoveredDays, context: CoincidenceContext): Promise<SpeedChange[]> {
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
async function coincidences(rows: readonly ImpactRow[], days: CoveredDays, context: CoincidenceContext): Promise<ImpactRow[]> {
  if (!rows.some(({ what, verdict }) => what === 'slow_page' && verdict === 'lowers')) return [...rows];
  const changes = await slowDowns(days, context);
  const today = isoAt(days.last * DAY_MS, 'UTC').slice(0, 10);
  return rows.map((row) => {
    const change = row.what === 'slow_page' && row.verdict === 'lowers' ? changes.find((each) => touches(each, row)) : undefined;
    return change ? { ...row, coincidesWith: speedSentence(change, { timeZone: 'UTC', today }) } : row;
  });
}

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

/** The meaning of columns of the answer. */
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
