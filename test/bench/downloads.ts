import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DownloadRun } from './download-process.ts';
import { inDirectory, median, printedBy, type Row, timed } from './measure.ts';

const ROUNDS = 3;
const BLOCKS = 1_000;

/** Fetches the file with curl and gives its time in ms. */
function curl(url: string, path: string): number {
  const args = ['--silent', '--fail', '--output', path, '--write-out', '%{time_total}', url];
  return 1_000 * Number(execFileSync('curl', args, { encoding: 'utf8' }));
}

/**
 * A file of 1 GB over loopback: checked, hashed, counted and kept for good, against curl which only writes it; and the memory that takes.
 */
export async function benchDownloads(): Promise<Row[]> {
  const [ratios, checked, peaks]: [number[], number[], number[]] = [[], [], []];
  const args = ['.ci/run-script.mjs', 'test/bench/download-store.ts', String(BLOCKS)];
  const store = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(store.stdout, 'data')) as [Buffer];
    const base = `http://127.0.0.1:${port.toString().trim()}`;
    for (let turn = 0; turn < ROUNDS; turn += 1)
      await inDirectory(async (directory) => {
        // One right after the other, so that what else the machine does meets both.
        const path = join(directory, 'curl');
        const curlMs = curl(`${base}/large`, path);
        // What is left to do after curl, to know that the file is whole.
        const sumMs = await timed(() => pipeline(createReadStream(path, { highWaterMark: 1_048_576 }), createHash('sha256')));
        rmSync(path);
        const { ms, aboveIdleBytes } = JSON.parse(printedBy('download-process', base, directory)) as DownloadRun;
        ratios.push(curlMs / ms);
        checked.push((curlMs + sumMs) / ms);
        peaks.push(aboveIdleBytes / 1e6);
      });
  } finally {
    store.kill();
  }
  return [
    {
      what: 'download of 1 GB over loopback, speed over that of curl',
      measured: `${median(ratios).toFixed(2)} × (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      aim: '≥ 0.9 ×',
    },
    {
      what: 'the same over curl and then the SHA-256 of its file, which is the same work',
      measured: `${median(checked).toFixed(2)} ×`,
      aim: '≥ 0.9 ×',
    },
    {
      what: 'memory of that download above idle',
      measured: `${median(peaks).toFixed(0)} MB (at most ${Math.max(...peaks).toFixed(0)})`,
      aim: '≤ 60 MB',
    },
  ];
}
