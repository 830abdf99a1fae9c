import { ApiError } from '../../../api/errors.ts';
import type { AskedCondition } from '../../../domain/journeys/impact/conditions.ts';
import type { ConditionEffect } from '../../../domain/journeys/impact/effect.ts';
import { type Aim, discoveries, doubtOf, type Finding, LEAST_SESSIONS, separate } from '../../../domain/journeys/impact/judge-effects.ts';
import { type ConditionQuestion, measureEffects } from '../../../domain/journeys/impact/measure-effects.ts';
import { requireVisits } from '../held-values.ts';
import { partsOf } from '../visit-relation.ts';
import type { VisitRow, Visits } from '../visits.ts';
import type { CellPlan, OutcomeSql } from './cell-plan.ts';
import { cellsSql, keptSessionsSql, plainAloneSql } from './cells-sql.ts';
import { type Judged, sumsOf, withSums } from './judged-effects.ts';
import { plainDifferences } from './plain-sql.ts';
import { type Hypothesis, type ProbePlan, planProbes } from './plan-probes.ts';
import { type Counted, type Profile, type ProfileWish, profileOf } from './profile.ts';
import { readCells } from './read-cells.ts';

/** All that was looked at. */
export interface Looked {
  readonly judged: readonly Judged[];
  readonly sessions: number;
  readonly samplings: CellPlan['samplings'];
  /** The plain difference of a hypothesis, where the outcome is a purchase. */
  readonly plain: (hypothesis: Hypothesis) => number | undefined;
  /** Conditions at pages that enough sessions met to be judged. */
  readonly judgeable: number;
}

/** A value needs at least this share of sessions for a level of its own. */
const LEAST_SHARE = 0.01;
const MOST_LEVELS = { browsers: 14, countries: 6, sources: 6 };
/** Findings whose sessions are counted against each other. */
const MOST_SEPARATED = 24;

function levelsOf(counted: readonly Counted[], { sessions }: Profile, most: number): string[] {
  return counted
    .filter(({ count }) => count >= LEAST_SHARE * sessions)
    .slice(0, most)
    .map(({ value }) => value);
}

/** Counts sessions by the pages, conditions and findings of a plan; other plans may judge other pages of the same sessions. */
interface Counting {
  /** Statements whose rows together are the answer, for some pages each. */
  readonly statementsOf: (plan: CellPlan) => readonly string[];
}

/** The name of the table with a part of the sessions. */
const partName = (at: number) => `sessions_read_${at}`;

/** Where the engine can, it reads the views once and keeps the sessions for all statements, which count a page each. */
async function counting(plan: CellPlan, visits: Visits): Promise<Counting> {
  const { keep } = visits;
  if (!keep) return { statementsOf: (own) => [cellsSql(own, visits)] };
  const parts = partsOf(visits, 'session');
  for (const [at, part] of parts.entries()) await keep(partName(at), keptSessionsSql(plan, visits, part));
  const kept = parts.map((_, at) => partName(at));
  return {
    statementsOf: (own) => [
      ...own.judged.map((page) => cellsSql({ ...own, judged: [page], isPlain: false }, visits, kept)),
      ...(own.isPlain ? [plainAloneSql(own, visits, kept)] : []),
    ],
  };
}

/** Measures the questions of each page as soon as its cells are there: the engine counts the next page meanwhile. */
async function measured(plan: CellPlan, questions: readonly ConditionQuestion[], { statementsOf }: Counting, visits: Visits) {
  const effects: (ConditionEffect | undefined)[] = questions.map(() => undefined);
  const plain: VisitRow[] = [];
  const answers = statementsOf(plan).map((statement) => visits.select(statement));
  // Of those that come after one that failed nothing is awaited.
  for (const answer of answers) answer.catch(() => undefined);
  for (const answer of answers) {
    const rows = await answer;
    plain.push(...rows.filter((row) => row['part'] === 'plain'));
    const byPage = readCells(
      rows.filter((row) => row['part'] === 'cells'),
      plan,
    );
    const own = [...questions.entries()].filter(([, { page }]) => byPage.has(page));
    const found = measureEffects(
      byPage,
      own.map(([, question]) => question),
    );
    for (const [index, [at]] of own.entries()) effects[at] = found[index];
  }
  return { effects, plain: plainDifferences(plain) };
}

function questionsOf({ hypotheses, probes, looksAhead }: ProbePlan, isAsked: boolean): ConditionQuestion[] {
  return hypotheses.map(({ condition, page, probe }) => ({
    page,
    probe,
    // A condition that was not asked about is not worth a row that says nothing.
    ...(!isAsked && { least: LEAST_SESSIONS }),
    ...(looksAhead && condition.what === 'page' && { without: probes.length - 1 }),
  }));
}

/** Where nearly all sessions have bought already, nothing that they meet can keep them from it. */
const ALL_BOUGHT = 0.98;
const isAfterAll = ({ comparable, withoutShare }: ConditionEffect) => comparable > 0 && withoutShare > ALL_BOUGHT;

/**
 * Discoveries without what others explain of them; where there are several, the same cells are asked who met which of them. `effects`:
 * those of the questions, then sums of them, which share the false discovery rate and are given as they stand.
 */
async function findingsOf(
  effects: readonly ConditionEffect[],
  { questions, isSummary }: { readonly questions: readonly ConditionQuestion[]; readonly isSummary: (at: number) => boolean },
  { plan, counted, aim }: { readonly plan: CellPlan; readonly counted: Counting; readonly aim: Aim },
  visits: Visits,
): Promise<{ findings: Finding[]; standing: ReadonlySet<number> }> {
  const all = discoveries(effects, aim, isSummary);
  const standing = new Set(all.filter((at) => at >= questions.length));
  const order = all.filter((at) => at < questions.length).slice(0, MOST_SEPARATED);
  const alone = order.length < 2;
  if (alone) return { findings: separate(effects, order, aim), standing };
  const found = order.flatMap((at) => questions[at] ?? []);
  const again = {
    ...plan,
    judged: [...new Set(found.map(({ page }) => page))],
    met: found.map(({ page, probe }) => [page, probe] as const),
    isPlain: false,
  };
  const { effects: complete } = await measured(again, found, counted, visits);
  const findings = separate(
    effects.map((effect, at) => complete[order.indexOf(at)] ?? effect),
    order,
    aim,
  );
  return { findings, standing };
}

function profileWish(asked: readonly AskedCondition[] | undefined): ProfileWish {
  if (!asked) return { errors: 'frequent', isOfPaths: false };
  return { errors: asked.some(({ what }) => what === 'js_error') ? 'all' : 'none', isOfPaths: true };
}

/** Measures conditions at pages: those that are asked about, or all. */
export async function readEffects(
  asked: readonly AskedCondition[] | undefined,
  { outcome, aim }: { readonly outcome: OutcomeSql; readonly aim: Aim },
  visits: Visits,
): Promise<Looked> {
  const profile = await profileOf(visits, profileWish(asked));
  if (profile.sessions === 0) await requireVisits(visits);
  if (profile.sessions === 0) throw new ApiError('missing', 'The files hold no session of these days; widen the range.');
  const probes = await planProbes(asked, profile, visits);
  const plan: CellPlan = {
    ...probes,
    outcome,
    browsers: levelsOf(profile.browsers, profile, MOST_LEVELS.browsers),
    countries: levelsOf(profile.countries, profile, MOST_LEVELS.countries),
    sources: levelsOf(profile.sources, profile, MOST_LEVELS.sources),
    judged: [...new Set(probes.hypotheses.map(({ page }) => page))],
    met: [],
    isPlain: outcome.kind === 'purchase',
  };
  const questions = questionsOf(probes, asked !== undefined);
  const counted = await counting(plan, visits);
  const { effects: all, plain } = await measured(plan, questions, counted, visits);
  const isLate = (effect: ConditionEffect, at: number) =>
    outcome.kind === 'purchase' && !probes.hypotheses[at]?.condition.pages && isAfterAll(effect);
  const met = all.flatMap((effect, at) => {
    const hypothesis = probes.hypotheses[at];
    const question = questions[at];
    return effect && hypothesis && question && !isLate(effect, at) ? [{ effect, hypothesis, question }] : [];
  });
  const effects = met.map(({ effect }) => effect);
  const sums = sumsOf(
    effects,
    met.map(({ hypothesis }) => hypothesis.condition),
  );
  const { findings, standing } = await findingsOf(
    [...effects, ...sums.map(({ effect }) => effect)],
    {
      questions: met.map(({ question }) => question),
      // A score of frustration is made of clicks and errors, which say more.
      isSummary: (index) => met[index]?.hypothesis.condition.what === 'frustration',
    },
    { plan, counted, aim },
    visits,
  );
  const pages = [...probes.pages, ...probes.asked];
  const single = met.map(({ effect, hypothesis }, index): Judged => {
    const finding = findings.find(({ at }) => at === index);
    return { condition: hypothesis.condition, hypothesis, page: pages[hypothesis.page]?.pattern ?? '', effect, finding };
  });
  const judged = withSums(
    single,
    sums.map((each, index) => ({ ...each, stands: standing.has(effects.length + index) })),
  );
  return {
    samplings: plan.samplings,
    plain,
    sessions: profile.sessions,
    judgeable: judged.filter(({ effect }) => doubtOf(effect) === undefined).length,
    judged,
  };
}
