import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { ofAnswer, ofSession } from '../../src/lib/note-mark.ts';
import { createSaidNotes, createSession } from '../../src/tooling/session.ts';
import { manualClock } from '../support/clock.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';

const LONG = 'Some runs overlap: each row counts once, as the last export of the run that has it says, in every view of the data.';
const PROJECT = 'Project: Nordlicht Shop (1201).';

describe('a note that was said lately', () => {
  it('is left out, and said again after a while', () => {
    const clock = manualClock('2026-11-20T10:00:00Z');
    const said = createSaidNotes(clock);
    expect(said.unsaid([LONG, 'Short.'])).toEqual([LONG, 'Short.']);
    expect(said.unsaid([LONG, 'Short.'])).toEqual(['Short.']);
    clock.jump(11 * 60_000);
    expect(said.unsaid([LONG])).toEqual([LONG]);
  });

  it('is left out where it names the project of the answers before, and said where that is another one', () => {
    const said = createSaidNotes(manualClock('2026-11-20T10:00:00Z'));
    const told = (sentence: string) => said.unsaid([ofSession(sentence)]);
    expect(told(PROJECT)).toEqual([PROJECT]);
    expect(told(PROJECT)).toEqual([]);
    const other = 'Project: Nordlicht App (1202).';
    expect(told(other)).toEqual([other]);
    expect(told(PROJECT)).toEqual([PROJECT]);
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
