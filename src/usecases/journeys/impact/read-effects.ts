import { ApiError } from '../../../api/errors.ts';
import type { AskedCondition, Condition } from '../../../domain/journeys/impact/conditions.ts';
import { type ConditionEffect, effectOf } from '../../../domain/journeys/impact/effect.ts';
import { type Aim, discoveries, doubtOf, type Finding, LEAST_SESSIONS, separate } from '../../../domain/journeys/impact/judge-effects.ts';
import { togetherOf } from '../../../domain/journeys/impact/together.ts';
import { grouped } from '../../../lib/grouped.ts';
import { requireVisits } from '../held-values.ts';
import type { Visits } from '../visits.ts';
import { type EffectPlan, effectsSql, type OutcomeSql, sessionsOf, sumsOfRow } from './effects-sql.ts';
import { type Hypothesis, planProbes } from './plan-probes.ts';
import { type Counted, type Profile, profileOf } from './profile.ts';

/** The effect of a condition at a page, and whether it stands out by itself. */
export interface Judged {
  readonly condition: Condition;
  readonly page: string;
  readonly effect: ConditionEffect;
  /** Left out where the effect does not stand out, before others explain a part of it. */
  readonly finding?: Pick<Finding, 'difference' | 'lostRevenue' | 'stands'> | undefined;
}

/** All that was looked at. */
export interface Looked {
  readonly judged: readonly Judged[];
  readonly sessions: number;
  /** Conditions at pages that enough sessions met to be judged. */
  readonly judgeable: number;
}

/** The place of an error over all pages that have it. */
export const ALL_PAGES = 'all pages';
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
export async function readEffects(
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
