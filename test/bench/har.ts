import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLargeHar } from './har-file.ts';
import type { HarRun } from './har-process.ts';
import { median, type Row } from './measure.ts';

const ROUNDS = 5;

function run(work: 'parse' | 'analyse', path: string): HarRun {
  const output = execFileSync(process.execPath, ['.ci/run-script.mjs', 'test/bench/har-process.ts', work, path], { encoding: 'utf8' });
  return JSON.parse(output) as HarRun;
}

/** `analyze_har` on a file of 80 MB with 60,000 requests: its time over JSON.parse alone, and the most memory that it takes. */
export async function benchHar(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'har-bench-'));
  const path = join(folder, 'large.har');
  try {
    await writeLargeHar(path);
    const ratios: number[] = [];
    const parses: number[] = [];
    const peaks: number[] = [];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      // One right after the other, so that what else the machine does meets both.
      const [parse, analysis] = [run('parse', path), run('analyse', path)];
      if (parse.requests !== analysis.requests) throw new Error(`${analysis.requests} of ${parse.requests} requests were analysed`);
      ratios.push(analysis.ms / parse.ms);
      parses.push(parse.ms);
      peaks.push(analysis.peakBytes / statSync(path).size);
    }
    const megabytes = statSync(path).size / 1024 / 1024;
    return [
      {
        what: `analyze_har on ${megabytes.toFixed(0)} MB with 60,000 requests, over JSON.parse`,
        measured: `${median(ratios).toFixed(2)} × (of ${median(parses).toFixed(0)} ms)`,
        aim: '≤ 1.5 ×',
      },
      {
        what: 'its peak memory, over the size of the file',
        measured: `${median(peaks).toFixed(1)} × (${(median(peaks) * megabytes).toFixed(0)} MB)`,
        aim: '≤ 6 ×',
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
