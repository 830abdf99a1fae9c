import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { limitNewSpace } from '../../src/commands/heap.ts';

// Makes objects of which many live for a while, as answers do, and prints how large the space of new ones became, in bytes.
if (process.argv[2] === 'limited') limitNewSpace();
const lately: object[] = [];
for (let index = 0; index < 4_000_000; index += 1) {
  lately[index % 100_000] = { index, list: [index] };
  if (index % 50_000 === 0) await delay(1);
}
const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
process.stdout.write(String(space?.space_size));
