import { expect, it } from 'vitest';
import type { Ask } from '../../../src/api/client.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { readRun, verdictOfRun } from '../../../src/usecases/speed/har-run.ts';
import { NOW_MS, reportOf } from '../../domain/speed/histories.ts';

it('a typical run is one by its blocking time too, not the one of the median load time alone', async () => {
  const reports = [858, 417, 400, 430, 410, 440, 390].map((totalBlockingTime, index) =>
    reportOf(NOW_MS - (index + 1) * HOUR_MS, [
      { loadTime: 4_000 + 300 * index * (-1) ** index, largestContentfulPaint: 2_400, totalBlockingTime },
    ]),
  );
  const ask = (async (_: unknown, { dateFrom }: { dateFrom?: string }) =>
    dateFrom === undefined ? { har: {} } : { scenario: { name: 'Shop', reports } }) as unknown as Ask; // reports, then the file
  const context = { ask, nowMs: NOW_MS, timeZone: 'UTC', note: () => undefined, lists: () => Promise.reject(new Error('none')) };
  const clock = { now: () => NOW_MS, sleep: () => Promise.resolve() };
  const remember = <Value>(_key: unknown, work: (signal: AbortSignal) => Promise<Value>) => work(new AbortController().signal);
  const asked = { scenarioId: 1, step: undefined, isPlaced: true };
  const { run } = await readRun(asked, { ...context, clock, remember, signal: new AbortController().signal });
  expect(verdictOfRun('TBT 417 ms.', run)).toMatch(/^TBT 417 ms\. Step 1 "Step 1", a typical run \(2026-11-20T0[78]:00Z\)\.$/);
});
