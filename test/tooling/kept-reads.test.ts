import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { ofAnswer } from '../../src/lib/note-mark.ts';
import { createSaidNotes, createSession } from '../../src/tooling/session.ts';
import { ownAssistant, sharedAssistant } from '../support/assistant.ts';
import { manualClock } from '../support/clock.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';
import { slowStep } from '../tools/insights/step-runs.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);
const countOf = (operation: string) => platform().requests.filter((request) => request.operation === operation).length;

it('a conversation about one page loads its HAR once, whichever tool or resource asks', { tags: 'nightly' }, async () => {
  const { scenarioStepResultId } = await slowStep(platform());
  const before = countOf('getStepHar');
  const { call, read } = assistant();
  // At the same time, too.
  await Promise.all([call('analyze_har', { scenarioStepResultId }), call('get_step_har', { scenarioStepResultId })]);
  for (const view of ['third_parties', 'problems', 'waterfall']) await call('analyze_har', { scenarioStepResultId, view });
  await read(`analytics://1201/steps/${scenarioStepResultId}/har`);
  await read(`analytics://1201/steps/${scenarioStepResultId}/har/summary`);
  await call('compare_hars', { before: scenarioStepResultId, after: scenarioStepResultId });
  expect(countOf('getStepHar')).toBe(before + 1);

  // Another session of other callers asks by itself.
  const other = await ownAssistant(platform());
  await other.call('analyze_har', { scenarioStepResultId });
  expect(countOf('getStepHar')).toBe(before + 2);
});

describe('the same question again', () => {
  const range = { startDate: '2026-10-01', endDate: '2026-10-07' };

  it('is answered from memory at once and by another tool, and read anew a while later', async () => {
    const own = await ownAssistant(platform(), { thinksMs: 0 });
    const asked = async (args: Record<string, unknown>) => {
      const before = countOf('getSiteVisits');
      await own.call('get_site_visits', args);
      return countOf('getSiteVisits') - before;
    };
    expect(await asked(range)).toBe(1);
    expect(await asked(range)).toBe(0);
    await platform().clock.advance(3_000);
    // Somebody doubts the answer; the days are final, so that they would be kept for ten minutes.
    expect(await asked(range)).toBe(1);
    expect(await asked({ ...range, device: null })).toBe(0);
    await platform().clock.advance(3_000);
    expect(await asked({ ...range, goalId: null })).toBe(0);
  });
});

it('an answer from memory says of when it is where that is more than a minute ago', { tags: 'nightly' }, async () => {
  const own = await ownAssistant(platform(), { thinksMs: 0 });
  const range = { startDate: '2026-09-01', endDate: '2026-09-07' };
  const asOf = /- As of 2026-11-\d\dT\d\d:\d\d:\d\d\.\d{3}Z, from memory; asking the same again reads it anew\./;
  expect((await own.call('get_site_visits', range)).text).not.toMatch(/As of/);
  await platform().clock.advance(90_000);
  expect((await own.call('get_site_visits', { ...range, device: null })).text).toMatch(asOf);
  await platform().clock.advance(3_000);
  expect((await own.call('get_site_visits', { ...range, device: null })).text).not.toMatch(/As of/);
});

it('a write makes names be read anew, whichever way its answer went', async () => {
  const own = await ownAssistant(platform(), { thinksMs: 0 });
  const lists = async () => {
    const before = countOf('listScenarios');
    await own.call('list_scenario_reports', { scenarioId: 'Home – desktop', limit: 1 });
    return countOf('listScenarios') - before;
  };
  await lists();
  expect(await lists()).toBe(0);
  const event = { key: 'kept-1', text: 'Release', date: 'now' };
  const lost = platform().faults.add({ kind: 'unavailable', operation: 'createSpeedEvent', times: 1 });
  expect((await own.call('create_speed_event', event)).isError).toBe(true);
  lost.remove();
  expect(await lists()).toBe(1);
});

const LONG = 'Some runs overlap: each row counts once, as the last export of the run that has it says, in every view of the data.';

describe('a note that was said lately', () => {
  it('is left out, and said again after a while', () => {
    const clock = manualClock('2026-11-20T10:00:00Z');
    const said = createSaidNotes(clock);
    expect(said.unsaid([LONG, 'Short.'])).toEqual([LONG, 'Short.']);
    expect(said.unsaid([LONG, 'Short.'])).toEqual(['Short.']);
    clock.jump(11 * 60_000);
    expect(said.unsaid([LONG])).toEqual([LONG]);
  });

  it('stays whole where it is of the answer alone, whatever it says and whatever was put before it', () => {
    const said = createSaidNotes(manualClock('2026-11-20T10:00:00Z'));
    const notes = [LONG, `sessions: ${LONG}`];
    for (let turn = 0; turn < 3; turn += 1) expect(said.unsaid([ofAnswer(LONG), `sessions: ${ofAnswer(LONG)}`])).toEqual(notes);
  });
});

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
