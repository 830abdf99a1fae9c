import { flag, type SqlWords } from '../sql-words.ts';
import { visitRelation } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import { bitOf, type CellPlan, placeSql, viewColumns, viewsSql } from './cells-sql.ts';
import type { Hypothesis } from './plan-probes.ts';

function anywhere({ page, probe }: Hypothesis, { probes }: CellPlan, sql: SqlWords): string {
  return `max(${flag(`${bitOf('pages', page, sql)} = 1 AND (${probes[probe]?.sql ?? '1 = 0'})`)})`;
}

/**
 * The plain comparison of some conditions: the share of purchases among sessions that met it at any view less that among all others, from 0
 * to 1; undefined where one side is empty.
 */
export async function plainDifferences(hypotheses: readonly Hypothesis[], plan: CellPlan, visits: Visits): Promise<(number | undefined)[]> {
  if (hypotheses.length === 0) return [];
  const { sql } = visits;
  const transactions = visits.column('sessions', 'session_number_of_transactions');
  const relation = visitRelation(visits, {
    visit: { buys: transactions === undefined ? '0' : flag(`${transactions} > 0`) },
    page: viewColumns(visits),
  });
  const met = hypotheses.map((hypothesis, at) => `${anywhere(hypothesis, plan, sql)} AS a${at}`);
  const sums = hypotheses.map((_, at) => `sum(a${at}) AS n${at}, sum(a${at} * buys) AS y${at}`);
  const [row = {}] = await visits.select(
    `WITH ${relation.ctes},\n${placeSql(plan)}\nSELECT count(*) AS n, sum(buys) AS y, ${sums.join(', ')} FROM visit AS v ` +
      `JOIN (SELECT s.k AS k, ${met.join(', ')} FROM ${viewsSql(plan, sql)} GROUP BY s.k) AS m ON v.k = m.k`,
  );
  const [all, buys] = [Number(row['n']), Number(row['y'])];
  return hypotheses.map((_, at) => {
    const [own, bought] = [Number(row[`n${at}`]), Number(row[`y${at}`])];
    return own > 0 && own < all ? bought / own - (buys - bought) / (all - own) : undefined;
  });
}
