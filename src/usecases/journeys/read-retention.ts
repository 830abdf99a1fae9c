import type { ReturnCount } from '../../domain/journeys/retention.ts';
import { type Breakdown, fieldOfBreakdown, groupExpression } from './breakdowns.ts';
import { visitRelation } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** Visitors by the periods after their first session in which they were there, and by the first in which they came back. */
export interface Returns {
  readonly counts: readonly ReturnCount[];
  readonly firsts: readonly ReturnCount[];
}

/** Counts visitors by the period of their first session and the periods in which they were there again. */
export async function readRetention(
  { by, periods, breakdown }: { readonly by: 'day' | 'week'; readonly periods: number; readonly breakdown: Breakdown | undefined },
  visits: Visits,
): Promise<Returns> {
  const { sql } = visits;
  const field = fieldOfBreakdown(breakdown);
  const group = field && breakdown ? groupExpression(breakdown, visits.column('sessions', field) ?? 'NULL', sql) : "''";
  const { ctes } = visitRelation(visits, { visit: { number: sql.known(visits.column('sessions', 'session_number') ?? 'NULL'), g: group } });
  // The first day of 1970 was a Thursday.
  const period = (day: string) => (by === 'day' ? day : sql.quotient(`${day} + 3`, 7));
  const isByEntry = breakdown === 'entry_page';
  const firsts = isByEntry
    ? '(SELECT v.u AS u, v.day AS day, o.path AS g FROM visit AS v JOIN (SELECT DISTINCT k AS k_seen, entry FROM page) AS e ' +
      'ON v.k = e.k_seen JOIN path_of AS o ON e.entry = o.p WHERE v.number = 1) AS f'
    : '(SELECT u, day, g FROM visit WHERE number = 1) AS f';
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
