import { expect, it } from 'vitest';
import {
  inReadingOrder,
  partOf,
  placeWords,
  readScenarioCursor,
  scenarioCursor,
  yetWords,
} from '../../../src/domain/speed/scenario-cursor.ts';

const list = [[1, 2, 3], '-7d'];

it('a cursor of scenarios goes on behind those that were looked at, and ends with the last', () => {
  const first = partOf(0, 7, 400, list);
  expect(first).toMatchObject({ from: 1, to: 7, of: 400 });
  expect(readScenarioCursor(first?.cursor, list, 400)).toEqual({ start: 7, rows: undefined });
  expect(partOf(7, 393, 400, list)).toEqual({ from: 8, to: 400, of: 400, cursor: undefined });
  expect(partOf(0, 400, 400, list)).toBeUndefined();
});

it('keeps the place among the rows beside that among the scenarios', () => {
  const rows = Buffer.from('20.abcdef01').toString('base64url');
  expect(readScenarioCursor(rows, list, 400)).toEqual({ start: 0, rows });
  expect(readScenarioCursor(scenarioCursor({ start: 7, rows }, list, 400), list, 400)).toEqual({ start: 7, rows });
  for (const place of [
    { start: 0, rows, end: 54 },
    { start: 54, rows, end: 127 },
    { start: 373, rows, end: 400 },
  ])
    expect(readScenarioCursor(scenarioCursor(place, list, 400), list, 400)).toEqual(place);
});

it('is refused for another question', () => {
  expect(() => readScenarioCursor(partOf(0, 7, 400, list)?.cursor, [[1], '-7d'], 400)).toThrow(/belongs to a call with other arguments/);
});

it('few scenarios stay in their order, of many the newest come first', () => {
  expect(inReadingOrder([3, 1, 2])).toEqual([3, 1, 2]);
  const many = Array.from({ length: 13 }, (_, at) => at + 1);
  expect(inReadingOrder(many)[0]).toBe(13);
  const part = { from: 1, to: 7, of: 400, cursor: 'x' };
  expect(yetWords(part)).toBe('Only 7 of 400 scenarios looked at yet');
  expect(yetWords({ ...part, from: 8, to: 14 })).toBe('Only scenarios 8 to 14 of 400 looked at here');
  expect(yetWords({ ...part, from: 395, to: 400, cursor: undefined })).toBe('');
  expect(placeWords({ from: 1, to: 7, of: 400, cursor: 'x' })).toBe('the first 7 of 400 scenarios');
});
