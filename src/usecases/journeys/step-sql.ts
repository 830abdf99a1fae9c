import type { Choice, Step } from '../../domain/journeys/step.ts';
import { cases, type SqlWords } from './sql-words.ts';

function conditionOf(conditions: readonly string[]): string | undefined {
  return conditions.length === 0 ? undefined : `(${conditions.join(' OR ')})`;
}

/** Whether a step is fulfilled by the page whose path an expression gives; undefined where no page does that. */
export function pageCondition({ choices }: Step, path: string, sql: SqlWords): string | undefined {
  return conditionOf(choices.flatMap((choice) => (choice.kind === 'page' ? sql.like(path, choice.pattern) : [])));
}

/** Whether a step is fulfilled by the app event whose name an expression gives; undefined where no event does that. */
export function eventCondition({ choices }: Step, name: string, sql: SqlWords): string | undefined {
  return conditionOf(choices.flatMap((choice: Choice) => (choice.kind === 'event' ? sql.like(name, choice.name) : [])));
}

/** A number whose bits say which of some conditions hold, the first in bit 0. */
export function maskOf(conditions: readonly (string | undefined)[]): string {
  return conditions.flatMap((condition, at) => (condition === undefined ? [] : [cases([[condition, 2 ** at]], 0)])).join(' + ') || '0';
}
