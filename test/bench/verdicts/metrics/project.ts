import type { Ask } from '../../../../src/api/client.ts';
import { type FindInput, findChanges } from '../../../../src/usecases/metrics/find-changes.ts';
import { METRIC_NAMES, METRICS, pointsOf, SEGMENTS, type Selection, type World } from './world.ts';

const DAY_MS = 86_400_000;
const DEVICES = new Set(['desktop', 'mobile', 'tablet']);
/** Ids of the segments of a generated project. */
const segmentIdOf = (segment: Selection['segment']) => SEGMENTS.findIndex((each) => each === segment) + 1;

interface MetricsInput {
  readonly startDate: string;
  readonly endDate: string;
  readonly device?: string;
  readonly segmentIds?: readonly number[];
}

/** A service that answers site metrics and lists from a generated world; it counts what it is asked. */
function serviceOf(world: World) {
  const cache = new Map<string, Map<string, Map<string, number | null>>>();
  let requests = 0;

  /** Value of each metric by day. */
  function valuesOf(selection: Selection): Map<string, Map<string, number | null>> {
    const key = `${selection.device}/${selection.segment}`;
    const known = cache.get(key);
    if (known) return known;
    const made = new Map<string, Map<string, number | null>>(
      METRIC_NAMES.map((metric) => {
        const times = METRICS[metric].kind === 'share' ? 100 : 1;
        const values = pointsOf(world, metric, selection).map(({ label, numerator, denominator }) => {
          const value = denominator > 0 ? (times * numerator) / denominator : null;
          return [label, value === null ? null : Math.round(value * 1e4) / 1e4] as const;
        });
        return [metric, new Map(values)] as const;
      }),
    );
    cache.set(key, made);
    return made;
  }

  function metricsOf({ startDate, endDate, device = 'all', segmentIds = [] }: MetricsInput) {
    const known = [...DEVICES].find((each) => each === device) as Selection['device'];
    const segment = SEGMENTS[(segmentIds[0] ?? 0) - 1];
    const byMetric = valuesOf({ ...(known && { device: known }), ...(segment && { segment }) });
    const [startMs, endMs] = [Date.parse(startDate), Date.parse(endDate)];
    const count = Math.ceil((endMs - startMs) / DAY_MS);
    return {
      values: Array.from({ length: count }, (_, index) => {
        const fromMs = startMs + index * DAY_MS;
        const bounds = { startDate: new Date(fromMs).toISOString(), endDate: new Date(fromMs + DAY_MS - 1).toISOString(), currency: 'EUR' };
        const label = bounds.startDate.slice(0, 10);
        return [...byMetric].map(([name, days]) => ({ name, value: days.get(label) ?? null, ...bounds }));
      }).flat(),
    };
  }

  const answer = async (operation: { readonly path: string }, input: unknown): Promise<unknown> => {
    requests += 1;
    if (operation.path.endsWith('/segments')) return SEGMENTS.map((name) => ({ id: segmentIdOf(name), name }));
    if (operation.path.endsWith('/goals')) return [{ id: 1, name: 'Purchase', type: 'ECOMMERCE' }];
    return metricsOf(input as MetricsInput);
  };
  return {
    ask: answer as Ask, // each operation here is answered with its own payload
    count: () => void (requests += 1),
    requests: () => requests,
  };
}

/** Runs `find_changes` on a generated world of which the last day is yesterday. */
export async function findIn(world: World, input: FindInput) {
  const service = serviceOf(world);
  const notes: string[] = [];
  const nowMs = Date.parse(world.labels.at(-1) ?? '') + 1.5 * DAY_MS;
  const { signal } = new AbortController();
  const named = SEGMENTS.map((name) => ({ id: segmentIdOf(name), path: [name] }));
  const changes = await findChanges(input, {
    ask: service.ask,
    lists: async () => ({
      of: async (kind) => {
        if (kind === 'segment') service.count();
        return kind === 'segment' ? named : [];
      },
      nameOf: (_kind, id) => named.find((each) => each.id === id)?.path[0] ?? String(id),
      ask: service.ask,
    }),
    note: (sentence) => void notes.push(sentence),
    progress: () => undefined,
    signal,
    timeZone: 'UTC',
    nowMs,
    covers: () => undefined,
    calendar: {},
  });
  return { changes, notes, requests: service.requests() };
}
