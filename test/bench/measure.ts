import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One line of the report. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly aim: string;
}

/** The middle of the values, in their unit. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** How long `run` takes, in ms. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** What a script of the bench prints that runs in a process of its own: what the machine learnt from one must not help the other. */
export function printedBy(script: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, ['.ci/run-script.mjs', `test/bench/${script}.ts`, ...args], { encoding: 'utf8' });
}

/** Runs a task with a directory that is removed after it. */
export async function inDirectory<T>(task: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    return await task(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
