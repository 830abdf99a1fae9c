import { describe, expect, it } from 'vitest';
import { warehouseOf, warehouseReport } from '../../src/commands/warehouse.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { sharedClickHouse } from '../support/clickhouse/index.ts';
import { missing } from '../support/clickhouse/start.ts';

function settingsFor(address: string, reader = 'reader', more: Record<string, string> = {}) {
  return readSettings({
    WEB_ANALYTICS_WAREHOUSE_URL: `${address.replace('://', '://loader@')}/analytics`,
    WEB_ANALYTICS_WAREHOUSE_PASSWORD: 'load-secret',
    WEB_ANALYTICS_WAREHOUSE_READER: reader,
    WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD: 'read-secret',
    ...more,
  });
}

it('there is no warehouse where none is set, and none in the demo', async () => {
  expect(warehouseOf(readSettings({}))).toBeUndefined();
  expect(warehouseOf(settingsFor('http://127.0.0.1:9', 'reader', { WEB_ANALYTICS_DEMO: 'true' }))).toBeUndefined();
  expect(await warehouseReport(readSettings({}))).toEqual([]);
});

it('a warehouse that is away is a fault with its address, and no password', async () => {
  const words = 'The warehouse at http://127.0.0.1:9 does not answer (ECONNREFUSED).';
  expect(await warehouseReport(settingsFor('http://127.0.0.1:9'))).toEqual([{ name: 'warehouse', words, state: 'fault' }]);
});

describe.skipIf(missing)(`doctor and the warehouse${missing ? ` (${missing})` : ''}`, () => {
  const clickHouse = sharedClickHouse();

  it('says that it can be loaded, and whose rights go too far', async () => {
    const { address } = clickHouse().access;
    expect(await warehouseReport(settingsFor(address))).toEqual([
      {
        name: 'warehouse',
        words: `analytics at ${address} can be loaded, and reader only reads, so query_export answers from there`,
        state: 'good',
      },
    ]);
    const careless = await warehouseReport(settingsFor(address, 'careless'));
    expect(careless.map(({ state }) => state)).toEqual(['fault', 'fault', 'fault']);
    const [wrong] = await warehouseReport(settingsFor(address, 'reader', { WEB_ANALYTICS_WAREHOUSE_PASSWORD: 'canary' }));
    expect(wrong).toMatchObject({ state: 'fault', words: expect.stringContaining('ClickHouse refuses the user loader') });
    expect(wrong?.words).not.toContain('canary');
  });
});
