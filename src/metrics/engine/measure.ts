import { dayAfter, daysFrom } from '../../lib/calendar.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { type DatedChange, dated, USUAL_DAYS } from './changes.ts';
import { type Interval } from './drift-grid.ts';
import { estimateNoise } from './noise.ts';
import { intervalOf } from './reasons.ts';
import { type Effect, effectBeside, effectOnDays, LAST, likeness } from './scan.ts';
import { allShapes, HISTORY, LONGEST_EPISODE_DAYS, pastAndPresent } from './seek.ts';
import { type DailyPoint, daysIn, LEAST_HISTORY_DAYS, type MetricKind, type Series, seriesOf, WEEK } from './series.ts';
import { studySeries } from './study.ts';

/** Days up to the last one that are looked at: what two requests give. */
const MOST_DAYS = 184;
/** Days that teach end this long before the last day, or a multiple of it, so that no question moves them. */
const TURN_DAYS = 28;
/** Days before a change that must not teach. */
const CLOSE_DAYS = 3;
/** Turns of the days that can be searched: the others teach. */
const MOST_TURNS = Math.floor((MOST_DAYS - LEAST_HISTORY_DAYS) / TURN_DAYS);
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
function seriesBefore(kind: MetricKind, days: readonly DailyPoint[], last: string | undefined, from: string): Series | undefined {
  if (last === undefined) return undefined;
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

/** Levels of the days before a first one; one that lasts until then may go on, where it is no matter of a few days. */
function levelsBefore(
  kind: MetricKind,
  days: readonly DailyPoint[],
  series: Series,
  first: string,
): (Interval & { readonly goesOn: boolean })[] {
  // By these days alone: of the days behind them the usual ones before a fall look like a rise that ends with it.
  const before = seriesBefore(
    kind,
    daysIn(days, (label) => label < first),
    days.at(-1)?.label,
    first,
  );
  const study = before && studySeries(before, allShapes(before.block + WEEK, before.labels.length, HISTORY, LONGEST_EPISODE_DAYS));
  return (study?.changes ?? []).map(({ shape, from, to }) => {
    // The two may begin on other days: what is over may have begun with days of nothing.
    const own = intervalOf(series, before?.labels[from] ?? '', before?.labels[to - 1] ?? '');
    return { ...own, goesOn: shape === 'step' && to - from >= WEEK };
  });
}

/** A series with all changes that its days up to the last one show, whoever asks. */
function studyOf(kind: MetricKind, days: readonly DailyPoint[], from: string) {
  const series = seriesBefore(kind, days, days.at(-1)?.label, from);
  return series && studySeries(series, pastAndPresent(series, OWN));
}

/** The days that a change is measured by: without episodes of others that began after it, as a campaign, which are no level of its own. */
export function daysBeside(
  kind: MetricKind,
  days: readonly DailyPoint[],
  { from, to = LAST }: Pick<FoundChange, 'from' | 'to'>,
): readonly DailyPoint[] {
  return keptFit('days beside', [kind, days, from, to], () => {
    const study = studyOf(kind, days, from);
    if (!study) return days;
    const own = intervalOf(study.series, from, to);
    const others = study.changes.filter((change) => change.shape === 'episode' && change.from > own.from && likeness(change, own) < 1 / 2);
    const taken = new Set(others.flatMap((other) => study.series.labels.slice(other.from, other.to)));
    return daysIn(days, (label) => !taken.has(label));
  });
}

/** First and last days of the other changes that the days of a series show beside one, before it or since. */
export function changesBeside(kind: MetricKind, days: readonly DailyPoint[], { from, to = LAST }: Pick<FoundChange, 'from' | 'to'>) {
  const study = studyOf(kind, days, from);
  if (!study) return [];
  const own = intervalOf(study.series, from, to);
  return study.changes
    .filter((change) => likeness(change, own) < 1 / 2)
    .map((change) => ({ from: study.series.labels[change.from] ?? '', to: study.series.labels[change.to - 1] ?? LAST }));
}

/**
 * Measures what days from one to another are against those before, whether or not they show a change by themselves, clear changes of other
 * days taken out.
 */
export function sizeOfDays(
  kind: MetricKind,
  days: readonly DailyPoint[],
  { from, to }: Pick<FoundChange, 'from' | 'to'>,
): Effect | undefined {
  return keptFit('size', [kind, days, from, to], () => {
    const study = studyOf(kind, days, from);
    const own = { from, to };
    // A single day has no level that others could be mistaken for.
    if (study && from === to) return effectOnDays(study, own);
    const known = study ? study.changes.map((change) => dated(study.series, change)) : [];
    const beside = daysBeside(kind, days, own);
    const series = seriesBefore(kind, beside, beside.at(-1)?.label, from);
    const first = series?.labels.find((label) => label >= from);
    if (!series || first === undefined) return undefined;
    const before = levelsBefore(kind, beside, series, first);
    const placed = known.map((change) => ({ ...change, interval: intervalOf(series, change.from, change.to ?? LAST) }));
    const isAlike = (one: Interval, other: Interval) => likeness(one, other) >= 1 / 2;
    // An episode that ended with the eve of these days looks, without them, like a level that goes on.
    const levels = before.map(({ goesOn, ...level }) => {
      const isOver = placed.some(({ shape, interval }) => shape === 'episode' && isAlike(interval, level));
      return goesOn && (!isOver || level.to - level.from > USUAL_DAYS) ? { ...level, to: series.labels.length } : level;
    });
    // A step that the days up to the next one are too few to show goes on too: what is added to it is the size of that one.
    // One that began shortly before is another one where it lasts for much longer than these days.
    const lasting = intervalOf(series, from, to ?? LAST);
    const isOther = (each: (typeof placed)[number]) =>
      each.from < dayAfter(from, -NEAR_DAYS) || each.from > (to ?? LAST) || (each.from < from && !isAlike(each.interval, lasting));
    const steps = placed.filter((each) => each.shape === 'step' && isOther(each));
    const more = steps.map(({ interval }) => interval).filter((step) => !levels.some((level) => isAlike(level, step)));
    const others = [...levels, ...more];
    const noise = estimateNoise(
      series,
      others.filter((other) => other.from < series.learned && other.to - other.from > 1),
    );
    return noise && effectBeside({ series, noise }, own, others);
  });
}

/** A change as some question found it; without a last day it goes on. */
export type FoundChange = Pick<DatedChange, 'from' | 'relative'> & { readonly to?: string | undefined };

/**
 * Dates a change that some question found and gives it the size of all its days, from the days up to the last one alone and not from the
 * ranges or the size of the question, so that all questions up to that day tell it alike. One that may have begun on the last day is of
 * that day. Undefined where these days do not show it.
 */
export function measureChange(kind: MetricKind, days: readonly DailyPoint[], found: FoundChange): DatedChange | undefined {
  const study = studyOf(kind, days, found.from);
  if (!study) return undefined;
  const { series } = study;
  const last = series.labels.at(-1) ?? found.from;
  const distanceOf = ({ from }: Pick<DatedChange, 'from'>) => Math.abs(daysFrom(found.from, from));
  const near = study.changes
    .map((change) => dated(series, change))
    .filter(({ shape, from, relative }) => (shape !== 'outlier' || from === found.from) && relative * found.relative > 0)
    .filter((change) => distanceOf(change) <= (found.from === found.to ? 0 : NEAR_DAYS))
    .toSorted((a, b) => distanceOf(a) - distanceOf(b));
  const isEndInDoubt = daysFrom(found.to ?? last, last) <= DAYS_IN_DOUBT;
  // A day that stands alone is what a question saw of it, whatever else begins there.
  const alone = near.slice(0, 1).find(({ shape }) => shape === 'outlier');
  const own = alone ?? near.find(({ to }) => (to === undefined) === (found.to === undefined)) ?? (isEndInDoubt ? near[0] : undefined);
  const nearest = own && own.to === undefined && own.latest === last ? { ...own, from: last, earliest: last, days: 1 } : own;
  const size = nearest && sizeOfDays(kind, days, nearest);
  // What is left of it beside an earlier one may be nothing.
  return nearest && !(size && size.low * size.high <= 0) ? { ...nearest, ...size } : undefined;
}

/**
 * Changes that begin on a day or later with a p-value of at most `most`, each measured like those that any tool found; of a long time among
 * the last days of it that leave some to teach.
 */
export function changesSince(kind: MetricKind, days: readonly DailyPoint[], from: string, most: number): DatedChange[] {
  const earliest = dayAfter(days.at(-1)?.label ?? from, 1 + CLOSE_DAYS - MOST_TURNS * TURN_DAYS);
  const study = studyOf(kind, days, from < earliest ? earliest : from);
  if (!study) return [];
  return study.changes
    .map((change) => dated(study.series, change))
    .filter((change) => change.from >= from && change.pValue <= most)
    .flatMap((change) => measureChange(kind, days, change) ?? []);
}
