import { array, assert, constant, integer, oneof, property, record as recordOf, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { leftOutWords, tolerate } from '../../src/api/exchange.ts';

const step = z.looseObject({ key: z.string(), note: z.string().nullish() });
const report = z.looseObject({ date: z.number(), note: z.string().nullish(), steps: z.array(step).nullish() });
const schema = z.looseObject({ reports: z.array(report) });

/** What is kept, and the sentences about the rest. */
function read(payload: unknown) {
  const result = tolerate(schema, payload);
  return 'leftOut' in result ? { kept: result.payload, words: leftOutWords('GET /x', result.leftOut) } : result;
}

describe('a payload that cannot be used in part', () => {
  test('loses the records that lack what identifies them, counted with the reasons', () => {
    const [first, last] = [{ date: 1 }, { date: 4 }];
    expect(read({ reports: [first, { date: null }, {}, last, 7] })).toEqual({
      kept: { reports: [first, last] },
      words: ['GET /x: 3 of 5 reports are left out, because date is null, date is missing, is number instead of object.'],
    });
  });

  test('loses entries of inner lists, wherever others go', () => {
    const payload = {
      reports: [
        { date: 'x', steps: [{ key: null }] },
        { date: 1, steps: [{ key: 'a' }, {}, { key: 'b' }, {}] },
        {},
        { date: 2, steps: [{}, { key: 'c' }] },
      ],
    };
    expect(read(payload)).toEqual({
      kept: {
        reports: [
          { date: 1, steps: [{ key: 'a' }, { key: 'b' }] },
          { date: 2, steps: [{ key: 'c' }] },
        ],
      },
      words: [
        'GET /x: 2 of 4 reports are left out, because date is string instead of number, date is missing.',
        'GET /x: 3 entries of steps are left out, because key is missing.',
      ],
    });
  });

  test('shows a record without an optional member of a wrong type', () => {
    expect(read({ reports: [{ date: 1, note: 5, steps: 'none' }, { date: 2 }] })).toEqual({
      kept: { reports: [{ date: 1 }, { date: 2 }] },
      words: ['GET /x: in 2 records note is number instead of string, steps is string instead of list; shown without.'],
    });
  });

  test.each([
    [{ reports: [{}] }, { path: ['reports', 0, 'date'], words: 'is missing' }],
    [{ reports: null }, { path: ['reports'], words: 'is null' }],
    [{}, { path: ['reports'], words: 'is missing' }],
    ['reports', { path: [], words: 'is string instead of object' }],
  ])('is refused where nothing is left: %j', (payload, unusable) => {
    expect(read(payload)).toEqual(unusable);
  });
});

test('whatever is odd about some records, the others stay as they came and all are accounted for', () => {
  const odd = oneof(constant(null), integer(), recordOf({ date: oneof(string(), constant(null)) }), recordOf({ steps: constant([{}]) }));
  const sound = recordOf({ date: integer(), steps: array(recordOf({ key: string() })) });
  const mixed = array(
    oneof(
      odd.map((record) => ({ record, isSound: false })),
      sound.map((record) => ({ record, isSound: true })),
    ),
  );
  assert(
    property(mixed, (rows) => {
      const kept = rows.filter(({ isSound }) => isSound).map(({ record }) => record);
      const result = tolerate(schema, { reports: rows.map(({ record }) => record) });
      if (kept.length === 0 && rows.length > 0) return !('leftOut' in result);
      expect('leftOut' in result && result.payload.reports).toEqual(kept);
      const gone = 'leftOut' in result ? result.leftOut.reduce((sum, { count }) => sum + count, 0) : undefined;
      expect(gone).toBe(rows.length - kept.length);
      return true;
    }),
  );
});
