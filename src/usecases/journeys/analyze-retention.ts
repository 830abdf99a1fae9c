import { refuse } from '../../api/errors.ts';
import { type CoveredDays, daysWords, dayText } from '../../domain/journeys/covered-days.ts';
import { cohortsOf, curvesOf, type RetentionAnswer, retentionWords, withinBy } from '../../domain/journeys/retention.ts';
import { formatNumber } from '../../lib/number-text.ts';
import type { Context } from '../context.ts';
import { type Breakdown, fieldOfBreakdown } from './breakdowns.ts';
import { requireVisits } from './held-values.ts';
import { readRetention } from './read-retention.ts';
import { isFiltered } from './visit-filters.ts';
import type { VisitQuestion } from './visits.ts';
import { type VisitUses, withVisits } from './with-visits.ts';

/** A question about retention, dates as the boundary resolves them. */
export interface RetentionRequest extends VisitQuestion {
  readonly by?: 'day' | 'week' | undefined;
  readonly periods?: number | undefined;
  readonly breakdown?: Exclude<Breakdown, 'day' | 'week' | 'visitor_type'> | undefined;
}

const USUAL_PERIODS = { day: 7, week: 8 };
/** Periods within which returning is told: a week, or about a month. */
const USUAL_WITHIN = { day: 7, week: 4 };

/** Days after the range that are read: those of the last period, as far as the files go. */
function followDaysOf({ last, lastOfFiles }: CoveredDays, by: 'day' | 'week', periods: number): number {
  return Math.max(0, Math.min(lastOfFiles - last, by === 'day' ? periods : 7 * periods + 6));
}

/** Who comes back, and when: `analyze_retention`. */
export function analyzeRetention(request: RetentionRequest, context: VisitUses & Pick<Context, 'draw'>): Promise<RetentionAnswer> {
  const { by = 'day', breakdown, visitorType } = request;
  if (visitorType === 'returning') refuse('visitorType: cohorts begin with first sessions, which new visitors alone have; leave it out.');
  const periods = request.periods ?? USUAL_PERIODS[by];
  const field = fieldOfBreakdown(breakdown);
  const needs = {
    sessions: ['session_number', ...(field === undefined ? [] : [field])],
    ...(breakdown === 'entry_page' && { views: [] }),
    usualDays: by === 'day' ? 2 * USUAL_PERIODS.day : 7 * USUAL_PERIODS.week,
  };
  return withVisits(request, needs, context, async (visits) => {
    const followDays = followDaysOf(visits.days, by, periods);
    const returns = await readRetention({ by, periods, breakdown, followDays }, visits);
    if (returns.counts.length === 0) await requireVisits(visits);
    const asked = { by, periods, days: visits.days };
    const cohorts = cohortsOf(returns.counts, asked);
    const curves = curvesOf(returns.counts, asked);
    const wanted = request.periods ?? USUAL_WITHIN[by];
    const within = withinBy(returns, { ...asked, periods: wanted });
    const all = within();
    context.note('A visitor is a browser or device: a person on another one, or without cookies, counts as new.');
    context.note(
      'A cohort is the period (UTC; weeks begin on Monday) of the first session; null: not over or not covered. Who comes back has a ' +
        'session in a later period; within: in any of the first ones, each visitor once.',
    );
    if (followDays > 0)
      context.note(`The range is that of first sessions; who comes back is read up to ${dayText(visits.days.last + followDays)}.`);
    const [whole, ...groups] = curves;
    const inGroups = groups.reduce((sum, { visitors }) => sum + visitors, 0);
    if (whole && breakdown && inGroups < whole.visitors)
      context.note(
        `The ${groups.length} largest groups are shown, ${formatNumber(inGroups, { group: true })} of ` +
          `${formatNumber(whole.visitors, { group: true })} visitors; the others count in overall.`,
      );
    const covered = daysWords(visits.days.covered);
    context.draw(async () => (await import('../../views/from-journeys.ts')).cohortChart({ cohorts, curves, by, covered }));
    return {
      answer: retentionWords(curves, { cohorts, by, within: all, periods: wanted, isFiltered: isFiltered(request) }),
      by,
      cohorts,
      ...(all && { within: all }),
      ...(breakdown && { groups: groups.map((curve) => ({ ...curve, within: within(curve.group) })) }),
      overall: curves[0]?.percent ?? [],
      covered,
    };
  });
}
