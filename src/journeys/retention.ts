import * as z from 'zod';
import { dayText } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { members } from '../lib/members.ts';
import { nth } from '../lib/nth.ts';
import { inGroups } from '../lib/number-text.ts';
import { sumOfKnown } from '../lib/tally.ts';
import { type CoveredDays, daysFromTo, type VisitsDrawn } from './covered-days.ts';
import { intervalOf, type Proportion, percentOf } from './proportions.ts';

const counted = z.array(z.number().nullable());

/** Of cohorts for which all these periods are over. */
const within = z.object(members(z.number(), 'periods', 'visitors', 'returned', 'percent', 'lowPercent', 'highPercent'));

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
  /** Who came back at least once in the first periods after that of the first session; left out where none are over. */
  within: within.optional(),
  /** All cohorts together, over those whose period is over. */
  overall: counted,
  groups: z.array(z.object({ group: z.string(), visitors: z.number(), percent: counted, within: within.optional() })).optional(),
  covered: z.array(z.string()),
});
/** The answer of `analyze_retention`. */
export type RetentionAnswer = z.input<typeof retentionShape>;

/** Visitors of one cohort and group, of whom something is so many periods after their first session. */
export interface ReturnCount {
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
  return by === 'day' ? [period] : daysFromTo(7 * period - 3, 7 * period + 3);
}

/** Whether all days of a period are covered, in the range of the first sessions or after it. */
function isWhole(period: number, { by, days }: Periods): boolean {
  return daysIn(period, by).every((day) => days.ofFiles.has(day));
}

const percent = (part: number, whole: number) => percentOf(part, whole) ?? null;

type Cohort = RetentionAnswer['cohorts'][number];

/** A row for each cohort, in order of time. */
export function cohortsOf(counts: readonly ReturnCount[], asked: Periods): Cohort[] {
  return [...grouped(counts, ({ cohort }) => cohort)]
    .toSorted(([a], [b]) => a - b)
    .map(([cohort, own]) => {
      const cameBack = (after: number) => sumOfKnown(own, (each) => (each.after === after ? each.visitors : 0));
      const places = daysFromTo(0, asked.periods);
      const returned = places.map((after) => (after === 0 || isWhole(cohort + after, asked) ? cameBack(after) : null));
      const name = dayText(nth(daysIn(cohort, asked.by), 0));
      return {
        cohort: asked.by === 'day' ? name : `week of ${name}`,
        visitors: cameBack(0),
        returned,
        percent: returned.map((count) => (count === null ? null : percent(count, cameBack(0)))),
        incomplete: returned.filter((count) => count === null).length,
      };
    });
}

/** Who came back in a period, of the cohorts for which it is over. */
function returnedIn(cohorts: readonly Cohort[], after: number): Proportion {
  const over = cohorts.filter(({ returned }) => typeof returned[after] === 'number');
  return {
    hits: sumOfKnown(over, ({ returned }) => returned[after]),
    of: sumOfKnown(over, ({ visitors }) => visitors),
  };
}

type Within = z.output<typeof within>;

/** Visitors by the periods after their first session in which they were there, and by the first in which they came back. */
interface Returns {
  readonly counts: readonly ReturnCount[];
  readonly firsts: readonly ReturnCount[];
}

/** Who came back within the first periods: as many as are asked for or, where they are over for no cohort, as are; each visitor once. */
function withinOf({ counts, firsts }: Returns, asked: Periods): Within | undefined {
  for (let { periods } = asked; periods > 0; periods -= 1) {
    const isOver = ({ cohort }: ReturnCount) => daysFromTo(cohort + 1, cohort + periods).every((each) => isWhole(each, asked));
    const sum = (all: readonly ReturnCount[]) => sumOfKnown(all.filter(isOver), ({ visitors }) => visitors);
    const visitors = sum(counts.filter(({ after }) => after === 0));
    const returned = sum(firsts.filter(({ after }) => after <= periods));
    const [share, interval] = [percent(returned, visitors), intervalOf({ hits: returned, of: visitors })];
    if (share !== null && interval) return { periods, visitors, returned, percent: share, ...interval };
  }
  return undefined;
}

/** A curve of visitors over the cohorts whose period is over; those of whom none is over are in no share. */
function curveOf(group: string, returns: Returns, asked: Periods, wanted: number) {
  const cohorts = cohortsOf(returns.counts, asked);
  const shares = daysFromTo(0, asked.periods).map((after) => returnedIn(cohorts, after));
  const visitors = sumOfKnown(cohorts, (own) => (own.incomplete < asked.periods ? own.visitors : 0));
  const back = withinOf(returns, { ...asked, periods: wanted });
  return { group, visitors, percent: shares.map(({ hits, of }) => percent(hits, of)), within: back };
}

/** The curve of all, and those of all groups of a split, the largest first; `wanted`: the periods within which returning is told. */
export function curvesOf({ counts, firsts }: Returns, asked: Periods, wanted: number) {
  const back = grouped(firsts, ({ group }) => group);
  const groups = [...grouped(counts, ({ group }) => group)].filter(([group]) => group !== '');
  const each = groups.map(([group, own]) => curveOf(group, { counts: own, firsts: back.get(group) ?? [] }, asked, wanted));
  return [curveOf('all', { counts, firsts }, asked, wanted), ...each.toSorted((a, b) => b.visitors - a.visitors)] as const;
}

/** How many come back within some periods, and that these are fewer than was asked about. */
function withinSentence({ periods, percent: share, visitors, lowPercent, highPercent }: Within, by: Periods['by'], asked: number): string {
  const less = periods < asked ? `; no cohort has ${asked} ${by}s after it that are over and covered whole` : '';
  return (
    `Within ${periods} ${by}s of it ${share}% do, of ${inGroups(visitors)} for whom these are over ` +
    `(95%: ${lowPercent} to ${highPercent}%)${less}.`
  );
}

/**
 * The first sentence: how many come back in the first period that is over, and the next how many within `periods`, or fewer where these
 * are over for no cohort.
 */
export function retentionWords(
  { percent: curve, within: returned }: ReturnType<typeof curveOf>,
  {
    cohorts,
    by,
    periods,
    isFiltered,
  }: Pick<RetentionAnswer, 'cohorts' | 'by'> & { readonly periods: number; readonly isFiltered: boolean },
): string {
  const first = curve[1];
  if (cohorts.length === 0) return `No visitor had a first session${isFiltered ? ' that passes the filters' : ''} in these days.`;
  if (first === null || first === undefined)
    return `No cohort has a ${by} after its first that is over, so these days cannot say who comes back.`;
  const next = returnedIn(cohorts, 1);
  const interval = intervalOf(next);
  const range = interval ? ` (95%: ${interval.lowPercent} to ${interval.highPercent}%)` : '';
  const later = returned && returned.periods > 1 ? ` ${withinSentence(returned, by, periods)}` : '';
  return `${first}% of ${inGroups(next.of)} new visitors come back the ${by} after their first session${range}.` + later;
}

/** The parts of retention that are drawn. */
export interface CohortsDrawn extends VisitsDrawn, Pick<RetentionAnswer, 'cohorts' | 'by'> {
  readonly curves: readonly { readonly group: string; readonly visitors: number; readonly percent: readonly (number | null)[] }[];
}
