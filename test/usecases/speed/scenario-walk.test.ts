import { expect, it } from 'vitest';
import { scenarioCursor } from '../../../src/domain/speed/scenario-cursor.ts';
import { walkScenarios } from '../../../src/usecases/speed/scenario-reports.ts';

const ids = Array.from({ length: 10 }, (_, index) => index + 1);
const list = [ids, '-7d'];

/** Walks until so many scenarios were read, as a call does whose time is out then. */
async function walk(cursor: string | undefined, most: number) {
  const read: number[] = [];
  const reading = async (id: number) => read.push(id);
  const walked = await walkScenarios({ ids, cursor, list }, reading, () => read.length >= most);
  return { read, part: walked.part, rows: walked.rows };
}

it('later pages of rows are of the scenarios of the first one, however much time there is', async () => {
  const first = await walk(undefined, 3);
  expect(first.read).toEqual([1, 2, 3]);
  const rows = Buffer.from('200.abcdef01').toString('base64url');
  const more = scenarioCursor({ start: 0, rows, end: first.part?.to }, list, ids.length);
  for (const most of [1, 8]) {
    const second = await walk(more, most);
    expect(second).toEqual({ read: [1, 2, 3], part: first.part, rows });
  }
  expect((await walk(first.part?.cursor, 20)).read).toEqual([4, 5, 6, 7, 8, 9, 10]);
});
