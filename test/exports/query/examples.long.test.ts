import { expect, it } from 'vitest';
import { examplesOf } from '../../../src/exports/query/examples.ts';
import { someOf } from '../../support/sample-size.ts';
import { lines, runsOnDisk } from './runs-on-disk.ts';

const revenue = { fieldName: 'session_transactions_revenue_cents', aliasName: 'Total "gross"' };

const CASES: readonly (readonly [string, (string | typeof revenue)[], 'sessions' | 'views', string[]])[] = [
  ['few fields', ['referer_url'], 'sessions', ['some rows']],
  ['no time and no revenue', ['session_id', 'device_id'], 'sessions', ['sessions by device_id']],
  ['names that need quotes', ['session_time', revenue], 'sessions', ['sessions by day', 'sessions, revenue']],
  ['articles without revenue', ['session_transaction_items.id'], 'sessions', ['times by id, a row for each element of the list']],
  ['views without keys', ['view_time', 'path'], 'views', ['views by day', 'views by page']],
  [
    'views',
    ['session_id', 'path', 'rage_click_all_targets_ind', 'errors.message'],
    'views',
    ['sessions with rage clicks on checkout pages, by page', 'times by message, a row for each element of the list'],
  ],
];

it.each(someOf(CASES, 2))('run as they stand on %s', async (_what, fields, scope, questions) => {
  const { query, view } = runsOnDisk({ scope, fields, files: [lines({})] });
  const examples = examplesOf((await view()).columns, { scope, timeZone: 'America/New_York', view: 'data', dialect: 'DuckDB' });
  expect(examples.map(({ question }) => question)).toEqual(questions);
  for (const { sql } of examples) await query(sql);
});
