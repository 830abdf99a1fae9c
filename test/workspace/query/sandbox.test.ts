import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/workspace/query/process.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { attacks, bombs, strange } from './attacks.ts';
import { lines, type RunsOnDisk, runsOnDisk } from './runs-on-disk.ts';

const SECRET = 'the-secret-that-nobody-may-read';

function place() {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  symlinkSync(join(outside, 'secret.txt'), join(outside, 'link.txt'));
  const runs = runsOnDisk({ fields: ['user_id', 'browser_name'], files: [lines({ user_id: 7, browser_name: 'Chrome' })] });
  return { outside, runs, own: join(runs.directory, '501', 'part-1.jsonl.gz') };
}

function outcomeOf(runs: RunsOnDisk, sql: string): Promise<string> {
  return runs.query(sql).then(
    ({ rows }) => `answered: ${JSON.stringify(rows)}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe('the sandbox', () => {
  it('is tried in fifty ways', () => {
    expect(Object.values(attacks({ outside: '', own: '' })).flat().length).toBeGreaterThanOrEqual(50);
  });

  it.each(Object.keys(attacks({ outside: '', own: '' })))('refuses to %s, leaves no trace, and answers afterwards', async (aim) => {
    const { outside, own, runs } = place();
    const before = readFileSync(own);
    const list = attacks({ outside, own: '501/part-1.jsonl.gz' })[aim] ?? [];
    const outcomes = await Promise.all(list.map((sql) => outcomeOf(runs, sql)));
    for (const [index, outcome] of outcomes.entries()) {
      expect([list[index], outcome]).toEqual([list[index], expect.stringMatching(/^SqlError: /)]);
      expect(outcome).not.toContain(SECRET);
    }
    expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
    expect(readFileSync(own)).toEqual(before);
    expect((await runs.query('SELECT browser_name FROM data')).rows).toEqual([['Chrome']]);
  });

  it('holds without the look at the statement too: the database itself reads and writes nothing else', async () => {
    const { outside, own, runs } = place();
    const { viewSql } = await runs.view();
    const database = await openDatabase({
      viewSql: viewSql.replaceAll('501/', `${runs.directory}/501/`),
      files: [own],
      memoryBytes: 2 ** 28,
      threads: 1,
    });
    onTestFinished(() => database.closeSync());
    for (const sql of Object.values(attacks({ outside, own })).flat()) {
      const text = await database.runAndReadAll(sql).then(
        (result) => JSON.stringify(result.getRowsJson()),
        () => '',
      );
      expect([sql, text.includes(SECRET)]).toEqual([sql, false]);
    }
    expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
  });

  it.each([
    'SELECT browser_name FROM main.data',
    'SELECT d.browser_name FROM memory.main.data AS d',
    'WITH "Data" AS (SELECT browser_name FROM DATA) SELECT * FROM "data"',
    'SELECT * FROM (WITH a AS (SELECT * FROM data), b AS (SELECT browser_name FROM A) SELECT * FROM b)',
  ])('answers %s', async (sql) => {
    expect((await place().runs.query(sql)).rows).toEqual([['Chrome']]);
  });

  it('survives what may break a parser', async () => {
    const { runs } = place();
    const outcomes = await Promise.all(strange.map((sql) => outcomeOf(runs, sql)));
    expect(outcomes.filter((outcome) => !/^(SqlError: .|answered: )/.test(outcome))).toEqual([]);
    expect((await runs.query('SELECT 1')).rows).toEqual([[1]]);
  });

  it.each(bombs)('stops %s', async (sql) => {
    const { runs } = place();
    const started = performance.now();
    await expect(runs.query(sql, { timeoutMs: 400 })).rejects.toMatchObject({
      name: 'SqlError',
      reason: expect.stringMatching(/^(time|memory)$/),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('ends the process of a call that was cancelled', async () => {
    const { runs } = place();
    const controller = new AbortController();
    const running = runs.query('SELECT count(*) FROM range(1000000000000)', { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect((await runs.query('SELECT 1')).rows).toEqual([[1]]);
  });

  it('gives as many rows as were asked for, and says that there are more', async () => {
    const { runs } = place();
    const { rows, more } = await runs.query('SELECT * FROM range(100000000000)', { maxRows: 5000 });
    expect([rows.length, rows.at(-1), more]).toEqual([5000, [4999], true]);
    expect((await runs.query('SELECT * FROM range(5000)', { maxRows: 5000 })).more).toBe(false);
  });
});
