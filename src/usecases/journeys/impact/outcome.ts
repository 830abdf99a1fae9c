import type { Aim } from '../../../domain/journeys/impact/judge-effects.ts';
import { hasKind, parseStep, type Step } from '../../../domain/journeys/step.ts';
import { flag } from '../sql-words.ts';
import { eventCondition, pageCondition } from '../step-sql.ts';
import type { Expressions } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import { type OutcomeSql, salesColumns } from './effects-sql.ts';

/** The outcome of interest, from the parameter `outcome`. */
export interface Outcome {
  readonly kind: OutcomeSql['kind'];
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
function lastEventSql(step: Step, visits: Visits): string | undefined {
  const [names, times] = ['app_events.event_name', 'app_events.event_time'].map((field) => visits.column('sessions', field));
  const { sql } = visits;
  const condition = eventCondition(step, 'e', sql);
  if (names === undefined || times === undefined || condition === undefined) return undefined;
  return sql.largest(sql.mapAt(names, (_, place) => `CASE WHEN ${condition} THEN ${sql.ms(`${times}[${place}]`)} ELSE 0 END`));
}

/** The outcome as the statements take it. */
export function outcomeSql({ kind, step }: Outcome, visits: Visits): OutcomeSql {
  if (!step) return { kind };
  return { kind, page: pageCondition(step, 'path', visits.sql), event: lastEventSql(step, visits), purchase: hasKind(step, 'purchase') };
}

/** Whether a whole session has the outcome, for comparisons from its beginning: columns of visit, more tables, the condition. */
export function outcomeOfSession(
  outcome: OutcomeSql,
  visits: Visits,
): { visit: Expressions; ctes: string[]; join: string; converts: string } {
  const visit = salesColumns(outcome, visits);
  if (outcome.kind === 'purchase') return { visit, ctes: [], join: '', converts: 'v.buys' };
  const goal = outcome.kind === 'bounce' ? 'CASE WHEN count(*) = 1 THEN 1 ELSE 0 END' : 'max(g.goal)';
  const reached = `reached AS (SELECT s.k AS k, ${goal} AS goal FROM seen AS s JOIN place AS g ON s.p = g.p GROUP BY s.k)`;
  const place = `place AS (SELECT p, ${outcome.page === undefined ? '0' : flag(outcome.page)} AS goal FROM path_of)`;
  const ofPurchase = outcome.purchase ? ' OR v.buys = 1' : '';
  const converts = outcome.kind === 'bounce' ? 'q.goal' : flag(`q.goal = 1 OR v.event_ms > 0${ofPurchase}`);
  return { visit, ctes: [place, reached], join: ' JOIN reached AS q ON v.k = q.k', converts };
}
