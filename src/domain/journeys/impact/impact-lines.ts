import { formatNumber } from '../../../lib/number-text.ts';
import type { ImpactAnswer, ImpactRow } from './impact-answer.ts';

const range = (low: number | undefined, high: number | undefined) => `${formatNumber(low)} to ${formatNumber(high)}`;
const whole = (value: number | undefined) => (value === undefined ? undefined : Math.round(value) + 0);

/** A row of the answer as a line of a table; a figure that is not known is left empty. */
function lineOf(row: ImpactRow): Record<string, unknown> {
  const { condition, sessions, comparable, verdict, withPercent, withoutPercent, differencePoints } = row;
  return {
    condition,
    verdict,
    sessions: comparable === sessions ? String(sessions) : `${comparable} of ${sessions}`,
    'with / without %': withPercent === undefined ? null : `${formatNumber(withPercent)} / ${formatNumber(withoutPercent)}`,
    'points (95%)': differencePoints === undefined ? null : `${formatNumber(differencePoints)} (${range(row.lowPoints, row.highPoints)})`,
    'plain points': row.plainPoints ?? null,
    'lost (95%)':
      row.lostConversions === undefined
        ? null
        : `${whole(row.lostConversions)} (${range(whole(row.lostConversionsLow), whole(row.lostConversionsHigh))})`,
    ...(row.lostRevenue !== undefined && {
      'lost revenue (95%)': `${whole(row.lostRevenue)} (${range(whole(row.lostRevenueLow), whole(row.lostRevenueHigh))})`,
    }),
  };
}

const notOf = 'plain points: all sessions with it anywhere less all without; lost: over the days, negative where more was sold';

/** The text of an answer: a table of the rows. */
export function impactLines({ conditions, ...answer }: ImpactAnswer): { data: Record<string, unknown>; note: string } {
  const { outcome, days, totalSessions, judged, currency } = answer;
  const visitors = conditions.flatMap(({ condition, against, visitors: own, againstVisitors, moreDays }) =>
    own === undefined ? [] : [{ condition, against, visitors: own, againstVisitors, moreDays: moreDays ?? null }],
  );
  const coinciding = conditions.flatMap(({ condition, coincidesWith }) =>
    coincidesWith === undefined ? [] : [{ condition, 'coincidence in time': coincidesWith }],
  );
  return {
    data: {
      answer: answer.answer,
      outcome,
      days,
      ...(totalSessions !== undefined && { sessions: totalSessions }),
      judged,
      ...(currency !== undefined && { currency }),
      conditions: conditions.map(lineOf),
      ...(visitors.length > 0 && { variants: visitors }),
      ...(coinciding.length > 0 && { speed: coinciding }),
    },
    note: notOf,
  };
}
