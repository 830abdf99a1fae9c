import type { Finding } from '../../../src/findings/finding.ts';
import type { Peer } from '../peer.ts';
import type { Table, Trial } from '../verdicts/metrics/trial.ts';
import { changesIn } from './metrics-cases.ts';
import type { MetricsPlatform } from './metrics-platform.ts';
import { CALM, dayOf, drawWorld, type Event, event, type Nature, type World } from './metrics-world.ts';

/** A caller of the built server, and the platform that it reads. */
export interface Bench {
  readonly peer: Peer;
  readonly platform: MetricsPlatform;
}

/** One change that is planted, and the metric and device that it lies on. */
interface Planted {
  readonly name: string;
  readonly events: readonly Event[];
  readonly metric: string;
  readonly device: string;
  /** The site, where it is no calm one. */
  readonly nature?: Nature;
}

const PLANTED: readonly Planted[] = [
  { name: 'visits -20 % since 5 days', events: [event('visits', 5, 0.8)], metric: 'visits', device: 'all' },
  {
    name: 'mobile rate -30 % since 6 days',
    events: [event('rate', 6, 0.7, { device: 'mobile' })],
    metric: 'conversionRate',
    device: 'mobile',
  },
  { name: 'rate +25 % since 4 days', events: [event('rate', 4, 1.25)], metric: 'conversionRate', device: 'all' },
  { name: 'basket -20 % since 6 days', events: [event('basket', 6, 0.8)], metric: 'cartAverage', device: 'all' },
  {
    name: 'desktop rate -55 % since the day before the week of Black Friday',
    nature: { visits: 4_000, lastDay: '2025-11-28', holidays: true, season: 0.2 },
    events: [event('rate', 6, 0.45, { device: 'desktop' })],
    metric: 'conversionRate',
    device: 'desktop',
  },
];

/** The change as a tool tells it; undefined where it says nothing of it. */
interface Told {
  readonly from: string;
  readonly device: string;
  readonly percent: number;
  readonly cost: number | undefined;
}

/** The answers of the three tools, whose records are alike. */
interface Answer {
  readonly findings?: readonly Finding[];
}

function toldBy(answer: Answer, metric: string): Told | undefined {
  const [of] = changesIn(answer, metric);
  return of && { from: of.when.from ?? '', device: of.place.device ?? 'all', percent: of.change?.percent ?? 0, cost: of.cost?.value };
}

/** Days of scans that hold the same change. */
const SCANS = [10, 28, 60, 92];

/** The parts of a change as `find_changes` tells them over so many days. */
async function partsOver(days: number, world: World, metric: string, { peer }: Bench): Promise<string | undefined> {
  const input = { startDate: dayOf(world, days), endDate: dayOf(world, 1) };
  const { result } = (await peer.ask('tools/call', { name: 'find_changes', arguments: input })) as {
    result?: { structuredContent?: Answer };
  };
  const findings = result?.structuredContent?.findings ?? [];
  const [told] = changesIn({ findings }, metric);
  const alike = findings.filter(({ when }) => when.from === told?.when.from && when.to === told?.when.to);
  return told && JSON.stringify(alike.map(({ subject, place, when, change }) => [subject, place.device, when.from, change?.percent]));
}

/** One change in scans of several lengths: whether its day, place and size, and those of what follows from it, are the same. */
async function byRange({ name, events, metric, nature = CALM }: Planted, trial: Trial, bench: Bench): Promise<Table> {
  let [all, same] = [0, 0];
  for (let at = 0; at < trial.worlds; at += 1) {
    const world = drawWorld({ ...nature, events }, trial.seed * 1_000_003 + at * 7_919 + 31);
    bench.platform.show(world);
    const told: (string | undefined)[] = [];
    for (const days of SCANS) told.push(await partsOver(days, world, metric, bench));
    if (told.includes(undefined)) continue;
    all += 1;
    same += Number(new Set(told).size === 1);
  }
  return {
    title: `The same change in scans of ${SCANS.join(', ')} days`,
    columns: ['planted', 'told in all', 'of these with one day, place and size'],
    lines: [{ cells: [name, share(all, trial.worlds), share(same, all)] }],
  };
}

const share = (count: number, all: number) => `${((100 * count) / Math.max(1, all)).toFixed(0)} %`;

/** The same change asked for in three ways, of worlds in which all three tell it: how often they agree. */
export async function* together(trial: Trial, { peer, platform }: Bench): AsyncGenerator<Table> {
  for (const planted of PLANTED.filter(({ name }) => `together, ${name}`.includes(trial.only ?? ''))) {
    const counts = { all: 0, day: 0, place: 0, size: 0, cost: 0, right: 0 };
    for (let at = 0; at < trial.worlds; at += 1) {
      const world = drawWorld({ ...(planted.nature ?? CALM), events: planted.events }, trial.seed * 1_000_003 + at * 7_919 + 31);
      platform.show(world);
      const call = async (name: string, input: object) => {
        const { result } = (await peer.ask('tools/call', { name, arguments: input })) as { result?: { structuredContent?: Answer } };
        return toldBy(result?.structuredContent ?? {}, planted.metric);
      };
      const [last, week, month] = [1, 7, 28].map((left) => dayOf(world, left));
      const metrics = ['visits', 'conversionRate', 'cartAverage', 'revenueSum'];
      const told = [
        await call('compare_metrics', { metrics, startDate: week, endDate: last }),
        await call('find_changes', { startDate: month, endDate: last }),
        await call('query_metrics', {
          metrics: [planted.metric],
          ...(planted.device !== 'all' && { devices: [planted.device] }),
          startDate: dayOf(world, 14),
          endDate: last,
          breakdown: ['day'],
          expected: true,
        }),
      ];
      const [first, ...others] = told;
      if (!first || others.some((other) => !other)) continue;
      counts.all += 1;
      const agree = (of: (own: Told) => string | number) => others.every((other) => other && of(other) === of(first));
      counts.day += Number(agree(({ from }) => from));
      counts.place += Number(agree(({ device }) => device));
      counts.size += Number(agree(({ percent }) => percent.toFixed(1)));
      counts.cost += Number(agree(({ cost }) => (cost ?? 0).toFixed(0)));
      counts.right += Number(first.from === dayOf(world, planted.events[0]?.from ?? 1) && first.device === planted.device);
    }
    const { all } = counts;
    yield {
      title: 'The same change through compare_metrics, find_changes and query_metrics',
      columns: ['planted', 'told by all three', 'of these same day', 'same place', 'same size', 'same cost', 'right day and place'],
      lines: [
        {
          cells: [
            planted.name,
            share(all, trial.worlds),
            ...[counts.day, counts.place, counts.size, counts.cost, counts.right].map((count) => share(count, all)),
          ],
        },
      ],
    };
  }
  for (const planted of PLANTED.filter(({ name }) => `ranges, ${name}`.includes(trial.only ?? '')))
    yield await byRange(planted, trial, { peer, platform });
}
