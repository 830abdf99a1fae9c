import { describe, expect, it, onTestFinished } from 'vitest';
import { type Connection, connect, StatementError, type WarehouseAccess } from '../../../src/exports/warehouse/connection.ts';
import { openWarehouse, warehouseFaults } from '../../../src/exports/warehouse/warehouse.ts';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing } from '../../support/clickhouse/start.ts';

function opened(access: WarehouseAccess, user: WarehouseAccess['reader'] = access.reader): Connection {
  const connection = connect(access, user);
  onTestFinished(() => connection.close());
  return connection;
}

describe.skipIf(missing)(`the connection to ClickHouse${missing ? ` (${missing})` : ''}`, () => {
  const clickHouse = sharedClickHouse();

  it('gives values exactly, with parameters as they are', async () => {
    const reader = opened(clickHouse().access);
    const parameters = { text: "x'y\\ \n" };
    const rows = await reader.rows('SELECT {text:String} AS text, toInt64(9007199254740993) AS big', { parameters });
    expect(rows).toEqual([{ text: parameters.text, big: '9007199254740993' }]);
  });

  it('says who is refused, and never the password', async () => {
    const { access } = clickHouse();
    const refused = opened(access, { user: 'reader', password: 'not-the-secret' }).rows('SELECT 1');
    await expect(refused).rejects.toThrow(/^ClickHouse refuses the user reader: .*docs\/warehouse\.md lists users and grants\.$/);
    await expect(refused).rejects.not.toThrow('not-the-secret');
    await expect(opened(access).rows('SELECT * FROM other.secrets')).rejects.toThrow('SELECT ON other.secrets');
  });

  it('a failure in the middle of an answer is one, and half an answer is none', async () => {
    const reader = opened(clickHouse().access);
    const sql = 'SELECT number, throwIf(number = 300000) FROM numbers(500000)';
    const got: unknown[] = [];
    const failing = reader.lines(sql, (line) => got.push(line) < 0);
    await expect(failing).rejects.toBeInstanceOf(StatementError);
    await expect(failing).rejects.toThrow('throwIf');
    expect(got.length).toBeGreaterThan(1000);
    await clickHouse().fail({ cutAfterBytes: 1000 });
    const cut = reader.lines('SELECT number FROM numbers(1000)', () => false, { settings: { wait_end_of_query: 1 } });
    await expect(cut).rejects.toMatchObject({ kind: 'down' });
    await clickHouse().fail({});
  });

  it('closes when the caller goes', async () => {
    const reader = opened(clickHouse().access);
    await clickHouse().seen();
    const abort = new AbortController();
    const asked = reader.lines('SELECT sleepEachRow(0.1) FROM numbers(100)', () => false, {
      signal: abort.signal,
      settings: { max_block_size: '1', cancel_http_readonly_queries_on_client_close: 1 },
    });
    setTimeout(() => abort.abort(new Error('The caller went.')), 300);
    await expect(asked).rejects.toThrow('The caller went.');
    await expect.poll(() => clickHouse().seen(), { timeout: 10_000 }).toContainEqual(expect.objectContaining({ end: 'cancelled' }));
  });
});

describe.skipIf(missing)(`users of the warehouse${missing ? ` (${missing})` : ''}`, () => {
  const clickHouse = sharedClickHouse();

  async function faultsOf(change: Partial<WarehouseAccess> = {}): Promise<string[]> {
    const warehouse = openWarehouse({ ...clickHouse().access, ...change });
    onTestFinished(() => warehouse.close());
    return warehouseFaults(warehouse);
  }

  it('are good where the reader may only read', async () => {
    expect(await faultsOf()).toEqual([]);
  });

  it('are not where the reader may do more', async () => {
    expect(await faultsOf({ reader: { user: 'careless', password: 'read-secret' } })).toEqual([
      'careless has readonly = 0: ALTER USER careless SETTINGS readonly = 2',
      'careless may read other databases too (other): grant SELECT ON analytics.* alone',
      'careless may read from addresses by table functions: REVOKE SOURCES ON *.* FROM careless',
    ]);
  });

  it('are refused where they cannot load', async () => {
    await expect(faultsOf({ loader: { user: 'reader', password: 'read-secret' } })).rejects.toThrow(/CREATE TABLE|readonly/);
  });
});
