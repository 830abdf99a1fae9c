import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createLimiter, type Limiter } from '../../src/api/limiter.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openSharedCache } from '../../src/replicas/index.ts';
import { CACHE_KEY, hasRedis, makeRedis } from '../support/redis.ts';
import type { Row } from './measure.ts';

const REPLICAS = 3;
const LIMITS = { clock: systemClock, concurrency: 8, speedConcurrency: 1 };
const WARM_UP_MS = 500;
const MEASURED_MS = 5_000;
const SHORTEST_CALL_MS = 40;
const LONGEST_CALL_MS = 75;

/** A caller with so many calls at a time, on one replica or on all in turn. */
interface Caller {
  readonly name: string;
  readonly parallel: number;
  readonly replica?: number;
}

interface Load {
  readonly name: string;
  readonly callers: readonly Caller[];
  readonly speed: boolean;
}

const LOADS: readonly Load[] = [
  {
    name: '20:1:1, each on its own replica',
    callers: [20, 1, 1].map((parallel, replica) => ({ name: `${replica}`, parallel, replica })),
    speed: false,
  },
  { name: '20:1, on all replicas', callers: [20, 1].map((parallel) => ({ name: `${parallel}`, parallel })), speed: false },
  { name: '20:1 to speed analysis, on all replicas', callers: [20, 1].map((parallel) => ({ name: `${parallel}`, parallel })), speed: true },
];

const never = new AbortController().signal;
setMaxListeners(0, never);

/** Calls without a pause and counts what is in flight. */
async function run(limiters: readonly Limiter[], { callers, speed }: Load) {
  const took = new Map<string, number[]>(callers.map(({ name }) => [name, []]));
  const endMs = performance.now() + WARM_UP_MS + MEASURED_MS;
  let inFlight = 0;
  let mostInFlight = 0;
  let turn = 0;
  async function callOnAndOn({ name, replica }: Caller): Promise<void> {
    for (let startMs = performance.now(); startMs < endMs; startMs = performance.now()) {
      const limiter = limiters[replica ?? turn++ % limiters.length];
      const slot = await limiter?.acquire({ project: 'p', principalId: name, sessionId: name, speed, signal: never });
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      await delay(SHORTEST_CALL_MS + Math.random() * (LONGEST_CALL_MS - SHORTEST_CALL_MS));
      inFlight -= 1;
      slot?.release();
      if (startMs > endMs - MEASURED_MS) took.get(name)?.push(performance.now() - startMs);
    }
  }
  await Promise.all(callers.flatMap((caller) => Array.from({ length: caller.parallel }, () => callOnAndOn(caller))));
  const sorted = [...took.values()].map((times) => times.toSorted((a, b) => a - b));
  return {
    perSecond: (1_000 * sorted.flat().length) / MEASURED_MS,
    p99Ms: sorted.map((times) => times[Math.floor(times.length * 0.99)] ?? Number.NaN),
    mostInFlight,
  };
}

function words({ perSecond, p99Ms, mostInFlight }: Awaited<ReturnType<typeof run>>): string {
  return `${perSecond.toFixed(0)} /s, p99 ${p99Ms.map((ms) => ms.toFixed(0)).join(', ')} ms, ${mostInFlight} in flight`;
}

/** The limits of a project over three replicas, against one process and against a static share of the limit for each replica. */
export async function benchReplicas(): Promise<Row[]> {
  if (!hasRedis) return [{ what: 'limits over three replicas', measured: 'redis-server is not installed', aim: '' }];
  const redis = await makeRedis();
  await redis.start();
  const caches = await Promise.all(
    Array.from({ length: REPLICAS }, () => openSharedCache({ url: redis.url, key: CACHE_KEY, log: () => undefined })),
  );
  const ways: readonly (readonly [string, () => readonly Limiter[]])[] = [
    ['one process', () => [createLimiter(LIMITS)]],
    ['three replicas', () => caches.map((cache) => cache.limiter(LIMITS))],
    ['three replicas with a static share each', () => caches.map(() => createLimiter({ ...LIMITS, sharersOf: () => REPLICAS }))],
  ];
  const rows: Row[] = [];
  for (const load of LOADS) {
    for (const [name, limiters] of ways) {
      // One process has all callers, whichever replica they would call.
      const placed = name === 'one process' ? { ...load, callers: load.callers.map((caller) => ({ ...caller, replica: 0 })) } : load;
      rows.push({ what: `load of ${load.name}: ${name}`, measured: words(await run(limiters(), placed)), aim: '' });
    }
  }
  for (const cache of caches) cache.close();
  await redis.kill();
  return rows;
}
