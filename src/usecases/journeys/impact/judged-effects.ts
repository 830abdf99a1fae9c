import type { Condition } from '../../../domain/journeys/impact/conditions.ts';
import type { ConditionEffect } from '../../../domain/journeys/impact/effect.ts';
import { type Finding, LEAST_SESSIONS } from '../../../domain/journeys/impact/judge-effects.ts';
import { togetherOf } from '../../../domain/journeys/impact/together.ts';
import { grouped } from '../../../lib/grouped.ts';
import type { Hypothesis } from './plan-probes.ts';

/** The effect of a condition at a page, and whether it stands out by itself. */
export interface Judged {
  readonly condition: Condition;
  /** Left out of an error over all its pages. */
  readonly hypothesis?: Hypothesis | undefined;
  readonly page: string;
  readonly effect: ConditionEffect;
  /** Left out where the effect does not stand out, before others explain a part of it. */
  readonly finding?: Pick<Finding, 'difference' | 'lostRevenue' | 'stands'> | undefined;
}

/** The place of an error over all pages that have it. */
export const ALL_PAGES = 'all pages';

/** One error over all its pages. */
interface Sum {
  readonly condition: Condition;
  readonly effect: ConditionEffect;
  /** Indices of the effects at its pages. */
  readonly members: readonly number[];
}

/**
 * The errors that no page was named for, each over all its pages, by effects at pages and their conditions: one text is cut into pieces
 * otherwise, too small to say anything.
 */
export function sumsOf(effects: readonly ConditionEffect[], conditions: readonly Condition[]): Sum[] {
  const ofErrors = [...conditions.entries()].filter(
    ([, { what, message, pages }]) => what === 'js_error' && message !== undefined && !pages,
  );
  return [...grouped(ofErrors, ([, { message }]) => message).values()].flatMap((own) => {
    const members = own.map(([at]) => at);
    // Pieces too small to be judged are not in the sum, because a call without conditions does not measure them.
    const effect = togetherOf(members.flatMap((at) => effects[at] ?? []).filter(({ sessions }) => sessions >= LEAST_SESSIONS));
    const [first] = own;
    return effect && first ? [{ condition: first[1], effect, members }] : [];
  });
}

/** Rows at pages, and those over all pages in place of their pieces where none of these stands out by itself. */
export function withSums(single: readonly Judged[], sums: readonly (Sum & { readonly stands: boolean })[]): Judged[] {
  const shown = sums.filter(({ members }) => !members.some((at) => single[at]?.finding?.stands));
  const replaced = new Set(shown.flatMap(({ members }) => members));
  const whole = shown.map(
    ({ condition, effect, stands }): Judged => ({ condition, page: ALL_PAGES, effect, ...(stands && { finding: { ...effect, stands } }) }),
  );
  return [...single.filter((_, at) => !replaced.has(at)), ...whole];
}
