import type { Table, Trial } from '../verdicts/metrics/trial.ts';
import type { Said } from './metrics-cases.ts';
import { dayOf, drawWorld, type Event, type Nature, type World } from './metrics-world.ts';
import type { Bench } from './together.ts';

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
const CHANGED: ReadonlySet<unknown> = new Set(['up', 'down', 'drift']);

/** The row of a metric in what `compare_metrics` says of a week that ends `ago` days before the last day. */
async function rowOf(world: World, metric: string, ago: number, { peer, platform }: Bench): Promise<ReadonlyMap<string, unknown>> {
  platform.show(world);
  const args = { metrics: [metric], startDate: dayOf(world, ago + WEEK), endDate: dayOf(world, ago + 1) };
  const { result } = (await peer.ask('tools/call', { name: 'compare_metrics', arguments: args })) as {
    result?: { structuredContent?: Said; isError?: boolean };
  };
  const { columns = [], rows = [] } = result?.structuredContent ?? {};
  return new Map(columns.map((name, at) => [name, rows[0]?.[at]]));
}

/**
 * Changes of the smallest size that is said to show, in its direction, begun a week after the answer that says so: what chance made of that
 * week is then not in the one that is judged.
 */
export async function* detectable(trial: Trial, bench: Bench): AsyncGenerator<Table> {
  for (const nature of SITES)
    for (const { on, metric } of PLANTED) {
      const name = `detectable, ${metric}, ${nature.visits} visits a day`;
      if (!name.includes(trial.only ?? '')) continue;
      const counts = { rises: 0, seen: 0, falls: 0, noticed: 0 };
      const sizes: number[] = [];
      for (let at = 0; at < trial.worlds; at += 1) {
        const seed = trial.seed * 1_000_003 + at * 7_919 + 37;
        const said = await rowOf(drawWorld(nature, seed), metric, WEEK, bench);
        const size = Number(said.get('detectablePercent') ?? Number.NaN) / 100;
        if (Number.isNaN(size)) continue;
        const isFall = Number(said.get('levelPercent')) < 0;
        const planted: Event = { on, from: WEEK, to: 1, factor: 1 + (isFall ? -size : size) };
        const row = await rowOf(drawWorld({ ...nature, events: [planted] }, seed), metric, 0, bench);
        const isFound = CHANGED.has(row.get('verdict'));
        sizes.push(size);
        counts[isFall ? 'falls' : 'rises'] += 1;
        if (isFound) counts[isFall ? 'noticed' : 'seen'] += 1;
      }
      const share = (count: number, all: number) => `${((100 * count) / Math.max(1, all)).toFixed(1)} % of ${all}`;
      const { rises, seen, falls, noticed } = counts;
      yield {
        title: 'Changes of the smallest size that is said to show in four of five cases',
        columns: ['metric and site', 'found (75–85 %)', 'rises', 'falls', 'mean size'],
        lines: [
          {
            cells: [
              name,
              share(seen + noticed, rises + falls),
              share(seen, rises),
              share(noticed, falls),
              `${((100 * sizes.reduce((sum, size) => sum + size, 0)) / Math.max(1, sizes.length)).toFixed(1)} %`,
            ],
          },
        ],
      };
    }
}
