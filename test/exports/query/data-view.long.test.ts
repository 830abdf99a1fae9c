import { describe, expect, it } from 'vitest';
import { lines, runsOnDisk } from './runs-on-disk.ts';

const KEYS = ['project_id', 'user_id', 'session_id'];
const session = (id: number, more: object = {}) => ({ project_id: 1201, user_id: 7, session_id: id, ...more });

it('values of parallel arrays are lists, with money and seconds beside cents and ms', { tags: 'nightly' }, async () => {
  const fields = [
    'session_duration_msec',
    'session_transactions_revenue_cents',
    'session_transaction_items.name',
    'session_transaction_items.revenue_cents',
    'app_events.event_time',
  ];
  const time = '2026-11-19T08:14:03.250Z';
  const json = runsOnDisk({
    fields,
    files: [
      lines({
        [fields[0] ?? '']: 1500,
        [fields[1] ?? '']: 8990,
        [fields[2] ?? '']: ['Tent', 'A "b", c'],
        [fields[3] ?? '']: [8000, 990],
        [fields[4] ?? '']: [time],
      }),
    ],
  });
  const csv = runsOnDisk({
    format: 'CSV',
    fields,
    files: [`${fields.join(',')}\r\n1500,8990,"[""Tent"",""A \\""b\\"", c""]","[8000,990]","[""${time}""]"\r\n,,[],[],[]\r\n`],
  });
  for (const { records } of [json, csv]) {
    expect((await records('SELECT * FROM data'))[0]).toEqual({
      session_duration_msec: 1500,
      session_duration_seconds: '1.500',
      session_transactions_revenue_cents: 8990,
      session_transactions_revenue: '89.90',
      'session_transaction_items.name': ['Tent', 'A "b", c'],
      'session_transaction_items.revenue_cents': [8000, 990],
      'session_transaction_items.revenue': ['80.00', '9.90'],
      'app_events.event_time': ['2026-11-19 08:14:03.25'],
    });
  }
  const unnested = await json.records('SELECT sum(item) total FROM (SELECT unnest("session_transaction_items.revenue") item FROM data)');
  expect(unnested).toEqual([{ total: '89.90' }]);
});

it('values of CSV may hold quotes, commas, line ends and nothing', { tags: 'nightly' }, async () => {
  const text = 'path,query,is_first,view_time\r\n"/a ""b"", c\r\nd",?q=1,true,2026-11-19T08:14:03.000Z\r\n/e,,false,\r\n';
  const { records } = runsOnDisk({ scope: 'views', format: 'CSV', fields: ['path', 'query', 'is_first', 'view_time'], files: [text] });
  expect(await records('SELECT * FROM data ORDER BY path')).toEqual([
    { path: '/a "b", c\r\nd', query: '?q=1', is_first: true, view_time: '2026-11-19 08:14:03' },
    { path: '/e', query: null, is_first: false, view_time: null },
  ]);
});

it('values of any kind come out exactly', { tags: 'nightly' }, async () => {
  const { query } = runsOnDisk({ fields: KEYS, files: [lines(session(1))] });
  const { rows } = await query(
    `SELECT 9007199254740993::BIGINT, 12.340::DECIMAL(9,3), DATE '2026-11-09', TIMESTAMP '2026-11-09 10:00:00.5',
        [1, NULL], {'a': 1, 'b': ['x']}, NULL, 0.1::DOUBLE, 'nan'::DOUBLE,
        MAP {'k': 2}, INTERVAL 90 MINUTE, true, sum(1)::HUGEINT, 'a\tb' FROM data`,
  );
  expect(rows).toEqual([
    [
      '9007199254740993',
      '12.340',
      '2026-11-09',
      '2026-11-09 10:00:00.5',
      [1, null],
      { a: 1, b: ['x'] },
      null,
      0.1,
      'NaN',
      [{ key: 'k', value: 2 }],
      '01:30:00',
      true,
      1,
      'a\tb',
    ],
  ]);
});

it('columns carry the names of their fields, variables their position or key, and members that no field promised are there too', {
  tags: 'nightly',
}, async () => {
  const fields = [
    { fieldName: 'session_transactions_revenue_cents', aliasName: 'turnover' },
    { fieldName: 'custom_var', customVarPosition: 1 },
    { fieldName: 'dynamic_var', dynamicVarKey: 'search_term' },
  ];
  const { records, view } = runsOnDisk({
    fields,
    files: [lines({ turnover: 250, custom_var_1: 'plus', dynamic_var_search_term: 5, extra: ['a'] })],
  });
  expect(await records('SELECT * FROM data')).toEqual([
    {
      session_transactions_revenue_cents: 250,
      session_transactions_revenue: '2.50',
      custom_var_1: 'plus',
      dynamic_var_search_term: 5,
      extra: ['a'],
    },
  ]);
  expect((await view()).columns[0]).toEqual({ name: 'session_transactions_revenue_cents', type: 'BIGINT', unit: 'cents' });
});

it('columns may be a single one, which some rows lack', async () => {
  const { records } = runsOnDisk({ fields: ['city'], files: [lines({ city: 'Ulm' }, {}, { city: null }, { other: 1 })] });
  expect((await records('SELECT city FROM data ORDER BY ALL')).map(({ city }) => city)).toEqual(['Ulm', null, null, null]);
});

it('columns may have any name', { tags: 'nightly' }, async () => {
  const name = `it's "odd", {here}`;
  const { records } = runsOnDisk({ fields: [{ fieldName: 'custom_var', aliasName: name }], files: [lines({ [name]: 'Ulm' })] });
  expect(await records('SELECT * FROM data')).toEqual([{ [name]: 'Ulm' }]);
});

it('columns are there where no run has a row', { tags: 'nightly' }, async () => {
  const jsonl = runsOnDisk(
    { fields: ['session_id', 'city'], files: [''] },
    { fields: ['session_id', 'city'], files: ['', ''], gzip: false },
  );
  const csv = runsOnDisk({ fields: ['session_id', 'city'], format: 'CSV', files: ['session_id,city\r\n'] });
  for (const { query, records } of [jsonl, csv]) {
    expect((await query('SELECT * FROM data')).columns).toEqual(['session_id', 'city']);
    expect(await records('SELECT count(*) AS n FROM data')).toEqual([{ n: 0 }]);
  }
});

it('columns are read where other files of the run are empty, or have them in another order', { tags: 'nightly' }, async () => {
  const jsonl = runsOnDisk({ fields: ['city'], files: ['', lines({ city: 'Ulm' }, { city: 'Bonn' }), ''] });
  const csv = runsOnDisk({ fields: ['city'], format: 'CSV', files: ['city,n\r\n', 'city,n\r\nUlm,1\r\n', 'n,city\r\n2,Bonn\r\n', ''] });
  for (const { records } of [jsonl, csv])
    expect(await records('SELECT city FROM data ORDER BY city DESC')).toEqual([{ city: 'Ulm' }, { city: 'Bonn' }]);
});

describe('files', () => {
  const ids = Array.from({ length: 4000 }, (_, index) => `${(BigInt(index) * 2_654_435_761_987_654_321n) % 9_000_000_000_000_000_000n}`);
  const sum = { n: 4000, different: new Set(ids).size };
  const counted = 'SELECT count(*) AS n, count(DISTINCT user_id) AS different FROM data';

  it.each([true, false])(
    'are longer than what is looked at beforehand (packed: %s), whatever ends their lines',
    { tags: 'nightly' },
    async (gzip) => {
      const jsonl = lines(...ids.map((id) => `{"user_id":${id},"city":"Ulm"}`));
      const csv = (end: string) => `user_id,city${end}${ids.map((id) => `${id},Ulm${end}`).join('')}`;
      const sketches = [
        { format: 'JSONL', files: [jsonl] },
        { format: 'CSV', files: [csv('\n')] },
        { format: 'CSV', files: [csv('\r\n')] },
      ];
      for (const sketch of sketches) {
        const { records, view } = runsOnDisk({ fields: ['user_id', 'city'], gzip, ...sketch });
        expect(await records(counted)).toEqual([sum]);
        expect((await view()).columns.map(({ type }) => type)).toEqual(['VARCHAR', 'VARCHAR']);
      }
    },
  );
});
