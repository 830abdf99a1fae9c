import { expect, it } from 'vitest';
import {
  inReadingOrder,
  partOf,
  placeWords,
  readScenarioCursor,
  scenarioCursor,
  yetWords,
} from '../../../src/domain/speed/scenario-cursor.ts';
import { walkScenarios } from '../../../src/usecases/speed/scenario-reports.ts';

const list = [[1, 2, 3], '-7d'];

it('a cursor of scenarios goes on behind those that were looked at, and ends with the last', () => {
  const first = partOf(0, 7, 400, list);
  expect(first).toMatchObject({ from: 1, to: 7, of: 400 });
  expect(readScenarioCursor(first?.cursor, list, 400)).toEqual({ start: 7, rows: undefined });
  expect(partOf(7, 393, 400, list)).toEqual({ from: 8, to: 400, of: 400, cursor: undefined });
  expect(partOf(0, 400, 400, list)).toBeUndefined();
});

it('few scenarios stay in their order, of many the newest come first', () => {
  expect(inReadingOrder([3, 1, 2])).toEqual([3, 1, 2]);
  expect(inReadingOrder(Array.from({ length: 13 }, (_, at) => at + 1))[0]).toBe(13);
});

it.each([
  [1, 7, 'x', 'the first 7 of 400 scenarios', 'Only 7 of 400 scenarios looked at yet'],
  [8, 14, 'x', 'scenarios 8 to 14 of 400', 'Only scenarios 8 to 14 of 400 looked at here'],
  [395, 400, undefined, 'scenarios 395 to 400 of 400', 'This is about scenarios 395 to 400 of 400'],
])('the part from %i to %i is told', (from, to, cursor, place, yet) => {
  const part = { from, to, of: 400, cursor };
  expect([placeWords(part), yetWords(part)]).toEqual([place, yet]);
});

const ids = Array.from({ length: 10 }, (_, index) => index + 1);

/** Walks until so many scenarios were read, as a call does whose time is out then. */
async function walk(cursor: string | undefined, most: number) {
  const read: number[] = [];
  const { part, rows } = await walkScenarios({ ids, cursor, list }, async (id) => read.push(id), {
    note: () => undefined,
    nameOf: String,
    isDue: () => read.length >= most,
  });
  return { read, part, rows };
}

it('later pages of rows are of the scenarios of the first one, however much time there is', async () => {
  const first = await walk(undefined, 3);
  const rows = Buffer.from('200.abcdef01').toString('base64url');
  const more = scenarioCursor({ start: 0, rows, end: first.part?.to }, list);
  for (const most of [1, 8]) expect(await walk(more, most)).toEqual({ read: [1, 2, 3], part: first.part, rows });
  expect((await walk(first.part?.cursor, 20)).read).toEqual([4, 5, 6, 7, 8, 9, 10]);
});
