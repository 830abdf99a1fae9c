import { type Breakdown, fieldOfBreakdown, groupExpression } from './breakdowns.ts';
import { visitRelation } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** Visitors of one cohort and group who came back this many periods after their first session. */
export interface ReturnCount {
  readonly cohort: number;
  readonly after: number;
  readonly group: string;
  readonly visitors: number;
}

/** Counts visitors by the period of their first session and the periods in which they were there again. */
export async function readRetention(
  { by, periods, breakdown }: { readonly by: 'day' | 'week'; readonly periods: number; readonly breakdown: Breakdown | undefined },
  visits: Visits,
): Promise<ReturnCount[]> {
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
there AS (SELECT DISTINCT u, ${period('day')} AS q FROM visit)
SELECT c, q - c AS later, grp, count(*) AS n FROM there JOIN began ON there.u = began.u_first
WHERE q - c BETWEEN 0 AND ${periods} GROUP BY c, later, grp ORDER BY n DESC LIMIT 40000`,
  );
  return rows.map(({ c, later, grp, n }) => ({
    cohort: Number(c),
    after: Number(later),
    group: typeof grp === 'string' ? grp : '',
    visitors: Number(n),
  }));
}
