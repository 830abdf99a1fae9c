import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchDirectory } from '../download/store-stub.ts';
import { lines } from '../query/runs-on-disk.ts';
import { asked } from '../warehouse/loaded-project.ts';
import { openOffline, type RunText, writeRun } from './converted-runs.ts';

const day = (date: number) => ({ from: `2026-11-${date}T00:00:00.000Z`, to: `2026-11-${date + 1}T00:00:00.000Z` });
const session = (id: number, more: object = {}) => ({ project_id: 1201, session_id: `s${id}`, session_duration_msec: 1000 * id, ...more });

/** Runs of a day each of one job, asked as `query_export` asks. */
async function answerOf(sql: string, ...runs: (Partial<RunText> & Pick<RunText, 'files'>)[]) {
  const workspace = openOffline(scratchDirectory());
  onTestFinished(() => workspace.close());
  for (const [index, run] of runs.entries()) writeRun(workspace, { runId: 501 + index, ...day(17 + index), fields: [], ...run });
  return asked(workspace, sql);
}

describe('one odd value costs itself alone', () => {
  it('in a column of whole numbers', async () => {
    const odd = ['N/A', '', '1,234', true].map((value, at) => ({
      files: [lines(session(10 * at, { session_duration_msec: value }), ...[1, 2, 3].map((id) => session(10 * at + id)))],
    }));
    const sql = 'SELECT count(*), sum(session_duration_msec)::INT, any_value(typeof(session_duration_msec)) FROM sessions';
    const { rows, notes } = await answerOf(sql, ...odd);
    expect(rows).toEqual([[16, 4 * 6000 + 3 * (10_000 + 20_000 + 30_000), 'BIGINT']]);
    expect(notes).toContain('3 values of session_duration_msec in run 501, 503, 504 are not of its type and left empty.');
  });

  it('wherever it stands in the file', async () => {
    const rows = Array.from({ length: 500 }, (_, id) => session(id, id === 400 ? { session_duration_msec: 'none' } : {}));
    const { rows: found } = await answerOf('SELECT count(session_duration_msec) FROM sessions', { files: [lines(...rows)] });
    expect(found).toEqual([[499]]);
  });

  it('and a column whose later values are all of another type has that type', async () => {
    const rows = Array.from({ length: 500 }, (_, id) => session(id, { session_duration_msec: id < 60 ? id : id + 0.5 }));
    const { rows: found } = await answerOf('SELECT max(session_duration_msec) FROM sessions', { files: [lines(...rows)] });
    expect(found).toEqual([[499.5]]);
  });

  it('an instant with an offset is that instant', async () => {
    const { rows } = await answerOf('SELECT session_time::VARCHAR FROM sessions', {
      files: [lines(session(1, { session_time: '2026-11-19T01:30:00.000+02:00' }))],
    });
    expect(rows).toEqual([['2026-11-18 23:30:00']]);
  });
});

describe('names are matched without case', () => {
  const sql = 'SELECT count(label) AS n FROM sessions';

  it('of keys in different days', async () => {
    const files = ['label', 'Label', 'LABEL'].map((key, at) => ({
      files: [lines(session(at, { [key]: 'x' }), session(10 + at, { [key]: 'y' }))],
    }));
    expect((await answerOf(sql, ...files)).rows).toEqual([[6]]);
  });

  it('of keys in one file, and of the fields of the job', async () => {
    const upper = (row: object) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key.toUpperCase(), value]));
    const file = lines(session(1, { label: 'x' }), session(2, { Label: 'y' }), upper(session(3, { label: 'z' })));
    const fields = ['session_id', 'session_duration_msec'];
    expect((await answerOf(sql, { fields, files: [file] })).rows).toEqual([[3]]);
    expect((await answerOf('SELECT sum(session_duration_msec) FROM sessions', { fields, files: [file] })).rows).toEqual([[6000]]);
  });

  it('of headers: field names, another case, the scope before them, aliases', async () => {
    const headers = [
      'user_id,session_duration_msec',
      'User_ID,SESSION_DURATION_MSEC',
      'sessions.user_id,sessions.session_duration_msec',
      'who,how_long',
    ];
    const fields = [
      { fieldName: 'user_id', aliasName: 'who' },
      { fieldName: 'session_duration_msec', aliasName: 'how_long' },
    ];
    const rows = Array.from({ length: 50 }, (_, id) => `${1000 + id},${id * 100}\n`).join('');
    const runs = headers.map((header) => ({ format: 'CSV', fields, files: [`${header}\n${rows}`] }));
    const found = await answerOf('SELECT count(*), min(user_id), sum(session_duration_msec)::INT FROM sessions', ...runs);
    expect(found.rows).toEqual([[4 * 50, '1000', 4 * 122_500]]);
  });
});

describe('a column that no list knows', () => {
  it('is one of numbers where these give back what is written, else text', async () => {
    const columns = {
      versions: ['1.1', '1.10', '1.2'],
      numbers: [1.1, 1.25, 9.9],
      fractions: [0.1, 5.6000000000000005, 11.9],
      decimals: ['9.9', '11.9', '0.5'],
      long: ['4012345678901234567', '4012345678901234568', '1'],
    };
    const file = lines(
      ...[0, 1, 2].map((id) => session(id, Object.fromEntries(Object.entries(columns).map(([name, own]) => [name, own[id]])))),
    );
    const sql = 'SELECT count(DISTINCT versions), max(numbers), max(fractions), max(decimals), count(DISTINCT long) FROM sessions';
    expect((await answerOf(sql, { files: [file] })).rows).toEqual([[3, 9.9, 11.9, 11.9, 3]]);
  });
});

describe('a file that cannot be read', () => {
  const csv = (text: string | Buffer) => ({ format: 'CSV', fields: ['session_id', 'city'], files: [text] });
  const good = csv('session_id,city\na,Ulm\n');
  const packed = gzipSync(`session_id,city\n${Array.from({ length: 999 }, (_, id) => `b${id * id},Bonn\n`).join('')}`);

  it.each([
    ['not UTF-8', csv(gzipSync(Buffer.from('session_id,city\nb,Orl\xe9ans\n', 'latin1'))), /line 2 is not UTF-8 text/],
    ['UTF-16', csv(gzipSync(Buffer.from('\ufeffsession_id,city\nb,Bonn\n', 'utf16le'))), /part-00001\.csv\.gz/],
    ['cut short', csv(packed.subarray(0, 999)), /part-00001\.csv\.gz, line 3\d\d does not have/],
    ['a zip archive', csv(Buffer.from('504b0304140000000800', 'hex')), /is not a whole gzip file/],
    ['packed twice', csv(gzipSync(packed)), /part-00001\.csv\.gz/],
  ])('as it is %s: its run is left out by name, and the others answer', async (_, bad, words) => {
    const { rows, notes } = await answerOf('SELECT session_id FROM sessions', bad, good);
    expect(rows).toEqual([['a']]);
    const note = notes.find((each) => each.startsWith('Run 501 of job 31 is left out:'));
    expect(note).toMatch(words);
    expect(note).not.toMatch(/Invalid|Error|\/tmp|ignore_errors|LINE/);
  });
});
