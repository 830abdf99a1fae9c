import type { HarStudy } from '../requests/study-har.ts';
import { BYTE_RULES } from './byte-rules.ts';
import { LOAD_RULES } from './load-rules.ts';
import { type Problem as AnyProblem, problemOf, type Rule, rankOf } from './problem.ts';
import type { ProblemKind } from './problem-kinds.ts';

const RULES: Readonly<Record<ProblemKind, Rule>> = { ...LOAD_RULES, ...BYTE_RULES };

/** A problem of a page load. */
export type Problem = AnyProblem<ProblemKind>;

/** All that is wrong with a page load, costliest first. */
export function findProblems(study: HarStudy): Problem[] {
  return (Object.keys(RULES) as ProblemKind[]) // its own names
    .flatMap((kind) => problemOf(kind, RULES[kind], study))
    .toSorted((a, b) => rankOf(b) - rankOf(a));
}
