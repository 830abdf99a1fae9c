import { expect, it } from 'vitest';
import { shownHints } from '../../../src/lib/hint.ts';
import { readInTime, stopsAfter } from '../../../src/usecases/speed/scenario-reports.ts';
import { manualClock } from '../../support/clock.ts';

const steps = [{ date: 1, result: {} }] as unknown as Parameters<typeof readInTime>[0];

it('reports of failed steps are read while there is time, and later it is said that they were not', async () => {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const isLate = stopsAfter(clock);
  const notes: string[] = [];
  const read = (some = steps) => readInTime(some, isLate, (sentence) => void notes.push(shownHints(sentence)));
  expect(read()).toEqual(steps);
  await clock.advance(10_000);
  expect(read([])).toEqual([]);
  expect(notes).toEqual([]);
  expect(read()).toEqual([]);
  expect(notes).toEqual(['There was no time to read why runs failed: analyze_scenario with one scenarioId says it.']);
});
