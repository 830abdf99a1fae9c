import { dayAfter, daysFrom } from '../../../lib/calendar.ts';
import { keptFit } from '../../../statistics/kept-fits.ts';
import { type DatedChange, dated } from './changes.ts';
import { type Interval } from './drift-grid.ts';
import { estimateNoise } from './noise.ts';
import { type Effect, effectBeside } from './scan.ts';
import { allShapes, HISTORY, LONGEST_EPISODE_DAYS, pastAndPresent } from './seek.ts';
import { type DailyPoint, daysIn, LEAST_HISTORY_DAYS, type MetricKind, type Series, seriesOf, WEEK } from './series.ts';
import { studySeries } from './study.ts';

/** Days up to the last one that are looked at: what two requests give. */
const MOST_DAYS = 184;
/** Days that teach end this long before the last day, or a multiple of it, so that no question moves them. */
const TURN_DAYS = 28;
/** Days before a change that must not teach. */
const CLOSE_DAYS = 3;
/** A change may begin this many days away from where it was found. */
const NEAR_DAYS = 7;
/** An end that a question found so few days before the last one says little: it goes on, or is over, as these days show. */
const DAYS_IN_DOUBT = 3;
const OWN = 0.01;

/** First day that does not teach: whole turns before the last day, some days before the change. */
function judgedFromOf(last: string, from: string): string {
  const turns = Math.max(1, Math.ceil((daysFrom(from, last) + 1 + CLOSE_DAYS) / TURN_DAYS));
  return dayAfter(last, 1 - turns * TURN_DAYS);
}

/** The series of the days up to a last one, of which those up to some time before a change teach. */
function seriesBefore(
  kind: MetricKind,
  days: readonly DailyPoint[],
  last: string | undefined,
  from: string | undefined,
): Series | undefined {
  if (last === undefined || from === undefined) return undefined;
  const judgedFrom = judgedFromOf(last, from);
  return keptFit('days before', [kind, days, last, judgedFrom], () => {
    const first = dayAfter(last, 1 - MOST_DAYS);
    const series = seriesOf(
      daysIn(days, (label) => label >= first),
      kind,
      judgedFrom,
    );
    return series && series.learned >= LEAST_HISTORY_DAYS ? series : undefined;
  });
}

/** Levels of the days before the one at `first`; one that lasts until then goes on, where it is no matter of a few days. */
function levelsBefore(kind: MetricKind, days: readonly DailyPoint[], { labels, block }: Series, first: number): Interval[] {
  const label = labels[first];
  // By these days alone: of the days behind them the usual ones before a fall look like a rise that ends with it.
  const before = seriesBefore(
    kind,
    days.filter((day) => label === undefined || day.label < label),
    days.at(-1)?.label,
    label,
  );
  const study = before && studySeries(before, allShapes(block + WEEK, first, HISTORY, LONGEST_EPISODE_DAYS));
  return (study?.changes ?? []).map(({ shape, from, to }) => ({
    from,
    to: shape === 'step' && to - from >= WEEK ? labels.length : to,
  }));
}

/**
 * Measures what days from one to another are against those before, whether or not they show a change by themselves, clear changes of the
 * days before taken out.
 */
export function sizeOfDays(
  kind: MetricKind,
  days: readonly DailyPoint[],
  { from, to }: Pick<FoundChange, 'from' | 'to'>,
): Effect | undefined {
  return keptFit('size', [kind, days, from, to], () => measured(kind, days, { from, to }));
}

function measured(kind: MetricKind, days: readonly DailyPoint[], own: Pick<FoundChange, 'from' | 'to'>): Effect | undefined {
  const series = seriesBefore(kind, days, days.at(-1)?.label, own.from);
  if (!series) return undefined;
  const first = series.labels.findIndex((label) => label >= own.from);
  if (first < 0) return undefined;
  const levels = levelsBefore(kind, days, series, first);
  const noise = estimateNoise(
    series,
    levels.filter(({ from, to }) => from < series.learned && to - from > 1),
  );
  return noise && effectBeside({ series, noise }, own, levels);
}

/** A change as some question found it; without a last day it goes on. */
export type FoundChange = Pick<DatedChange, 'from' | 'relative'> & { readonly to?: string | undefined };

/**
 * Dates a change that some question found and gives it the size of all its days, from the days up to the last one alone and not from the
 * ranges or the size of the question, so that all questions up to that day tell it alike. Undefined where these days do not show it.
 */
export function measureChange(kind: MetricKind, days: readonly DailyPoint[], found: FoundChange): DatedChange | undefined {
  const series = seriesBefore(kind, days, days.at(-1)?.label, found.from);
  if (!series) return undefined;
  const study = studySeries(series, pastAndPresent(series, OWN));
  const last = series.labels.at(-1) ?? found.from;
  const distanceOf = ({ from }: Pick<DatedChange, 'from'>) => Math.abs(daysFrom(found.from, from));
  const near = (study?.changes ?? [])
    .map((change) => dated(series, change))
    .filter(({ shape, relative }) => shape !== 'outlier' && relative * found.relative > 0)
    .filter((change) => distanceOf(change) <= (found.from === found.to ? 0 : NEAR_DAYS))
    .toSorted((a, b) => distanceOf(a) - distanceOf(b));
  const isEndInDoubt = daysFrom(found.to ?? last, last) <= DAYS_IN_DOUBT;
  const nearest = near.find(({ to }) => (to === undefined) === (found.to === undefined)) ?? (isEndInDoubt ? near[0] : undefined);
  return nearest && { ...nearest, ...sizeOfDays(kind, days, nearest) };
}

/** Changes that begin on a day or later with a p-value of at most `most`, each measured like those that any tool found. */
export function changesSince(kind: MetricKind, days: readonly DailyPoint[], from: string, most: number): DatedChange[] {
  const series = seriesBefore(kind, days, days.at(-1)?.label, from);
  const study = series && studySeries(series, pastAndPresent(series, OWN));
  if (!series || !study) return [];
  return study.changes
    .map((change) => dated(series, change))
    .filter((change) => change.shape !== 'outlier' && change.from >= from && change.pValue <= most)
    .flatMap((change) => measureChange(kind, days, change) ?? []);
}
