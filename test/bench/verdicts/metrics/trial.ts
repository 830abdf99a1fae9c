import { type Judgement, judgePeriods } from '../../../../src/metrics/engine/judge.ts';
import type { Table, Trial } from '../../tables.ts';
import { drawWorld, METRICS, type Metric, pointsOf, type Selection, type World, type WorldOptions } from './world.ts';

export const HISTORY_DAYS = 84;
export const SITES = { small: 5_000, middle: 25_000, large: 100_000 } as const;
export type Site = keyof typeof SITES;
export const SITE_NAMES = ['small', 'middle', 'large'] as const;

/** Days of history, a baseline and a period of equal length. */
export interface Layout {
  readonly days: number;
  readonly baseline: number;
  readonly period: number;
}

const layoutOf = (length: number): Layout => ({
  days: HISTORY_DAYS + 2 * length,
  baseline: HISTORY_DAYS,
  period: HISTORY_DAYS + length,
});
export const WEEK_LAYOUT = layoutOf(7);
export const MONTH_LAYOUT = layoutOf(30);

/** A table with a line for each case on each site; `section` begins the names of its cells. */
export function siteTable<Case extends { readonly name: string }>(
  trial: Trial,
  {
    section,
    cases,
    measure,
    ...head
  }: Omit<Table, 'lines'> & {
    readonly section: string;
    readonly cases: readonly Case[];
    readonly measure: (each: Case, site: Site, trial: Trial) => readonly string[];
  },
): Table {
  const cells = cases.flatMap((each) => SITE_NAMES.map((site) => ({ each, site })));
  const asked = cells.filter(({ each, site }) => `${section}/${each.name}/${site}`.includes(trial.only ?? ''));
  return { ...head, lines: asked.map(({ each, site }) => ({ cells: measure(each, site, trial) })) };
}

/** A seed for one world of one cell, so that cells share none. */
export function seedOf({ seed }: Trial, cell: string, world: number): number {
  let hash = 2_166_136_261;
  for (const character of `${seed}/${cell}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) + world;
}

/** A world of a cell `name` on a site, drawn with a seed of its own. */
export function drawSite(
  trial: Trial,
  name: string,
  site: Site,
  world: number,
  options: Omit<WorldOptions, 'seed' | 'visitsPerDay'>,
): World {
  return drawWorld({ seed: seedOf(trial, `${name}/${site}`, world), visitsPerDay: SITES[site], ...options });
}

export function judge(world: World, metric: Metric, selection: Selection, { days, baseline, period }: Layout): Judgement {
  const label = (day: number) => world.labels[day] ?? '';
  return judgePeriods({
    kind: METRICS[metric].kind,
    days: pointsOf(world, metric, selection),
    baseline: { from: label(baseline), to: label(period - 1) },
    period: { from: label(period), to: label(days - 1) },
  });
}

export const ratio = (own: number, other: number) => (other > 0 ? (own / other).toFixed(2) : '–');
