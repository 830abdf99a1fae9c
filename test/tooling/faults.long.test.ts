import { describe, expect, it } from 'vitest';
import { faultKinds } from '../../src/emulator/faults.ts';
import { type Assistant, openAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { enrichment, reads, strike, writes } from './fault-cells.ts';
import { complaints, HASTY_MS, recovers, runCells, subjects, uncertain } from './fault-outcomes.ts';

const platform = sharedPlatform();
/** No cell waits in real time, but for a hang up to its deadline. */
const LONGEST_MS = 2 * HASTY_MS;

async function expectHealthy(caller: Pick<Assistant, 'call'>): Promise<void> {
  expect(await whileTimePasses(platform().clock, caller.call('list_goals'))).toMatchObject({ isError: false });
}

const patient = sharedAssistant(platform, { over: 'lines' });
const hasty = sharedAssistant(platform, { over: 'lines', timeoutMs: HASTY_MS });

describe.each(faultKinds)('%s', (kind) => {
  it.each(subjects)('$column: $subject.tool', { tags: 'nightly' }, async (each) => {
    const callers = { patient: patient(), hasty: hasty() };
    for (const { cell, complaints: found, waitedMs } of await runCells(kind, each, { platform: platform(), ...callers })) {
      expect([found, cell.answer.text]).toEqual([[], cell.answer.text]);
      expect(waitedMs).toBeLessThan(LONGEST_MS);
    }
    await expectHealthy(kind === 'hang' ? callers.hasty : callers.patient);
  });
});

it('a read survives one hang, and is asked again before the deadline', { tags: 'nightly' }, async () => {
  const assistant = await openAssistant(platform(), { timeoutMs: 3 * HASTY_MS });
  try {
    const [subject] = reads;
    if (!subject) throw new Error('There is no read to try.');
    await expectHealthy(assistant);
    const cell = await strike(subject, { fault: { kind: 'hang', times: 1 }, mark: 'one hang', platform: platform(), assistant });
    expect(complaints(cell, recovers(2), platform())).toEqual([]);
  } finally {
    await assistant.close();
  }
});

describe('the answer to a write is lost after the write was done', () => {
  it.each(['server-error', 'unavailable', 'bad-gateway', 'reset', 'hang'] as const)('%s', { tags: 'nightly' }, async (kind) => {
    const assistant = kind === 'hang' ? hasty() : patient();
    await expectHealthy(assistant);
    for (const subject of [...writes, enrichment]) {
      if (kind === 'hang') await assistant.call(subject.tool, subject.args(`warm after ${kind}`));
      const mark = `${kind} after`;
      const cell = await strike(subject, { fault: { kind, afterEffect: true }, mark, platform: platform(), assistant });
      expect(complaints(cell, uncertain(kind === 'hang' ? 'timeout' : 'down', 1), platform())).toEqual([]);
      await expectHealthy(assistant);
    }
  });

  it('a 503 that names the time to come back does not make a write certain to have failed', async () => {
    for (const subject of [...writes, enrichment]) {
      const fault = { kind: 'unavailable', retryAfter: 1 } as const;
      const { answer, requests } = await strike(subject, { fault, mark: '503 with a time', platform: platform(), assistant: patient() });
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(/is too busy for .*\(503/);
      expect(answer.text).toMatch(/It may have taken effect all the same/);
      expect(requests).toBe(1);
    }
  });
});
