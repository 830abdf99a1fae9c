import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { queryResults } from '../../../src/exports/query/query-results.ts';
import { resultsDirectory } from '../../../src/exports/store/manifest.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const rows = (text: string) => ({ columns: ['a', 'b'], rows: [[text, null]] });

let dir = '';
beforeEach(() => {
  dir = temporaryFolder();
});

function results(nowMs = NOW_MS, { quotaBytes = 1_000_000, usedBytes = 0, of = dir } = {}) {
  return queryResults({ dir: of, quotaBytes, usedBytes: () => Promise.resolve(usedBytes) }, nowMs);
}

describe('results of queries', () => {
  it('are kept as CSV for their owner alone, found by every process on the directory, with ids by their content', async () => {
    const id = await results().keep({ columns: ['text', 'list', 'none'], rows: [['a "b", c', [1, null], null]] });
    expect(id).toMatch(/^[\da-f]{12}$/);
    expect(await results().find(id ?? '')).toBe('text,list,none\r\n"a ""b"", c","[1,null]",\r\n');
    expect(await results().keep(rows('y'))).not.toBe(id);
    expect(await results(NOW_MS, { of: join(dir, 'of-another') }).find(id ?? '')).toBeUndefined();
    expect(statSync(join(resultsDirectory(dir), `${id}.csv`)).mode & 0o777).toBe(0o600);
  });

  it('make room for later ones, and end after a day', async () => {
    const ids: string[] = [];
    for (let minute = 0; minute < 12; minute += 1) ids.push((await results(NOW_MS + minute * 60_000).keep(rows(`${minute}`))) ?? '');
    const later = results(NOW_MS + HOUR_MS);
    expect(await later.ids()).toEqual(ids.slice(2).toReversed());
    expect(await later.find(ids[1] ?? '')).toBeUndefined();
    expect(await later.find(ids[2] ?? '')).toBe('a,b\r\n2,\r\n');
    const nextDay = results(NOW_MS + 25 * HOUR_MS);
    expect([await nextDay.ids(), await nextDay.find(ids[11] ?? '')]).toEqual([[], undefined]);
    const last = await nextDay.keep(rows('next day'));
    expect(readdirSync(resultsDirectory(dir))).toEqual([`${last}.csv`]);
  });

  it('take away what a killed process had begun to write, and leave what another is writing', async () => {
    await results().keep(rows('x'));
    for (const [name, ageMs] of [
      ['left.csv.tmp', 25 * HOUR_MS],
      ['begun.csv.tmp', 0],
    ] as const) {
      const path = join(resultsDirectory(dir), name);
      writeFileSync(path, 'a,b');
      utimesSync(path, new Date(NOW_MS - ageMs), new Date(NOW_MS - ageMs));
    }
    const id = await results().keep(rows('x'));
    expect(readdirSync(resultsDirectory(dir)).toSorted()).toEqual([`${id}.csv`, 'begun.csv.tmp']);
  });

  it('are not kept where there is no room, or the directory cannot be used', async () => {
    expect(await results(NOW_MS, { usedBytes: 999_995 }).keep(rows('x'))).toBeUndefined();
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(await results(NOW_MS, { of: file }).keep(rows('x'))).toBeUndefined();
    expect(await results().ids()).toEqual([]);
  });

  it.each(['../../secret', '..', '', 'x'.repeat(12), 'ABCDEF012345', '0123456789ab.csv'])('"%s" names none', async (id) => {
    writeFileSync(join(dir, 'secret.csv'), 'of another');
    await results().keep(rows('x'));
    expect(await results().find(id)).toBeUndefined();
  });
});
