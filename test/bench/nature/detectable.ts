import { lineByLine, percent, type Table, type Trial, worldSeeds } from '../tables.ts';
import type { Said } from './metrics-cases.ts';
import { dayOf, drawWorld, type Event, type Nature, type World } from './metrics-world.ts';
import type { Bench, MetricsPlatform } from './platforms.ts';

const WEEK = 7;
const SITES: readonly Nature[] = [300, 5_000, 25_000, 500_000].map((visits) => ({ visits, lastDay: '2026-09-30' }));
/** What is planted, and the metric whose stated size it has. */
const PLANTED: readonly { readonly on: Event['on']; readonly metric: string }[] = [
  { on: 'visits', metric: 'visits' },
  { on: 'rate', metric: 'conversionRate' },
  { on: 'rate', metric: 'conversionCount' },
  { on: 'rate', metric: 'revenueSum' },
  { on: 'basket', metric: 'cartAverage' },
];
const CASES = SITES.flatMap((nature) =>
  PLANTED.map((planted) => ({ ...planted, nature, name: `detectable, ${planted.metric}, ${nature.visits} visits a day` })),
);
const CHANGED: ReadonlySet<unknown> = new Set(['up', 'down', 'drift']);

/** The row of a metric in what `compare_metrics` says of a week that ends `ago` days before the last day. */
async function rowOf(world: World, metric: string, ago: number, { peer, platform }: Bench<MetricsPlatform>) {
  platform.show(world);
  const args = { metrics: [metric], startDate: dayOf(world, ago + WEEK), endDate: dayOf(world, ago + 1) };
  const { structured } = await peer.call('compare_metrics', args);
  const { columns = [], rows = [] } = (structured ?? {}) as Partial<Said>; // in its documented form
  return new Map<string, unknown>(columns.map((name, at) => [name, rows[0]?.[at]]));
}

/**
 * Changes of the smallest size that is said to show, in its direction, begun a week after the answer that says so: what chance made of that
 * week is then not in the one that is judged.
 */
export function detectable(trial: Trial, bench: Bench<MetricsPlatform>): AsyncGenerator<Table> {
  const head = {
    title: 'Changes of the smallest size that is said to show in four of five cases',
    columns: ['metric and site', 'found (75–85 %)', 'rises', 'falls', 'mean size'],
  };
  return lineByLine(CASES, trial, head, async ({ name, nature, on, metric }) => {
    const seen: { isFall: boolean; isFound: boolean; size: number }[] = [];
    for (const seed of worldSeeds(trial, 37)) {
      const said = await rowOf(drawWorld(nature, seed), metric, WEEK, bench);
      const size = Number(said.get('detectablePercent') ?? Number.NaN) / 100;
      if (Number.isNaN(size)) continue;
      const isFall = Number(said.get('levelPercent')) < 0;
      const planted: Event = { on, from: WEEK, to: 1, factor: 1 + (isFall ? -size : size) };
      const row = await rowOf(drawWorld({ ...nature, events: [planted] }, seed), metric, 0, bench);
      seen.push({ isFall, isFound: CHANGED.has(row.get('verdict')), size });
    }
    const share = (some: typeof seen) =>
      `${percent(some.filter(({ isFound }) => isFound).length, some.length, 1, '0.0 %')} of ${some.length}`;
    const size = seen.reduce((sum, each) => sum + each.size, 0);
    const [rises, falls] = [seen.filter(({ isFall }) => !isFall), seen.filter(({ isFall }) => isFall)];
    return [name, share(seen), share(rises), share(falls), percent(size, seen.length, 1, '0.0 %')];
  });
}
