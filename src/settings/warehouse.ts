import * as z from 'zod';
import { isLoopback } from '../lib/address.ts';
import { type Setting, words } from './setting.ts';

const NAME = /^[a-z_][a-z0-9_]*$/i;

/** Why ClickHouse cannot be reached at an address, or must not be; undefined where it may. */
function faultOf(text: string): string | undefined {
  if (!URL.canParse(text)) return 'expected an address such as https://loader@clickhouse.example.com:8443/analytics';
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) return 'expected https, or http on this machine';
  if (password !== '') return 'a password stands in WEB_ANALYTICS_WAREHOUSE_PASSWORD, not in the address';
  if (username === '') return 'expected the user who loads: https://loader@…';
  if (!NAME.test(pathname.slice(1))) return 'expected the database as the path, letters, digits and _: https://loader@…:8443/analytics';
  return search || hash ? 'expected no query and no fragment' : undefined;
}

function placeOf(text: string): { readonly address: string; readonly user: string; readonly database: string } {
  const { origin, username, pathname } = new URL(text);
  return { address: origin, user: decodeURIComponent(username), database: pathname.slice(1) };
}

const address = z.string().transform((text, context) => {
  const message = faultOf(text);
  if (message === undefined) return placeOf(text);
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** ClickHouse as the warehouse that keeps the exports of a team and answers SQL. */
export const warehouseSettings = {
  warehouseUrl: {
    variable: 'WEB_ANALYTICS_WAREHOUSE_URL',
    title: 'Warehouse',
    words: 'ClickHouse that holds the exports of a team and answers SQL: `https://loader@host:8443/database`',
    schema: address,
    otherwise: 'the embedded engine on disk',
  },
  warehousePassword: {
    variable: 'WEB_ANALYTICS_WAREHOUSE_PASSWORD',
    title: 'Warehouse password',
    words: 'Password of the user in that address; or `WEB_ANALYTICS_WAREHOUSE_PASSWORD_FILE`',
    schema: words,
    otherwise: 'none',
    secret: true,
  },
  warehouseReader: {
    variable: 'WEB_ANALYTICS_WAREHOUSE_READER',
    title: 'Warehouse reader',
    words: 'Second, read-only user of ClickHouse as whom statements run',
    schema: words,
  },
  warehouseReaderPassword: {
    variable: 'WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD',
    title: 'Warehouse reader password',
    words: 'Password of that user; or `WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD_FILE`',
    schema: words,
    otherwise: 'none',
    secret: true,
  },
  warehouseEngine: {
    variable: 'WEB_ANALYTICS_WAREHOUSE_ENGINE',
    title: 'Warehouse engine',
    words: 'Engine of its tables: ReplacingMergeTree, or ReplicatedReplacingMergeTree in a database of the engine Replicated',
    schema: z.enum(['ReplacingMergeTree', 'ReplicatedReplacingMergeTree'], 'expected ReplacingMergeTree or ReplicatedReplacingMergeTree'),
    default: 'ReplacingMergeTree',
  },
} satisfies Record<string, Setting>;
