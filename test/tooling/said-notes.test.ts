import { describe, expect, it } from 'vitest';
import { createSaidNotes, reminderOf } from '../../src/tooling/said-notes.ts';
import { manualClock } from '../support/clock.ts';

const LONG = 'Some runs overlap: each row counts once, as the last export of the run that has it says, in every view of the data.';
const PROJECT = 'Project: Nordlicht Shop (1201).';

describe('a note that was said lately', () => {
  it('is said in short, at the end, and in full again after a while', () => {
    const clock = manualClock('2026-11-20T10:00:00Z');
    const said = createSaidNotes(clock);
    expect(said.shorten([LONG, 'Short.'])).toEqual([LONG, 'Short.']);
    expect(said.shorten([LONG, 'Short.'])).toEqual(['Short.', 'As said before: Some runs overlap.']);
    clock.jump(11 * 60_000);
    expect(said.shorten([LONG])).toEqual([LONG]);
  });

  it('is left out where it names the project of the answers before, and said where that is another one', () => {
    const said = createSaidNotes(manualClock('2026-11-20T10:00:00Z'));
    expect(said.shorten([PROJECT])).toEqual([PROJECT]);
    expect(said.shorten([PROJECT])).toEqual([]);
    const other = 'Project: Nordlicht App (1202).';
    expect(said.shorten([other])).toEqual([other]);
    expect(said.shorten([PROJECT])).toEqual([PROJECT]);
  });

  it('stays where it is about the days of the answer', () => {
    const said = createSaidNotes(manualClock('2026-11-20T10:00:00Z'));
    const range = 'Range: 2026-11-26 00:00 … 2026-12-03 08:59 (7.37 days, Europe/Paris), of the days that were asked for';
    const gap = 'sessions: Not in the data: 2026-11-23 … 2026-11-25 (3 days, UTC). The result is of the other days.';
    for (let turn = 0; turn < 2; turn += 1) expect(said.shorten([range, gap])).toEqual([range, gap]);
  });
});

it.each([
  ['Jobs do not show a segment: if this one has one, plan the backfill with plan_export and its segmentId.', 'Jobs do not show a segment'],
  ['Segments may overlap. The same visit then counts in both, and in all visitors too.', 'Segments may overlap'],
  [
    'A visitor is a browser or device and a person on another one or without cookies counts as new',
    'A visitor is a browser or device and a person on another …',
  ],
])('%s', (note, reminder) => {
  expect(reminderOf(note)).toBe(reminder);
});
