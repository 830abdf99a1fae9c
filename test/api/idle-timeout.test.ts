import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startIdleTimeout } from '../../src/api/connections.ts';

it('many may hang on one signal without a warning, and each lets go of it', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => void warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const { signal } = new AbortController();
  const watches = Array.from({ length: 12 }, () => startIdleTimeout({ signal }));
  await turn();
  expect(warnings).toEqual([]);
  for (const watch of watches) watch.stop();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('a caller that gives up ends it with the reason of that', () => {
  const caller = new AbortController();
  const before = startIdleTimeout({ signal: caller.signal, idleTimeoutMs: 60_000 });
  caller.abort(new Error('enough'));
  const after = startIdleTimeout({ signal: caller.signal });
  for (const watch of [before, after]) {
    expect([watch.signal.reason, watch.hasExpired()]).toEqual([caller.signal.reason, false]);
    watch.stop();
  }
});
