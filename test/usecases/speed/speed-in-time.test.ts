import { expect, it } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import { findSpeedChanges } from '../../../src/usecases/speed/find-speed-changes.ts';

async function notesOf(error: ApiError): Promise<string[]> {
  const notes: string[] = [];
  const ask = async () => {
    throw error;
  };
  const context = {
    ask,
    nowMs: 0,
    timeZone: 'UTC',
    note: (sentence: string) => notes.push(sentence),
    lists: async () => ({ nameOf: () => 'Shop', of: async () => [], ask }),
    remember: ask,
    signal: new AbortController().signal,
  };
  expect(await findSpeedChanges({ scenarioIds: [1], startMs: 0, endMs: 1, isAlone: false }, context)).toBeUndefined();
  return notes;
}

it('that the time was too short is told apart from a platform that refuses', async () => {
  expect(await notesOf(new ApiError('timeout', 'The call was given up after 30 s.'))).toEqual([
    'Speed was not read in time and is not looked at; include: ["speed"] alone has the whole time. The call was given up after 30 s.',
  ]);
  expect(await notesOf(new ApiError('down', 'The platform refused the connection.'))).toEqual([
    'Speed scenarios could not be read and are not looked at: The platform refused the connection.',
  ]);
});
