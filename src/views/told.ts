import { type Finding, placesOf } from '../findings/finding.ts';
import { isMoved } from '../findings/sentence.ts';
import { grouped } from '../lib/grouped.ts';
import { firstOf, headlineOf } from '../lib/sentences.ts';
import { LAST } from '../metrics/engine/scan.ts';
import { definitionOf } from '../metrics/metric-definitions.ts';
import { isOfMetric } from '../metrics/metric-names.ts';
import type { TrendEvent, TrendLevel } from './spec.ts';

/** The filters of a question, each by what it is of. */
export type Filters = Readonly<Record<string, string>>;

/** Filters as a picture of a metric says them: all devices go without saying, as ids of zones do; a goal says nothing of visits. */
export const filterWords = (filters: Filters, metric: string) =>
  Object.entries(filters)
    .filter(([name, value]) => value !== 'all' && name !== 'zoneId' && (name !== 'goal' || definitionOf(metric)?.perGoal))
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

/** Whether the place of a finding is drawn. */
export function isDrawn(finding: Pick<Finding, 'place'>, { filters, lines, isOfParts = false }: DrawnLines): boolean {
  const places = placeBeside(finding, filters);
  return !(isOfParts && places.length === 0) && lines.some((line) => isOf(line, places));
}

/** Whether a finding is of days among those of a picture: it may have begun before them. */
export const isOnDays = ({ when: { from = '', to = LAST } }: Pick<Finding, 'when'>, times: readonly string[]) =>
  from <= (times.at(-1) ?? '') && to >= (times[0] ?? '');

/** An instant of a run, which has a zone, as the time in that zone; a day as it is. */
const localTime = (time: string) => time.slice(0, 16);

/** The mark of a change from its first day on, in its own words; of one that began before the picture at its edge. */
export function markOf(
  { sentence, when: { from = '', to } }: Finding,
  [first = '']: readonly string[],
  name = headlineOf(sentence),
): TrendEvent {
  return {
    ...(from < first ? { name: `← ${name}`, time: first } : { name, time: localTime(from) }),
    ...(to !== undefined && { to: localTime(to) }),
  };
}

/**
 * Changes with a date that move the metric of a picture, its own or of what makes it, and unusual days; of several that began on a day the
 * first.
 */
export function changesIn(findings: readonly Finding[] = [], metric: string, times: readonly string[]): Finding[] {
  const seen = findings.filter(
    (each) =>
      (isChange(each) || isUnusualDay(each)) && (isOfMetric(each.subject, metric) || each.cost?.of === metric) && isOnDays(each, times),
  );
  return [...grouped(seen, ({ when }) => when.from).values()].flatMap(([one]) => one ?? []);
}

/** Whether a finding is that something changed on a day, which may be over. */
export const isChange = (each: Finding) => isMoved(each) && each.when.shape !== 'range' && each.when.shape !== 'day';

/** Whether a finding is that a day lay apart from those around it, which is no judgement of a day that was asked about. */
const isUnusualDay = (each: Finding) => isMoved(each) && each.when.shape === 'day' && each.against?.what === 'before';

/** The levels on both sides of a change, as its record has them; none of a slow trend, which has no level. */
export function levelsOf({ now, against, when: { shape, from = '', to } }: Finding, times: readonly string[]): TrendLevel[] {
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const at = localTime(from);
  const sides = [
    { from: first, to: at, value: against?.value ?? null },
    { from: at < first ? first : at, to: to === undefined ? last : localTime(to), value: now },
  ];
  if (shape === 'drift' || against?.what !== 'before') return [];
  return sides.flatMap(({ value, ...side }) => (value === null || side.from > side.to ? [] : [{ ...side, value }]));
}
