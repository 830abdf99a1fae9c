import type { ReturnCount } from '../../domain/journeys/retention.ts';
import { type Breakdown, fieldOfBreakdown, groupExpression } from './breakdowns.ts';
import { flag } from './sql-words.ts';
import { entryCondition, type Filters, filterConditions } from './visit-filters.ts';
import { sessionRows, visitRelation } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** Visitors by the periods after their first session in which they were there, and by the first in which they came back. */
export interface Returns {
  readonly counts: readonly ReturnCount[];
  readonly firsts: readonly ReturnCount[];
}

/** The question behind retention. */
export interface RetentionQuestion {
  readonly by: 'day' | 'week';
  readonly periods: number;
  readonly breakdown: Breakdown | undefined;
  /** Days after the range of first sessions in which visitors may come back. */
  readonly followDays: number;
}

/** The first sessions that pass the filters, on days of the range; by their entry page where a split or a filter reads it. */
function firstSessions({ breakdown, followDays }: RetentionQuestion, visits: Visits, { entryPages }: Filters): string {
  const { sql, days } = visits;
  const isFirst = `v.number = 1 AND v.chosen = 1 AND v.day <= ${days.last}`;
  const atEntry = entryCondition({ entryPages }, 'o.path', sql);
  if (breakdown !== 'entry_page' && atEntry === undefined) return `(SELECT u, day, g FROM visit AS v WHERE ${isFirst}) AS f`;
  const entries = sessionRows(visits, { entry: sql.ofLeast('s.p', 's.n') }, { followDays });
  const pages = `JOIN (SELECT k AS k_seen, entry FROM (${entries}) AS r) AS e ON v.k = e.k_seen JOIN path_of AS o ON e.entry = o.p`;
  const group = breakdown === 'entry_page' ? 'o.path' : 'v.g';
  return (
    `(SELECT v.u AS u, v.day AS day, ${group} AS g FROM visit AS v ${pages} ` +
    `WHERE ${isFirst}${atEntry === undefined ? '' : ` AND (${atEntry})`}) AS f`
  );
}

/**
 * Counts visitors by the period of their first session and the periods in which they were there again. Filters choose first sessions:
 * whoever comes back by another page or from another country comes back; automated sessions alone are left out of both.
 */
export async function readRetention(asked: RetentionQuestion, visits: Visits): Promise<Returns> {
  const { by, periods, breakdown, followDays } = asked;
  const { sql, question } = visits;
  const column = (name: string) => visits.column('sessions', name) ?? 'NULL';
  const field = fieldOfBreakdown(breakdown);
  const group = field && breakdown ? groupExpression(breakdown, column(field), sql) : "''";
  const chosen = filterConditions({ ...question, automated: undefined }, column, sql).join(' AND ');
  const open = { ...visits, question: { automated: question.automated } };
  const ctes = visitRelation(open, {
    visit: { number: sql.known(column('session_number')), g: group, chosen: flag(chosen || '1 = 1') },
    followDays,
  });
  // The first day of 1970 was a Thursday.
  const period = (day: string) => (by === 'day' ? day : sql.quotient(`${day} + 3`, 7));
  const firsts = firstSessions(asked, open, question);
  const rows = await visits.select(
    `WITH ${ctes},
began AS (SELECT u AS u_first, min(${period('day')}) AS c, ${sql.anyOf('g')} AS grp FROM ${firsts} GROUP BY u),
there AS (SELECT DISTINCT u, ${period('day')} AS q FROM visit),
again AS (SELECT u, c, grp, q - c AS later FROM there JOIN began ON there.u = began.u_first WHERE q - c BETWEEN 0 AND ${periods}),
next AS (SELECT u, c AS c_next, min(later) AS first_later, ${sql.anyOf('grp')} AS grp_next FROM again WHERE later > 0 GROUP BY u, c)
SELECT 'counts' AS kind, c, later, grp, count(*) AS n FROM again GROUP BY c, later, grp
UNION ALL SELECT 'firsts' AS kind, c_next AS c, first_later AS later, grp_next AS grp, count(*) AS n FROM next
GROUP BY c_next, first_later, grp_next
ORDER BY n DESC LIMIT 40000`,
  );
  const of = (kind: string) =>
    rows
      .filter((row) => row['kind'] === kind)
      .map(
        ({ c, later, grp, n }): ReturnCount => ({
          cohort: Number(c),
          after: Number(later),
          group: typeof grp === 'string' ? grp : '',
          visitors: Number(n),
        }),
      );
  return { counts: of('counts'), firsts: of('firsts') };
}
