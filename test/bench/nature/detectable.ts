import { lineByLine, percent, type Table, type Trial, worldSeeds } from '../tables.ts';
import type { Said } from './metrics-cases.ts';
import { dayOf, drawWorld, type Event, type Nature, type World } from './metrics-world.ts';
import type { Bench, DatedBenches, MetricsPlatform } from './platforms.ts';

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

/** The record of a metric in what `compare_metrics` says of a week that ends `ago` days before the last day. */
async function findingOf(world: World, metric: string, ago: number, { peer, platform }: Bench<MetricsPlatform>) {
  platform.show(world);
  const args = { metrics: [metric], startDate: dayOf(world, ago + WEEK), endDate: dayOf(world, ago + 1) };
  const { findings = [] } = await peer.answer<Partial<Said>>('compare_metrics', args);
  return findings.find(({ subject }) => subject === metric);
}

/**
 * Changes of the smallest size that is said to show, in its direction, begun a week after the answer that says so: what chance made of that
 * week is then not in the one that is judged.
 */
export function detectable(trial: Trial, benches: DatedBenches): AsyncGenerator<Table> {
  const head = {
    title: 'Changes of the smallest size that is said to show in four of five cases',
    columns: ['metric and site', 'found (75–85 %)', 'rises', 'falls', 'mean size'],
  };
  return lineByLine(CASES, trial, head, async ({ name, nature, on, metric }) => {
    const seen: { isFall: boolean; isFound: boolean; size: number }[] = [];
    const bench = await benches.at(nature.lastDay);
    for (const seed of worldSeeds(trial, 37)) {
      const said = await findingOf(drawWorld(nature, seed), metric, WEEK, bench);
      if (said?.detectable === undefined) continue;
      const size = said.detectable / 100;
      const isFall = (said.change?.percent ?? 0) < 0;
      const planted: Event = { on, from: WEEK, to: 1, factor: 1 + (isFall ? -size : size) };
      const found = await findingOf(drawWorld({ ...nature, events: [planted] }, seed), metric, 0, bench);
      seen.push({ isFall, isFound: found?.verdict === (isFall ? 'lower' : 'higher'), size });
    }
    const share = (some: typeof seen) =>
      `${percent(some.filter(({ isFound }) => isFound).length, some.length, 1, '0.0 %')} of ${some.length}`;
    const size = seen.reduce((sum, each) => sum + each.size, 0);
    const [rises, falls] = [seen.filter(({ isFall }) => !isFall), seen.filter(({ isFall }) => isFall)];
    return [name, share(seen), share(rises), share(falls), percent(size, seen.length, 1, '0.0 %')];
  });
}
