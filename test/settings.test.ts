import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Setting } from '../src/settings/setting.ts';
import { flagOf, isSwitch, readSettings, settingDeclarations } from '../src/settings/settings.ts';

const settings: readonly Setting[] = Object.values(settingDeclarations);
const of = (variable: string, value: string) => readSettings({ [`WEB_ANALYTICS_${variable}`]: value });

describe('the settings', () => {
  it('have names and titles of their own', () => {
    expect(new Set(settings.flatMap(({ variable, title }) => [variable, title])).size).toBe(2 * settings.length);
  });

  it('are described, with a default or what happens without one', () => {
    for (const { variable, title, words } of settings) {
      expect(`${variable}: ${title}: ${words}`).toMatch(/^WEB_ANALYTICS_[A-Z_]+: [A-Z].{1,30}: [A-Z].{10,120}$/);
    }
    const defaults = settings.filter((setting) => setting.default !== undefined);
    expect(defaults.filter((setting) => !setting.schema.safeParse(setting.default).success)).toEqual([]);
  });

  it('have sensible values when nothing is given', () => {
    expect(readSettings({})).toEqual({
      timeZone: 'UTC',
      readOnly: false,
      rawHar: false,
      demo: false,
      dataQuotaMb: 5_000,
      keepSource: false,
      warehouseEngine: 'ReplacingMergeTree',
      speedConcurrency: 1,
      concurrency: 8,
      timeoutMs: 30_000,
      maxResultTokens: 20_000,
      reportCacheMb: 64,
      http: false,
      host: '127.0.0.1',
      port: 8000,
      maxSessions: 1000,
      sessionIdleMinutes: 30,
      maxRequests: 256,
      clockSkewSeconds: 30,
    });
  });

  it.each([
    ['ENRICHMENT_CLIENT_ID', 'a', 'ENRICHMENT_CLIENT_SECRET'],
    ['ENRICHMENT_CLIENT_SECRET', 'a', 'ENRICHMENT_CLIENT_ID'],
    ['TLS_CERT_FILE', 'a.pem', 'TLS_KEY_FILE'],
    ['TLS_KEY_FILE', 'a.pem', 'TLS_CERT_FILE'],
    ['ISSUER', 'https://login.example.com', 'AUDIENCE'],
    ['CREDENTIALS_FILE', '/c.json', 'CREDENTIALS_KEY'],
    ['WAREHOUSE_URL', 'https://loader@clickhouse.example.com:8443/analytics', 'WAREHOUSE_READER'],
    ['WAREHOUSE_READER', 'reader', 'WAREHOUSE_URL'],
    ['CACHE_URL', 'redis://127.0.0.1', 'CACHE_KEY'],
    ['CACHE_KEY', 'b'.repeat(64), 'CACHE_URL'],
  ])('%s "%s" comes with %s', (variable, value, other) => {
    expect(() => of(variable, value)).toThrow(`WEB_ANALYTICS_${other}: is missing`);
  });

  it('count as not given when empty, or when a host left its form field as it was', () => {
    for (const text of ['', '   ', '${user_config.anything}', ' ${user_config.time_zone} ']) {
      expect(readSettings(Object.fromEntries(settings.map(({ variable }) => [variable, text])))).toEqual(readSettings({}));
    }
    expect(() => of('TIME_ZONE', '${HOME}')).toThrow('WEB_ANALYTICS_TIME_ZONE');
  });

  it('of a warehouse come with its reader; the address holds the user and no password', () => {
    const url = 'https://loader@clickhouse.example.com:8443/analytics';
    expect(() => of('WAREHOUSE_PASSWORD', 'canary')).toThrow(/^WEB_ANALYTICS_WAREHOUSE_URL: is missing(?!.*canary)/);
    const given = { WEB_ANALYTICS_WAREHOUSE_URL: url, WEB_ANALYTICS_WAREHOUSE_READER: 'reader' };
    expect(readSettings(given)).toMatchObject({
      warehouseUrl: { address: 'https://clickhouse.example.com:8443', user: 'loader', database: 'analytics' },
    });
    for (const [text, words] of [
      ['https://a@h/b?x=1', 'expected no query and no fragment'],
      ['http://a@example.com/b', 'expected https, or http on this machine'],
      ['https://example.com/b', 'expected the user who loads'],
      ['https://a@example.com/', 'expected the database as the path'],
      ['clickhouse', 'expected an address such as'],
    ] as const)
      expect(() => of('WAREHOUSE_URL', text), text).toThrow(words);
    const withPassword = () => of('WAREHOUSE_URL', 'https://a:canary@example.com/b');
    expect(withPassword).toThrow(/WEB_ANALYTICS_WAREHOUSE_PASSWORD, not in the address/);
    expect(withPassword).not.toThrow(/canary/);
    expect(() => of('WAREHOUSE_ENGINE', 'Log')).toThrow('expected ReplacingMergeTree or ReplicatedReplacingMergeTree');
  });

  it('of a shared cache come with the key that encrypts it, and are not repeated where they are wrong', () => {
    const key = 'b'.repeat(64);
    expect(() => of('CACHE_KEY', 'canary-key')).toThrow(/^WEB_ANALYTICS_CACHE_KEY: expected 32 random bytes(?!.*canary)/);
    for (const url of ['http://user:canary@cache', 'cache:6379', 'redis://', 'redis://:canary%zz@cache'])
      expect(() => of('CACHE_URL', url)).toThrow(/^WEB_ANALYTICS_CACHE_URL: expected an address such as redis:(?!.*canary)/);
    const given = { WEB_ANALYTICS_CACHE_URL: 'rediss://user:pass@cache.example.com:6380', WEB_ANALYTICS_CACHE_KEY: key };
    expect(readSettings(given)).toMatchObject({ cacheUrl: 'rediss://user:pass@cache.example.com:6380', cacheKey: key });
  });

  it.each<[string, string, unknown]>([
    ['TOKEN_ALGORITHMS', 'ES256, RS256', { tokenAlgorithms: ['ES256', 'RS256'] }],
    ['JWKS_URL', 'https://login.example.com/keys?policy=a', { jwksUrl: 'https://login.example.com/keys?policy=a' }],
    ['AUTH_URL', 'https://auth.example.com', { authUrl: 'https://auth.example.com' }],
    ['AUTH_URL', 'http://127.0.0.1:4000', { authUrl: 'http://127.0.0.1:4000' }],
    ['TIME_ZONE', ' Europe/Paris ', { timeZone: 'Europe/Paris' }],
    ['TOOLSETS', 'metrics, account ,', { toolsets: ['metrics', 'account'] }],
    ['READ_ONLY', 'YES', { readOnly: true }],
    ['RAW_HAR', '1', { rawHar: true }],
    ['OWN_DOMAINS', 'shop-files.net, cdn.example.org', { ownDomains: ['shop-files.net', 'cdn.example.org'] }],
    ['COUNTRY', 'de-by', { country: 'DE-BY' }],
    [
      'SPECIAL_DAYS',
      '2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale',
      {
        specialDays: [
          { from: '2026-09-15', to: '2026-09-15', name: 'Anniversary' },
          { from: '2026-10-05', to: '2026-10-11', name: 'Autumn sale' },
        ],
      },
    ],
    ['PROJECT_ID', '1201', { projectId: 1201 }],
    ['ENDPOINT_DOMAINS', 'example.com,example.org', { endpointDomains: ['example.com', 'example.org'] }],
    [
      'ALLOWED_ORIGINS',
      'https://app.example.com, http://localhost:6274',
      { allowedOrigins: ['https://app.example.com', 'http://localhost:6274'] },
    ],
    ['ALLOWED_HOSTS', 'MCP.example.com,10.0.0.1,[::1]', { allowedHosts: ['MCP.example.com', '10.0.0.1', '[::1]'] }],
    ['PORT', '0', { port: 0 }],
  ])('%s takes "%s"', (variable, text, value) => {
    expect(of(variable, text)).toMatchObject(value as object);
  });

  it.each<[string, string, RegExp]>([
    ['AUTH_URL', 'http://auth.example.com', /expected an https address/],
    ['AUTH_URL', 'auth.example.com', /expected an https address/],
    ['PROJECT_ID', 'shop', /expected a whole number of project id/],
    ['COUNTRY', 'ZZ', /expected a country as FR, or a region of it as DE-BY/],
    ['COUNTRY', 'France', /expected a country as FR/],
    ['SPECIAL_DAYS', '2026-02-30 Sale', /expected days with names, separated by commas, such as 2026-09-15 Anniversary/],
    ['SPECIAL_DAYS', '2026-09-15', /expected days with names/],
    ['TIME_ZONE', 'Paris', /expected an IANA time zone, such as Europe\/Paris/],
    ['OWN_DOMAINS', 'https://shop.example', /expected domains such as cdn.example.net/],
    ['READ_ONLY', 'maybe', /expected true or false/],
    ['TOOLSETS', ' , ', /expected names separated by commas/],
    ['CONCURRENCY', '0', /from 1 to 10/],
    ['CONCURRENCY', '11', /from 1 to 10/],
    ['TIMEOUT_MS', '2.5', /whole number of milliseconds from 100 to 40000/],
    ['MAX_RESULT_TOKENS', '1e4', /from 500 to 200000/],
    ['DATA_QUOTA_MB', '0', /whole number of megabytes from 1/],
    ['LOG_LEVEL', 'loud', /expected one of .*warn/],
    ['ISSUER', 'http://login.example.com', /expected an https address/],
    ['AUDIENCE', 'https://mcp.example.com/mcp?x=1', /expected an https address/],
    ['JWKS_URL', 'http://login.example.com/keys', /expected an https address/],
    ['TOKEN_ALGORITHMS', 'HS256', /expected some of RS256/],
    ['TOKEN_ALGORITHMS', 'RS256,none', /expected some of RS256/],
    ['PORT', '65536', /from 0 to 65535/],
    ['ALLOWED_ORIGINS', 'app.example.com', /expected origins such as https/],
    ['ALLOWED_ORIGINS', 'https://app.example.com/page', /expected origins such as https/],
    ['ALLOWED_HOSTS', 'mcp.example.com:8443', /expected host names such as mcp.example.com, without scheme, port or wildcard/],
    ['ALLOWED_HOSTS', 'https://mcp.example.com', /expected host names/],
    ['ALLOWED_HOSTS', '*.example.com', /expected host names/],
    ['MAX_SESSIONS', '0', /from 1 to 100000/],
  ])('%s refuses "%s" by name, with what is expected', (variable, text, words) => {
    const refused = () => of(variable, text);
    expect(refused).toThrow(words);
    expect(refused).toThrow(`WEB_ANALYTICS_${variable}: "${text}" is wrong: `);
  });
});

it('flags have the words of the variable, and win over it', () => {
  expect(flagOf(settingDeclarations.timeZone)).toBe('time-zone');
  const environment = { WEB_ANALYTICS_TIME_ZONE: 'Europe/Paris', WEB_ANALYTICS_READ_ONLY: 'true' };
  expect(readSettings(environment, { 'time-zone': 'Asia/Tokyo' })).toMatchObject({ timeZone: 'Asia/Tokyo', readOnly: true });
  expect(readSettings(environment, { 'time-zone': '' })).toMatchObject({ timeZone: 'Europe/Paris' });
});

it('flags are named when they are wrong', () => {
  expect(() => readSettings({}, { 'log-level': 'x' })).toThrow('--log-level: "x" is wrong: expected one of');
});

it('flags exist for all but secrets, and stand alone where there is only on and off', () => {
  const without = settings.filter((setting) => flagOf(setting) === undefined).map(({ variable }) => variable);
  expect(without.filter((variable) => !/_CLIENT_(ID|SECRET)$|_KEY$|_CACHE_URL$|_TOKEN$|_PASSWORD$/.test(variable))).toEqual([]);
  expect(without).toHaveLength(10);
  expect(settings.filter(isSwitch).map(flagOf).join(' ')).toBe('demo read-only raw-har keep-source http');
});

describe('secrets', () => {
  const SECRET = 'canary-7f3a9c';

  /** A file that holds a secret, gone after the test. */
  function secretFile(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'secret');
    writeFileSync(path, text);
    return path;
  }

  it('come from the environment or from a file, never from a flag', () => {
    expect(of('CLIENT_SECRET', SECRET)).toMatchObject({ clientSecret: SECRET });
    expect(of('CLIENT_SECRET_FILE', secretFile(`${SECRET}\n`))).toMatchObject({ clientSecret: SECRET });
    const integration = { WEB_ANALYTICS_ENRICHMENT_CLIENT_ID: 'a', WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET_FILE: secretFile(SECRET) };
    expect(readSettings(integration)).toMatchObject({ enrichmentClientSecret: SECRET });
    expect(readSettings({}, { 'client-secret': SECRET, 'client-id': SECRET })).toEqual(readSettings({}));
  });

  it('that are keys have 32 bytes, and are not quoted when they have not', () => {
    const environment = { WEB_ANALYTICS_CREDENTIALS_FILE: '/c.json', WEB_ANALYTICS_CREDENTIALS_KEY: SECRET };
    expect(() => readSettings(environment)).toThrow(/^WEB_ANALYTICS_CREDENTIALS_KEY: expected 32 random bytes in base64 or hex/);
  });

  it('of the environment win over a file, which need not be there then', () => {
    const environment = { WEB_ANALYTICS_CLIENT_SECRET: SECRET, WEB_ANALYTICS_CLIENT_SECRET_FILE: '/nowhere' };
    expect(readSettings(environment)).toMatchObject({ clientSecret: SECRET });
  });

  it('whose file cannot be read are refused by its name', () => {
    expect(() => of('CLIENT_SECRET_FILE', '/nowhere/secret')).toThrow('WEB_ANALYTICS_CLIENT_SECRET_FILE: cannot read "/nowhere/secret"');
  });
});
