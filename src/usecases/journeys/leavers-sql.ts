import { dayText } from '../../domain/journeys/covered-days.ts';
import { reached, sumOf } from '../../domain/journeys/funnel.ts';
import { nth } from '../../lib/nth.ts';
import { type FunnelQuestion, needsOf } from './read-funnel.ts';
import { pageCondition } from './step-sql.ts';
import { isFiltered } from './visit-filters.ts';
import type { VisitScope, Visits } from './visits.ts';

/** The depth after which most left. */
function deepestLoss(done: readonly number[]): number {
  const losses = done.slice(0, -1).map((count, index) => ({ depth: index + 1, left: count - nth(done, index + 1) }));
  return losses.toSorted((a, b) => b.left - a.left)[0]?.depth ?? 1;
}

/**
 * The statement that selects the sessions that left at the largest loss, as a person would write it; undefined where it would take more
 * than pages of views in order.
 */
export function leaversSql(question: FunnelQuestion, depths: readonly (readonly number[])[], visits: Visits): string | undefined {
  const { steps, order, withinDays } = question;
  const depth = deepestLoss(reached(sumOf(depths), steps.length));
  const used = steps.slice(0, depth + 1);
  const isPlain = order === 'in_order' && withinDays === undefined && !isFiltered(visits.question) && !needsOf(question).sessions;
  if (!isPlain) return undefined;
  const column = (scope: VisitScope, field: string) => (visits.column(scope, field) ?? field).replace(/^"([a-z_][a-z0-9_]*)"$/, '$1');
  const keysOf = (scope: VisitScope) => ['user_id', 'session_id'].map((field) => column(scope, field));
  const [user, session] = keysOf('views');
  const [keys, number] = [`${user}, ${session}`, column('views', 'view_number')];
  const ofSessions = visits.reads('sessions');
  if (ofSessions && keysOf('sessions').join(', ') !== keys) return undefined;
  const onDays = (time: string) => `${time} >= '${dayText(visits.days.first)}' AND ${time} < '${dayText(visits.days.last + 1)}'`;
  const parts = used.map((step, index) => {
    const condition = pageCondition(step, `v.${column('views', 'path')}`, visits.sql) ?? 'true';
    return (
      `s${index + 1} AS (SELECT v.${user}, v.${session}, min(v.${number}) AS n FROM views AS v JOIN s${index} USING (${keys}) ` +
      `WHERE ${condition} AND v.${number} > s${index}.n GROUP BY ALL)`
    );
  });
  const from = ofSessions
    ? `sessions WHERE ${onDays(column('sessions', 'session_time'))}`
    : `views GROUP BY ${keys} HAVING ${onDays(`min(${column('views', 'view_time')})`)}`;
  const ofDays = `s0 AS (SELECT ${keys}, 0 AS n FROM ${from})`;
  const rest = `SELECT ${keys} FROM s${depth} WHERE (${keys}) NOT IN (SELECT ${keys} FROM s${depth + 1})`;
  return `WITH ${[ofDays, ...parts].join(', ')} ${rest}`;
}
