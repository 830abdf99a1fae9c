import { holds } from '../../../domain/journeys/impact/cells.ts';
import { grouped } from '../../../lib/grouped.ts';
import type { VisitRow, Visits } from '../visits.ts';
import { type CellPlan, cases } from './cell-plan.ts';
import type { Hypothesis } from './plan-probes.ts';
import { textOf, textSql } from './profile.ts';
import { metAt } from './walk-sql.ts';

/**
 * The part of a statement over `walk` that counts sessions by the conditions that they met at any view of each page: `here`, the page, and
 * lines `conditions sessions buyers`, one of them of the sessions that met none or did not see the page.
 */
export function plainSql({ judged }: CellPlan, visits: Visits): string {
  const { joined, line } = textSql(visits);
  const columns = judged.map(metAt);
  const met = columns.map((name) => `w.${name} AS ${name}`).join(', ');
  const rows = `SELECT v.buys AS buys, ${met} FROM walk AS w JOIN visit AS v ON w.k = v.k`;
  const which = (values: readonly (string | number)[]) =>
    cases(
      judged.slice(1).map((at, index) => [`grouping(${metAt(at)}) = 0`, values[index + 1] ?? 0]),
      values[0] ?? 0,
    );
  const sets = columns.map((name) => `(${name})`).join(', ');
  const counted =
    `SELECT ${which(judged)} AS here, ${which(columns)} AS conditions, count(*) AS n, sum(buys) AS y FROM (${rows}) AS r ` +
    `GROUP BY GROUPING SETS (${sets})`;
  return `SELECT 'plain' AS part, here, ${joined(line(['conditions', 'n', 'y']))} AS cells FROM (${counted}) AS c GROUP BY here`;
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
