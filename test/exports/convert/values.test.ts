import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { times } from '../../support/times.ts';
import { lines, type RunSketch, runsOnDisk } from '../query/runs-on-disk.ts';

const session = (id: number, more: object = {}) => ({ project_id: 1201, session_id: `s${id}`, session_duration_msec: 1000 * id, ...more });
const days = (...runs: (Partial<RunSketch> & Pick<RunSketch, 'files'>)[]) => runsOnDisk(...runs.map((run) => ({ fields: [], ...run })));
/** Rows of a statement over runs of a day each. */
const rowsOf = async (sql: string, ...runs: Parameters<typeof days>) => (await days(...runs).query(sql)).rows;

describe('one odd value costs itself alone', () => {
  it('in a column of whole numbers', async () => {
    const odd = ['N/A', '', '1,234', true].map((value, at) => ({
      files: [lines(session(10 * at, { session_duration_msec: value }), ...[1, 2, 3].map((id) => session(10 * at + id)))],
    }));
    const { query, view } = days(...odd);
    const sql = 'SELECT count(*), sum(session_duration_msec)::INT, any_value(typeof(session_duration_msec)) FROM data';
    expect((await query(sql)).rows).toEqual([[16, 4 * 6000 + 3 * (10_000 + 20_000 + 30_000), 'BIGINT']]);
    expect((await view()).notes).toContain('3 values of session_duration_msec in run 501, 503, 504 are not of its type and left empty.');
  });

  it('and a column whose later values are all of another type has that type', async () => {
    const rows = times(500, (id) => session(id, { session_duration_msec: id < 60 ? id : id + 0.5 }));
    expect(await rowsOf('SELECT max(session_duration_msec) FROM data', { files: [lines(...rows)] })).toEqual([[499.5]]);
  });

  it('a text that ends in half a character shows U+FFFD there, and keeps whole characters and backslashes', async () => {
    const file = lines(session(1), String.raw`{"session_id":"b","label":"\ud83d\ude00 \\ud83d caf \ud83d"}`);
    const { query, view } = days({ files: [file] });
    expect((await query('SELECT label FROM data ORDER BY ALL')).rows).toEqual([['\u{1F600} \\ud83d caf \uFFFD'], [null]]);
    expect((await view()).notes).toEqual(['In run 501 some values end in half a character, which is shown as \uFFFD.']);
  });

  it('an instant with an offset is that instant', async () => {
    const files = [lines(session(1, { session_time: '2026-11-19T01:30:00.000+02:00' }))];
    expect(await rowsOf('SELECT session_time::VARCHAR FROM data', { files })).toEqual([['2026-11-18 23:30:00']]);
  });
});

describe('names are matched without case', () => {
  const sql = 'SELECT count(label) AS n FROM data';

  it('of keys in different days', async () => {
    const runs = ['label', 'Label', 'LABEL'].map((key, at) => ({
      files: [lines(session(at, { [key]: 'x' }), session(10 + at, { [key]: 'y' }))],
    }));
    expect(await rowsOf(sql, ...runs)).toEqual([[6]]);
  });

  it('of keys in one file, and of the fields of the job', async () => {
    const upper = (row: object) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key.toUpperCase(), value]));
    const file = lines(session(1, { label: 'x' }), session(2, { Label: 'y' }), upper(session(3, { label: 'z' })));
    const { query } = days({ fields: ['session_id', 'session_duration_msec'], files: [file] });
    expect((await query(sql)).rows).toEqual([[3]]);
    expect((await query('SELECT sum(session_duration_msec)::INT FROM data')).rows).toEqual([[6000]]);
  });

  it('of headers: field names, another case, the scope before them, aliases', async () => {
    const names = ['user_id,session_duration_msec', 'User_ID,SESSION_DURATION_MSEC'];
    const headers = [...names, 'sessions.user_id,sessions.session_duration_msec', 'who,how_long'];
    const fields = [
      { fieldName: 'user_id', aliasName: 'who' },
      { fieldName: 'session_duration_msec', aliasName: 'how_long' },
    ];
    const rows = times(50, (id) => `${1000 + id},${id * 100}\n`).join('');
    const runs = headers.map((header) => ({ format: 'CSV', fields, files: [`${header}\n${rows}`] }));
    const found = await rowsOf('SELECT count(*), min(user_id), sum(session_duration_msec)::INT FROM data', ...runs);
    expect(found).toEqual([[4 * 50, '1000', 4 * 122_500]]);
  });
});

describe('ids', () => {
  /** Types in which the tables hold the ids of users and sessions. */
  const heldIn = async ({ tables }: ReturnType<typeof days>) =>
    (await tables()).map(({ table }) =>
      table?.columns.flatMap(({ name, heldAs }) => (/^(user|session)_id$/.test(name) ? [heldAs ?? 'VARCHAR'] : [])),
    );

  it('that are whole numbers are held as such, and shown as the same text', async () => {
    const ids = [
      ['18446744073709000001', '9007199254740994'],
      ['18446744073709000002', '-9223372036854775808'],
    ];
    const runs = days({ files: [lines(...ids.map(([user, own]) => `{"user_id":${user},"session_id":"${own}"}`), {})] });
    const { rows } = await runs.query('SELECT user_id, session_id FROM data ORDER BY ALL NULLS LAST');
    expect(rows).toEqual([...ids, [null, null]]);
    expect(await heldIn(runs)).toEqual([['UBIGINT', 'BIGINT']]);
  });

  it('keep every character where a row beyond the beginning of a file has another text', async () => {
    const odd = ['007', '7', '-7', '-0', '+7', '7.0', '7e0', ' 7', '18446744073709551616', 'anna', ''];
    const files = odd.map((id) => [...times(60, (row) => `${1000 + row}`), id]);
    const runs = days(
      ...files.map((ids, run) => ({ files: [lines(...ids.map((id, row) => ({ user_id: id, session_id: 100 * run + row })))] })),
    );
    const { rows } = await runs.query("SELECT DISTINCT user_id FROM data WHERE length(user_id) <> 4 OR user_id = 'anna'");
    expect(new Set(rows.flat())).toEqual(new Set(odd));
    // Only 7 and -7 are whole numbers that give back what is written.
    const held = (await heldIn(runs)).flatMap((types, run) => (types?.[0] === 'VARCHAR' ? [] : [odd[run]]));
    expect(held).toEqual(['7', '-7']);
  });
});

describe('a column that no list knows', () => {
  const many = (last: unknown) => [...times(500, (index) => index + 0.5), null, last];
  const kinds: [string, readonly unknown[], string][] = [
    ['whole numbers', [999, 2499, null], 'BIGINT'],
    ['numbers', [999.5, 2499, null], 'DOUBLE'],
    ['numbers with many digits', [0.1, 5.6000000000000005, 11.9], 'DOUBLE'],
    ['numbers as text', ['999.5', '2499', '-3'], 'DOUBLE'],
    ['versions', ['1.1', '1.10', '1.2'], 'VARCHAR'],
    ['leading zeros', ['007', '12'], 'VARCHAR'],
    ['long digits', ['4012345678901234', '12'], 'VARCHAR'],
    ['long decimals', ['0.12345678901234567', '12'], 'VARCHAR'],
    ['a word after many numbers', many('n/a'), 'VARCHAR'],
    ['a number after many numbers', many(7), 'DOUBLE'],
    ['no value', [null, null], 'VARCHAR'],
  ];

  it('is one of numbers where these give back what is written, else text', async () => {
    const { tables } = days(
      ...kinds.map(([, values]) => ({ files: [lines(...values.map((value, id) => ({ session_id: id, basket_value: value })))] })),
    );
    const types = (await tables()).map(({ table }) => table?.columns.find(({ name }) => name === 'basket_value')?.type);
    expect(kinds.map(([kind], index) => [kind, types[index]])).toEqual(kinds.map(([kind, , type]) => [kind, type]));
  });

  it('orders, compares and sums by value, and keeps the text of the files where another run holds words', async () => {
    const day = (...values: unknown[]) => ({
      files: [lines(...values.map((value) => ({ session_id: String(value), basket_value: value })))],
    });
    expect(await rowsOf('SELECT max(basket_value), sum(basket_value) FROM data', day(999.5, 2499, null))).toEqual([[2499, 3498.5]]);
    const mixed = days(day('1.5'), day('none'));
    expect((await mixed.query('SELECT basket_value FROM data ORDER BY ALL')).rows).toEqual([['1.5'], ['none']]);
    expect((await mixed.view()).notes).toEqual([expect.stringMatching(/^In data basket_value is text/)]);
  });

  it('that says id, code or version is text, whatever it holds', async () => {
    const { view } = days({ files: ['{"session_id":1,"store_code":12,"app_version":9.1}\n'] });
    expect((await view()).columns.map(({ type }) => type)).toEqual(['VARCHAR', 'VARCHAR', 'VARCHAR']);
  });
});

describe('a file that cannot be read', () => {
  const packed = gzipSync(`session_id,city\n${times(999, (id) => `b${id * id},Bonn\n`).join('')}`);

  it.each([
    ['not UTF-8', gzipSync(Buffer.from('session_id,city\nb,Orl\xe9ans\n', 'latin1')), /line 2 is not UTF-8 text/],
    ['UTF-16', gzipSync(Buffer.from('\ufeffsession_id,city\nb,Bonn\n', 'utf16le')), /part-00001\.csv\.gz/],
    ['cut short', packed.subarray(0, 999), /part-00001\.csv\.gz, line 3\d\d does not have/],
    ['a zip archive', Buffer.from('504b0304140000000800', 'hex'), /is not a whole gzip file/],
    ['packed twice', gzipSync(packed), /part-00001\.csv\.gz/],
  ])('as it is %s is named, without the words of the engine', async (_, file, words) => {
    const failure = await days({ format: 'CSV', fields: ['session_id', 'city'], files: [file] })
      .tables()
      .catch(({ message }: Error) => message);
    expect(failure).toMatch(words);
    expect(failure).not.toMatch(/Invalid|Error|\/tmp|ignore_errors|LINE/);
  });
});
