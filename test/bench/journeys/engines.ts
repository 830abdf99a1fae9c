import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { missing, startClickHouse } from '../../support/clickhouse/start.ts';
import { greet, type Peer, startPeer } from '../peer.ts';

/** What answers the statements of the product: the embedded engine in processes of its own, or a warehouse. */
export interface Engine {
  /** Variables of the product. */
  readonly environment: Record<string, string>;
  /** Seconds of processors that a server took so far, those of its statements among them. */
  readonly cpuSeconds: (peer: Peer) => number;
  /** Memory of the server and of the engine together, bytes. */
  readonly memoryBytes: (peer: Peer) => number;
  readonly stop: () => Promise<void>;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly bytes: number;
  readonly peakBytes: number;
}

/** Seconds of a process, of those that it waited for too. */
function cpuSecondsOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime, stime, cutime, cstime in hundredths of a second.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const number = (pattern: RegExp) => Number(pattern.exec(status)?.[1] ?? 0);
        const [parent, bytes, peak] = [/^PPid:\s+(\d+)$/m, /^VmRSS:\s+(\d+) kB$/m, /^VmHWM:\s+(\d+) kB$/m].map(number) as [
          number,
          number,
          number,
        ]; // three patterns
        return [{ pid: Number(name), parent, bytes: 1024 * bytes, peakBytes: 1024 * peak }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

/** DuckDB, as the product starts it. */
export const embedded: Engine = {
  environment: {},
  cpuSeconds: ({ child }) => cpuSecondsOf(child.pid),
  memoryBytes({ child }) {
    const all = processes();
    const own = all.find(({ pid }) => pid === child.pid)?.peakBytes ?? 0;
    return own + Math.max(0, ...all.filter(({ parent }) => parent === child.pid).map(({ peakBytes }) => peakBytes));
  },
  stop: () => Promise.resolve(),
};

const LOAD_MS = 900_000;

/** Waits until a server has loaded all that lies on its disk, so that an answer notes nothing of it. */
async function loaded(product: string, environment: Record<string, string>, question: object): Promise<void> {
  const peer = startPeer([product], environment);
  await greet(peer);
  const isLoaded = async () => {
    const answer = JSON.stringify(await peer.ask('tools/call', question));
    return !/"isError":true|warehouse/.test(answer);
  };
  for (const endMs = Date.now() + LOAD_MS; !(await isLoaded()); ) {
    if (Date.now() > endMs) throw new Error('The warehouse has not loaded the visits in time.');
    await setTimeout(2_000);
  }
  await peer.stop();
}

/** ClickHouse with the visits that a product with this environment has on its disk; `question`: a call that reads both scopes. */
export async function startWarehouse(product: string, environment: Record<string, string>, question: object): Promise<Engine> {
  if (missing !== undefined) throw new Error(`The benchmark of the warehouse ${missing}.`);
  const before = new Set(processes().map(({ pid }) => pid));
  const clickHouse = await startClickHouse();
  const engine = processes().find(({ pid, parent }) => parent === process.pid && !before.has(pid));
  const { address, database, loader, reader } = clickHouse.access;
  const own = {
    WEB_ANALYTICS_WAREHOUSE_URL: `${address.replace('://', `://${loader.user}@`)}/${database}`,
    WEB_ANALYTICS_WAREHOUSE_PASSWORD: loader.password ?? '',
    WEB_ANALYTICS_WAREHOUSE_READER: reader.user,
    WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD: reader.password ?? '',
  };
  await loaded(product, { ...environment, ...own }, question);
  const bytesOf = (wanted: number | undefined) => processes().find(({ pid }) => pid === wanted)?.bytes ?? 0;
  return {
    environment: own,
    cpuSeconds: ({ child }) => cpuSecondsOf(child.pid) + cpuSecondsOf(engine?.pid),
    memoryBytes: ({ child }) => bytesOf(child.pid) + bytesOf(engine?.pid),
    stop: () => clickHouse.stop(),
  };
}
