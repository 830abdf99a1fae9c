import * as z from 'zod';
import { METRICS } from '../nature/metrics-world.ts';
import type { Look } from './looks.ts';
import { dayPlus, type Place } from './planted.ts';
import { type Claim, placeOf, rowsOf, type Said } from './said.ts';

const DAY_MS = 86_400_000;
const WEEK = 7;
const SEGMENT_IDS: Readonly<Record<string, number>> = { new: 1, returning: 2 };
const answer = z.object({
  payload: z.object({ values: z.array(z.object({ name: z.string(), value: z.number().nullable(), startDate: z.string() })) }),
});

/** Values of metrics by the first day of their time, asked of the platform without the product. */
type Values = ReadonlyMap<string, Readonly<Record<string, number | null>>>;

/** Asks a platform by plain REST, each question once. */
export function plainReader(url: string) {
  const asked = new Map<string, Promise<Values>>();
  async function ask(query: string): Promise<Values> {
    const response = await fetch(`${url}/v1/metrics/site?${query}`);
    const values = new Map<string, Record<string, number | null>>();
    for (const { name, value, startDate } of answer.parse(await response.json()).payload.values) {
      const day = startDate.slice(0, 10);
      values.set(day, { ...values.get(day), [name]: value });
    }
    return values;
  }
  return (from: string, to: string, { device = 'all', segment }: Place, isDaily = false): Promise<Values> => {
    const ofSegment = segment === undefined ? '' : `&segmentIds=${SEGMENT_IDS[segment]}`;
    const narrowed = `device=${device}${ofSegment}${isDaily ? '&period=daily' : ''}`;
    const query = `startDate=${from}T00:00:00.000Z&endDate=${to}T23:59:59.999Z&${narrowed}`;
    const known = asked.get(query) ?? ask(query);
    asked.set(query, known);
    return known;
  };
}

/** Reads values of a place by plain REST. */
export type PlainReader = ReturnType<typeof plainReader>;

/** A figure that an answer gives, and the place, metric and days it is given for. */
interface Figure {
  readonly metric: string;
  readonly place: Place;
  readonly from: string;
  readonly to: string;
  readonly value: number;
  /** Counts are those of a day. */
  readonly isPerDay?: boolean;
}

type Row = ReturnType<typeof rowsOf>[number];

/** Both ranges of a row of a comparison. */
function comparedFigures(row: Row, metric: string, { from, to, place }: Look, { start, end }: NonNullable<Said['baseline']>): Figure[] {
  const isPerDay = String(row['unit'] ?? '').endsWith('a day');
  const own = { metric, place: placeOf({ ...place, ...row }), isPerDay };
  const sides = [
    { value: row['before'], from: start.slice(0, 10), to: end.slice(0, 10) },
    { value: row['after'], from, to },
  ];
  return sides.flatMap(({ value, ...days }) => (typeof value === 'number' ? [{ ...own, ...days, value }] : []));
}

/** The days of a row of a table by day or week; a week that is not whole is called so: `2026-06-01 (part)`. */
export function daysOf(row: Row, look: Look): { readonly from: string; readonly to: string } {
  const [day, week] = [row['day'], row['week']].map((label) => (typeof label === 'string' ? label.slice(0, 10) : undefined));
  if (day !== undefined) return { from: day, to: day };
  if (week === undefined) return { from: look.from, to: look.to };
  const last = dayPlus(week, WEEK - 1);
  return { from: week, to: last < look.to ? last : look.to };
}

function figuresOf(said: Said, look: Look): Figure[] {
  const rows = rowsOf(said);
  const { baseline } = said;
  if (baseline) {
    const groups = [...(said.devices ?? []), ...(said.segments ?? [])];
    return [...rows, ...groups].flatMap((row) => comparedFigures(row, String(row['metric'] ?? said.explained), look, baseline));
  }
  return rows.flatMap((row) => {
    const own = { place: placeOf({ ...look.place, ...row }), ...daysOf(row, look) };
    const given =
      row['metric'] === undefined ? Object.keys(METRICS).map((metric) => [metric, row[metric]]) : [[row['metric'], row['value']]];
    return given.flatMap(([metric, value]) => (typeof value === 'number' ? [{ ...own, metric: String(metric), value }] : []));
  });
}

/** Answers round to four digits behind the point. */
const ROUNDED = 0.0051;
/** Natural noise of a few days against the weeks before; the places of a world differ by more where a change is in one of them. */
const NOISE = 0.25;

async function isFigureRight({ metric, place, from, to, value, isPerDay }: Figure, read: PlainReader): Promise<boolean> {
  const plain = (await read(from, to, place)).get(from)?.[metric];
  if (plain === undefined || plain === null) return false;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const shown = isPerDay ? plain / days : plain;
  return Math.abs(shown - value) <= ROUNDED + 1e-4 * Math.abs(shown);
}

/** Whether the size of a claim is what its place did on its days, against the same weekdays of the four weeks before, but for noise. */
async function isClaimOfItsPlace({ metric, place, from, to, percent }: Claim, last: string, read: PlainReader): Promise<boolean> {
  if (percent === undefined || percent.value <= -100) return true;
  const end = to ?? last;
  const days = await read(dayPlus(from, -4 * WEEK), end, place, true);
  const valueOn = (day: string) => days.get(day)?.[metric] ?? undefined;
  const logs: number[] = [];
  for (let day = from; day <= end; day = dayPlus(day, 1)) {
    const back = Math.floor((Date.parse(day) - Date.parse(from)) / DAY_MS / WEEK) + 1;
    const before = [0, 1, 2].flatMap((more) => valueOn(dayPlus(day, -WEEK * (back + more))) ?? []);
    const usual = before.reduce((sum, value) => sum + value, 0) / before.length;
    const value = valueOn(day);
    if (value && usual > 0) logs.push(Math.log(value / usual));
  }
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return logs.length === 0 || Math.abs(mean - Math.log(1 + percent.value / 100)) <= NOISE;
}

/** Figures of an answer that plain REST does not give for the place that they stand under, as text, and how many were looked at. */
export async function figuresAgainstRest(said: Said, claims: readonly Claim[], look: Look, read: PlainReader) {
  const wrong: string[] = [];
  const figures = figuresOf(said, look);
  const nameOf = ({ device = 'all', segment }: Place) => [device, segment].filter(Boolean).join(', ');
  for (const figure of figures) {
    const { metric, place, from, to, value } = figure;
    if (!(await isFigureRight(figure, read))) wrong.push(`${metric} (${nameOf(place)}) ${from} to ${to}: ${value}`);
  }
  for (const claim of claims) {
    if (await isClaimOfItsPlace(claim, look.to, read)) continue;
    wrong.push(`${claim.metric} (${nameOf(claim.place)}) ${claim.percent?.value}% since ${claim.from}`);
  }
  return { looked: figures.length + claims.length, wrong };
}
