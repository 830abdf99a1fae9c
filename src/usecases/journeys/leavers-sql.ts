import { dayText } from '../../domain/journeys/covered-days.ts';
import { reached, sumOf } from '../../domain/journeys/funnel.ts';
import { hasKind } from '../../domain/journeys/step.ts';
import { nth } from '../../lib/nth.ts';
import type { FunnelQuestion } from './read-funnel.ts';
import { pageCondition } from './step-sql.ts';
import type { Visits } from './visits.ts';

/** The depth after which most left. */
function deepestLoss(done: readonly number[]): number {
  const losses = done.slice(0, -1).map((count, index) => ({ depth: index + 1, left: count - nth(done, index + 1) }));
  return losses.toSorted((a, b) => b.left - a.left)[0]?.depth ?? 1;
}

/**
 * The statement that selects the sessions that left at the largest loss, as a person would write it; undefined where it would take more
 * than pages of views in order.
 */
export function leaversSql(
  { steps, order, withinDays }: FunnelQuestion,
  depths: readonly (readonly number[])[],
  visits: Visits,
): string | undefined {
  const depth = deepestLoss(reached(sumOf(depths), steps.length));
  const used = steps.slice(0, depth + 1);
  const isPlain = order === 'in_order' && withinDays === undefined && !visits.reads('sessions') && visits.question.entryPages === undefined;
  if (!isPlain || used.some((step) => hasKind(step, 'event') || hasKind(step, 'purchase'))) return undefined;
  const column = (field: string) => (visits.column('views', field) ?? field).replace(/^"([a-z_][a-z0-9_]*)"$/, '$1');
  const [user, session, number, time] = [column('user_id'), column('session_id'), column('view_number'), column('view_time')];
  const keys = `${user}, ${session}`;
  const began = `min(${time}) >= '${dayText(visits.days.first)}' AND min(${time}) < '${dayText(visits.days.last + 1)}'`;
  const parts = used.map((step, index) => {
    const condition = pageCondition(step, `v.${column('path')}`, visits.sql) ?? 'true';
    return (
      `s${index + 1} AS (SELECT v.${user}, v.${session}, min(v.${number}) AS n FROM views AS v JOIN s${index} USING (${keys}) ` +
      `WHERE ${condition} AND v.${number} > s${index}.n GROUP BY ALL)`
    );
  });
  const ofDays = `s0 AS (SELECT ${keys}, 0 AS n FROM views GROUP BY ${keys} HAVING ${began})`;
  const rest = `SELECT ${keys} FROM s${depth} WHERE (${keys}) NOT IN (SELECT ${keys} FROM s${depth + 1})`;
  return `WITH ${[ofDays, ...parts].join(', ')} ${rest}`;
}
