import type * as z from 'zod';
import { refuse } from '../../api/errors.ts';
import type { reportEntry, stepResult } from '../../api/operations/records.ts';
import { firstOf } from '../../lib/sentences.ts';
import { fold } from '../names/match-name.ts';
import { speedMetricNames } from './speed-metrics.ts';

type StepResult = z.output<typeof stepResult>;
type Report = z.output<typeof reportEntry>;

/** Names a custom timing that is called like a metric of the platform. */
const PREFIX = 'custom:';

const documented: ReadonlySet<string> = new Set(speedMetricNames);

/** Whether a name can only be that of a custom timing. */
export function isCustomTiming(metric: string): boolean {
  return !documented.has(metric);
}

/** A mark is an instant, a measure a stretch of time: the value is what the page's authors wanted to know of it, in ms. */
function valueOf({ type, startTime, duration }: NonNullable<StepResult['customTimings']>[number]): number | null {
  const isMeasure = /measure/i.test(type ?? '') || (!/mark/i.test(type ?? '') && (duration ?? 0) > 0);
  return (isMeasure ? duration : startTime) ?? null;
}

/** The first custom timing of that name in ms: when a mark was set, how long a measure took; null where the step has none. */
export function customTimingOf({ customTimings }: Pick<StepResult, 'customTimings'>, metric: string): number | null {
  const name = metric.startsWith(PREFIX) ? metric.slice(PREFIX.length) : metric;
  const timing = customTimings?.find((each) => each.name === name);
  return timing ? valueOf(timing) : null;
}

/** Names of the custom timings of these reports as metrics take them, in the order in which they first appear. */
function customTimingNames(reports: readonly Report[]): string[] {
  const names = new Set<string | null | undefined>();
  for (const { steps } of reports) for (const { customTimings } of steps ?? []) for (const { name } of customTimings ?? []) names.add(name);
  return [...names].flatMap((name) => {
    if (!name) return [];
    return documented.has(name) ? [PREFIX + name] : [name];
  });
}

/** Metrics as they were asked for, matched with the custom timings of the reports. */
export interface NamedTimings {
  /** The names as the reports spell them; undefined where none were asked for. */
  readonly metrics: readonly string[] | undefined;
  /** Those that are neither a metric of the platform nor a custom timing of these reports. */
  readonly unknown: readonly string[];
  /** All custom timings of these reports. */
  readonly timings: readonly string[];
}

const folded = (name: string) => fold(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name).replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The custom timing that a name means, case, spaces and hyphens ignored; undefined where none is called so. */
function timingNamed(name: string, timings: readonly string[]): string | undefined {
  return timings.find((timing) => timing === name) ?? timings.find((timing) => folded(timing) === folded(name));
}

/** Finds the custom timings that metrics name; `["all"]` takes every one. */
export function nameTimings(asked: readonly string[] | undefined, reports: readonly Report[]): NamedTimings {
  const timings = customTimingNames(reports);
  if (!asked) return { metrics: undefined, unknown: [], timings };
  const unknown: string[] = [];
  const metrics = asked.flatMap((name) => {
    if (name === 'all') return ['all', ...timings];
    if (!isCustomTiming(name)) return [name];
    const known = timingNamed(name, timings);
    if (known === undefined) unknown.push(name);
    return known ?? [];
  });
  return { metrics: [...new Set(metrics)], unknown, timings };
}

/** Names that a sentence lists. */
const MOST_NAMED = 8;

/**
 * How many scenarios have the custom timings that an argument names, a sentence for each that some lack; throws an `invalid` error for
 * names that none of them has.
 */
export function timingWords(argument: 'metrics' | 'budgets', all: readonly Pick<NamedTimings, 'unknown' | 'timings'>[]): string[] {
  const names = [...new Set(all.flatMap(({ unknown }) => unknown))];
  const lacking = names.map((name) => ({ name, count: all.filter(({ unknown }) => unknown.includes(name)).length }));
  const nowhere = lacking.filter(({ count }) => count === all.length).map(({ name }) => `"${name}"`);
  if (nowhere.length > 0) {
    const timings = [...new Set(all.flatMap((each) => each.timings))];
    const there = timings.length > 0 ? `They have ${firstOf(timings, MOST_NAMED)}` : 'They have none';
    refuse(
      `${argument}: ${nowhere.join(', ')} is no metric (analytics://reference/metrics) and no custom timing of these scenarios. ${there}.`,
    );
  }
  return lacking.map(({ name, count }) => `${name}: ${all.length - count} of ${all.length} scenarios have this custom timing.`);
}

/** Which custom timings an answer could have been about; nothing where there are none. */
export function timingsNote(all: readonly Pick<NamedTimings, 'timings'>[]): string[] {
  const timings = [...new Set(all.flatMap((each) => each.timings))];
  return timings.length > 0 ? [`For metrics also: ${firstOf(timings, MOST_NAMED)}.`] : [];
}
