import { expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { createSession } from '../../src/tooling/session.ts';
import { manualClock } from '../support/clock.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';

const options = {
  clock: manualClock('2026-11-20T10:00:00Z'),
  timeZone: 'UTC',
  maxResultTokens: 20_000,
  rawHar: false,
  workspace: NO_WORKSPACE,
};

it('a session connects once, and again only after a failure', async () => {
  let attempts = 0;
  const connect = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('refused');
    return {} as Client; // nothing is asked of it
  };
  const session = createSession({ ...options, connect });
  await expect(Promise.all([session.client(), session.client()])).rejects.toThrow('refused');
  expect(await session.client()).toBe(await session.client());
  expect(attempts).toBe(2);
});
