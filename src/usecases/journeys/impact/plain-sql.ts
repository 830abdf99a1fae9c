import { holds } from '../../../domain/journeys/impact/cells.ts';
import { grouped } from '../../../lib/grouped.ts';
import { lineOf } from '../sql-words.ts';
import type { VisitRow, Visits } from '../visits.ts';
import { type CellPlan, cases } from './cell-plan.ts';
import type { Hypothesis } from './plan-probes.ts';
import { textOf } from './profile.ts';
import { mostOf } from './sampling.ts';
import { placeOf } from './walk-sql.ts';

/**
 * The part of a statement that counts sessions, a table, by the conditions that they met at any view of each page: `here`, the page, and
 * lines `conditions sessions buyers`, one of them of the sessions that met none or did not see the page.
 */
export function plainSql(plan: CellPlan, visits: Visits, sessions: string): string {
  const { judged, probes } = plan;
  const { sql } = visits;
  const metAt = (index: number) => `met_at_${index}`;
  const met = judged.map((_, index) => {
    const { column, factor } = placeOf(index, plan);
    return `(${sql.quotient(column, factor)}) % ${2 ** probes.length} AS ${metAt(index)}`;
  });
  const stands = mostOf(plan) > 1 ? 'stands' : '1 AS stands';
  const rows = `SELECT buys, ${stands}, ${met.join(', ')} FROM ${sessions}`;
  const which = (value: (index: number) => string | number) =>
    cases(
      judged.slice(1).map((_, index) => [`grouping(${metAt(index + 1)}) = 0`, value(index + 1)]),
      value(0),
    );
  const sets = judged.map((_, index) => `(${metAt(index)})`).join(', ');
  const counted =
    `SELECT ${which((index) => judged[index] ?? 0)} AS here, ${which(metAt)} AS conditions, sum(stands) AS n, ` +
    `sum(stands * buys) AS y FROM (${rows}) AS r GROUP BY GROUPING SETS (${sets})`;
  return `SELECT 'plain' AS part, here, ${sql.lines(lineOf(sql, ['conditions', 'n', 'y']))} AS cells FROM (${counted}) AS c GROUP BY here`;
}

/**
 * The plain comparison of conditions: the share of purchases among sessions that met it at any view less that among all others, 0 to 1;
 * undefined where one side is empty.
 */
export function plainDifferences(rows: readonly VisitRow[]): (hypothesis: Hypothesis) => number | undefined {
  const byPage = grouped(rows, (row) => Number(row['here']));
  return ({ page, probe }) => {
    const lines = (byPage.get(page) ?? []).flatMap((row) =>
      textOf(row['cells'])
        .split(';')
        .map((line) => line.split(' ').map(Number)),
    );
    const sums = { all: 0, buyers: 0, own: 0, bought: 0 };
    for (const [conditions = 0, sessions = 0, buyers = 0] of lines) {
      sums.all += sessions;
      sums.buyers += buyers;
      if (!holds(conditions, probe)) continue;
      sums.own += sessions;
      sums.bought += buyers;
    }
    const { all, buyers, own, bought } = sums;
    return own > 0 && own < all ? bought / own - (buyers - bought) / (all - own) : undefined;
  };
}
