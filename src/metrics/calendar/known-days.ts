import type { DailyPoint, Expected } from '../engine/series.ts';
import { isCount } from '../metric-definitions.ts';
import { type LastYear, lastYearOf } from './last-year.ts';
import type { SpecialDay, SpecialDays } from './special-days.ts';

/** Facts about a day beside its weekday. */
export interface KnownDay {
  readonly special?: Expected;
  /** The name of a special day that no earlier year is known of. */
  readonly unseen?: string;
  readonly season?: number;
}

/** Facts from the calendar and last year about the days of a metric. */
export interface KnownDays {
  readonly specialDays: SpecialDays;
  readonly of: (metric: string, label: string) => KnownDay;
}

/** Metrics that follow a season; others hardly do. */
const SEASONAL: ReadonlySet<string> = new Set(['visits', 'conversionCount', 'conversionRate', 'revenueSum', 'cartAverage']);

/** Share of the doubt about rates that there is about how visitors behave, which special days hardly change. */
const OF_BEHAVIOUR = 0.3;

/** Whether special days may explain a metric by themselves: they hardly change how visitors behave. */
export const isOfSpecialDays = (metric: string) => isCount(metric) || SEASONAL.has(metric);

/** Puts the calendar and the days of last year together; `pointsOf` gives those of a metric, none where they are not known. */
export function knownDaysOf(specialDays: SpecialDays, pointsOf: (metric: string) => readonly DailyPoint[]): KnownDays {
  const years = new Map<string, LastYear>();
  const seasons = new Map<string, Map<string, number | undefined>>();
  const yearOf = (metric: string) => {
    const known = years.get(metric) ?? lastYearOf(pointsOf(metric), specialDays);
    years.set(metric, known);
    return known;
  };
  const seasonOf = (metric: string, label: string) => {
    if (!SEASONAL.has(metric)) return undefined;
    const own = seasons.get(metric) ?? new Map<string, number | undefined>();
    if (!own.has(label)) seasons.set(metric, own.set(label, yearOf(metric).seasonOf(label)));
    return own.get(label);
  };
  /** The effect of a special day before the metric's own day of last year is asked: other totals, of zones too, follow its visits. */
  function usualOf(metric: string, day: SpecialDay): Expected {
    const unknown = { mean: 0, sd: isCount(metric) ? day.totals : (SEASONAL.has(metric) ? 1 : OF_BEHAVIOUR) * day.rates };
    const visits = isCount(metric) && metric !== 'visits' ? yearOf('visits').effectOf(day, true, unknown) : undefined;
    return visits ? { mean: visits.mean, sd: Math.hypot(day.rates, visits.sd) } : unknown;
  }
  return {
    specialDays,
    of(metric, label) {
      const day = specialDays(label);
      const season = seasonOf(metric, label);
      const usual = day && usualOf(metric, day);
      const seen = usual && yearOf(metric).effectOf(day, isCount(metric), usual);
      const special = seen ?? usual;
      return {
        ...(special && { special }),
        ...(day && !seen && { unseen: day.name }),
        ...(season !== undefined && { season }),
      };
    },
  };
}
