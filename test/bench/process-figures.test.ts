import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { processorMs } from './process-figures.ts';

/** Keeps the processor busy until it has taken so much of its time. */
const busy = (ms: number) => `const own = () => process.cpuUsage().user + process.cpuUsage().system; while (own() < ${ms * 1000});`;

describe.runIf(process.platform === 'linux')('processor time of a process', () => {
  it('holds what it and its children took, those that ended too', { tags: 'nightly' }, async () => {
    const inner = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(busy(300))}]);`;
    const script = `${inner} ${busy(300)} console.log('done'); setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const taken = processorMs(child.pid ?? 0);
    child.kill();
    await once(child, 'close');
    expect(taken).toBeGreaterThanOrEqual(580);
    expect(taken).toBeLessThan(1_500);
  });

  it('is not told of a process that is gone', () => {
    expect(processorMs(spawnSync(process.execPath, ['-e', '0']).pid)).toBeUndefined();
  });
});
