import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeLargeHar } from './har-file.ts';
import type { HarRun } from './har-process.ts';
import { inDirectory, median, printedBy, type Row } from './measure.ts';

const ROUNDS = 5;

/** `analyze_har` on a file of 80 MB with 60,000 requests: its time over JSON.parse alone, and the most memory that it takes. */
export function benchHar(): Promise<Row[]> {
  return inDirectory(async (directory) => {
    const path = join(directory, 'large.har');
    await writeLargeHar(path);
    const runOf = (work: 'parse' | 'analyse') => JSON.parse(printedBy('har-process', work, path)) as HarRun;
    const { size } = statSync(path);
    const [ratios, parses, peaks]: [number[], number[], number[]] = [[], [], []];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      // One right after the other, so that what else the machine does meets both.
      const [parse, analysis] = [runOf('parse'), runOf('analyse')];
      if (parse.requests !== analysis.requests) throw new Error(`${analysis.requests} of ${parse.requests} requests were analysed`);
      ratios.push(analysis.ms / parse.ms);
      parses.push(parse.ms);
      peaks.push(analysis.peakBytes / size);
    }
    const megabytes = size / 1024 / 1024;
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
  });
}
