import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { valuesOf, type World } from './metrics-world.ts';

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

/** A platform that serves the metrics of one generated site at a time. */
export interface MetricsPlatform {
  readonly url: string;
  /** Sets the site; the next calls read it. `events` are its speed events. */
  readonly show: (world: World, events?: readonly { readonly key: string; readonly text: string; readonly date: string }[]) => void;
  /** Requests of operations since the last site was set. */
  readonly requests: () => number;
  readonly close: () => void;
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
      const bounds = { startDate: new Date(startMs).toISOString(), endDate: new Date(endMs).toISOString(), currency: 'EUR' };
      return values.filter(([name]) => one === undefined || name === one).map(([name, value]) => ({ name, value, ...bounds }));
    }),
  };
}

/** Starts it on a free port; it answers the token, the grants, the lists and the metrics of the site in their documented form. */
export async function openMetricsPlatform(): Promise<MetricsPlatform> {
  let shown: World | undefined;
  let events: readonly object[] = [];
  let requests = 0;
  const answerOf = (target: URL): unknown => {
    requests += 1;
    const { pathname } = target;
    if (pathname.endsWith('/segments')) return SEGMENTS.map((name, index) => ({ id: index + 1, name }));
    if (pathname.endsWith('/goals')) return [{ id: 1, name: 'Purchase', type: 'ECOMMERCE' }];
    if (pathname.endsWith('/event/list')) return { events };
    if (pathname.includes('/metrics/site') && shown) return metricsOf(shown, target);
    return [];
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const send = (value: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const path = request.url ?? '';
      if (path === '/v1/oauth/token')
        return send({
          access_token: 'token',
          token_type: 'bearer',
          expires_in: 3600,
          scope: 'metrics speed-analysis',
          project_id: 7,
          endpoint: url,
        });
      if (path === '/v1/oauth/me') return send({ scopes: 'metrics speed-analysis', permissions: { projects: [{ id: 7, name: 'Shop' }] } });
      return send({ payload: answerOf(new URL(path, url)), success: true });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    show(world, own = []) {
      shown = world;
      events = own;
      requests = 0;
    },
    requests: () => requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
