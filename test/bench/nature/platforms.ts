import { isoTime } from '../../../src/lib/clock.ts';
import { type JsonService, serveJson } from '../../support/json-service.ts';
import { clockModule, openPeer, type Peer } from '../peer.ts';
import { lineByLine, percent, type Table, type Trial, worldSeeds } from '../tables.ts';
import { valuesOf, type World } from './metrics-world.ts';
import type { ReportEntry, SpeedWorld } from './speed-worlds.ts';

const DAY_MS = 86_400_000;
const SEGMENTS = ['new', 'returning'];
/** What each endpoint of one metric answers. */
const SINGLE: Readonly<Record<string, string>> = {
  'bounce-rate': 'bounceRate',
  'cart-average': 'cartAverage',
  conversions: 'conversionCount',
  'conversion-rate': 'conversionRate',
  'pageview-average': 'pageviewAverage',
  revenue: 'revenueSum',
  'session-time-average': 'sessionTimeAverage',
  visits: 'visits',
};

type Body = Readonly<Record<string, string | undefined>>;

/** Answers the token and the grants, and operations with the payload that is given for their address and body. */
async function openGenerated(scope: string, payloadOf: (target: URL, body: Body) => unknown): Promise<JsonService> {
  const service = await serveJson((target, body) => {
    if (target === '/v1/oauth/token')
      return {
        value: { access_token: 'token', token_type: 'bearer', expires_in: 3600, scope, project_id: 7, endpoint: service.url },
      };
    if (target === '/v1/oauth/me') return { value: { scopes: scope, permissions: { projects: [{ id: 7, name: 'Shop' }] } } };
    const asked = (body === '' ? {} : JSON.parse(body)) as Body; // texts are all that is read of it
    return { value: { payload: payloadOf(new URL(target, service.url), asked), success: true } };
  });
  return service;
}

/** A platform that serves the metrics of one generated site at a time. */
export interface MetricsPlatform extends JsonService {
  /** Sets the site; the next calls read it. */
  readonly show: (world: World) => void;
  /** Requests of operations since the last site was set. */
  readonly requests: () => number;
}

function metricsOf(world: World, { pathname, searchParams }: URL): unknown {
  const [fromMs, toMs] = [Date.parse(searchParams.get('startDate') ?? ''), Date.parse(searchParams.get('endDate') ?? '')];
  const [first, last] = [Math.round((fromMs - world.firstMs) / DAY_MS), Math.ceil((toMs - world.firstMs) / DAY_MS)];
  const one = SINGLE[pathname.slice(pathname.lastIndexOf('/') + 1)];
  const isDaily = searchParams.get('period') === 'daily';
  const id = /\d+/.exec(searchParams.get('segmentIds') ?? '')?.[0];
  const selection = { device: searchParams.get('device') ?? 'all', segment: id === undefined ? undefined : SEGMENTS[Number(id) - 1] };
  const slots = isDaily
    ? Array.from({ length: last - first }, (_, index) => [first + index, first + index + 1] as const)
    : [[first, last] as const];
  return {
    values: slots.flatMap(([from, to]) => {
      const values = Object.entries(valuesOf(world, selection, Math.max(0, from), Math.min(world.days, to)));
      const [startMs, endMs] = [world.firstMs + from * DAY_MS, world.firstMs + to * DAY_MS - 1];
      const bounds = { startDate: isoTime(startMs), endDate: isoTime(endMs), currency: 'EUR' };
      return values.filter(([name]) => one === undefined || name === one).map(([name, value]) => ({ name, value, ...bounds }));
    }),
  };
}

async function openMetricsPlatform(): Promise<MetricsPlatform> {
  let shown: World | undefined;
  let requests = 0;
  const service = await openGenerated('metrics speed-analysis', (target) => {
    requests += 1;
    const { pathname } = target;
    if (pathname.endsWith('/segments')) return SEGMENTS.map((name, index) => ({ id: index + 1, name }));
    if (pathname.endsWith('/goals')) return [{ id: 1, name: 'Purchase', type: 'ECOMMERCE' }];
    if (pathname.endsWith('/event/list')) return { events: [] };
    return pathname.includes('/metrics/site') && shown ? metricsOf(shown, target) : [];
  });
  return {
    ...service,
    show(world) {
      shown = world;
      requests = 0;
    },
    requests: () => requests,
  };
}

/** A platform that serves the generated runs of one scenario at a time, and nothing else. */
interface SpeedPlatform extends JsonService {
  /** Sets the runs, with their HAR files where there are some, and gives their scenario: a new one, because servers keep what they read. */
  readonly show: (reports: readonly ReportEntry[], harOf?: (stepResultId: string) => string | undefined) => number;
}

async function openSpeedPlatform(): Promise<SpeedPlatform> {
  let id = 0;
  let [reports, harOf]: Parameters<SpeedPlatform['show']> = [[]];
  const service = await openGenerated('speed-analysis', ({ pathname: path }, { dateFrom, dateTo, stepId, scenarioStepResultId }) => {
    if (path.endsWith('/scenario/list')) return { scenarios: [{ id, name: `World ${id}` }] };
    if (path.endsWith('/event/list')) return { events: [] };
    if (path.endsWith('/scenario/report/har')) return { har: harOf?.(scenarioStepResultId ?? '') };
    const known = harOf && reports.find(({ steps }) => steps.some(({ stepResultId }) => stepResultId === stepId));
    if (known) return { step: { ...known.steps[0], date: known.date } };
    if (path.endsWith('/scenario/step/report')) return { step: { actionsResult: [{ id: 1, status: 'failed', message: 'no answer' }] } };
    // "After" and "before" leave out the instants themselves.
    const [from, to] = [Date.parse(dateFrom ?? '1970-01-01'), Date.parse(dateTo ?? '2100-01-01')];
    const inside = reports.filter(({ date }) => date > from && date < to).toReversed();
    return { scenario: { id, name: `World ${id}`, reports: inside } };
  });
  return {
    ...service,
    show(...world) {
      [reports, harOf] = world;
      return (id += 1);
    },
  };
}

/** The built server over a platform of generated worlds. */
export interface Bench<Platform> {
  readonly peer: Peer;
  readonly platform: Platform;
  readonly close: () => Promise<void>;
}

async function openBench<Platform extends JsonService>(
  platform: Platform,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<Bench<Platform>> {
  const peer = await openPeer(args, {
    WEB_ANALYTICS_AUTH_URL: platform.url,
    WEB_ANALYTICS_CLIENT_ID: 'bench',
    WEB_ANALYTICS_CLIENT_SECRET: 'bench',
    ...environment,
  });
  return {
    platform,
    peer,
    async close() {
      await peer.stop();
      platform.close();
    },
  };
}

/** Starts the product at an instant, over a platform of generated sites. */
export async function openMetricsBench(product: string, now: string, more: Record<string, string> = {}): Promise<Bench<MetricsPlatform>> {
  return openBench(await openMetricsPlatform(), ['--import', clockModule(now), product], {
    WEB_ANALYTICS_TOOLSETS: 'insights,objects',
    WEB_ANALYTICS_COUNTRY: 'DE',
    ...more,
  });
}

/** Starts the product on the morning after a site's last day, once for each such day: later days would be days without visits. */
export function openDatedBenches(product: string, more: Record<string, string> = {}) {
  const open = new Map<string, Promise<Bench<MetricsPlatform>>>();
  return {
    at(lastDay: string): Promise<Bench<MetricsPlatform>> {
      const morning = isoTime(Date.parse(lastDay) + DAY_MS * 1.5);
      const bench = open.get(lastDay) ?? openMetricsBench(product, morning, more);
      open.set(lastDay, bench);
      return bench;
    },
    async close() {
      await Promise.all([...open.values()].map(async (bench) => (await bench).close()));
    },
  };
}

/** The benches of sites by their last day. */
export type DatedBenches = ReturnType<typeof openDatedBenches>;

/** What `analyze_scenario` answers about the last week of a world, with more arguments where there are some. */
export function judgeScenario<T extends object>({ platform, peer }: Bench<SpeedPlatform>, world: SpeedWorld, more: object = {}) {
  const { reports, startMs, endMs } = world;
  const range = { startDate: isoTime(startMs), endDate: isoTime(endMs - 1) };
  return peer.answer<T>('analyze_scenario', { scenarioIds: [platform.show(reports)], ...range, ...more });
}

/** Words for the outcomes of one cell: the share of those that `isCounted`, and how often each verdict was given. */
function tallyOf<Outcome extends { readonly verdict: string }>(outcomes: readonly Outcome[]) {
  const share = (isCounted: (outcome: Outcome) => boolean) => percent(outcomes.filter(isCounted).length, outcomes.length, 1);
  const verdicts = [...new Set(outcomes.map(({ verdict }) => verdict))]
    .map((verdict) => `${verdict} ${outcomes.filter((outcome) => outcome.verdict === verdict).length}`)
    .join(', ');
  return { outcomes, share, verdicts };
}

interface Judging<Case, Outcome extends { readonly verdict: string }> extends Omit<Table, 'lines'> {
  readonly cases: readonly Case[];
  /** Keeps the worlds of a case from those of others. */
  readonly own: (each: Case) => number;
  readonly outcomeOf: (each: Case, seed: number, bench: Bench<SpeedPlatform>) => Promise<Outcome>;
  readonly cellsOf: (each: Case, tally: ReturnType<typeof tallyOf<Outcome>>) => readonly string[];
}

/** A table of what the built tool makes of the generated runs of each case, world after world. */
export async function* judgedByTool<Case extends { readonly name: string }, Outcome extends { readonly verdict: string }>(
  trial: Trial,
  { cases, own, outcomeOf, cellsOf, ...head }: Judging<Case, Outcome>,
): AsyncGenerator<Table> {
  const bench = await openBench(await openSpeedPlatform(), ['dist/main.js'], { WEB_ANALYTICS_TOOLSETS: 'insights,speed-analysis' });
  try {
    yield* lineByLine(cases, trial, head, async (each) => {
      const outcomes: Outcome[] = [];
      for (const seed of worldSeeds(trial, own(each))) outcomes.push(await outcomeOf(each, seed, bench));
      return [each.name, ...cellsOf(each, tallyOf(outcomes))];
    });
  } finally {
    await bench.close();
  }
}
