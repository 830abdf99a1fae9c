import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../src/exports/download/download-part.ts';
import { openDatabase } from '../../../src/exports/query/database.ts';
import { openWriter, runSql } from '../../../src/exports/query/sql-process.ts';
import type { RunManifest } from '../../../src/exports/store/manifest.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { inFullRun } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';

const ENDLESS = 'SELECT count(*) FROM range(1000000000000)';
const request = (sql: string) => ({
  views: ['data'],
  setup: ['CREATE VIEW data AS SELECT 1 AS a'],
  files: [],
  sql,
  maxRows: 10,
  maxChars: 10_000,
});

/** A gigabyte of zeros, compressed to one megabyte. */
function bomb(): Buffer {
  const block = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
  return Buffer.concat(times(16, () => block));
}

describe('a megabyte that unpacks to a gigabyte', () => {
  it('is looked at outside the server, which takes no memory for it', { tags: 'nightly' }, async () => {
    const directory = temporaryFolder();
    writeFileSync(join(directory, 'zeros.jsonl.gz'), bomb());
    const file = { name: 'zeros.jsonl.gz', bytes: 1, sha256: '', gzip: true };
    const run = { runId: 501, jobId: 31, format: 'JSONL', fields: [], files: [file] };
    const beforeBytes = process.memoryUsage.rss();
    const writer = openWriter({ directory, holder: 'test', timeoutMs: 60_000 });
    const outcome = await writer.convert({ run: run as unknown as RunManifest, directory: '.', target: 'table.parquet' }).catch(() => ({}));
    await writer.close();
    expect(outcome).not.toHaveProperty('table');
    expect(process.memoryUsage.rss()).toBeLessThan(1.5 * beforeBytes);
  });

  it('is refused as it arrives, long before its end', { tags: 'nightly' }, async () => {
    const inspection = inspect('JSONL');
    const bytes = bomb();
    for (let at = 0; at < bytes.length; at += 65_536) await inspection.add(bytes.subarray(at, at + 65_536));
    const { fault, plainBytes } = await inspection.end();
    expect(fault).toMatch(
      /^is a packed bomb, no export: its first 65\.5 kB unpack to 67\.\d MB, the last 67\.\d MB without the end of a row$/,
    );
    expect(plainBytes).toBeLessThan(128 * 1024 * 1024);
  });

  inFullRun(() => {
    it('is refused where it has rows, at two gigabytes', async () => {
      const member = gzipSync(`${'x'.repeat(8_191)}\n`.repeat(16 * 1024));
      const inspection = inspect('JSONL');
      for (let given = 0; given < 17; given += 1) await inspection.add(member);
      const { fault } = await inspection.end();
      expect(fault).toMatch(/^is a packed bomb, no export: its first \d\.\d\d MB unpack to 2\.15 GB$/);
    });
  });
});

it('queries of another caller are answered while twelve endless ones of one caller run', { tags: 'nightly' }, async () => {
  const directory = temporaryFolder();
  const ending = new AbortController();
  const greedy = times(12, () => runSql(request(ENDLESS), { directory, holder: 'greedy', timeoutMs: 60_000, signal: ending.signal }));
  // Until the first two have begun.
  await expect(runSql(request(ENDLESS), { directory, holder: 'third', timeoutMs: 1_500 })).rejects.toMatchObject({ name: 'SqlError' });
  const startedMs = performance.now();
  const { rows } = await runSql(request('SELECT 1 AS one'), { directory, holder: 'other', timeoutMs: 30_000 });
  expect(rows).toEqual([[1]]);
  // Two seconds on a machine that has nothing else to do; the endless queries themselves end after a minute.
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  ending.abort(new Error('enough'));
  expect((await Promise.allSettled(greedy)).every(({ status }) => status === 'rejected')).toBe(true);
});

it('queries that need more than the memory spill into a private directory of bounded size, and fail without one', {
  tags: 'nightly',
}, async () => {
  const sql = 'SELECT count(*) FROM (SELECT i, md5(i::VARCHAR) AS h, count(*) AS n FROM range(1500000) r(i) GROUP BY ALL)';
  const answer = async (spill?: { directory: string; maxBytes: number }) => {
    const options = { setup: [], files: [], memoryBytes: 2 ** 26, threads: 2, ...(spill && { spill }) };
    const database = await openDatabase(options);
    try {
      return (await database.runAndReadAll(sql)).getRowsJson();
    } finally {
      database.closeSync();
    }
  };
  const directory = temporaryFolder();
  expect(await answer({ directory, maxBytes: 2 ** 30 })).toEqual([['1500000']]);
  await expect(answer({ directory: temporaryFolder(), maxBytes: 2 ** 23 })).rejects.toThrow(/max_temp_directory_size|Out of Memory/i);
  await expect(answer()).rejects.toThrow(/Out of Memory/i);
});

it('queries leave nothing of their private directory', async () => {
  const directory = temporaryFolder();
  await runSql(request('SELECT 1'), { directory, holder: 'test', timeoutMs: 30_000 });
  expect(readdirSync(directory)).toEqual([]);
});
