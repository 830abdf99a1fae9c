import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DownloadRun } from './download-process.ts';
import { median, type Row, timed } from './measure.ts';

const ROUNDS = 3;
const BLOCKS = 1_000;
/** Of a quick line between a store and a server: 2 Gbit/s. */
const LINE_BYTES_PER_SECOND = 250_000_000;

/** Fetches the file with curl and gives its time in ms. */
function curl(url: string, path: string): number {
  return (
    Number(execFileSync('curl', ['--silent', '--fail', '--output', path, '--write-out', '%{time_total}', url], { encoding: 'utf8' })) *
    1_000
  );
}

/** What is left to do after curl, to know that the file is whole. */
async function hashed(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

function product(base: string, directory: string): DownloadRun {
  const output = execFileSync(process.execPath, ['.ci/run-script.mjs', 'test/bench/download-process.ts', base, directory], {
    encoding: 'utf8',
  });
  return JSON.parse(output) as DownloadRun;
}

/** The least that Node needs for the file, in ms; with its hash or without. */
function floor(base: string, path: string, hash?: 'hash'): number {
  const args = ['.ci/run-script.mjs', 'test/bench/download-floor.ts', base, path, ...(hash ? [hash] : [])];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

/** Runs a task with the address of a store of its own process. */
async function withStore(task: (base: string) => void | Promise<void>, ...bytesPerSecond: number[]): Promise<void> {
  const args = ['.ci/run-script.mjs', 'test/bench/download-store.ts', ...[BLOCKS, ...bytesPerSecond].map(String)];
  const store = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(store.stdout, 'data')) as [Buffer];
    await task(`http://127.0.0.1:${port.toString().trim()}`);
  } finally {
    store.kill();
  }
}

/** Runs a task with a directory that is removed after it. */
async function inDirectory(task: (directory: string) => void | Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'download-bench-'));
  try {
    await task(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * A file of 1 GB over loopback: checked, hashed, counted and kept for good, against curl which only writes it; and the memory that takes.
 */
export async function benchDownloads(): Promise<Row[]> {
  const ratios: number[] = [];
  const checked: number[] = [];
  const peaks: number[] = [];
  const [floors, hashedFloors]: [number[], number[]] = [[], []];
  await withStore(async (base) => {
    for (let turn = 0; turn < ROUNDS; turn += 1)
      await inDirectory(async (directory) => {
        // One right after the other, so that what else the machine does meets both.
        const curlMs = curl(`${base}/large`, join(directory, 'curl'));
        const sumMs = await timed(() => hashed(join(directory, 'curl')));
        rmSync(join(directory, 'curl'));
        const { ms, aboveIdleBytes } = product(base, directory);
        ratios.push(curlMs / ms);
        checked.push((curlMs + sumMs) / ms);
        peaks.push(aboveIdleBytes / 1e6);
        floors.push(curlMs / floor(base, join(directory, 'floor')));
        hashedFloors.push(curlMs / floor(base, join(directory, 'floor'), 'hash'));
      });
  });
  const onLine: number[] = [];
  const lineTurn = (base: string) =>
    inDirectory((directory) => {
      const curlMs = curl(`${base}/large`, join(directory, 'curl'));
      rmSync(join(directory, 'curl'));
      onLine.push(curlMs / product(base, directory).ms);
    });
  await withStore(async (base) => {
    for (let turn = 0; turn < ROUNDS; turn += 1) await lineTurn(base);
  }, LINE_BYTES_PER_SECOND);
  return [
    {
      what: 'download of 1 GB over loopback, speed over that of curl',
      measured: `${median(ratios).toFixed(2)} × (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      aim: '≥ 0.9 ×',
    },
    {
      what: `the same from a store at the end of a line of ${(LINE_BYTES_PER_SECOND * 8) / 1e9} Gbit/s`,
      measured: `${median(onLine).toFixed(2)} ×`,
      aim: '',
    },
    {
      what: 'the same by a program that only writes what undici gives, and with the hash',
      measured: `${median(floors).toFixed(2)} ×, ${median(hashedFloors).toFixed(2)} ×`,
      aim: '',
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
