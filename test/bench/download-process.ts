import { downloadPart } from '../../src/exports/download/download-part.ts';
import { createFileStore } from '../../src/exports/download/file-store.ts';
import { createQuota } from '../../src/exports/store/quota.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** What one download took. */
export interface DownloadRun {
  readonly ms: number;
  readonly bytes: number;
  /** Most memory of the process over what it had after a small file. */
  readonly aboveIdleBytes: number;
}

const [, , base = '', directory = ''] = process.argv;
const store = createFileStore({ allowInner: true, environment: {} });
const context = {
  directory,
  format: 'JSONL',
  store,
  quota: createQuota(directory, 1e12),
  clock: systemClock,
  random: Math.random,
  signal: new AbortController().signal,
  refresh: async () => undefined,
  onBytes: () => undefined,
};
const fetchPart = (number: number, path: string) =>
  downloadPart({ number, url: `${base}${path}`, fileSize: undefined, expiresAtMs: Number.NaN }, context);

await fetchPart(1, '/small');
const idleBytes = process.memoryUsage.rss();
let mostBytes = idleBytes;
const watch = setInterval(() => {
  mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
}, 20);
const startedMs = performance.now();
const { bytes } = await fetchPart(2, '/large');
const run: DownloadRun = { ms: performance.now() - startedMs, bytes, aboveIdleBytes: mostBytes - idleBytes };
clearInterval(watch);
await store.close();
process.stdout.write(JSON.stringify(run));
