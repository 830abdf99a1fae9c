import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeRows } from '../../../src/exports/convert/write-table.ts';
import { openDatabase } from '../../../src/exports/query/database.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { times } from '../../support/times.ts';

const ROWS = 10_000;
const COLUMNS = "{'id': 'BIGINT', 'cents': 'BIGINT', 'money': 'DOUBLE', 'items': 'BIGINT[]'}";
/** Above 2^53, so that a sum of numbers would not see a unit. */
const CENTS = 9_007_199_254_740_993n;
const line = (id: number) => {
  const items = id % 5 === 0 ? 'null' : '[-1,2,null]';
  return `{"id":${id},"cents":${id % 3 === 0 ? 'null' : CENTS - BigInt(id)},"money":${id === 77 ? 1e18 : id / 4},"items":${items}}`;
};
const AMOUNTS: Parameters<typeof writeRows>[1]['columns'] = [
  { name: 'cents', type: 'BIGINT', unit: 'cents' },
  { name: 'money', type: 'DOUBLE', unit: 'money' },
  { name: 'items', type: 'BIGINT[]', unit: 'cents' },
];

/** A conversion of the rows; `spoil` is a SELECT over `written` that takes the place of the table before it is looked at. */
async function conversion(spoil?: string) {
  const directory = temporaryFolder();
  const [source, target, whole] = ['rows.jsonl', 'table.parquet', 'whole.parquet'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(source, times(ROWS, (id) => `${line(id)}\n`).join(''));
  const database = await openDatabase({ setup: [], files: [source, target, whole], memoryBytes: 2 ** 28, threads: 2 });
  onTestFinished(() => database.closeSync());
  const spoiling = new Proxy(database, {
    get: (of, name) => {
      if (name !== 'runAndReadAll') return (of[name as keyof typeof of] as () => unknown).bind(of);
      return async (sql: string) => {
        if (spoil === undefined || !sql.startsWith('COPY')) return of.runAndReadAll(sql);
        await of.run(sql.replaceAll(target, whole));
        return of.runAndReadAll(`COPY (WITH written AS (FROM read_parquet('${whole}')) ${spoil}) TO '${target}' (FORMAT parquet)`);
      };
    },
  });
  const rowsOf = `read_json(['${source}'], columns = ${COLUMNS}, format = 'newline_delimited', records = true)`;
  const rows = await writeRows(spoiling, { columns: AMOUNTS, select: `FROM ${rowsOf}`, order: ['id'], rows: ROWS }, target);
  const table = await database.runAndReadAll(`SELECT count(*), sum(cents), sum(money) FILTER (id <> 77) FROM read_parquet('${target}')`);
  return { rows, table: table.getRowsJson() };
}

describe('the table of a run', () => {
  const ids = times(ROWS, (id) => id).filter((id) => id % 3 !== 0);
  const cents = ids.reduce((sum, id) => sum + CENTS - BigInt(id), 0n);

  it('has all rows of the source', async () => {
    expect(await conversion()).toEqual({ rows: ROWS, table: [[String(ROWS), String(cents), ((ROWS - 1) * ROWS) / 8 - 77 / 4]] });
  });

  it.each([
    ['a row, of which another is there twice', 'FROM written WHERE id <> 77 UNION ALL FROM written WHERE id = 78'],
    ['a unit of an amount', 'SELECT * REPLACE (cents - (id = 77)::INT AS cents) FROM written'],
    ['that an amount is unknown', 'SELECT * REPLACE (coalesce(cents, 0) AS cents) FROM written'],
    [
      'a part of an amount that is too large to be added',
      'SELECT * REPLACE (CASE WHEN id = 77 THEN 2e18 ELSE money END AS money) FROM written',
    ],
    ['a thousandth of money', 'SELECT * REPLACE (money - CASE WHEN id = 78 THEN 0.001 ELSE 0 END AS money) FROM written'],
    ['an item of a list', 'SELECT * REPLACE (CASE WHEN id = 77 THEN [2] ELSE items END AS items) FROM written'],
  ])('is refused where it lacks %s', { tags: 'nightly' }, async (_, spoil) => {
    await expect(conversion(spoil)).rejects.toThrow(/^the table has .*, the source 10000,/);
  });
});
