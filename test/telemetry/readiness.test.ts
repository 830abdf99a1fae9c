import { expect, test } from 'vitest';
import { type Check, createReadiness } from '../../src/telemetry/pages.ts';
import { manualClock } from '../support/clock.ts';

const START = '2026-11-20T10:00:00.000Z';

/** Checks of these names, each with its fault or none, and how often they ran. */
function checksOf(faults: Record<string, { vital: boolean; fault?: string }>) {
  let runs = 0;
  const checks = Object.entries(faults).map(
    ([name, { vital, fault }]): Check => ({
      name,
      vital,
      async run() {
        runs += 1;
        if (fault !== undefined) throw new Error(fault);
      },
    }),
  );
  return { checks, runs: () => runs };
}

test('what calls can do without is told, and the server is ready all the same', async () => {
  const { checks } = checksOf({ 'token service': { vital: true }, cache: { vital: false, fault: 'Redis cannot be reached.' } });
  const read = createReadiness({ checks, clock: manualClock(START) });
  expect(await read()).toEqual({ ready: true, checks: { 'token service': 'ok', cache: 'Redis cannot be reached.' } });
});

test('a report holds for five seconds, for a clock that is set back too', async () => {
  const clock = manualClock(START);
  const { checks, runs } = checksOf({ 'token service': { vital: true } });
  const read = createReadiness({ checks, clock });
  await Promise.all([read(), read(), read()]);
  await clock.advance(4_999);
  await read();
  expect(runs()).toBe(1);
  await clock.advance(1);
  await read();
  expect(runs()).toBe(2);
  clock.jump(-3_600_000);
  await read();
  expect(runs()).toBe(3);
});

test('a check that hangs is ended and counts as failed', async () => {
  let ended: unknown;
  const hanging: Check = {
    name: 'token service',
    vital: true,
    run: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended = signal.reason;
          reject(signal.reason);
        });
      }),
  };
  const read = createReadiness({ checks: [hanging], clock: manualClock(START), timeoutMs: 10 });
  expect(await read()).toEqual({ ready: false, checks: { 'token service': 'no answer within 0.01 seconds' } });
  expect(ended).toBeInstanceOf(Error);
});
