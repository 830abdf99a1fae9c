import * as z from 'zod';
import { ApiError } from '../api/errors.ts';
import { unwrap } from '../api/operation.ts';
import { documentedDate } from '../api/params.ts';
import { hint } from '../lib/hint.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { type ParamFact, paramFacts } from './params.ts';

/** An instant; `iso` is what was sent where the platform was asked with it, and left out for one that was computed. */
export interface Bound {
  readonly iso?: string;
  readonly ms: number;
}

/** Bounds of the range that the date parameters name, in ms and as sent. */
export interface ResolvedRange {
  start?: Bound;
  end?: Bound;
}

/** A parameter that is a date. */
export type DateFact = Extract<ParamFact, { date: unknown }>;

/** Where a schema has a value of some kind: the value goes back to `holder[key]`. */
export interface ArgumentPlace<Fact> {
  readonly fact: Fact;
  readonly text: string;
  readonly path: string;
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

/** The present and the zone that dates are read with, and where a note goes. */
export interface DateReading {
  readonly timeZone: string;
  readonly nowMs: number;
  readonly note: (sentence: string) => void;
  /** The instant of the event that a text names, which begins or ends a range of lab runs; left out where there are none. */
  readonly eventAt?: ((text: string) => Promise<{ readonly atMs: number; readonly words: string } | undefined>) | undefined;
}

/** How days that lie ahead may be asked about. */
interface Ahead {
  readonly mayBeAhead: boolean;
  /** How a forecast is asked for; empty where there is none. */
  readonly forecast: string;
}

/** How to ask for a forecast where the schema asks about metrics that have one. */
export function forecastOf({ shape: { metrics } }: z.ZodObject, { ahead }: DateFact): string {
  if (ahead !== undefined) return ` ${ahead}: true forecasts it.`;
  const list = metrics && unwrap(metrics);
  const fact = list instanceof z.ZodArray ? paramFacts.get(list.element as z.ZodType) : undefined; // as in findPlaces
  const isOfRange = fact !== undefined && 'metric' in fact && fact.metric === 'range';
  return isOfRange ? hint('query_metrics', ' query_metrics with expected: true forecasts it.') : '';
}

/** The value of a date, and the bound of the range that it is, if any. */
interface ReadDate {
  readonly value: unknown;
  readonly range: ResolvedRange;
}

/** A text that is spelt as a date, of whatever month: no event is looked for. */
const DATE_SHAPE = /^\s*\d{4}-\d{1,2}(?:-\d{1,2}(?:[T ]\d.*)?)?\s*$/i;

/** The event that stands in place of a date, where what was read as one is none and a range may begin or end with an event. */
async function eventFor({ fact, text }: ArgumentPlace<DateFact>, error: unknown, { eventAt }: DateReading) {
  const [{ FutureError }, { DateError }] = await Promise.all([import('../lib/dates.ts'), import('../lib/date-texts.ts')]);
  const isOfRange = (fact.date === 'start' || fact.date === 'end') && !DATE_SHAPE.test(text);
  return error instanceof DateError && !(error instanceof FutureError) && isOfRange ? eventAt?.(text) : undefined;
}

/** The instant of a date, and the bound of the range that it is, if any. */
export async function resolveDate(place: ArgumentPlace<DateFact>, ahead: Ahead, options: DateReading): Promise<ReadDate> {
  const { fact, text, path } = place;
  const { mayBeAhead, forecast } = ahead;
  const { timeZone, nowMs, note } = options;
  const [{ FutureError, resolveDate: resolve, todayIn }, { isOfNoYear }] = await Promise.all([
    import('../lib/dates.ts'),
    import('../lib/date-texts.ts'),
  ]);
  try {
    const moment = fact.date === 'moment';
    const resolved = resolve(text, { edge: moment ? 'start' : fact.date, timeZone, nowMs, allowFuture: moment || mayBeAhead });
    const bound: Bound = { iso: documentedDate(resolved.iso), ms: resolved.instantMs };
    if (resolved.cutToNow) note(`${path} "${text}" reaches into the future and was cut to now.`);
    if (fact.date === 'start' && isOfNoYear(text))
      note(ofAnswer(`"${text}" is taken as that of ${todayIn(timeZone, bound.ms).slice(0, 4)}.`));
    const isEnd = fact.date === 'end' || fact.date === 'exportEnd';
    return {
      value: fact.as === 'ms' ? bound.ms : bound.iso,
      range: { ...(fact.date === 'start' && { start: bound }), ...(isEnd && { end: bound }) },
    };
  } catch (error) {
    const event = await eventFor(place, error, options);
    if (event) {
      note(event.words);
      return resolveDate({ ...place, text: new Date(event.atMs).toISOString() }, ahead, options);
    }
    const words = error instanceof Error ? error.message : 'no date';
    throw new ApiError('invalid', `${path}: ${words}${error instanceof FutureError ? forecast : ''}`);
  }
}

/** Says where weeks begin that `-4w` to `last_week` does not hold whole: it begins on the day of the week that today is. */
export async function partWeekWords(
  dates: readonly ArgumentPlace<DateFact>[],
  { start, end }: ResolvedRange,
  timeZone: string,
): Promise<string | undefined> {
  const textOf = (edge: DateFact['date']) => dates.find(({ fact }) => fact.date === edge)?.text ?? '';
  const count = /^-(\d+)w$/i.exec(textOf('start').trim())?.[1];
  if (count === undefined || !/^last[_ ]week$/i.test(textOf('end').trim()) || !start || !end) return undefined;
  const [{ shiftDays }, { todayIn }] = await Promise.all([import('../lib/calendar.ts'), import('../lib/dates.ts')]);
  const wholeMs = shiftDays(end.ms + 1, -7 * Number(count), timeZone);
  if (wholeMs === start.ms) return undefined;
  const weeks = count === '1' ? 'week begins' : `${count} whole weeks begin`;
  return `"-${count}w" is the day ${count} ${count === '1' ? 'week' : 'weeks'} ago: the ${weeks} on ${todayIn(timeZone, wholeMs)}.`;
}

/** Complaints of which the last alone lists the accepted dates, where several do. */
export async function listedOnce(complaints: readonly string[]): Promise<string[]> {
  const { ACCEPTED_WORDS } = await import('../lib/date-texts.ts');
  const last = complaints.findLastIndex((words) => words.endsWith(ACCEPTED_WORDS));
  return complaints.map((words, at) =>
    at < last && words.endsWith(ACCEPTED_WORDS) ? `${words.slice(0, -ACCEPTED_WORDS.length)}.` : words,
  );
}
