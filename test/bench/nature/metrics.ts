import type { Finding } from '../../../src/findings/finding.ts';
import { lineByLine, percent, type Table, type Trial, worldSeeds } from '../tables.ts';
import { EXPECTED_CASES } from './expected-cases.ts';
import { CASES, type Case, changesIn, type Said } from './metrics-cases.ts';
import { CALM, dayOf, drawWorld, type Event, event, type Nature, type World } from './metrics-world.ts';
import { type Bench, type DatedBenches, type MetricsPlatform, openDatedBenches } from './platforms.ts';
import { WEEK_CASES } from './week-cases.ts';
import { YEAR_CASES } from './year-cases.ts';

const WEEK = 7;
const SITES: readonly Nature[] = [300, 5_000, 25_000, 500_000].map((visits) => ({ visits, lastDay: '2026-09-30' }));
/** What is planted, and the metric whose stated size it has. */
const SIZED: readonly { readonly on: Event['on']; readonly metric: string }[] = [
  { on: 'visits', metric: 'visits' },
  { on: 'rate', metric: 'conversionRate' },
  { on: 'rate', metric: 'conversionCount' },
  { on: 'rate', metric: 'revenueSum' },
  { on: 'basket', metric: 'cartAverage' },
];
const DETECTABLE = SITES.flatMap((nature) =>
  SIZED.map((planted) => ({ ...planted, nature, name: `detectable, ${planted.metric}, ${nature.visits} visits a day` })),
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
function detectable(trial: Trial, benches: DatedBenches): AsyncGenerator<Table> {
  const head = {
    title: 'Changes of the smallest size that is said to show in four of five cases',
    columns: ['metric and site', 'found (75–85 %)', 'rises', 'falls', 'mean size'],
  };
  return lineByLine(DETECTABLE, trial, head, async ({ name, nature, on, metric }) => {
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

/** The answers of the three tools, whose records are alike. */
interface Answer {
  readonly findings?: readonly Finding[];
}

/** The change as a tool tells it; undefined where it says nothing of it. */
function toldBy(answer: Answer, metric: string) {
  const [of] = changesIn(answer, metric);
  return of && { from: of.when.from ?? '', device: of.place.device ?? 'all', percent: of.change?.percent ?? 0, cost: of.cost?.value };
}

/** Days of scans that hold the same change. */
const SCANS = [10, 28, 60, 92];

/** The parts of a change as `find_changes` tells them. */
function partsOf({ findings = [] }: Answer, metric: string): string | undefined {
  const [told] = changesIn({ findings }, metric);
  const alike = findings.filter(({ when }) => when.from === told?.when.from && when.to === told?.when.to);
  return told && JSON.stringify(alike.map(({ subject, place, when, change }) => [subject, place.device, when.from, change?.percent]));
}

const METRICS = ['visits', 'conversionRate', 'cartAverage', 'revenueSum'];
const share = (count: number, all: number) => percent(count, all, 0, '0 %');

/**
 * The same change asked for in three ways, of worlds in which all three tell it, and in scans of several lengths: how often they agree on
 * its day, place and size, and on those of what follows from it.
 */
async function* together(trial: Trial, benches: DatedBenches): AsyncGenerator<Table> {
  const open = async ({ nature = CALM }: Planted) => {
    const { peer, platform } = await benches.at(nature.lastDay);
    // Answers have their documented form.
    const call = async (name: string, input: object) => ((await peer.call(name, input)).structured ?? {}) as Answer;
    return { call, platform };
  };
  const worldsOf = function* ({ nature = CALM, events }: Planted, platform: MetricsPlatform): Generator<World> {
    for (const seed of worldSeeds(trial, 31)) {
      const world = drawWorld({ ...nature, events }, seed);
      platform.show(world);
      yield world;
    }
  };
  const named = (prefix: string) => PLANTED.map((planted) => ({ planted, name: `${prefix}, ${planted.name}` }));
  const ways = {
    title: 'The same change through compare_metrics, find_changes and query_metrics',
    columns: ['planted', 'told by all three', 'of these same day', 'same place', 'same size', 'same cost', 'right day and place'],
  };
  yield* lineByLine(named('together'), trial, ways, async ({ planted }) => {
    const { metric, device, events, name } = planted;
    const counts = { day: 0, place: 0, size: 0, cost: 0, right: 0 };
    let all = 0;
    const { call, platform } = await open(planted);
    for (const world of worldsOf(planted, platform)) {
      const [endDate, week, fortnight, month] = [1, 7, 14, 28].map((left) => dayOf(world, left));
      const days = { metrics: [metric], ...(device !== 'all' && { devices: [device] }), startDate: fortnight, endDate, breakdown: ['day'] };
      const [first, ...others] = [
        await call('compare_metrics', { metrics: METRICS, startDate: week, endDate }),
        await call('find_changes', { startDate: month, endDate }),
        await call('query_metrics', { ...days, expected: true }),
      ].map((answer) => toldBy(answer, metric));
      if (!first || others.some((other) => !other)) continue;
      all += 1;
      const agree = (of: (own: NonNullable<typeof first>) => string | number) => others.every((other) => other && of(other) === of(first));
      counts.day += Number(agree(({ from }) => from));
      counts.place += Number(agree((told) => told.device));
      counts.size += Number(agree(({ percent: size }) => size.toFixed(1)));
      counts.cost += Number(agree(({ cost }) => (cost ?? 0).toFixed(0)));
      counts.right += Number(first.from === dayOf(world, events[0]?.from ?? 1) && first.device === device);
    }
    return [name, share(all, trial.worlds), ...Object.values(counts).map((count) => share(count, all))];
  });
  const scans = {
    title: `The same change in scans of ${SCANS.join(', ')} days`,
    columns: ['planted', 'told in all', 'of these with one day, place and size'],
  };
  yield* lineByLine(named('ranges'), trial, scans, async ({ planted }) => {
    let [all, same] = [0, 0];
    const { call, platform } = await open(planted);
    for (const world of worldsOf(planted, platform)) {
      const told: (string | undefined)[] = [];
      for (const days of SCANS)
        told.push(partsOf(await call('find_changes', { startDate: dayOf(world, days), endDate: dayOf(world, 1) }), planted.metric));
      if (told.includes(undefined)) continue;
      all += 1;
      same += Number(new Set(told).size === 1);
    }
    return [planted.name, share(all, trial.worlds), share(same, all)];
  });
}

/** Shares of the answers to which each count of a case applies, in percent; `NATURE_ANSWERS=1` prints each answer on the error stream. */
async function lineOf({ name: own, nature, tool, args, counts, shares = {} }: Case, trial: Trial, benches: DatedBenches) {
  const bench = await benches.at(nature.lastDay);
  const counted = Object.keys(counts).map((name) => ({ name, some: 0 }));
  const held = Object.keys(shares).map((name) => ({ name, some: 0, all: 0 }));
  let [ms, requests] = [0, 0];
  for (const seed of worldSeeds(trial, 29)) {
    const world = drawWorld(nature, seed);
    bench.platform.show(world);
    const startedAt = performance.now();
    const answer = await bench.peer.answer<Partial<Said>>(tool, args(world));
    ms += performance.now() - startedAt;
    requests = Math.max(requests, bench.platform.requests());
    const said: Said = { columns: [], rows: [], findings: [], ...answer };
    const true_ = counted.filter(({ name }) => counts[name]?.(said, world));
    for (const each of true_) each.some += 1;
    for (const each of held) {
      const [some, all] = shares[each.name]?.(said) ?? [0, 0];
      each.some += some;
      each.all += all;
    }
    if (process.env['NATURE_ANSWERS'] !== undefined)
      process.stderr.write(`${own} [${true_.map(({ name }) => name).join('; ')}] ${said.text}\n\n`);
  }
  const parts = [
    ...counted.map(({ name, some }) => `${name}: ${percent(some, trial.worlds, 1)}`),
    ...held.map(({ name, some, all }) => `${name}: ${percent(some, all, 1, '0.0 %')}`),
  ];
  return [own, parts.join(' · '), (ms / trial.worlds).toFixed(0), String(requests)];
}

/** Sites that live through real years, asked through the built tools; `only` is a part of the name of a case. */
export async function* metricsNature(trial: Trial): AsyncGenerator<Table> {
  const benches = openDatedBenches('dist/main.js', { WEB_ANALYTICS_REPORT_CACHE_MB: '0' });
  const head = { title: 'Metrics through the built tools', columns: ['world', 'share of the answers', 'ms a call', 'requests'] };
  try {
    yield* lineByLine([...CASES, ...YEAR_CASES, ...WEEK_CASES, ...EXPECTED_CASES], trial, head, (each) => lineOf(each, trial, benches));
    yield* together(trial, benches);
    yield* detectable(trial, benches);
  } finally {
    await benches.close();
  }
}
