import { readFileSync } from 'node:fs';
import { analyseHar, loadEntities, readHar } from '../../src/har/index.ts';

/** What one run of this process tells. */
export interface HarRun {
  readonly ms: number;
  /** Most memory that the whole process ever took. */
  readonly peakBytes: number;
  readonly requests: number;
}

// Run by the benchmark, a process for each measurement: what the machine learnt from one must not help the other.
const [, , work, path = ''] = process.argv;
const entityOf = await loadEntities();
const text = readFileSync(path, 'utf8');
const started = performance.now();
const requests = work === 'parse' ? (JSON.parse(text) as { log: { entries: unknown[] } }).log.entries.length : analysed();
const run: HarRun = { ms: performance.now() - started, peakBytes: process.resourceUsage().maxRSS * 1024, requests };
process.stdout.write(JSON.stringify(run));

function analysed(): number {
  return analyseHar(readHar(text), {}, entityOf).answer.totals?.requests ?? 0;
}
