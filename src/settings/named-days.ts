import { list } from './setting.ts';

const NAMED = /^(?<from>\d{4}-\d{2}-\d{2})(?:\s*\.\.\s*(?<to>\d{4}-\d{2}-\d{2}))?\s+(?<name>\S.*)$/;

/** First and last day, and what a person calls them. */
interface NamedDays {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

const isDay = (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().slice(0, 10) === text;

function daysOf(text: string): NamedDays | undefined {
  const { from = '', to = from, name = '' } = NAMED.exec(text)?.groups ?? {};
  return name !== '' && isDay(from) && isDay(to) && from <= to ? { from, to, name } : undefined;
}

/** Days with their names, separated by commas: `2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale`. */
export const namedDays = list
  .refine(
    (items) => items.every((item) => daysOf(item) !== undefined),
    'expected days with names, separated by commas, such as 2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale',
  )
  .transform((items) => items.flatMap((item) => daysOf(item) ?? []));
