import { LAST } from '../domain/metrics/engine/scan.ts';
import { definitionOf } from '../domain/metrics/metric-definitions.ts';
import { type Finding, placesOf } from '../findings/finding.ts';
import { isMoved } from '../findings/sentence.ts';
import { firstOf, headlineOf } from '../lib/sentences.ts';
import type { TrendEvent } from './spec.ts';

/** The filters of a question, each by what it is of. */
export type Filters = Readonly<Record<string, string>>;

/** Filters as a picture of a metric says them: that all devices are meant goes without saying, and a goal says nothing of visits. */
export const filterWords = (filters: Filters, metric: string) =>
  Object.entries(filters)
    .filter(([name, value]) => value !== 'all' && (name !== 'goal' || definitionOf(metric)?.perGoal))
    .map(([name, value]) => (value.endsWith(name) ? value : `${name} ${value}`));

/** The names of the place of a finding beside those of the question, which all of its picture is of. */
export function placeBeside(finding: Pick<Finding, 'place'>, filters: Filters): string[] {
  const asked = Object.values(filters);
  return placesOf(finding)
    .map((name) => asked.reduce((rest, filter) => rest.replace(`${filter} and `, ''), name))
    .filter((name) => !asked.includes(name));
}

/** Says what a picture leaves out. */
export const notDrawn = (names: readonly string[]) => names.length > 0 && `not drawn: ${firstOf(names, 3)}`;

/** Whether a line or row is what a finding is of, and others are not. */
export function isMeant(names: readonly string[], finding: Pick<Finding, 'place'> | undefined, filters: Filters): boolean {
  const places = finding ? placeBeside(finding, filters) : [];
  return places.length > 0 && isOf(names, places);
}

/** Whether a line or row is of a place, by the names of both. */
const isOf = (line: readonly string[], places: readonly string[]) => places.every((name) => line.includes(name));

/** The lines of a picture, each by its names. */
interface DrawnLines {
  readonly filters: Filters;
  readonly lines: readonly (readonly string[])[];
  /** The whole is not among them. */
  readonly isOfParts?: boolean | undefined;
}

/** Findings of a metric in places that are drawn, the most important first. */
export function findingsDrawn(findings: readonly Finding[], metric: string, { filters, lines, isOfParts = false }: DrawnLines): Finding[] {
  return findings.filter((each) => {
    const places = placeBeside(each, filters);
    return each.subject === metric && !(isOfParts && places.length === 0) && lines.some((line) => isOf(line, places));
  });
}

/** Whether a finding is of days among those of a picture: it may have begun before them. */
export const isOnDays = ({ when: { from = '', to = LAST } }: Pick<Finding, 'when'>, times: readonly string[]) =>
  from <= (times.at(-1) ?? '') && to >= (times[0] ?? '');

/** The time of a picture that holds a day: its week, month or first hour; of a day before all of them the first. */
export const timeIn = (day: string, times: readonly string[]) =>
  times.find((time) => time.slice(0, day.length) === day) ?? times.findLast((time) => time <= day) ?? times[0] ?? day;

/** Changes in other places or of other metrics that move the metric of a picture, each with its words on its first day. */
export function marksBeside(findings: readonly Finding[], own: readonly Finding[], metric: string, times: readonly string[]): TrendEvent[] {
  return findings.flatMap((each) => {
    const { subject, cost, sentence, when } = each;
    const isSeen = (when.shape === 'step' || when.shape === 'episode') && (subject === metric || cost?.of === metric) && isMoved(each);
    return isSeen && !own.includes(each) && isOnDays(each, times)
      ? [{ name: headlineOf(sentence), time: timeIn(when.from ?? '', times) }]
      : [];
  });
}
