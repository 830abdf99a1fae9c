import type { Aim } from '../../../domain/journeys/impact/effect.ts';
import { hasKind, parseStep, type Step } from '../../../domain/journeys/step.ts';
import { cases, eventCondition, flag, msOf, pageCondition } from '../sql-words.ts';
import { type Expressions, pathText } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';

/** The outcome of interest, from the parameter `outcome`. */
export interface Outcome {
  readonly kind: 'purchase' | 'bounce' | 'step';
  readonly aim: Aim;
  /** How it is called, in the plural. */
  readonly many: string;
  readonly step?: Step | undefined;
}

/** Understands an outcome: purchase, revenue, bounce, or a step. */
export function parseOutcome(text: string): Outcome {
  const word = text.trim().toLowerCase();
  if (word === 'revenue') return { kind: 'purchase', aim: 'revenue', many: 'purchases' };
  if (word === 'bounce' || word === 'bounces') return { kind: 'bounce', aim: 'conversions', many: 'visits that end on that page' };
  const step = parseStep(text, 'outcome');
  if (hasKind(step, 'purchase') && step.choices.length === 1) return { kind: 'purchase', aim: 'conversions', many: 'purchases' };
  return { kind: 'step', aim: 'conversions', many: `visits that reach ${step.text}`, step };
}

/** Fields of sessions that an outcome cannot do without. */
export function fieldsOfOutcome({ kind, aim, step }: Outcome): string[] {
  return [
    ...(kind === 'purchase' || (step && hasKind(step, 'purchase')) ? ['session_number_of_transactions'] : []),
    ...(aim === 'revenue' ? ['session_transactions_revenue_cents'] : []),
    ...(step && hasKind(step, 'event') ? ['app_events.event_name', 'app_events.event_time'] : []),
  ];
}

/** The last app event of a session that fulfils a step, ms since 1970; 0 where there is none. */
function lastEvent(step: Step | undefined, visits: Visits): string {
  const [names, times] = ['app_events.event_name', 'app_events.event_time'].map((field) => visits.column('sessions', field));
  const condition = step && eventCondition(step, 'e', visits.sql);
  if (names === undefined || times === undefined || condition === undefined) return '0';
  const each = visits.sql.map(names, (_, place) => cases([[condition, msOf(`${times}[${place}]`)]], 0));
  return `coalesce(arrayMax(arrayConcat([toInt64(0)], ${each})), 0)`;
}

/** Columns of sessions: whether it buys, for how much and when it last had the event of the outcome. */
export function salesColumns({ step }: Outcome, visits: Visits): Expressions {
  const [transactions, cents] = ['session_number_of_transactions', 'session_transactions_revenue_cents'].map(
    (field) => visits.column('sessions', field) ?? 'NULL',
  );
  return {
    buys: flag(`coalesce(${transactions}, 0) > 0`),
    cents: `toInt64(coalesce(${cents}, 0))`,
    event_ms: lastEvent(step, visits),
  };
}

/** Whether a view is a page that fulfils the outcome. */
export function goalColumn({ step }: Outcome, visits: Visits): string {
  return flag((step && pageCondition(step, pathText(visits), visits.sql)) ?? '1 = 0');
}

/** Whether a session converts after a view, from columns of both; where `isWhole` at any time, from `views`, `goal_n` and its sales. */
export function conversionSql({ kind, step }: Outcome, isWhole = false): string {
  if (kind === 'purchase') return 'buys';
  if (kind === 'bounce') return flag(isWhole ? 'views = 1' : 'last_n <= view_n');
  const after = isWhole ? 'goal_n > 0 OR event_ms > 0' : 'goal_n > view_n OR (event_ms > 0 AND event_ms >= second_at * 1000)';
  return flag(`${after}${step && hasKind(step, 'purchase') ? ' OR buys = 1' : ''}`);
}
