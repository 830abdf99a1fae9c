import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { followFile, type Grown, type ThreadData } from './inspect-file.ts';
import { inspect } from './inspection.ts';

// Started as a thread for a large file: follows what is written of it, so that hash and decompression take no time of the download.
const { fd, format } = workerData as ThreadData;
const inspection = inspect(format);
const follow = followFile((buffer, position) => readSync(fd, buffer, 0, buffer.length, position), inspection);
let looking: Promise<void> = Promise.resolve();

async function lookOn({ bytes, isWhole }: Grown): Promise<void> {
  await follow(bytes);
  if (isWhole) parentPort?.postMessage(await inspection.end());
}

parentPort?.on('message', (grown: Grown) => {
  looking = looking.then(() => lookOn(grown));
});
