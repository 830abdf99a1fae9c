import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/workspace/warehouse/connection.ts';
import { missing, sharedClickHouse } from '../../support/clickhouse/index.ts';

describe.skipIf(missing)(`the connection to ClickHouse${missing ? ` (${missing})` : ''}`, () => {
  const clickHouse = sharedClickHouse();

  it('asks and answers', async () => {
    const { access } = clickHouse();
    const reader = connect(access, access.reader);
    console.log(await reader.rows('SELECT currentRoles() AS r, {a:String} AS b, toInt64(9007199254740993) AS c', { parameters: { a: "x'y\\" } }));
    console.log(await reader.rows("SELECT count() AS n FROM system.tables WHERE database = 'other'"), await reader.rows("SELECT 1 FROM url('http://127.0.0.1:9/', 'LineAsString') LIMIT 0").catch(e=>e.message), await reader.rows("SELECT value FROM system.settings WHERE name = 'readonly'"));
    console.log(await reader.rows("SELECT explain FROM (EXPLAIN AST SELECT 'a\nb' AS `x\ny`, a in t, other.x(1)\n)"));
    await expect(reader.rows('SELECT 1; SELECT 2')).rejects.toThrow('Multi');
    await expect(reader.rows('SELECT * FROM other.secrets')).rejects.toThrow('rights');
    await expect(reader.rows("SELECT number, throwIf(number = 3000000) FROM numbers(5000000)")).rejects.toThrow('throwIf');
    console.log(await clickHouse().seen());
    await reader.close();
    const wrong = connect(access, { user: 'reader', password: 'no' });
    await expect(wrong.rows('SELECT 1')).rejects.toThrow('docs/warehouse.md');
    await wrong.close();
  });
});
