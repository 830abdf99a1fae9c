import { ApiError } from '../../../api/errors.ts';
import type { AskedCondition } from '../../../domain/journeys/impact/conditions.ts';
import { type Aim, discoveries, doubtOf, type Finding, LEAST_SESSIONS, separate } from '../../../domain/journeys/impact/judge-effects.ts';
import { type ConditionQuestion, type Measured, measureEffects } from '../../../domain/journeys/impact/measure-effects.ts';
import type { Visits } from '../visits.ts';
import type { CellPlan, OutcomeSql } from './cell-plan.ts';
import { cellsSql } from './cells-sql.ts';
import { plainDifferences } from './plain-sql.ts';
import { type Hypothesis, type ProbePlan, planProbes } from './plan-probes.ts';
import { type Counted, type Profile, profileOf } from './profile.ts';
import { readCells } from './read-cells.ts';

/** The effect of a condition at a page, and whether it stands out by itself. */
export interface Judged {
  readonly hypothesis: Hypothesis;
  readonly page: string;
  readonly effect: Measured;
  /** Left out where it is no discovery of its own. */
  readonly finding?: Finding | undefined;
}

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
const MOST_SEPARATED = 12;

function levelsOf(counted: readonly Counted[], { sessions }: Profile, most: number): string[] {
  return counted
    .filter(({ count }) => count >= LEAST_SHARE * sessions)
    .slice(0, most)
    .map(({ value }) => value);
}

async function measured(plan: CellPlan, questions: readonly ConditionQuestion[], visits: Visits) {
  const rows = await visits.select(cellsSql(plan, visits));
  const of = (part: string) => rows.filter((row) => row['part'] === part);
  return { effects: measureEffects(readCells(of('cells'), plan), questions), plain: plainDifferences(of('plain')) };
}

function questionsOf({ hypotheses, probes, looksAhead }: ProbePlan, isAsked: boolean): ConditionQuestion[] {
  return hypotheses.map(({ condition, page, probe }) => ({
    page,
    probe,
    // What was not asked about is not worth a row that says nothing.
    ...(!isAsked && { least: LEAST_SESSIONS }),
    ...(looksAhead && condition.what === 'page' && { without: probes.length - 1 }),
  }));
}

/** Discoveries that the others do not explain; where there are several, the same cells are asked who met which of them. */
async function findingsOf(
  effects: readonly Measured[],
  { questions, isSummary }: { readonly questions: readonly ConditionQuestion[]; readonly isSummary: (at: number) => boolean },
  plan: CellPlan,
  aim: Aim,
  visits: Visits,
): Promise<Finding[]> {
  const order = discoveries(effects, aim, isSummary).slice(0, MOST_SEPARATED);
  const alone = order.length < 2;
  if (alone) return separate(effects, order, aim);
  const found = order.flatMap((at) => questions[at] ?? []);
  const again = {
    ...plan,
    judged: [...new Set(found.map(({ page }) => page))],
    met: found.map(({ page, probe }) => [page, probe] as const),
    isPlain: false,
  };
  const { effects: complete } = await measured(again, found, visits);
  return separate(
    effects.map((effect, at) => complete[order.indexOf(at)] ?? effect),
    order,
    aim,
  );
}

/** Measures conditions at pages: those that are asked about, or all. */
export async function readEffects(
  asked: readonly AskedCondition[] | undefined,
  { outcome, aim }: { readonly outcome: OutcomeSql; readonly aim: Aim },
  visits: Visits,
): Promise<Looked> {
  const profile = await profileOf(visits);
  if (profile.sessions === 0) throw new ApiError('missing', 'No session of these days fits the filters; widen the range or drop a filter.');
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
  const { effects: all, plain } = await measured(plan, questions, visits);
  const met = all.flatMap((effect, at) => (effect ? [{ effect, at }] : []));
  const effects = met.map(({ effect }) => effect);
  const findings = await findingsOf(
    effects,
    {
      questions: met.flatMap(({ at }) => questions[at] ?? []),
      // A score of frustration is made of clicks and errors, which say more.
      isSummary: (index) => probes.hypotheses[met[index]?.at ?? -1]?.condition.what === 'frustration',
    },
    plan,
    aim,
    visits,
  );
  const pages = [...probes.pages, ...probes.asked];
  return {
    samplings: plan.samplings,
    plain,
    sessions: profile.sessions,
    judgeable: effects.filter((effect) => doubtOf(effect) === undefined).length,
    judged: met.flatMap(({ effect, at }, index) => {
      const hypothesis = probes.hypotheses[at];
      const finding = findings.find((each) => each.at === index);
      return hypothesis ? [{ hypothesis, page: pages[hypothesis.page]?.pattern ?? '', effect, finding }] : [];
    }),
  };
}
