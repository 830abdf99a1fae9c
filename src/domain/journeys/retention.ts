import * as z from 'zod';
import { nth } from '../../lib/nth.ts';
import { formatNumber } from '../../lib/number-text.ts';
import { type CoveredDays, dayText } from './covered-days.ts';
import { intervalOf } from './proportions.ts';

const counted = z.array(z.number().nullable());

/** The answer of `analyze_retention`; the place in a list is the number of periods after the first session, null where not over. */
export const retentionShape = z.object({
  answer: z.string(),
  by: z.enum(['day', 'week']),
  cohorts: z.array(
    z.object({
      cohort: z.string(),
      visitors: z.number(),
      returned: counted,
      percent: counted,
      /** Periods that are not over, or not covered. */
      incomplete: z.number(),
    }),
  ),
  /** All cohorts together, over those whose period is over. */
  overall: counted,
  groups: z.array(z.object({ group: z.string(), visitors: z.number(), percent: counted })).optional(),
  covered: z.array(z.string()),
});
/** The answer of `analyze_retention`. */
export type RetentionAnswer = z.input<typeof retentionShape>;

/** Visitors of one cohort and group who came back this many periods after their first session. */
interface ReturnCount {
  readonly cohort: number;
  readonly after: number;
  readonly group: string;
  readonly visitors: number;
}

interface Periods {
  readonly by: 'day' | 'week';
  readonly periods: number;
  readonly days: CoveredDays;
}

/** Days of a period; the first day of 1970 was a Thursday. */
function daysIn(period: number, by: Periods['by']): number[] {
  return by === 'day' ? [period] : Array.from({ length: 7 }, (_, index) => 7 * period - 3 + index);
}

/** Whether all days of a period lie in the range and are covered. */
function isWhole(period: number, { by, days }: Periods): boolean {
  const covered = new Set(days.covered);
  return daysIn(period, by).every((day) => covered.has(day));
}

const percent = (part: number, whole: number) => (whole > 0 ? Math.round((1000 * part) / whole) / 10 : null);

function sumBy(counts: readonly ReturnCount[], cohort: number, after: number): number {
  return counts.reduce((sum, each) => sum + (each.cohort === cohort && each.after === after ? each.visitors : 0), 0);
}

/** A row for each cohort, in order of time. */
export function cohortsOf(counts: readonly ReturnCount[], asked: Periods): RetentionAnswer['cohorts'] {
  const cohorts = [...new Set(counts.map(({ cohort }) => cohort))].toSorted((a, b) => a - b);
  return cohorts.map((cohort) => {
    const visitors = sumBy(counts, cohort, 0);
    const places = Array.from({ length: asked.periods + 1 }, (_, after) => after);
    const returned = places.map((after) => (after === 0 || isWhole(cohort + after, asked) ? sumBy(counts, cohort, after) : null));
    const name = dayText(nth(daysIn(cohort, asked.by), 0));
    return {
      cohort: asked.by === 'day' ? name : `week of ${name}`,
      visitors,
      returned,
      percent: returned.map((count) => (count === null ? null : percent(count, visitors))),
      incomplete: returned.filter((count) => count === null).length,
    };
  });
}

/** A curve of all cohorts together, and of each group of a split: over the cohorts whose period is over. */
export function curvesOf(
  counts: readonly ReturnCount[],
  asked: Periods,
): { group: string; visitors: number; percent: (number | null)[] }[] {
  const curve = (own: readonly ReturnCount[], group: string) => {
    const cohorts = [...new Set(own.map(({ cohort }) => cohort))];
    const values = Array.from({ length: asked.periods + 1 }, (_, after) => {
      const over = cohorts.filter((cohort) => after === 0 || isWhole(cohort + after, asked));
      const sum = (at: number) => over.reduce((total, cohort) => total + sumBy(own, cohort, at), 0);
      return over.length === 0 ? null : percent(sum(after), sum(0));
    });
    return { group, visitors: own.reduce((sum, { after, visitors }) => sum + (after === 0 ? visitors : 0), 0), percent: values };
  };
  const groups = [...new Set(counts.map(({ group }) => group))].filter((group) => group !== '');
  const each = groups.map((group) =>
    curve(
      counts.filter((count) => count.group === group),
      group,
    ),
  );
  return [curve(counts, 'all'), ...each.toSorted((a, b) => b.visitors - a.visitors).slice(0, 6)];
}

/** The first sentence: how many come back in the first period that is over. */
export function retentionWords(curves: ReturnType<typeof curvesOf>, cohorts: RetentionAnswer['cohorts'], by: 'day' | 'week'): string {
  const first = curves[0]?.percent[1];
  if (cohorts.length === 0) return 'No visitor had a first session in these days.';
  if (first === null || first === undefined)
    return `No cohort has a ${by} after its first that is over, so who comes back is not known yet.`;
  const asked = (after: number) => cohorts.reduce((sum, { returned, visitors }) => sum + (returned[after] === null ? 0 : visitors), 0);
  const [hits, of] = [cohorts.reduce((sum, { returned }) => sum + (returned[1] ?? 0), 0), asked(1)];
  const interval = intervalOf({ hits, of });
  const range = interval ? ` (95%: ${interval.lowPercent} to ${interval.highPercent}%)` : '';
  const last = (curves[0]?.percent ?? []).findLastIndex((value) => value !== null);
  const later =
    last > 1 ? ` ${last} ${by}s after it, ${curves[0]?.percent[last] ?? 0}% of ${formatNumber(asked(last), { group: true })} do.` : '';
  const next = by === 'day' ? 'the day after' : 'the week after';
  return `${first}% of ${formatNumber(of, { group: true })} new visitors come back ${next} their first session${range}.${later}`;
}
