import { setTimeout } from 'node:timers/promises';
import { missing, startClickHouse } from '../../support/clickhouse/start.ts';
import { openPeer, type Peer } from '../peer.ts';
import { childrenOf, memoryOf, processorMs } from '../process-figures.ts';

/** A call of a tool over visits. */
export type VisitQuestion = readonly [tool: string, input: object];

/** What answers the statements of the product: the embedded engine in processes of its own, or a warehouse. */
export interface Engine {
  /** Variables of the product. */
  readonly environment: Record<string, string>;
  /** Seconds of processors that a server took so far, those of its statements among them. */
  readonly cpuSeconds: (peer: Peer) => number;
  /** Memory of the server and of the engine together. */
  readonly memoryMb: (peer: Peer) => number;
  readonly stop: () => Promise<void>;
}

const secondsOf = (pid: number | undefined) => (processorMs(pid ?? 0) ?? Number.NaN) / 1000;

/** DuckDB, as the product starts it. */
export const embedded: Engine = {
  environment: {},
  cpuSeconds: ({ child }) => secondsOf(child.pid),
  memoryMb({ child: { pid = 0 } }) {
    return memoryOf(pid).peakMb + Math.max(0, ...childrenOf(pid).map((child) => memoryOf(child).peakMb));
  },
  stop: () => Promise.resolve(),
};

const LOAD_MS = 900_000;

/** Waits until a server has loaded all that lies on its disk, so that an answer notes nothing of it. */
async function loaded(product: string, environment: Record<string, string>, question: VisitQuestion): Promise<void> {
  const peer = await openPeer([product], environment);
  const isLoaded = async () => {
    const { isError, text, structured } = await peer.call(...question);
    return !isError && !(text + JSON.stringify(structured)).includes('warehouse');
  };
  for (const endMs = Date.now() + LOAD_MS; !(await isLoaded()); ) {
    if (Date.now() > endMs) throw new Error('The warehouse has not loaded the visits in time.');
    await setTimeout(2_000);
  }
  await peer.stop();
}

/** ClickHouse with the visits that a product with this environment has on its disk; `question`: a call that reads both scopes. */
export async function startWarehouse(product: string, environment: Record<string, string>, question: VisitQuestion): Promise<Engine> {
  if (missing !== undefined) throw new Error(`The benchmark of the warehouse ${missing}.`);
  const before = new Set(childrenOf(process.pid));
  const clickHouse = await startClickHouse();
  const engine = childrenOf(process.pid).find((pid) => !before.has(pid));
  const { address, database, loader, reader } = clickHouse.access;
  const own = {
    WEB_ANALYTICS_WAREHOUSE_URL: `${address.replace('://', `://${loader.user}@`)}/${database}`,
    WEB_ANALYTICS_WAREHOUSE_PASSWORD: loader.password ?? '',
    WEB_ANALYTICS_WAREHOUSE_READER: reader.user,
    WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD: reader.password ?? '',
  };
  await loaded(product, { ...environment, ...own }, question);
  const residentOf = (pid: number | undefined) => memoryOf(pid ?? 0).residentMb;
  return {
    environment: own,
    cpuSeconds: ({ child }) => secondsOf(child.pid) + secondsOf(engine),
    memoryMb: ({ child }) => residentOf(child.pid) + residentOf(engine),
    stop: () => clickHouse.stop(),
  };
}
